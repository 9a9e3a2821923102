"""Statements run past SQLAlchemy's compiler and give what they would give through it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, bindparam, event
from sqlalchemy.exc import IntegrityError, NoResultFound, OperationalError, SQLAlchemyError

from ccweb.db.engine import Database
from ccweb.db.sql import returning, select, text

ROWS = [{"id": name, "size": size} for name, size in (("a", 1), ("b", 2), ("c", None))]
INSERT = "INSERT INTO thing (id, size) VALUES (:id, :size)"
BY_IDS = "SELECT id FROM thing WHERE id IN :ids AND size > :least ORDER BY id"


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    db = Database(f"sqlite:///{tmp_path / 'x.db'}")
    with db.begin() as c:
        c.execute(text("CREATE TABLE thing (id TEXT PRIMARY KEY, size INTEGER)"))
        c.execute(text(INSERT), ROWS)
    yield db
    db.close()


@pytest.fixture(params=["ours", "SQLAlchemy's"])
def c(db: Database, request: pytest.FixtureRequest) -> Iterator[Connection]:
    """Return a connection; one with a listener goes the long way."""
    with db.begin() as c:
        if request.param != "ours":
            event.listen(c.engine, "before_cursor_execute", lambda *_: None)
        yield c


def test_rows_are_read_by_name_by_place_and_whole(c: Connection) -> None:
    found = c.execute(select("id, size * 2 AS twice", "FROM thing WHERE id = :id"), {"id": "b"})
    row = found.one()
    assert (row.id, row.twice, row[1], tuple(row)) == ("b", 4, 4, ("b", 4))
    assert row._mapping == {"id": "b", "twice": 4}


def test_every_way_of_reading_a_result_works(c: Connection) -> None:
    every = text("SELECT id FROM thing ORDER BY id")
    none = text("SELECT id FROM thing WHERE id = 'z'")
    assert c.execute(every).scalars().all() == ["a", "b", "c"]
    assert [row.id for row in c.execute(every)] == ["a", "b", "c"]
    assert c.execute(text("SELECT count(*) FROM thing")).scalar_one() == 3
    assert (c.execute(none).first(), c.execute(none).all(), c.execute(none).scalar()) == (
        None,
        [],
        None,
    )
    with pytest.raises(NoResultFound):
        c.execute(none).one()


@pytest.mark.parametrize(
    ("ids", "found"), [([], []), (["a"], ["a"]), (["b", "a", "z"], ["a", "b"])]
)
def test_a_list_takes_as_many_values_as_it_has(
    c: Connection, ids: list[str], found: list[str]
) -> None:
    by_ids = text(BY_IDS).bindparams(bindparam("ids", expanding=True))
    assert c.execute(by_ids, {"ids": ids, "least": 0}).scalars().all() == found


def test_a_change_says_how_many_rows_it_has_changed(c: Connection) -> None:
    change = text("UPDATE thing SET size = 7 WHERE size IS NOT NULL")
    assert c.execute(change).rowcount == 2


def test_a_change_is_made_though_nobody_reads_what_it_returns(db: Database) -> None:
    with db.begin() as c:
        c.execute(returning("id", "UPDATE thing SET size = 9"))
    assert db.reader.execute(text("SELECT DISTINCT size FROM thing")).scalars().all() == [9]


def test_a_result_that_is_not_read_to_its_end_does_not_hold_the_connection_back(
    db: Database, tmp_path: Path
) -> None:
    count, every = text("SELECT count(*) FROM thing"), text("SELECT id FROM thing")
    half_read = iter(db.reader.execute(every))
    assert next(half_read).id == "a"
    other = Database(f"sqlite:///{tmp_path / 'x.db'}")
    with other.begin() as c:
        c.execute(text("DELETE FROM thing"))
    other.close()
    assert db.reader.execute(count).scalar_one() == 0


@pytest.mark.parametrize(
    ("statement", "given", "kind"),
    [
        (INSERT, {"id": "a", "size": 1}, IntegrityError),
        ("SELECT nothing FROM nowhere", {}, OperationalError),
    ],
)
def test_an_error_is_sqlalchemys_and_shows_no_values(
    c: Connection, statement: str, given: dict[str, Any], kind: type[Exception]
) -> None:
    with pytest.raises(kind) as caught:
        c.execute(text(statement), given)
    assert "parameters hidden" in str(caught.value) or not given


def test_a_parameter_that_is_missing_is_an_error(db: Database) -> None:
    with pytest.raises(SQLAlchemyError), db.connect() as c:
        c.execute(text(INSERT), {"id": "d"})


def test_the_same_text_is_the_same_statement() -> None:
    assert text(INSERT) is text(INSERT)
    assert text(BY_IDS).bindparams(bindparam("ids", expanding=True)) is not text(BY_IDS)
