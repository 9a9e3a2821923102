"""A small post of the page: its fields, who sends it, and the one command that it is."""

from collections.abc import Callable
from typing import Any, Final, TypeVar

from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from ccweb.access.model import Browser
from ccweb.errors import InvalidParams
from ccweb.hub.bodies import read_json
from ccweb.settings import Settings
from ccweb.tools.arguments import is_clean

T = TypeVar("T", bound=str | int)

_LARGEST: Final = 2**53 - 1
"""The largest whole number that a page's script can tell from its neighbours."""


async def do(request: Request, command: Callable[[Connection], Any]) -> Any:
    """Run a command in a transaction of its own and return what it returns."""
    return await request.app.state.db.write(command)


async def body(request: Request) -> dict[str, Any]:
    """Return the fields of a post.

    Raises:
        InvalidParams: it holds no JSON object.
    """
    given = await read_json(request)
    if not isinstance(given, dict):
        raise InvalidParams(why="The body must be a JSON object.")
    return given


def field(given: dict[str, Any], name: str, kind: type[T], default: T | None = None) -> T:
    """Return a field of a body, which must be exactly of its kind.

    Raises:
        InvalidParams: it is not.
    """
    value = given.get(name, default)
    if type(value) is not kind:
        raise InvalidParams(why=f"`{name}` must be of the kind {kind.__name__}.")
    if isinstance(value, str) and not is_clean(value):
        raise InvalidParams(why=f"`{name}` holds characters that are no text.")
    if isinstance(value, int) and not 0 <= value <= _LARGEST:
        raise InvalidParams(why=f"`{name}` must be from 0 to {_LARGEST}.")
    return value


def person(request: Request) -> Browser:
    """Return the person whose browser posts."""
    caller = request.state.caller
    assert isinstance(caller, Browser)  # noqa: S101 - nobody else passes `auth.SignedIn`
    return caller


def settings(request: Request) -> Settings:
    """Return the settings of the hub."""
    s: Settings = request.app.state.settings
    return s


def named(request: Request, name: str = "conversation_id") -> str:
    """Return an id that stands in the address."""
    value: str = request.path_params[name]
    return value


def done() -> Response:
    """Return the answer to a post that has nothing to tell."""
    return JSONResponse({})
