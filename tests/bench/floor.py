"""The floor: the same steps of a round trip in bare asyncio and sqlite3, and nothing else.

Process A sends (message, request, queued turn: one transaction). Process B hears of it by
`data_version`, claims the turn and completes it; A marks the reply delivered and queues the
continuation; B claims that. The clock stops when this last claim is durable.
"""

import asyncio
import multiprocessing
import sqlite3
import tempfile
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from multiprocessing.synchronize import Event
from pathlib import Path

from tests.bench.figures import Latencies

SCHEMA = """
CREATE TABLE message (id INTEGER PRIMARY KEY, body TEXT, state TEXT);
CREATE TABLE request (id INTEGER PRIMARY KEY, message INTEGER, state TEXT);
CREATE TABLE turn (id INTEGER PRIMARY KEY, message INTEGER, kind TEXT, state TEXT, claimed REAL);
CREATE INDEX turn_open ON turn (state) WHERE state IN ('queued', 'done');
CREATE INDEX request_message ON request (message);
"""
_BODY = "x" * 200
_CONTINUE = "INSERT INTO turn (message, kind, state) VALUES (?, 'more', 'queued')"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Run:
    path: Path
    concurrency: int
    rounds: int
    poll_s: float


def measure(*, concurrency: int, rounds: int, poll_s: float) -> Latencies:
    """Return the latencies of `rounds` round trips, `concurrency` of them at a time."""
    with tempfile.TemporaryDirectory() as folder:
        run = _Run(
            path=Path(folder) / "floor.db", concurrency=concurrency, rounds=rounds, poll_s=poll_s
        )
        with _open(run.path) as c:
            c.executescript(SCHEMA)
        stop = multiprocessing.Event()
        worker = multiprocessing.Process(target=_work, args=(run, stop))
        worker.start()
        try:
            return asyncio.run(_send_all(run))
        finally:
            stop.set()
            worker.join()


def _open(path: Path) -> sqlite3.Connection:
    c = sqlite3.connect(path, isolation_level=None, timeout=30)
    c.execute("PRAGMA journal_mode = WAL")
    c.execute("PRAGMA synchronous = FULL")
    return c


async def _commits(
    c: sqlite3.Connection, poll_s: float, stopped: Callable[[], bool]
) -> AsyncIterator[None]:
    seen = None
    while not stopped():
        version = c.execute("PRAGMA data_version").fetchone()
        if version == seen:
            await asyncio.sleep(poll_s)
            continue
        seen = version
        yield


def _work(run: _Run, stop: Event) -> None:
    asyncio.run(_claim_all(run, stop))


async def _claim_all(run: _Run, stop: Event) -> None:
    c = _open(run.path)
    async for _ in _commits(c, run.poll_s, stop.is_set):
        while queued := c.execute(
            "SELECT id, kind FROM turn WHERE state = 'queued' ORDER BY id LIMIT 256"
        ).fetchall():
            _claim_and_complete(c, queued)


def _claim_and_complete(c: sqlite3.Connection, queued: list[tuple[int, str]]) -> None:
    with _transaction(c):
        c.executemany("UPDATE turn SET state = 'running' WHERE id = ?", [(i,) for i, _ in queued])
    now = time.monotonic()
    with _transaction(c):
        c.executemany(
            "UPDATE turn SET state = ?, claimed = ? WHERE id = ?",
            [("done" if kind == "task" else "over", now, i) for i, kind in queued],
        )


class _transaction:
    def __init__(self, c: sqlite3.Connection) -> None:
        self._c = c

    def __enter__(self) -> None:
        self._c.execute("BEGIN IMMEDIATE")

    def __exit__(self, *_: object) -> None:
        self._c.execute("COMMIT")


async def _send_all(run: _Run) -> Latencies:
    c = _open(run.path)
    begun: dict[int, float] = {}
    latencies: list[float] = []
    sent = 0
    started = time.monotonic()
    async for _ in _commits(c, run.poll_s, lambda: False):
        _deliver(c)
        latencies += _finished(c, begun)
        if len(latencies) >= run.rounds:
            break
        new = min(run.concurrency - len(begun), run.rounds - sent)
        _send(c, begun, range(sent + 1, sent + 1 + new))
        sent += new
    return Latencies(seconds=tuple(latencies), wall_s=time.monotonic() - started)


def _send(c: sqlite3.Connection, begun: dict[int, float], ids: range) -> None:
    if not ids:
        return
    begun |= dict.fromkeys(ids, time.monotonic())
    rows = [(i,) for i in ids]
    with _transaction(c):
        c.executemany(f"INSERT INTO message VALUES (?, '{_BODY}', 'sent')", rows)
        c.executemany("INSERT INTO request (message, state) VALUES (?, 'waiting')", rows)
        c.executemany("INSERT INTO turn (message, kind, state) VALUES (?, 'task', 'queued')", rows)


def _deliver(c: sqlite3.Connection) -> None:
    done = c.execute("SELECT id, message FROM turn WHERE state = 'done' ORDER BY id").fetchall()
    if not done:
        return
    messages = [(message,) for _, message in done]
    with _transaction(c):
        c.executemany("UPDATE turn SET state = 'over' WHERE id = ?", [(i,) for i, _ in done])
        c.executemany("UPDATE request SET state = 'returned' WHERE message = ?", messages)
        c.executemany("UPDATE message SET state = 'delivered' WHERE id = ?", messages)
        c.executemany(
            "INSERT INTO turn (message, kind, state) VALUES (?, 'more', 'queued')", messages
        )


def _finished(c: sqlite3.Connection, begun: dict[int, float]) -> list[float]:
    if not begun:
        return []
    rows = c.execute(
        "SELECT message, claimed FROM turn WHERE kind = 'more' AND state = 'over' AND message >= ?",
        (min(begun),),
    ).fetchall()
    return [claimed - begun.pop(message) for message, claimed in rows if message in begun]
