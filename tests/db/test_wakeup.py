"""Wake-up: a commit by this or another process is heard, and silence is not."""

import time
from collections.abc import Iterator
from pathlib import Path

import anyio
import pytest
from sqlalchemy import text

from ccweb.db.engine import Database
from ccweb.db.wakeup import Wakeup


@pytest.fixture
def databases(tmp_path: Path) -> Iterator[tuple[Database, Database]]:
    """Return two databases on one file, as two processes have them."""
    pair = tuple(Database(f"sqlite:///{tmp_path / 'x.db'}") for _ in range(2))
    with pair[0].begin() as c:
        c.execute(text("CREATE TABLE note (body TEXT)"))
    yield pair[0], pair[1]
    for db in pair:
        db.close()


@pytest.mark.requirement("FC-14")
@pytest.mark.parametrize("writer", [0, 1])
async def test_a_commit_by_either_process_wakes(
    databases: tuple[Database, Database], writer: int
) -> None:
    wakeup = Wakeup(databases[0])
    await wakeup.wait(0)
    heard: list[bool] = []

    async def wait() -> None:
        heard.append(await wakeup.wait(5))

    with anyio.fail_after(5):
        async with anyio.create_task_group() as group:
            group.start_soon(wait)
            await anyio.lowlevel.checkpoint()
            await databases[writer].write(lambda c: c.execute(text("INSERT INTO note VALUES ('')")))
    assert heard == [True]


async def test_silence_ends_with_the_time_asked_for(databases: tuple[Database, Database]) -> None:
    wakeup = Wakeup(databases[0])
    await wakeup.wait(0)
    began = time.monotonic()
    assert not await wakeup.wait(0.02)
    assert time.monotonic() - began >= 0.02


async def test_a_commit_between_two_waits_is_not_missed(
    databases: tuple[Database, Database],
) -> None:
    wakeup = Wakeup(databases[0])
    await wakeup.wait(0)
    await databases[1].write(lambda c: c.execute(text("INSERT INTO note VALUES ('')")))
    with anyio.fail_after(5):
        assert await wakeup.wait(5)
