"""Migrations: they add up to the tables, run once, and refuse a newer database."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import inspect, text

from ccweb.db import migrate as migration
from ccweb.db.engine import Database
from ccweb.db.migrate import DatabaseTooNew, migrate
from ccweb.db.tables import metadata


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    """Return a migrated database."""
    db = Database(f"sqlite:///{tmp_path / 'ccweb.db'}")
    migrate(db)
    yield db
    db.close()


@pytest.mark.requirement("R-S3")
def test_the_migrations_add_up_to_exactly_the_tables(db: Database) -> None:
    with db.connect() as c:
        assert compare_metadata(MigrationContext.configure(c), metadata) == []
        checks = inspect(c).get_check_constraints("turn")
    assert {check["name"] for check in checks} == {"ck_turn_kind", "ck_turn_status"}


def test_the_code_knows_the_newest_revision() -> None:
    config = Config()
    config.set_main_option("script_location", str(Path(migration.__file__).parent / "migrations"))
    assert ScriptDirectory.from_config(config).get_current_head() == migration.HEAD


def test_migrating_again_changes_nothing(db: Database) -> None:
    with db.begin() as c:
        c.execute(text("INSERT INTO chain VALUES ('kept', 1)"))
    migrate(db)
    with db.connect() as c:
        assert c.execute(text("SELECT id FROM chain")).scalar_one() == "kept"


@pytest.mark.requirement("R-S4")
def test_a_database_newer_than_the_code_is_refused_and_untouched(db: Database) -> None:
    with db.begin() as c:
        c.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(DatabaseTooNew):
        migrate(db)
    with db.connect() as c:
        assert c.execute(text("SELECT version_num FROM alembic_version")).scalar_one() == "9999"


@pytest.mark.requirement("R-S4")
def test_a_database_of_the_first_form_keeps_its_rows(tmp_path: Path) -> None:
    db = Database(f"sqlite:///{tmp_path / 'old.db'}")
    with db.begin() as c:
        config = Config()
        folder = Path(migration.__file__).parent / "migrations"
        config.set_main_option("script_location", str(folder))
        config.attributes["connection"] = c
        assert not inspect(c).has_table("ask")  # begins the transaction that Alembic works in
        command.upgrade(config, "0001")
    with db.begin() as c:
        c.execute(text("INSERT INTO host VALUES ('h', 'machine', '[]', 1, 1)"))
        c.execute(
            text("""INSERT INTO conversation (id, title, agent, cwd, permission_mode, host_id,
                created_at, updated_at) VALUES ('k', 'One', 'demo', '/', 'ask', 'h', 1, 1)""")
        )
        c.execute(
            text("""INSERT INTO ask (id, kind, status, conversation_id, subject, detail, created_at)
                VALUES ('a', 'loop_paused', 'open', 'k', 's', '{}', 1)""")
        )

    migrate(db)

    with db.connect() as c:
        kept = c.execute(text("SELECT id, kind, subject, answer FROM ask")).one()
        assert tuple(kept) == ("a", "loop_paused", "s", None)
        assert compare_metadata(MigrationContext.configure(c), metadata) == []
    db.close()
