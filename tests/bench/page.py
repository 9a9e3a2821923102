"""A page that is open on a conversation: what its stream of events has brought, and when."""

import json
import time
from collections import defaultdict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio
import httpx2

from ccweb.access import service as access
from ccweb.clock import moment
from ccweb.conversations.model import Conversation
from tests.real_agents.harness import Workspace

LIMIT_S = 60.0


class Page:
    """What a page has been told."""

    def __init__(self) -> None:
        self.opened = anyio.Event()
        self.texts: defaultdict[str, list[str]] = defaultdict(list)
        """The text that each turn has told, in the pieces in which it came."""
        self._text_at: dict[str, float] = {}
        self._changed = anyio.Event()

    async def text_of(self, turn_id: str) -> float:
        """Return when the first text of a turn came, once it has."""
        with anyio.fail_after(LIMIT_S):
            while turn_id not in self._text_at:
                await self._changed.wait()
        return self._text_at[turn_id]

    async def follow(self, answer: httpx2.Response) -> None:
        """Take what comes until cancelled."""
        async for line in answer.aiter_lines():
            self.opened.set()
            if line.startswith("data: "):
                self._take(json.loads(line.removeprefix("data: ")))

    def _take(self, event: dict[str, str]) -> None:
        if event.get("kind") == "delta":
            self._text_at.setdefault(event["turnId"], time.monotonic())
            self.texts[event["turnId"]].append(event["text"])
            self._changed.set()
            self._changed = anyio.Event()


@asynccontextmanager
async def a_page(at: Workspace, talk: Conversation) -> AsyncIterator[Page]:
    """Open a page on a conversation, as a person's browser does."""
    with at.db.begin() as c:
        secret = access.open_session(c, moment(), at.s, access.owner(c, moment()).id)
        last = c.exec_driver_sql("SELECT coalesce(max(position), 0) FROM event").scalar_one()
    page = Page()
    cookies = {f"ccweb-{at.servers.port}": secret}
    async with httpx2.AsyncClient(
        base_url=at.servers.url, cookies=cookies, timeout=LIMIT_S
    ) as client:
        query = {"conversation": talk.id, "after": str(last)}
        async with client.stream("GET", "/events", params=query) as answer:
            answer.raise_for_status()
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(page.follow, answer)
                await page.opened.wait()
                yield page
                tasks.cancel_scope.cancel()
