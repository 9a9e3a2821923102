"""The pages: the workspace with or without a conversation, and what its scripts load."""

from collections.abc import Sequence
from importlib.resources import files
from typing import Final

from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ccweb.clock import moment
from ccweb.errors import ConversationNotFound
from ccweb.hub import (
    actions,
    boards,
    choices,
    events,
    examples,
    history,
    parts,
    planning,
    questions,
    rendering,
    sign_in,
    strings,
    tokens,
    views,
)
from ccweb.hub import timeline as timelines
from ccweb.hub.parts import entries, html, seat
from ccweb.hub.timeline import Timeline
from ccweb.hub.views import Seen
from ccweb_contract.enums import Lang
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
_REVALIDATE: Final = {"Cache-Control": "no-cache"}


def routes() -> list[BaseRoute]:
    """Return every route of the page."""
    own = [
        Route("/", home, methods=["GET"]),
        Route("/conversations/{conversation_id}", conversation, methods=["GET"]),
        Route("/contract.js", contract_module, methods=["GET"]),
        Route("/words.js", words_module, methods=["GET"]),
        Route("/favicon.ico", icon, methods=["GET"]),
        *parts.routes(),
        *history.routes(),
        *boards.routes(),
        *planning.routes(),
        *tokens.routes(),
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
    db, s, person = seat(request)

    def gather(c: Connection) -> str:
        position = events.last_position(c)
        rows = views.listed(c, person.person_id)
        tries = examples.for_welcome(s.lang, rows)
        return _workspace(c, request, position=position, rows=rows, tries=tries)

    return html(await db.read(gather))


async def conversation(request: Request) -> Response:
    """Show the workspace with one conversation."""
    db, s, person = seat(request)

    def gather(c: Connection) -> str:
        position = events.last_position(c)  # first: what is committed meanwhile comes again
        seen = views.one(c, person.person_id, request.path_params["conversation_id"])
        rows = views.listed(c, person.person_id)
        return _workspace(
            c,
            request,
            position=position,
            rows=rows,
            tries=examples.for_conversation(s.lang, seen, rows),
            seen=seen,
            timeline=timelines.read(c, seen.id),
        )

    try:
        return html(await db.read(gather))
    except ConversationNotFound as error:
        return gone(s.lang, HTTP_STATUS[error.code])


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
    request: Request,
    *,
    position: int,
    rows: Sequence[Seen],
    tries: Sequence[examples.Example],
    seen: Seen | None = None,
    timeline: Timeline | None = None,
) -> str:
    _, s, person = seat(request)
    listed = entries(s, person, seen, timeline) if seen and timeline else []
    return rendering.page(
        "workspace.html",
        s.lang,
        person=person,
        position=position,
        now=moment().now_ms,
        rows=rows,
        needs=questions.needs(c, person),
        selected=seen.id if seen else "",
        query="",
        archived=False,
        limit=views.LISTED,
        seen=seen,
        asks=questions.open_in(c, seen.id) if seen else [],
        timeline=timeline,
        entries=rendering.joined(listed),
        examples=tries,
        agents=choices.agents(c, moment(), request.app.state.host_id),
        folders=views.folders(c),
    )


def gone(lang: Lang, status: int) -> Response:
    """Return the page that stands where there is none."""
    return html(rendering.page("gone.html", lang), status=status)
