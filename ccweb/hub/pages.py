"""The pages: the workspace and the parts of it that a page fetches when something has changed."""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Final

from markupsafe import Markup
from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ccweb.access.model import Browser
from ccweb.asks import store as asks
from ccweb.clock import moment
from ccweb.conversations import messages, turns
from ccweb.db.engine import Database
from ccweb.errors import ConversationNotFound, MessageNotFound, TurnOver
from ccweb.hub import actions, events, examples, rendering, requests, sign_in, strings, views
from ccweb.hub import timeline as timelines
from ccweb.hub.rendering import Entry
from ccweb.hub.timeline import Timeline
from ccweb.hub.views import Seen
from ccweb.settings import Settings
from ccweb_contract.enums import AgentKind, Lang, PermissionMode
from ccweb_contract.errors import HTTP_STATUS

_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'"
)
_HEADERS: Final = (
    (b"content-security-policy", _POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
)
_NO_STORE: Final = {"Cache-Control": "no-store"}
_REVALIDATE: Final = {"Cache-Control": "no-cache"}
_AGENTS_SEEN_S: Final = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentChoice:
    """An agent kind in the form for a new conversation."""

    kind: AgentKind
    offered: bool
    chosen: bool


def routes() -> list[BaseRoute]:
    """Return every route of the page."""
    own = [
        Route("/", home, methods=["GET"]),
        Route("/conversations/{conversation_id}", conversation, methods=["GET"]),
        Route("/conversations/{conversation_id}/messages/{message_id}", whole, methods=["GET"]),
        Route("/parts/sidebar", sidebar, methods=["GET"]),
        Route("/parts/agents", agents_part, methods=["GET"]),
        Route("/parts/conversations/{conversation_id}", conversation_part, methods=["GET"]),
        Route("/parts/requests/{request_id}", request_part, methods=["GET"]),
        Route("/turns/{turn_id}/prompt", prompt, methods=["GET"]),
        Route("/contract.js", contract_module, methods=["GET"]),
        Route("/words.js", words_module, methods=["GET"]),
        Route("/favicon.ico", icon, methods=["GET"]),
        *sign_in.routes(),
        *actions.routes(),
    ]
    static = StaticFiles(packages=[("ccweb.hub", "static")])
    return [*map(_guarded, own), Mount("/static", app=_Headers(static))]


class _Headers:
    """ASGI middleware that adds the page's security headers."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on, and add the headers to what comes back."""

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", []), *_HEADERS]
            await send(message)

        await self._app(scope, receive, with_headers)


def _guarded(route: Route | BaseRoute) -> BaseRoute:
    assert isinstance(route, Route)  # noqa: S101 - ours are
    route.app = _Headers(route.app)
    return route


async def home(request: Request) -> Response:
    """Show the workspace with no conversation open."""
    db, s, person = _seat(request)

    def gather(c: Connection) -> str:
        position = events.last_position(c)
        rows = views.listed(c, person.person_id)
        tries = examples.for_welcome(s.lang, rows)
        return _workspace(c, s, person, position=position, rows=rows, tries=tries)

    return _html(await db.read(gather))


async def conversation(request: Request) -> Response:
    """Show the workspace with one conversation."""
    db, s, person = _seat(request)

    def gather(c: Connection) -> str:
        position = events.last_position(c)  # first: what is committed meanwhile comes again
        seen = views.one(c, person.person_id, request.path_params["conversation_id"])
        rows = views.listed(c, person.person_id)
        return _workspace(
            c,
            s,
            person,
            position=position,
            rows=rows,
            tries=examples.for_conversation(s.lang, seen, rows),
            seen=seen,
            timeline=timelines.read(c, seen.id),
        )

    try:
        return _html(await db.read(gather))
    except ConversationNotFound as error:
        return gone(s.lang, HTTP_STATUS[error.code])


async def sidebar(request: Request) -> Response:
    """Return the list of conversations and what needs a person."""
    db, s, person = _seat(request)
    query = request.query_params.get("query", "")
    archived = request.query_params.get("archived") == "yes"

    def gather(c: Connection) -> str:
        return rendering.page(
            "sidebar.html",
            s.lang,
            rows=views.listed(c, person.person_id, query=query, archived=archived),
            needs=views.needs_you(c),
            selected=request.query_params.get("selected", ""),
            query=query,
            archived=archived,
            limit=views.LISTED,
        )

    return _html(await db.read(gather))


async def conversation_part(request: Request) -> Response:
    """Return one conversation's head and entries; what the page knows comes without content."""
    db, s, person = _seat(request)
    known = frozenset(request.query_params.get("known", "").split(","))
    before = _number(request.query_params.get("before"))

    def gather(c: Connection) -> str:
        seen = views.one(c, person.person_id, request.path_params["conversation_id"])
        shown = timelines.read(c, seen.id, before=before)
        return rendering.page(
            "conversation.html",
            s.lang,
            seen=seen,
            asks=asks.open_asks(c, seen.id),
            timeline=shown,
            entries=rendering.joined(_entries(s, person, seen, shown), known),
        )

    return _html(await db.read(gather))


async def agents_part(request: Request) -> Response:
    """Return the agents that can be chosen now for a new conversation."""
    db, s, _ = _seat(request)
    agents = await db.read(_agents)
    return _html(rendering.page("agents.html", s.lang, agents=agents))


async def request_part(request: Request) -> Response:
    """Return the card of one request, as one of its two conversations shows it."""
    db, s, _ = _seat(request)
    here = request.query_params.get("here", "")
    card = await db.read(lambda c: requests.one(c, request.path_params["request_id"]))
    return _html(rendering.joined([rendering.card_entry(card, s.lang, here=here)]))


async def whole(request: Request) -> Response:
    """Return the whole text of a message, however long, as plain text."""
    db, _, _ = _seat(request)
    message_id = request.path_params["message_id"]
    found = await db.read(lambda c: messages.get(c, message_id))
    if found is None or found.conversation_id != request.path_params["conversation_id"]:
        raise MessageNotFound(message_id=message_id)
    return PlainTextResponse(found.text, headers=_NO_STORE)


async def prompt(request: Request) -> Response:
    """Return the very text that the agent was given for a turn."""
    db, _, _ = _seat(request)
    turn_id = request.path_params["turn_id"]
    turn = await db.read(lambda c: turns.get(c, turn_id))
    if turn is None:
        raise TurnOver(turn_id=turn_id)
    return PlainTextResponse(turn.prompt, headers=_NO_STORE)


async def contract_module(_request: Request) -> Response:
    """Return the contract's values for the page's scripts."""
    source = files("ccweb_contract").joinpath("contract.js").read_text(encoding="utf-8")
    return Response(source, media_type="text/javascript", headers=_REVALIDATE)


async def words_module(request: Request) -> Response:
    """Return the words that the page's scripts use."""
    source = strings.script_words(request.app.state.settings.lang)
    return Response(source, media_type="text/javascript", headers=_REVALIDATE)


async def icon(_request: Request) -> Response:
    """Send browsers that guess the icon's address to the icon."""
    return RedirectResponse("/static/icon.svg")


def _workspace(
    c: Connection,
    s: Settings,
    person: Browser,
    *,
    position: int,
    rows: Sequence[Seen],
    tries: Sequence[examples.Example],
    seen: Seen | None = None,
    timeline: Timeline | None = None,
) -> str:
    entries = _entries(s, person, seen, timeline) if seen and timeline else []
    return rendering.page(
        "workspace.html",
        s.lang,
        person=person,
        position=position,
        now=moment().now_ms,
        rows=rows,
        needs=views.needs_you(c),
        selected=seen.id if seen else "",
        query="",
        archived=False,
        limit=views.LISTED,
        seen=seen,
        asks=asks.open_asks(c, seen.id) if seen else [],
        timeline=timeline,
        entries=rendering.joined(entries),
        examples=tries,
        agents=_agents(c),
        folders=views.folders(c),
        modes=list(PermissionMode),
        default_mode=PermissionMode.ASK,
    )


def _entries(s: Settings, person: Browser, seen: Seen, shown: Timeline) -> list[Entry]:
    return rendering.entries(shown, s.lang, here=seen.id, person_id=person.person_id)


def _agents(c: Connection) -> list[AgentChoice]:
    offered = views.agents_offered(c, moment(), silent_s=_AGENTS_SEEN_S)
    first = next((kind for kind in AgentKind if kind in offered), None)
    return [
        AgentChoice(kind=kind, offered=kind in offered, chosen=kind is first) for kind in AgentKind
    ]


def _seat(request: Request) -> tuple[Database, Settings, Browser]:
    """Return what every page works with; nobody but a signed-in person comes here."""
    caller = request.state.caller
    assert isinstance(caller, Browser)  # noqa: S101 - nobody else passes `auth.SignedIn`
    return request.app.state.db, request.app.state.settings, caller


def _number(value: str | None) -> int | None:
    usable = value is not None and value.isascii() and value.isdigit() and len(value) < 19
    return int(value) if value is not None and usable else None


def gone(lang: Lang, status: int) -> Response:
    """Return the page that stands where there is none."""
    return _html(rendering.page("gone.html", lang), status=status)


def _html(body: str | Markup, *, status: int = 200) -> Response:
    return HTMLResponse(str(body), status_code=status, headers=_NO_STORE)
