"""The parts of a page that it fetches when something has changed or is opened."""

import sys
from typing import Final

from markupsafe import Markup
from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import Route

from ccweb.access.model import Browser
from ccweb.clock import moment
from ccweb.conversations import messages, turns
from ccweb.db.engine import Database
from ccweb.errors import MessageNotFound, TurnOver
from ccweb.hub import choices, questions, rendering, requests, timeline, views, work
from ccweb.hub.rendering import Entry
from ccweb.hub.timeline import Timeline
from ccweb.hub.views import Seen
from ccweb.settings import Settings

_NO_STORE: Final = {"Cache-Control": "no-store"}


def routes() -> list[Route]:
    """Return one route a part; texts that are too long for a page come whole and plain."""
    return [
        Route("/parts/sidebar", sidebar, methods=["GET"]),
        Route("/parts/agents", agents, methods=["GET"]),
        Route("/parts/asks/{ask_id}", ask, methods=["GET"]),
        Route("/parts/conversations/{conversation_id}", conversation, methods=["GET"]),
        Route("/parts/conversations/{conversation_id}/settings", settings, methods=["GET"]),
        Route("/parts/requests/{request_id}", request_card, methods=["GET"]),
        Route("/parts/turns/{turn_id}/steps", steps, methods=["GET"]),
        Route("/parts/turns/{turn_id}/steps/{position:int}", step, methods=["GET"]),
        Route("/turns/{turn_id}/prompt", prompt, methods=["GET"]),
        Route("/turns/{turn_id}/steps/{position:int}/{part}", step_text, methods=["GET"]),
        Route("/asks/{ask_id}/input", ask_input, methods=["GET"]),
        Route("/conversations/{conversation_id}/messages/{message_id}", whole, methods=["GET"]),
    ]


async def sidebar(request: Request) -> Response:
    """Return the list of conversations and what needs a person."""
    db, s, person = seat(request)
    query = request.query_params.get("query", "")
    archived = request.query_params.get("archived") == "yes"

    def gather(c: Connection) -> str:
        return rendering.page(
            "sidebar.html",
            s.lang,
            rows=views.listed(c, person.person_id, query=query, archived=archived),
            needs=questions.needs(c, person),
            selected=request.query_params.get("selected", ""),
            query=query,
            archived=archived,
            limit=views.LISTED,
        )

    return html(await db.read(gather))


async def conversation(request: Request) -> Response:
    """Return one conversation's head and entries; what the page knows comes without content."""
    db, s, person = seat(request)
    known = frozenset(request.query_params.get("known", "").split(","))
    before = _number(request.query_params.get("before"))

    def gather(c: Connection) -> str:
        seen = views.one(c, person.person_id, request.path_params["conversation_id"])
        shown = timeline.read(c, seen.id, before=before)
        return rendering.page(
            "conversation.html",
            s.lang,
            seen=seen,
            asks=questions.open_in(c, seen.id),
            timeline=shown,
            entries=rendering.joined(entries(s, person, seen, shown), known),
        )

    return html(await db.read(gather))


async def agents(request: Request) -> Response:
    """Return the agents that can be chosen now for a new conversation."""
    db, s, _ = seat(request)
    host_id = request.app.state.host_id
    found = await db.read(lambda c: choices.agents(c, moment(), host_id))
    return html(rendering.page("agents.html", s.lang, agents=found))


async def settings(request: Request) -> Response:
    """Return what can be changed in a conversation for its next turn."""
    db, s, _ = seat(request)
    conversation_id = request.path_params["conversation_id"]
    found = await db.read(lambda c: choices.settings(c, conversation_id))
    return html(rendering.page("settings.html", s.lang, settings=found))


async def ask(request: Request) -> Response:
    """Return one ask with all that its answer needs, wherever the person is."""
    db, s, person = seat(request)
    asked = await db.read(lambda c: questions.one(c, request.path_params["ask_id"]))
    return html(rendering.page("ask.html", s.lang, asked=asked, person_id=person.person_id))


