"""The loop that takes what planning's requests came to, as soon as it lies in the outbox (R-P9)."""

from typing import Final

import anyio
import anyio.to_thread
import structlog

from ccweb.clock import moment
from ccweb.db.engine import Database
from ccweb.db.wakeup import Wakeup
from ccweb.errors import CcwebError
from ccweb.planning.research import outcomes
from ccweb.settings import Settings

log = structlog.get_logger()

_HICCUP_S: Final = 1.0
_REST_S: Final = 0.05
"""Between two looks: they are for every commit, and an outcome has taken minutes."""


async def follow(db: Database, s: Settings) -> None:
    """Take outcomes and stop the work on cancelled items; runs until it is cancelled.

    A commit by any process wakes it. What other hubs take meanwhile is taken once.
    """
    wakeup = Wakeup(db)
    look_at = 0.0
    resting: dict[str, float] = {}
    while True:
        try:
            await _take_all(db, s, resting)
            if anyio.current_time() >= look_at:
                look_at = anyio.current_time() + s.heartbeat_s
                await _stop_orphans(db, s)
            await anyio.sleep(_REST_S)
            await wakeup.wait(s.heartbeat_s)
        except Exception:
            log.exception("outcomes_stalled")
            await anyio.sleep(_HICCUP_S)


async def _take_all(db: Database, s: Settings, resting: dict[str, float]) -> None:
    """Take what lies there; one that cannot be taken keeps none of the others back.

    An outcome whose work item cannot be looked at lies there until its source answers again.
    """
    for request_id in await db.read(outcomes.waiting):
        if resting.get(request_id, 0.0) > anyio.current_time():
            continue
        try:
            await take(db, s, request_id)
            resting.pop(request_id, None)
        except CcwebError as refusal:
            log.warning("outcome_rests", request_id=request_id, code=refusal.code.value)
            resting[request_id] = anyio.current_time() + s.heartbeat_s
        except Exception:
            log.exception("outcome_not_taken", request_id=request_id)


async def take(db: Database, s: Settings, request_id: str) -> bool:
    """Take one outcome; the answer is read and judged where no writer waits for it."""
    found = await db.read(lambda c: outcomes.handed(c, request_id))
    if found is None:
        return False
    look = await db.read(lambda c: outcomes.looking(c, s, request_id))
    item = await anyio.to_thread.run_sync(look) if look else None
    finding = await anyio.to_thread.run_sync(outcomes.judge, found)
    return await db.write(lambda c: outcomes.take(c, moment(), s, found, finding, item))


async def _stop_orphans(db: Database, s: Settings) -> None:
    """Write only where there is something to stop: a look alone wakes nobody."""
    if await db.read(outcomes.has_orphans):
        await db.write(lambda c: outcomes.stop_orphans(c, moment(), s))
