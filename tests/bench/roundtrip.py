"""The durable round trip: hub and host as processes, demo agents with no think time.

A send goes to the hub over HTTP; the host claims the target's turn, the demo agent answers, the
reply is delivered and the continuation claimed. The clock stops when that claim is seen in the
database by a third process.
"""

import asyncio
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import text

from ccweb.access import service as access
from ccweb.clock import moment
from ccweb.conversations import service as conversations
from ccweb.db.engine import Database
from ccweb.settings import load
from ccweb_contract.enums import AgentKind, PermissionMode, ReplyMode
from ccweb_contract.tools import ToolName
from tests.bench.figures import Latencies
from tests.bench.http import Poster
from tests.chaos.processes import Processes

LIMITS = {"CCWEB_HOP_LIMIT": "1000000", "CCWEB_CHAIN_LIMIT": "1000000000"}
_CLAIMED = text("""
    SELECT i.ref_id, t.position FROM turn t JOIN inbox_item i ON i.turn_id = t.id
    WHERE t.position > :after AND t.claimed_at IS NOT NULL AND t.kind = 'continuation'""")
_WARM_UP = 50
"""Round trips before the clock runs: a hub that has just started still loads the MCP SDK."""
_WINDOW = 1000
"""Turns that the watcher looks back over: far more than can be under way."""
_BUSY = text("""
    SELECT 1 FROM turn WHERE conversation_id IN (:source, :target) AND ended_at IS NULL""")
_LAST = text("SELECT coalesce(max(position), 0) FROM turn")


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """A source that can send (its token) and its target."""

    source_id: str
    target_id: str
    poster: Poster


async def measure(*, concurrency: int, rounds: int, watch_s: float) -> Latencies:
    """Return the latencies of `rounds` round trips, `concurrency` pairs at a time.

    Args:
        concurrency: Pairs of conversations that work side by side.
        rounds: Round trips in all.
        watch_s: Seconds between two looks at the database; the clock is that coarse.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        async with Processes(folder, LIMITS) as processes:
            await processes.keep_up()
            db = Database(load(LIMITS, data_dir=folder).database)
            pairs = [_pair(db, folder, processes.port, i) for i in range(concurrency)]
            await _Race(db, pairs, rounds=max(concurrency, _WARM_UP), watch_s=watch_s).run()
            latencies = await _Race(db, pairs, rounds=rounds, watch_s=watch_s).run()
            for pair in pairs:
                await pair.poster.aclose()
            db.close()
    return latencies


def _pair(db: Database, folder: Path, port: int, number: int) -> Pair:
    host_id = (folder / "host-id").read_text().strip()
    with db.begin() as c:
        m = moment()
        source, target = (
            conversations.create(
                c,
                m,
                conversations.NewConversation(
                    title=f"{kind} {number}",
                    agent=AgentKind.DEMO,
                    cwd=str(folder),
                    permission_mode=PermissionMode.ASK,
                    host_id=host_id,
                ),
            ).id
            for kind in ("source", "target")
        )
        token = access.create_token(
            c,
            m,
            name=f"bench {number}",
            person_id=access.owner(c, m).id,
            conversation_id=source,
        ).secret
    path = f"/api/mcp/tools/{ToolName.CCWEB_SEND_MESSAGE}/"
    return Pair(source_id=source, target_id=target, poster=Poster(port, path, token))


class _Race:
    """Some round trips, each pair sending again as soon as its reply has come back."""

    def __init__(self, db: Database, pairs: list[Pair], *, rounds: int, watch_s: float) -> None:
        self._db = db
        self._pairs = pairs
        self._left = rounds
        self._watch_s = watch_s
        self._begun: dict[str, tuple[float, asyncio.Event]] = {}
        self._latencies: list[float] = []

    async def run(self) -> Latencies:
        began = time.monotonic()
        after = self._db.reader.execute(_LAST).scalar_one()
        watcher = asyncio.create_task(self._watch(after))
        await asyncio.gather(*(self._keep_sending(pair) for pair in self._pairs))
        watcher.cancel()
        return Latencies(seconds=tuple(self._latencies), wall_s=time.monotonic() - began)

    async def _keep_sending(self, pair: Pair) -> None:
        while self._left > 0:
            self._left -= 1
            began = time.monotonic()
            answer = await pair.poster.post(
                {
                    "targetConversationId": pair.target_id,
                    "content": "/say done",
                    "replyMode": ReplyMode.RETURN_AND_CONTINUE,
                }
            )
            back = asyncio.Event()
            self._begun[answer["requestId"]] = (began, back)
            await back.wait()
            await self._until_idle(pair)

    async def _until_idle(self, pair: Pair) -> None:
        """Let both come to rest, so that no round trip waits for the one before it."""
        both = {"source": pair.source_id, "target": pair.target_id}
        while self._db.reader.execute(_BUSY, both).first():
            await asyncio.sleep(self._watch_s)

    async def _watch(self, after: int) -> None:
        seen: set[str] = set()
        while True:
            for row in self._db.reader.execute(_CLAIMED, {"after": after}):
                if row.ref_id in self._begun and row.ref_id not in seen:
                    seen.add(row.ref_id)
                    began, back = self._begun[row.ref_id]
                    self._latencies.append(time.monotonic() - began)
                    back.set()
                after = max(after, row.position - _WINDOW)
            await asyncio.sleep(self._watch_s)
