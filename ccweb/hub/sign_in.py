"""Signing in and out: a page for the ticket of the printed link, or for name and password."""

import re
from typing import Final

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from ccweb.errors import AuthenticationFailed
from ccweb.hub import auth, rendering
from ccweb.hub.bodies import refusal
from ccweb.hub.guard import is_loopback
from ccweb.settings import Settings
from ccweb_contract.errors import HTTP_STATUS

HOME: Final = "/"
_FIELDS: Final = 4
_PATH: Final = re.compile(r"(/[\w.-]+)+")
"""No empty part, blank or backslash, in which a browser could read another host."""


def routes() -> list[BaseRoute]:
    """Return the routes that lead in and out."""
    return [
        Route("/sign-in", show, methods=["GET"]),
        Route("/sign-in", enter, methods=["POST"]),
        Route("/sign-out", leave, methods=["POST"]),
    ]


async def show(request: Request) -> Response:
    """Show the form; its script takes the ticket from the address, which no server ever sees."""
    if request.state.caller is not None:
        return RedirectResponse(_wanted(request), status_code=303)
    return _form(request.app.state.settings)


async def enter(request: Request) -> Response:
    """Open a browser session for a good ticket, or for a name with its password."""
    s: Settings = request.app.state.settings
    try:
        async with request.form(max_files=0, max_fields=_FIELDS) as form:
            secret = await _session(request, s, form)
    except AuthenticationFailed as error:
        return refusal(error, s.lang) if _by_script(request) else _form(s, error)
    response: Response = (
        JSONResponse({"url": _wanted(request)})
        if _by_script(request)
        else RedirectResponse(_wanted(request), status_code=303)
    )
    auth.keep_signed_in(request, response, s, secret)
    return response


async def leave(request: Request) -> Response:
    """End the browser session."""
    response = JSONResponse({"url": "/sign-in"})
    await auth.sign_out(request.app.state.db, request, response)
    return response


async def _session(request: Request, s: Settings, form: FormData) -> str:
    db = request.app.state.db
    if asks_password(s) and form.get("name"):
        name, password = str(form["name"]), str(form.get("password", ""))
        return await auth.sign_in_with_password(db, s, name, password)
    return await auth.sign_in_with_ticket(db, s, _ticket(str(form.get("ticket", ""))))


def _ticket(given: str) -> str:
    """Return the ticket of what a person has pasted: the ticket, or the whole printed address."""
    return given.strip().rpartition("#ticket=")[2]


def asks_password(s: Settings) -> bool:
    """Tell whether the page offers name and password: on this machine a ticket is all it takes."""
    return not is_loopback(s.host)


def _form(s: Settings, error: AuthenticationFailed | None = None) -> Response:
    html = rendering.page(
        "sign_in.html", s.lang, password=asks_password(s), error=error.detail if error else ""
    )
    return HTMLResponse(html, status_code=HTTP_STATUS[error.code] if error else 200)


def _by_script(request: Request) -> bool:
    return "application/json" in request.headers.get("accept", "")


def _wanted(request: Request) -> str:
    """Return the page of ours that a person wanted before the sign-in."""
    path = request.query_params.get("next", HOME)
    ours = _PATH.fullmatch(path) and not path.startswith("/sign-in")
    return path if ours else HOME
