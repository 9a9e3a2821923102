"""The seam of the doors' tests: the hub in process over a desk, reached as HTTP or as MCP."""

from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from ccweb.hub.app import create_app
from tests.relay.world import HOST
from tests.tools.desk import Desk, a_desk

ORIGIN = "http://127.0.0.1:8002"
Era = Literal["auto", "legacy"]
ERAS: tuple[Era, ...] = ("auto", "legacy")


@dataclass
class Doors:
    """A client of every HTTP door, with no credential of its own."""

    http: httpx2.AsyncClient

    async def post(
        self, path: str, body: Any, *, secret: str = "", headers: Mapping[str, str] | None = None
    ) -> httpx2.Response:
        """Post JSON, or bytes and texts as they are."""
        raw = body if isinstance(body, bytes | str) else None
        return await self.http.post(
            path,
            **({"json": body} if raw is None else {"content": raw}),
            headers={"Content-Type": "application/json"} | bearer(secret) | dict(headers or {}),
        )

    async def tool(self, name: str, secret: str, **arguments: Any) -> httpx2.Response:
        return await self.post(f"/api/mcp/tools/{name}/", arguments, secret=secret)

    async def rpc(
        self, secret: str, method: str, params: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        body = {"jsonrpc": "2.0", "id": 7, "method": method, "params": params or {}}
        answer = await self.post("/mcp", body, secret=secret)
        given: dict[str, Any] = answer.json()
        return given

    @asynccontextmanager
    async def mcp(self, secret: str, era: Era) -> AsyncIterator[Client]:
        """Connect as the official SDK's client does."""
        self.http.headers.update(bearer(secret))
        transport = streamable_http_client(f"{ORIGIN}/mcp", http_client=self.http)
        async with Client(transport, mode=era) as client:
            yield client
        del self.http.headers["Authorization"]


def bearer(secret: str) -> dict[str, str]:
    """Return the header of a secret; nothing for none."""
    return {"Authorization": f"Bearer {secret}"} if secret else {}


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    """Return a desk with one live host."""
    desk = a_desk(tmp_path)
    yield desk
    desk.db.close()


@pytest.fixture
async def doors(desk: Desk) -> AsyncIterator[Doors]:
    """Return the hub's doors."""
    app = create_app(desk.db, desk.settings, host_id=HOST)
    transport = httpx2.ASGITransport(app=app, raise_app_exceptions=False)
    async with (
        app.router.lifespan_context(app),
        httpx2.AsyncClient(transport=transport, base_url=ORIGIN) as http,
    ):
        yield Doors(http=http)
