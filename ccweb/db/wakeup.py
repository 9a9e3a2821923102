"""Wake-up: how a process hears that it or another process has committed."""

import asyncio
import time
from typing import Final

from sqlalchemy import Connection

from ccweb.db.engine import Database
from ccweb.db.nudges import SILENCE_S

_FAST_S: Final = 0.001
_SLOW_S: Final = 0.05
_SHARE: Final = 0.1
"""A nap lasts at most this part of the silence before it: heartbeats alone keep nobody busy."""
_NUDGED_S: Final = 1.0
"""Who hears nudges looks by himself only because one may be lost with the process that owed it."""


class Wakeup:
    """Waits for the next commit by any process.

    A commit of this process wakes at once; another's is seen by `PRAGMA data_version` (3 µs),
    asked every millisecond after activity and ever less often in silence. The first one after a
    silence comes with a nudge, so that silence costs next to nothing; where nudges are not heard,
    the question is asked every 50 ms.
    """

    def __init__(self, db: Database) -> None:
        self._db = db
        self._seen = -1
        self._active_at = 0.0
        self._was_awake = False
        self._own_commit = False
        self._waiting: asyncio.Future[bool] | None = None
        self._deadline = 0.0
        self._timer: asyncio.TimerHandle | None = None
        self._nudged: bool | None = None
        db.on_commit(self._note_own_commit)

    async def wait(self, timeout_s: float) -> bool:
        """Return True once something was committed since the last call, False after `timeout_s`."""
        if self._nudged is None:
            self._nudged = self._db.on_nudge(self._note_nudge)
        self._deadline = time.monotonic() + timeout_s
        self._waiting = asyncio.get_running_loop().create_future()
        try:
            self._look()
            return await self._waiting
        finally:
            self._waiting = None
            if self._timer is not None:
                self._timer.cancel()

    def _look(self) -> None:
        """Look once and come back later; a callback alone, so that looking wakes no task."""
        if self._waiting is None or self._waiting.done():
            return
        try:
            changed = self._changed()
        except Exception as error:
            self._waiting.set_exception(error)
            return
        left = self._deadline - time.monotonic()
        if changed or left <= 0:
            self._waiting.set_result(changed)
        else:
            pause_s = min(left, self._pace())
            self._timer = self._waiting.get_loop().call_later(pause_s, self._look)

    def _changed(self) -> bool:
        version = _data_version(self._db.reader)
        changed = version != self._seen or self._own_commit
        # A commit of ours alone keeps nobody awake; beside it there may be one that was not nudged
        # for, if we were awake at the last look.
        if changed and (self._was_awake or self._is_awake or not self._own_commit):
            self._active_at = time.monotonic()
        self._seen, self._own_commit, self._was_awake = version, False, self._is_awake
        return changed

    @property
    def _is_awake(self) -> bool:
        """Tell whether others may commit without a nudge, which they do soon after another."""
        return time.monotonic() - self._active_at <= 2 * SILENCE_S

    def _pace(self) -> float:
        if self._nudged and not self._is_awake:
            return _NUDGED_S
        silence_s = time.monotonic() - self._active_at
        return min(max(_FAST_S, _SHARE * silence_s), _SLOW_S)

    def _note_own_commit(self) -> None:
        self._own_commit = True
        self._look_now()

    def _note_nudge(self) -> None:
        self._active_at = time.monotonic()
        self._look_now()

    def _look_now(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._look()


def _data_version(c: Connection) -> int:
    """Ask at the driver: through SQLAlchemy the question would cost twenty times as much."""
    cursor = c.connection.driver_connection.execute("PRAGMA data_version")  # type: ignore[union-attr]
    return int(cursor.fetchone()[0])
