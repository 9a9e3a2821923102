"""Who calls: bearer secrets at the doors, a cookie for the page, and signing in and out."""

from typing import Final
from urllib.parse import quote

import anyio
import anyio.to_thread
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from ccweb.access import passwords
from ccweb.access import service as access
from ccweb.access.model import Agent, Browser, Script
from ccweb.clock import moment
from ccweb.db.engine import Database
from ccweb.errors import AuthenticationFailed
from ccweb.hub.bodies import refusal
from ccweb.settings import Settings

DOORS: Final = ("/mcp", "/api/")
"""Paths that take a bearer secret; a cookie opens none of them but the OpenAPI document."""

_PUBLIC: Final = ("/sign-in", "/static/", "/favicon.ico", "/.well-known/")
"""Paths that anybody may ask for; every other one needs a browser session."""

_ONE_AT_A_TIME: Final = anyio.CapacityLimiter(1)
"""Password checks are slow on purpose; more at once would slow the hub instead."""


async def bearer(db: Database, headers: Headers) -> Agent | Script:
    """Return who holds the bearer secret of a request.

    Raises:
        AuthenticationFailed: there is none, or it opens nothing.
    """
    scheme, _, secret = headers.get("authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not secret.strip():
        raise AuthenticationFailed(why="This needs `Authorization: Bearer` with a token.")
    return await db.read(lambda c: access.authenticate(c, moment(), secret.strip()))


async def person(db: Database, request: Request) -> Browser | None:
    """Return who is signed in at this moment with the cookie of a request."""
    secret = request.cookies.get(cookie_name(request))
    if not secret:
        return None
    try:
        return await db.read(lambda c: access.browser(c, moment(), secret))
    except AuthenticationFailed:
        return None


class SignedIn:
    """ASGI middleware: pages open to signed-in people only, known as `request.state.caller`."""

    def __init__(self, app: ASGIApp, *, db: Database, s: Settings) -> None:
        self._app = app
        self._db = db
        self._s = s

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on with its person, or ask for a sign-in."""
        if scope["type"] != "http" or scope["path"].startswith(DOORS):
            return await self._app(scope, receive, send)
        request = Request(scope)
        request.state.caller = caller = await person(self._db, request)
        if caller is None and not scope["path"].startswith(_PUBLIC):
            return await self._asked_to_sign_in(request)(scope, receive, send)
        return await self._app(scope, receive, send)

    def _asked_to_sign_in(self, request: Request) -> Response:
        if request.method == "GET" and "text/html" in request.headers.get("accept", ""):
            return RedirectResponse(f"/sign-in?next={quote(request.url.path)}", status_code=303)
        return refusal(AuthenticationFailed(why="You are not signed in."), self._s.lang)


async def sign_in_with_ticket(db: Database, s: Settings, ticket: str) -> str:
    """Return the secret of a new browser session.

    Raises:
        AuthenticationFailed: the ticket is unknown, used or too old.
    """
    return await db.write(lambda c: access.redeem_ticket(c, moment(), s, ticket))


async def sign_in_with_password(db: Database, s: Settings, name: str, password: str) -> str:
    """Return the secret of a new browser session.

    Raises:
        AuthenticationFailed: name or password is wrong, or there were too many attempts.
    """
    person_id, stored = await db.write(lambda c: access.try_password(c, moment(), name))
    right = await anyio.to_thread.run_sync(
        passwords.is_right, stored, password, limiter=_ONE_AT_A_TIME
    )
    if not right:
        raise AuthenticationFailed(why="The name or the password is wrong.")
    return await db.write(lambda c: access.open_session(c, moment(), s, person_id, name=name))


def keep_signed_in(request: Request, response: Response, s: Settings, secret: str) -> None:
    """Give the browser the cookie of its session."""
    response.set_cookie(
        cookie_name(request),
        secret,
        max_age=int(s.browser_session_s),
        httponly=True,
        samesite="strict",
        secure=request.url.scheme == "https",
    )


async def sign_out(db: Database, request: Request, response: Response) -> None:
    """End the browser's session and take its cookie back."""
    secret = request.cookies.get(cookie_name(request))
    if secret:
        await db.write(lambda c: access.end_session(c, secret))
    response.delete_cookie(cookie_name(request), httponly=True, samesite="strict")


def cookie_name(request: Request) -> str:
    """Return the cookie's name: browsers keep one jar for all ports of a machine."""
    _, port = request.scope.get("server") or ("", 0)
    return f"ccweb-{port}"
