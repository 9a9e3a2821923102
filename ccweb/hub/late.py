"""The MCP door opens behind the pages: loading the SDK takes as long as all the rest of the hub."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Final

import anyio
import anyio.to_thread
from starlette.types import Receive, Scope, Send

from ccweb.db.engine import Database
from ccweb.settings import Settings
from ccweb.tools.dispatch import Dispatcher

if TYPE_CHECKING:
    from ccweb.hub.mcp import McpDoor

_MODULE: Final = "ccweb.hub.mcp"


class LateDoor:
    """The ASGI application of `/mcp`; who comes early waits for it."""

    def __init__(self, db: Database, s: Settings, dispatcher: Dispatcher) -> None:
        self._given = (db, s, dispatcher)
        self._door: McpDoor | None = None
        self._opened = anyio.Event()

    @asynccontextmanager
    async def open(self) -> AsyncIterator[None]:
        """Load the door and open it; it is open for as long as the context is entered."""
        module = await anyio.to_thread.run_sync(import_module, _MODULE)
        door: McpDoor = module.McpDoor(*self._given)
        async with door.open():
            self._door = door
            self._opened.set()
            yield

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand the request to the door as soon as that is open."""
        await self._opened.wait()
        assert self._door is not None  # noqa: S101 - it is set before it is opened
        await self._door(scope, receive, send)
