"""Wake-up: how a process hears that it or another process has committed."""

import asyncio
import time
from typing import Final

from sqlalchemy import Connection

from ccweb.db.engine import Database

_FAST_S: Final = 0.001
_SLOW_S: Final = 0.05
_WARM_S: Final = 2.0


class Wakeup:
    """Waits for the next commit by any process.

    A commit of this process wakes at once; another's is seen by `PRAGMA data_version` (3 µs),
    asked every millisecond for two seconds after activity and every 50 ms when all is quiet.
    """

    def __init__(self, db: Database) -> None:
        self._db = db
        self._seen = -1
        self._warm_until = 0.0
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
            self._warm_until = time.monotonic() + _WARM_S
        return changed

    def _pace(self) -> float:
        return _FAST_S if time.monotonic() < self._warm_until else _SLOW_S

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
    return int(c.exec_driver_sql("PRAGMA data_version").scalar_one())
