"""The engine: one writer thread, short reads in place, and one command = one transaction."""

import queue
import sqlite3
import threading
import time
from asyncio import AbstractEventLoop, Future, get_running_loop
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeVar

import structlog
from sqlalchemy import Connection, Engine, create_engine, event, make_url
from sqlalchemy.pool import NullPool

from ccweb.db import feed
from ccweb.db.nudges import Nudges
from ccweb.errors import CcwebError, Unavailable

log = structlog.get_logger()

T = TypeVar("T")
Command = Callable[[Connection], T]

_BATCH: Final = 32
_LOCK_WAIT_S: Final = 30.0
_LOCK_RETRY_S: Final = 0.0003
"""SQLite's own busy handler sleeps 1 to 100 ms, which is longer than a whole transaction here."""


@dataclass(slots=True)
class _Job:
    command: Command[Any]
    future: Future[Any]
    loop: AbstractEventLoop
    result: Any = None
    error: BaseException | None = None


class Database:
    """One database: `write` runs commands on the writer thread, `read` on the caller's thread.

    Commands that wait at the same moment share one commit, each behind its own savepoint, so the
    disk is asked once for all of them; a command's result is given out only after that commit.
    """

    def __init__(self, url: str) -> None:
        self.url = url
        self._engine = _open(url)
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._reader: Connection | None = None
        self._listeners: list[Callable[[], None]] = []
        self._nudges = _nudges(url)
        self._nudged: list[Callable[[], None]] = []

    # --- sync ---------------------------------------------------------------------------------

    @contextmanager
    def begin(self) -> Iterator[Connection]:
        """Yield a connection inside one write transaction; commit unless an error leaves it.

        Other processes hear of it; for those that wait in this one there is `write`.
        """
        with self._engine.connect() as c:
            _begin(c)
            try:
                yield c
            except BaseException as error:
                _end(c, keep=_commits(error))
                raise
            _end(c, keep=True)
        self._nudge()

    @contextmanager
    def connect(self) -> Iterator[Connection]:
        """Yield a connection for reading only."""
        with self._engine.connect() as c:
            yield c

    # --- async --------------------------------------------------------------------------------

    async def write(self, command: Command[T]) -> T:
        """Run a command in one transaction on the writer thread and return its result.

        Raises:
            CcwebError: the command refused; nothing was changed (but see `CcwebError.commits`).
            Unavailable: the database stayed locked for half a minute.
        """
        if self._thread is None:
            self._start_writer()
        loop = get_running_loop()
        future: Future[T] = loop.create_future()
        self._jobs.put(_Job(command, future, loop))
        return await future

    async def read(self, query: Command[T]) -> T:
        """Run a short query and return its result; it sees every commit made before."""
        return query(self.reader)

    @property
    def reader(self) -> Connection:
        """Return the connection that this process reads with; only the event loop uses it."""
        if self._reader is None:
            self._reader = self._engine.connect()
        return self._reader

    def on_commit(self, listener: Callable[[], None]) -> None:
        """Call `listener` on the event loop after each commit of this process that changed rows."""
        self._listeners.append(listener)

    def on_nudge(self, listener: Callable[[], None]) -> bool:
        """Call `listener` on the event loop soon after other processes have committed.

        Returns:
            Whether nudges are heard at all; where they are not, one has to look.
        """
        self._nudged.append(listener)
        if self._nudges is None:
            return False
        self._nudges.listen(get_running_loop(), self._hear)
        return self._nudges.listening

    def _hear(self) -> None:
        for listener in self._nudged:
            listener()

    def _nudge(self) -> None:
        if self._nudges is not None:
            self._nudges.send()

    def close(self) -> None:
        """End the writer after the commands that wait, and close every connection."""
        if self._thread is not None:
            self._jobs.put(None)
            self._thread.join()
            self._thread = None
        if self._reader is not None:
            self._reader.close()
            self._reader = None
        if self._nudges is not None:
            self._nudges.close()
        self._engine.dispose()

    # --- the writer thread --------------------------------------------------------------------

    def _start_writer(self) -> None:
        self._thread = threading.Thread(target=self._write_loop, name="ccweb-writer", daemon=True)
        self._thread.start()

    def _write_loop(self) -> None:
        with self._engine.connect() as c:
            c.exec_driver_sql("PRAGMA busy_timeout = 0")
            while (job := self._jobs.get()) is not None:
                batch = [job, *self._waiting()]
                before = _changes(c)
                _run_batch(c, batch)
                changed = _changes(c) != before
                self._hand_out(batch, changed=changed)
                if changed:
                    self._nudge()

    def _waiting(self) -> Iterator[_Job]:
        with suppress(queue.Empty):
            for _ in range(_BATCH - 1):
                job = self._jobs.get_nowait()
                if job is None:
                    self._jobs.put(None)
                    return
                yield job

    def _hand_out(self, batch: list[_Job], *, changed: bool) -> None:
        loop = batch[0].loop
        with suppress(RuntimeError):  # the loop is closed: nobody waits any more
            loop.call_soon_threadsafe(self._resolve, batch, changed)

    def _resolve(self, batch: list[_Job], changed: bool) -> None:
        for job in batch:
            if job.future.done():
                continue
            if job.error is not None:
                job.future.set_exception(job.error)
            else:
                job.future.set_result(job.result)
        for listener in self._listeners if changed else ():
            listener()


