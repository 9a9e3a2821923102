"""Errands of hubs: a host looks on its machine for what a person asks for in a page."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

import anyio
import structlog

from ccweb.clock import moment
from ccweb.conversations import errands
from ccweb.conversations.errands import Errand, ErrandKind
from ccweb.db.engine import Database
from ccweb.db.wakeup import Wakeup

log = structlog.get_logger()

Do = Callable[[Mapping[str, Any]], Awaitable[dict[str, Any]]]

_QUIET_S: Final = 15.0
_REST_S: Final = 0.05
"""Between two looks, which are for every commit of any process."""


class Errands:
    """Does what this host is asked, one after the other."""

    def __init__(self, db: Database, host_id: str, does: Mapping[ErrandKind, Do]) -> None:
        self._db = db
        self._host_id = host_id
        self._does = does
        self._wakeup = Wakeup(db)

    async def do_next(self) -> None:
        """Do what is asked now, then wait until something may be asked again."""
        if await self._db.read(lambda c: errands.any_waiting(c, self._host_id)):
            for errand in await self._db.write(lambda c: errands.take(c, moment(), self._host_id)):
                await self._do(errand)
        await anyio.sleep(_REST_S)
        await self._wakeup.wait(_QUIET_S)

    async def _do(self, errand: Errand) -> None:
        with anyio.move_on_after(errands.PATIENCE_S):
            said = await self._does[errand.kind](errand.given)
            await self._db.write(lambda c: errands.answer(c, errand.id, said))
        log.info("errand_done", errand_id=errand.id, kind=errand.kind.value)
