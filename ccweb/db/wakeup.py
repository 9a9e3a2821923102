"""Wake-up: how a process hears that it or another process has committed."""

import asyncio
import time
from typing import Final

from sqlalchemy import Connection

from ccweb.db.engine import Database

_FAST_S: Final = 0.001
_SLOW_S: Final = 0.05
_SHARE: Final = 0.1
"""A nap lasts at most this part of the silence before it: heartbeats alone keep nobody busy."""


class Wakeup:
    """Waits for the next commit by any process.

    A commit of this process wakes at once; another's is seen by `PRAGMA data_version` (3 µs),
    asked every millisecond after activity and ever less often, down to every 50 ms, in silence.
    """

    def __init__(self, db: Database) -> None:
        self._db = db
        self._seen = -1
        self._active_at = 0.0
        self._own_commit = False
        self._woken = asyncio.Event()
        db.on_commit(self._note_own_commit)

    async def wait(self, timeout_s: float) -> bool:
        """Return True once something was committed since the last call, False after `timeout_s`."""
        deadline = time.monotonic() + timeout_s
        while not self._changed():
            left = deadline - time.monotonic()
            if left <= 0:
                return False
            await self._nap(min(left, self._pace()))
        return True

    def _changed(self) -> bool:
        version = _data_version(self._db.reader)
        changed = version != self._seen or self._own_commit
        self._seen, self._own_commit = version, False
        if changed:
            self._active_at = time.monotonic()
        return changed

    def _pace(self) -> float:
        silence_s = time.monotonic() - self._active_at
        return min(max(_FAST_S, _SHARE * silence_s), _SLOW_S)

    async def _nap(self, seconds: float) -> None:
        self._woken.clear()
        timer = asyncio.get_running_loop().call_later(seconds, self._woken.set)
        try:
            await self._woken.wait()
        finally:
            timer.cancel()

    def _note_own_commit(self) -> None:
        self._own_commit = True
        self._woken.set()


def _data_version(c: Connection) -> int:
    """Ask at the driver: through SQLAlchemy the question would cost twenty times as much."""
    cursor = c.connection.driver_connection.execute("PRAGMA data_version")  # type: ignore[union-attr]
    return int(cursor.fetchone()[0])