async def request_card(request: Request) -> Response:
    """Return the card of one request, as one of its two conversations shows it."""
    db, s, _ = seat(request)
    here = request.query_params.get("here", "")
    card = await db.read(lambda c: requests.one(c, request.path_params["request_id"]))
    return html(rendering.joined([rendering.card_entry(card, s.lang, here=here)]))


async def steps(request: Request) -> Response:
    """Return the steps of a turn between two of them, one line each."""
    db, s, _ = seat(request)
    start = _number(request.query_params.get("start")) or 0
    before = _number(request.query_params.get("before"))
    turn_id = request.path_params["turn_id"]
    found = await db.read(lambda c: work.between(c, turn_id, start=start, before=before))
    return html(rendering.page("steps.html", s.lang, lines=found))


async def step(request: Request) -> Response:
    """Return what one step was given and what came of it."""
    db, s, _ = seat(request)
    turn_id, position = _place(request)
    found = await db.read(lambda c: work.whole(c, turn_id, position))
    return html(rendering.page("step.html", s.lang, step=found, turn_id=turn_id, position=position))


async def step_text(request: Request) -> Response:
    """Return the whole input or output of a step as plain text."""
    db, _, _ = seat(request)
    turn_id, position = _place(request)
    given, output = await db.read(lambda c: work.texts(c, turn_id, position))
    return plain(given if request.path_params["part"] == "input" else output)


async def ask_input(request: Request) -> Response:
    """Return the whole input of what a permission is for as plain text."""
    db, _, _ = seat(request)
    asked = await db.read(lambda c: questions.one(c, request.path_params["ask_id"]))
    return plain("\n\n".join(part.text for part in asked.parts))


async def whole(request: Request) -> Response:
    """Return the whole text of a message, however long, as plain text."""
    db, _, _ = seat(request)
    message_id = request.path_params["message_id"]
    found = await db.read(lambda c: messages.get(c, message_id))
    if found is None or found.conversation_id != request.path_params["conversation_id"]:
        raise MessageNotFound(message_id=message_id)
    return plain(found.text)


async def prompt(request: Request) -> Response:
    """Return the very text that the agent was given for a turn."""
    db, _, _ = seat(request)
    turn_id = request.path_params["turn_id"]
    turn = await db.read(lambda c: turns.get(c, turn_id))
    if turn is None:
        raise TurnOver(turn_id=turn_id)
    return plain(turn.prompt)


def entries(s: Settings, person: Browser, seen: Seen, shown: Timeline) -> list[Entry]:
    """Return the entries of a conversation as a person sees them."""
    return rendering.entries(shown, s.lang, here=seen.id, person_id=person.person_id)


def seat(request: Request) -> tuple[Database, Settings, Browser]:
    """Return what every page works with; nobody but a signed-in person comes here."""
    caller = request.state.caller
    assert isinstance(caller, Browser)  # noqa: S101 - nobody else passes `auth.SignedIn`
    return request.app.state.db, request.app.state.settings, caller


def html(body: str | Markup, *, status: int = 200) -> Response:
    """Return HTML that no cache keeps."""
    return HTMLResponse(_sent(str(body)), status_code=status, headers=_NO_STORE)


def plain(body: str) -> Response:
    """Return a text as it is, which no cache keeps."""
    return PlainTextResponse(_sent(body), headers=_NO_STORE)


def _sent(body: str) -> bytes:
    """Return a text as UTF-8; half of a surrogate pair, which an agent may write, is none."""
    return body.encode(errors="replace")


def _place(request: Request) -> tuple[str, int]:
    """Return the turn and the place of a step; beyond what a database counts there is none."""
    return request.path_params["turn_id"], min(request.path_params["position"], sys.maxsize)


def _number(value: str | None) -> int | None:
    usable = value is not None and value.isascii() and value.isdigit() and len(value) < 19
    return int(value) if value is not None and usable else None
