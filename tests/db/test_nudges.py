"""Nudges: a commit after a silence is heard at once, and nobody waits for who does not listen."""

import os
from collections.abc import Iterator
from pathlib import Path

import anyio
import pytest
from sqlalchemy import text

from ccweb.db import wakeup
from ccweb.db.engine import Database
from ccweb.db.nudges import Nudges
from ccweb.db.wakeup import Wakeup

NEVER_S = 600.0
INSERT = text("INSERT INTO note VALUES ('')")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return the folder of the FIFOs."""
    return tmp_path / "x.db-nudges"


@pytest.fixture
def databases(tmp_path: Path) -> Iterator[tuple[Database, Database]]:
    """Return two databases on one file, as two processes have them."""
    pair = tuple(Database(f"sqlite:///{tmp_path / 'x.db'}") for _ in range(2))
    with pair[0].begin() as c:
        c.execute(text("CREATE TABLE note (body TEXT)"))
    yield pair[0], pair[1]
    for db in pair:
        db.close()


@pytest.fixture
def listener(folder: Path) -> Iterator[int]:
    """Return the reading end of another process's FIFO."""
    folder.mkdir()
    os.mkfifo(folder / "other")
    end = os.open(folder / "other", os.O_RDWR | os.O_NONBLOCK)
    yield end
    os.close(end)


@pytest.mark.parametrize("by_writer_thread", [True, False])
async def test_a_commit_wakes_a_process_that_does_not_look(
    databases: tuple[Database, Database], monkeypatch: pytest.MonkeyPatch, by_writer_thread: bool
) -> None:
    for pace in ("_FAST_S", "_SLOW_S", "_NUDGED_S"):
        monkeypatch.setattr(wakeup, pace, NEVER_S)
    waiting = Wakeup(databases[0])
    await waiting.wait(0)
    async with anyio.create_task_group() as tasks:

        async def commit() -> None:
            if by_writer_thread:
                await databases[1].write(lambda c: c.execute(INSERT))
            else:
                with databases[1].begin() as c:
                    c.execute(INSERT)

        tasks.start_soon(commit)
        with anyio.fail_after(5):
            assert await waiting.wait(NEVER_S)


async def test_a_commit_whose_nudge_is_lost_is_heard_all_the_same(
    databases: tuple[Database, Database], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for pace in ("_FAST_S", "_SLOW_S"):
        monkeypatch.setattr(wakeup, pace, NEVER_S)
    waiting = Wakeup(databases[0])
    await waiting.wait(0)
    for fifo in folder.iterdir():
        fifo.unlink()
    await databases[1].write(lambda c: c.execute(INSERT))
    with anyio.fail_after(5):
        assert await waiting.wait(NEVER_S)


async def test_what_is_heard_keeps_nobody_from_nudging(
    databases: tuple[Database, Database], folder: Path
) -> None:
    heard = anyio.Event()
    databases[1].on_nudge(heard.set)
    Nudges(folder).send()
    with anyio.fail_after(5):
        await heard.wait()
    os.mkfifo(folder / "other")
    listener = os.open(folder / "other", os.O_RDWR | os.O_NONBLOCK)
    with databases[1].begin() as c:
        c.execute(INSERT)
    assert os.read(listener, 10) == b"\0"
    os.close(listener)


async def test_a_commit_of_ours_does_not_hide_that_another_goes_on_committing(
    databases: tuple[Database, Database], monkeypatch: pytest.MonkeyPatch
) -> None:
    for constant in ("_NUDGED_S", "_SLOW_S", "SILENCE_S"):
        monkeypatch.setattr(wakeup, constant, NEVER_S)
    monkeypatch.setattr(Nudges, "send", lambda _: None)  # the rival has just committed before
    ours, rival = databases
    waiting = Wakeup(ours)
    await waiting.wait(0)  # awake, as after each first look
    waiting._active_at = -3 * NEVER_S  # and busy with other things since
    await rival.write(lambda c: c.execute(INSERT))
    await ours.write(lambda c: c.execute(INSERT))
    assert await waiting.wait(NEVER_S)
    async with anyio.create_task_group() as tasks:

        async def commit() -> None:
            await rival.write(lambda c: c.execute(INSERT))

        tasks.start_soon(commit)
        with anyio.fail_after(5):
            assert await waiting.wait(NEVER_S)


async def test_where_no_fifo_can_be_made_a_commit_is_heard_all_the_same(
    databases: tuple[Database, Database], folder: Path
) -> None:
    folder.write_text("a file is in the way")
    waiting = Wakeup(databases[0])
    await waiting.wait(0)
    await databases[1].write(lambda c: c.execute(INSERT))
    with anyio.fail_after(5):
        assert await waiting.wait(5)


def test_who_is_awake_is_not_nudged_again(folder: Path, listener: int) -> None:
    nudges = Nudges(folder)
    nudges.send()
    nudges.send()
    assert os.read(listener, 10) == b"\0"


def test_a_process_that_does_not_read_holds_nobody_up(folder: Path, listener: int) -> None:
    with pytest.raises(BlockingIOError):
        while True:
            os.write(listener, b"x" * 4096)
    Nudges(folder).send()


def test_what_a_dead_process_has_left_is_removed(folder: Path) -> None:
    folder.mkdir()
    os.mkfifo(folder / "dead")
    os.mkfifo(folder / ".draft")
    Nudges(folder).send()
    assert [path.name for path in folder.iterdir()] == [".draft"]


async def test_a_process_that_ends_leaves_nothing(
    databases: tuple[Database, Database], folder: Path
) -> None:
    await Wakeup(databases[0]).wait(0)
    await Wakeup(databases[0]).wait(0)
    assert len(list(folder.iterdir())) == 1
    databases[0].close()
    assert list(folder.iterdir()) == []
