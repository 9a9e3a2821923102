"""`tools/call` through the hub against a tool that does nothing on the bare SDK server.

The client is the official SDK's in both cases, one call at a time, the two servers in turn, so that
both meet the same machine.
"""

import asyncio
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Literal

import httpx2
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from ccweb.access import service as access
from ccweb.clock import moment
from ccweb.db.engine import Database
from ccweb.settings import load
from ccweb_contract.tools import ToolName
from tests.bench.figures import Latencies
from tests.chaos.processes import MAIN, Processes, free_port, until_listening

Era = Literal["legacy", "auto"]
BARE = Path(__file__).with_name("bare_server.py")
_CHUNK = 50


async def measure(*, era: Era, calls: int) -> Mapping[str, Latencies]:
    """Return the latencies of calls to `hub` and `bare` over HTTP and over stdio.

    Args:
        era: `legacy` speaks 2025-11-25, `auto` 2026-07-28.
        calls: How many of each.
    """
    async with _servers() as (hub_url, token, bare_url):
        http = await _in_turn(
            _over_http(hub_url, token, era), _over_http(bare_url, "none", era), calls
        )
        stdio = await _in_turn(_bridge(hub_url, token, era), _bare_stdio(era), calls)
    return {
        "hub over http": http[0],
        "bare over http": http[1],
        "hub over stdio": stdio[0],
        "bare over stdio": stdio[1],
    }


@asynccontextmanager
async def _servers() -> AsyncIterator[tuple[str, str, str]]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        async with Processes(folder, {}) as processes, _bare_http() as bare_url:
            await processes.keep_up()
            yield f"http://127.0.0.1:{processes.port}/mcp", _token(folder), bare_url


def _token(folder: Path) -> str:
    db = Database(load({}, data_dir=folder).database)
    with db.begin() as c:
        owner = access.owner(c, moment())
        secret = access.create_token(c, moment(), person_id=owner.id, name="bench").secret
    db.close()
    return secret


@asynccontextmanager
async def _bare_http() -> AsyncIterator[str]:
    port = free_port()
    process = await asyncio.create_subprocess_exec(sys.executable, "-P", str(BARE), str(port))
    try:
        await until_listening(port)
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        process.terminate()
        await process.wait()


@asynccontextmanager
async def _over_http(url: str, token: str, era: Era) -> AsyncIterator[Client]:
    headers = {"Authorization": f"Bearer {token}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=30) as http,
        Client(streamable_http_client(url, http_client=http), mode=era) as client,
    ):
        yield client


@asynccontextmanager
async def _bridge(url: str, token: str, era: Era) -> AsyncIterator[Client]:
    environ = {"CCWEB_URL": url.removesuffix("/mcp"), "CCWEB_TOKEN": token}
    server = StdioServerParameters(command=sys.executable, args=["-c", MAIN, "mcp"], env=environ)
    async with Client(server, mode=era) as client:
        yield client


@asynccontextmanager
async def _bare_stdio(era: Era) -> AsyncIterator[Client]:
    server = StdioServerParameters(command=sys.executable, args=["-P", str(BARE)])
    async with Client(server, mode=era) as client:
        yield client


async def _in_turn(
    hub: AbstractAsyncContextManager[Client], bare: AbstractAsyncContextManager[Client], calls: int
) -> tuple[Latencies, Latencies]:
    ours: list[float] = []
    theirs: list[float] = []
    async with AsyncExitStack() as stack:
        hub_client = await stack.enter_async_context(hub)
        bare_client = await stack.enter_async_context(bare)
        for client in (hub_client, bare_client):
            await client.list_tools()
        while len(theirs) < calls:
            ours += await _calls(hub_client, ToolName.CCWEB_LIST_CONVERSATIONS)
            theirs += await _calls(bare_client, "noop")
    return (
        Latencies(seconds=tuple(ours[_CHUNK:]), wall_s=sum(ours)),
        Latencies(seconds=tuple(theirs[_CHUNK:]), wall_s=sum(theirs)),
    )


async def _calls(client: Client, tool: str) -> list[float]:
    latencies = []
    for _ in range(_CHUNK):
        began = time.perf_counter()
        await client.call_tool(tool, {})
        latencies.append(time.perf_counter() - began)
    return latencies
