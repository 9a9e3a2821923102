"""Sessions made outside ccweb: the page to choose one from, asked of each host that runs."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import PurePath
from typing import Any, Final

import anyio
from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from ccweb.clock import from_ms, moment
from ccweb.conversations import errands, hosts
from ccweb.conversations.errands import ErrandKind
from ccweb.conversations.hosts import Host
from ccweb.db.engine import Database
from ccweb.db.tables.history import Elsewhere
from ccweb.errors import InvalidParams, Unavailable
from ccweb.hub import posts, rendering
from ccweb.hub.parts import html, seat
from ccweb_contract.enums import AgentKind

_SEEN_S: Final = 30.0
"""A host that was silent for longer is not asked."""
_STARTING_S: Final = 3.0
_LOOK_S: Final = 0.02
_AGENTS: Final = {"claude": AgentKind.CLAUDE, "codex": AgentKind.CODEX}


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """A session in the list."""

    program: str
    session_id: str
    title: str
    cwd: str
    folder_is_gone: bool
    changed_at: datetime
    elsewhere: Elsewhere
    conversation_id: str | None
    """The conversation that shows it already."""

    @property
    def folder(self) -> str:
        """Return the last part of its folder."""
        return PurePath(self.cwd).name or self.cwd

    @property
    def agent(self) -> AgentKind:
        """Return a kind whose program it is of."""
        return _AGENTS[self.program]


@dataclass(frozen=True, slots=True, kw_only=True)
class Shelf:
    """The sessions of one host; None where it did not answer."""

    host: Host
    sessions: list[Listed] | None
    more: bool = False


def routes() -> list[Route]:
    """Return the page and its one action."""
    return [
        Route("/history", page, methods=["GET"]),
        Route("/history/open", opened, methods=["POST"]),
    ]


async def page(request: Request) -> Response:
    """Show the sessions of every host, those first that changed last."""
    db, s, _ = seat(request)
    query = request.query_params.get("query", "")[:200]
    shelves: list[Shelf] = []
    running = await _hosts(db)
    async with anyio.create_task_group() as tasks:
        for host in running:
            tasks.start_soon(_look, db, host, query, shelves)
    shelves.sort(key=lambda shelf: shelf.host.name)
    return html(rendering.page("history.html", s.lang, shelves=shelves, query=query))


async def opened(request: Request) -> Response:
    """Open a session as a conversation, and say where that is.

    Raises:
        InvalidParams: there is no such session, or it cannot be read.
        Unavailable: its host does not answer.
    """
    given = await posts.body(request)
    host_id = posts.field(given, "hostId", str)
    wanted = {
        "program": posts.field(given, "program", str),
        "sessionId": posts.field(given, "sessionId", str),
        "personId": posts.person(request).person_id,
    }
    db: Database = request.app.state.db
    if all(host.id != host_id for host in await db.read(_running)):
        raise Unavailable(why="The host of this session does not run.")
    answer = await _ask(db, host_id, ErrandKind.OPEN_SESSION, wanted)
    if answer is None:
        raise Unavailable(why="The host of this session does not answer.")
    if not answer["conversationId"]:
        raise InvalidParams(why="This session is gone, or it cannot be read.")
    return JSONResponse({"url": f"/conversations/{answer['conversationId']}"})


async def _hosts(db: Database) -> list[Host]:
    """Return the hosts that run; one that is just starting is waited for."""
    with anyio.move_on_after(_STARTING_S):
        while not (found := await db.read(_running)):  # noqa: ASYNC110 - another process starts
            await anyio.sleep(_LOOK_S)
        return found
    return []


def _running(c: Connection) -> list[Host]:
    since = moment().now - timedelta(seconds=_SEEN_S)
    return [host for host in hosts.everyone(c) if host.seen_at >= since]


async def _look(db: Database, host: Host, query: str, shelves: list[Shelf]) -> None:
    answer = await _ask(db, host.id, ErrandKind.LIST_SESSIONS, {"query": query})
    if answer is None:
        shelves.append(Shelf(host=host, sessions=None))
    else:
        sessions = [_listed(one) for one in answer["sessions"]]
        shelves.append(Shelf(host=host, sessions=sessions, more=answer["more"]))


async def _ask(
    db: Database, host_id: str, kind: ErrandKind, given: Mapping[str, Any]
) -> dict[str, Any] | None:
    """Return what a host answers, None when it does not in time."""
    errand_id = await db.write(lambda c: errands.ask(c, moment(), host_id, kind, given))
    try:
        with anyio.move_on_after(errands.PATIENCE_S):
            while (  # noqa: ASYNC110 - another process answers
                answer := await db.read(lambda c: errands.answered(c, errand_id))
            ) is None:
                await anyio.sleep(_LOOK_S)
            return answer
        return None
    finally:
        with anyio.CancelScope(shield=True):
            await db.write(lambda c: errands.forget(c, errand_id))


def _listed(one: Mapping[str, Any]) -> Listed:
    return Listed(
        program=one["program"],
        session_id=one["sessionId"],
        title=one["title"],
        cwd=one["cwd"],
        folder_is_gone=one["folderIsGone"],
        changed_at=from_ms(one["changedAt"]),
        elsewhere=Elsewhere(one["elsewhere"]),
        conversation_id=one["conversationId"],
    )
