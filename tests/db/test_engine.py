"""The engine: one command = one transaction, shared commits, and what is refused."""

from collections.abc import Iterator
from pathlib import Path

import anyio
import pytest
from sqlalchemy import Connection, text

from ccweb.db.engine import Database
from ccweb.errors import AgentUnavailable, LoopGuard
from ccweb_contract.enums import AgentKind


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    """Return a database with one table `note`."""
    db = Database(f"sqlite:///{tmp_path / 'x.db'}")
    with db.begin() as c:
        c.execute(text("CREATE TABLE note (body TEXT UNIQUE)"))
    yield db
    db.close()


def note(c: Connection, body: str) -> str:
    c.execute(text("INSERT INTO note VALUES (:body)"), {"body": body})
    return body


def notes(c: Connection) -> list[str]:
    return [row.body for row in c.execute(text("SELECT body FROM note ORDER BY body"))]


async def test_a_command_is_durable_when_write_returns(db: Database, tmp_path: Path) -> None:
    assert await db.write(lambda c: note(c, "one")) == "one"
    other = Database(f"sqlite:///{tmp_path / 'x.db'}")
    assert await other.read(notes) == ["one"]
    other.close()


async def test_a_command_that_fails_leaves_nothing_and_its_neighbours_everything(
    db: Database,
) -> None:
    def fail(c: Connection) -> None:
        note(c, "half")
        raise AgentUnavailable(agent=AgentKind.CLAUDE, why="not installed")

    results: list[object] = []

    async def run(command: object) -> None:
        try:
            results.append(await db.write(command))  # type: ignore[arg-type]
        except AgentUnavailable as error:
            results.append(error.agent)

    with anyio.fail_after(5):
        async with anyio.create_task_group() as group:
            for command in (lambda c: note(c, "a"), fail, lambda c: note(c, "b")):
                group.start_soon(run, command)
    assert await db.read(notes) == ["a", "b"]
    assert set(results) == {"a", "b", AgentKind.CLAUDE}


@pytest.mark.requirement("R-M2")
async def test_a_refusal_that_opens_an_ask_keeps_what_it_wrote(db: Database) -> None:
    def refuse(c: Connection) -> None:
        note(c, "the ask")
        raise LoopGuard(ask_id="ask_1", why="too often")

    with pytest.raises(LoopGuard):
        await db.write(refuse)
    with pytest.raises(LoopGuard), db.begin() as c:
        note(c, "another ask")
        raise LoopGuard(ask_id="ask_2", why="too often")
    assert await db.read(notes) == ["another ask", "the ask"]


@pytest.mark.requirement("R-M12")
async def test_a_hundred_commands_of_two_processes_are_all_written(
    db: Database, tmp_path: Path
) -> None:
    other = Database(f"sqlite:///{tmp_path / 'x.db'}")
    with anyio.fail_after(20):
        async with anyio.create_task_group() as group:
            for i in range(50):
                group.start_soon(db.write, lambda c, i=i: note(c, f"a{i}"))
                group.start_soon(other.write, lambda c, i=i: note(c, f"b{i}"))
    assert len(await db.read(notes)) == 100
    other.close()


async def test_listeners_hear_of_each_commit(db: Database) -> None:
    heard = anyio.Event()
    db.on_commit(heard.set)
    await db.write(lambda c: note(c, "one"))
    with anyio.fail_after(5):
        await heard.wait()


@pytest.mark.requirement("R-S5")
def test_the_database_files_are_for_their_owner_alone(tmp_path: Path) -> None:
    db = Database(f"sqlite:///{tmp_path / 'y.db'}")
    with db.begin() as c:
        c.execute(text("CREATE TABLE note (body TEXT)"))
        modes = {path.name: path.stat().st_mode & 0o777 for path in tmp_path.glob("y.db*")}
    db.close()
    assert modes == {"y.db": 0o600, "y.db-wal": 0o600, "y.db-shm": 0o600}