def _run_batch(c: Connection, batch: list[_Job]) -> None:
    try:
        _begin(c)
        for job in batch:
            _run_one(c, job)
        _control(c, "COMMIT")
    except Exception as error:
        log.exception("commit_failed", commands=len(batch))
        with suppress(Exception):
            _control(c, "ROLLBACK")
        for job in batch:
            job.error = job.error or error


def _run_one(c: Connection, job: _Job) -> None:
    _control(c, "SAVEPOINT command")
    try:
        job.result = _carry_out(c, job.command)
    except Exception as error:
        job.error = error
        if not _commits(error):
            feed.forget(c)
            _control(c, "ROLLBACK TO command")
    _control(c, "RELEASE command")


def _carry_out(c: Connection, command: Command[T]) -> T:
    """Run a command and write its lines of the feed, also when its refusal is remembered."""
    try:
        result = command(c)
    except CcwebError as error:
        if error.commits:
            feed.flush(c)
        raise
    feed.flush(c)
    return result


def _end(c: Connection, *, keep: bool) -> None:
    if keep:
        feed.flush(c)
    _control(c, "COMMIT" if keep else "ROLLBACK")


def _control(c: Connection, statement: str) -> None:
    """Run BEGIN, COMMIT and their kin at the driver: there is nothing to compile in them."""
    c.connection.driver_connection.execute(statement)  # type: ignore[union-attr]


def _changes(c: Connection) -> int:
    """Return how many rows this connection has ever changed."""
    return int(c.connection.driver_connection.total_changes)  # type: ignore[union-attr]


def _commits(error: BaseException) -> bool:
    return isinstance(error, CcwebError) and error.commits


def _begin(c: Connection) -> None:
    deadline = time.monotonic() + _LOCK_WAIT_S
    while True:
        try:
            return _control(c, "BEGIN IMMEDIATE")
        except sqlite3.OperationalError as error:
            if "locked" not in str(error):
                raise
            if time.monotonic() > deadline:
                raise Unavailable(why="The database is locked by another process.") from error
            time.sleep(_LOCK_RETRY_S)


def _open(url: str) -> Engine:
    at = make_url(url)
    if at.database and at.get_backend_name() == "sqlite":
        _keep_private(Path(at.database))
    engine = create_engine(
        url,
        isolation_level="AUTOCOMMIT",
        poolclass=NullPool,
        hide_parameters=True,  # an error is logged, and its parameters may be a message's text
        connect_args={"check_same_thread": False, "timeout": 5},
    )
    event.listen(engine, "connect", _prepare)
    return engine


def _nudges(url: str) -> Nudges | None:
    at = make_url(url)
    if not at.database or at.get_backend_name() != "sqlite":
        return None
    return Nudges(Path(f"{at.database}-nudges"))


def _keep_private(path: Path) -> None:
    """Create the file for its owner alone; SQLite gives the files beside it the same mode."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    path.touch(mode=0o600)


def _prepare(connection: Any, _record: object) -> None:
    cursor = connection.cursor()
    cursor.execute("PRAGMA journal_mode = WAL")
    cursor.execute("PRAGMA synchronous = FULL")
    cursor.execute("PRAGMA foreign_keys = ON")
    cursor.close()
