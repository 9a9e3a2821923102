"""A hub that listens on a real port inside the test's own process, and can go away."""

import os
import socket
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import anyio
import anyio.abc
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from ccweb.hub.app import create_app, server
from tests.relay.world import HOST
from tests.tools.desk import Desk

ROOT = Path(__file__).parents[2]
ENVIRONMENT = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'generated'}"}
BRIDGE = "import sys; from ccweb.cli import bridge; sys.exit(bridge.run(*sys.argv[1:]))"


def bridge_command(url: str, token: str) -> list[str]:
    """Return the command of a bridge process."""
    return [sys.executable, "-c", BRIDGE, url, token]


@dataclass
class Hub:
    """A running hub and the desk behind it."""

    desk: Desk
    port: int

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"


def _closed(status: int) -> Callable[[Request], Awaitable[Response]]:
    async def endpoint(request: Request) -> Response:
        return Response(status_code=status)

    return endpoint


@asynccontextmanager
async def running(desk: Desk, port: int, *, mcp_status: int = 0) -> AsyncIterator[Hub]:
    """Serve a desk on a port until the context is left; `mcp_status` stands in for its MCP door."""
    app = create_app(desk.db, desk.settings, host_id=HOST)
    if mcp_status:
        app.router.routes.insert(0, Route("/mcp", _closed(mcp_status), methods=["POST"]))
    hub = server(app, desk.settings)
    with socket.create_server(("127.0.0.1", port)) as listener:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(hub.serve, [listener])
            try:
                yield Hub(desk=desk, port=port)
            finally:
                hub.should_exit = True


@asynccontextmanager
async def listening(
    port: int, take: Callable[[anyio.abc.SocketStream], Awaitable[None]]
) -> AsyncIterator[None]:
    """Let a stranger answer each connection to a port until the context is left."""
    async with (
        await anyio.create_tcp_listener(local_host="127.0.0.1", local_port=port) as listener,
        anyio.create_task_group() as tasks,
    ):
        tasks.start_soon(listener.serve, take)
        yield
        tasks.cancel_scope.cancel()
