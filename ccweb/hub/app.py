"""The hub as one ASGI application, and the server that runs it."""

import gc
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from typing import Any, Final

import anyio
import structlog
import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from ccweb.access import service as access
from ccweb.clock import moment
from ccweb.conversations import hosts
from ccweb.db.engine import Database
from ccweb.errors import CcwebError
from ccweb.hub import events, http_tools, images, internal_api, outcomes, pages
from ccweb.hub.auth import SignedIn
from ccweb.hub.bodies import refusal, shown
from ccweb.hub.guard import Guard
from ccweb.hub.late import LateDoor
from ccweb.ids import new_id
from ccweb.relay import service as relay
from ccweb.settings import Settings
from ccweb.tools.answer import refused
from ccweb.tools.dispatch import Dispatcher
from ccweb_contract.errors import HTTP_STATUS, ErrorCode

log = structlog.get_logger()

_KEEP_ALIVE_S: Final = 75
"""Longer than bridges keep a connection, so that none is closed while a call is on its way."""
_PRUNE_EVERY_S: Final = 600
_GC_THRESHOLD: Final = (50_000, 20, 50)
"""Every request leaves small cycles behind; collecting them rarely halves the slowest calls."""


def create_app(db: Database, s: Settings, *, host_id: str) -> Starlette:
    """Return the hub over a migrated database.

    Args:
        db: The database; the caller closes it.
        s: The settings; `s.host` decides which Host headers are ours.
        host_id: The host of this data folder, where a person's new conversations live.
    """
    dispatcher = Dispatcher(db, s, host_id=host_id)
    door = LateDoor(db, s, dispatcher)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        await _prepare(db, host_id)
        with _ending(app):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(_hold_open, door)
                tasks.start_soon(app.state.feed.follow)
                tasks.start_soon(_keep_up, db, s)
                tasks.start_soon(outcomes.follow, db, s)
                tasks.start_soon(_prune, db, s)
                tasks.start_soon(dispatcher.run_log.keep)
                yield
                tasks.cancel_scope.cancel()

    app = Starlette(
        routes=[
            Route("/mcp", door),
            *http_tools.routes(),
            *internal_api.routes(),
            *events.routes(),
            *images.routes(),
            *pages.routes(),
        ],
        middleware=[Middleware(Guard, s=s), Middleware(SignedIn, db=db, s=s)],
        exception_handlers={
            CcwebError: _refuse,
            ClientDisconnect: _let_go,
            HTTPException: _refuse_route,
            Exception: _fail,
        },
        lifespan=lifespan,
    )
    app.state.db, app.state.settings = db, s
    app.state.dispatcher, app.state.feed = dispatcher, events.Feed(db)
    app.state.host_id = host_id
    app.state.end = None
    return app


def server(app: Starlette, s: Settings) -> uvicorn.Server:
    """Return the server of the hub; `serve(sockets=[…])` runs it until it is told to exit."""
    config = uvicorn.Config(
        app,
        host=s.host,
        port=s.port,
        http="h11",  # httptools keeps blanks at the end of header values, which MCP forbids
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_keep_alive=_KEEP_ALIVE_S,
        timeout_graceful_shutdown=2,
    )
    server = uvicorn.Server(config)
    app.state.end = partial(setattr, server, "should_exit", True)
    return server


@contextmanager
def _ending(app: Starlette) -> Iterator[None]:
    """End the server with what works beside it: without that it would answer and do nothing."""
    try:
        yield
    except Exception:
        log.exception("hub_failed")
        if app.state.end is not None:
            app.state.end()
        raise


async def _hold_open(door: LateDoor) -> None:
    async with door.open():
        _calm_garbage_collection()
        await anyio.sleep_forever()


async def _prepare(db: Database, host_id: str) -> None:
    await db.write(lambda c: access.owner(c, moment()))
    await db.write(lambda c: hosts.ensure(c, moment(), host_id, socket.gethostname()))


async def _keep_up(db: Database, s: Settings) -> None:
    """Find lost turns and sweep up deliveries, as every host does too: one of them is alive."""
    sweep_at = anyio.current_time() + s.sweep_s
    while True:
        await anyio.sleep(min(s.lease_s / 2, s.sweep_s or s.lease_s))
        try:
            await db.write(lambda c: relay.reap(c, moment(), s))
            if s.sweep_s and anyio.current_time() >= sweep_at:
                sweep_at = anyio.current_time() + s.sweep_s
                await db.write(lambda c: relay.sweep(c, moment(), s))
        except Exception:
            log.exception("upkeep_failed")


async def _prune(db: Database, s: Settings) -> None:
    while True:
        try:
            await db.write(lambda c: events.prune(c, moment()))
            await images.sweep(db, s)
        except Exception:
            log.exception("upkeep_failed")
        await anyio.sleep(_PRUNE_EVERY_S)


def _calm_garbage_collection() -> None:
    gc.collect()
    gc.freeze()
    gc.set_threshold(*_GC_THRESHOLD)


async def _refuse(request: Request, error: Any) -> Response:
    return refusal(error, request.app.state.settings.lang)


async def _refuse_route(request: Request, error: Any) -> Response:
    """Answer for a route that is not there: a person gets a page, a program gets JSON."""
    if "text/html" in request.headers.get("accept", ""):
        return pages.gone(request.app.state.settings.lang, error.status_code)
    return JSONResponse({"detail": error.detail}, error.status_code, headers=error.headers)


async def _let_go(request: Request, error: Any) -> Response:
    """Answer nobody: the client went away while it was still sending."""
    return Response(status_code=HTTP_STATUS[ErrorCode.INVALID_PARAMS])


async def _fail(request: Request, error: Exception) -> Response:
    error_id = new_id("err")
    log.error("request_failed", error_id=error_id, path=request.url.path, exc_info=error)
    lang = request.app.state.settings.lang
    return shown(refused(ErrorCode.INTERNAL, f"Internal error {error_id}.", lang))
