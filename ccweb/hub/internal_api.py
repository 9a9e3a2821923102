"""The internal door, kept for the bridge of old installations: `POST /api/internal/mcp`."""

from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from ccweb.errors import InvalidParams
from ccweb.hub.auth import bearer
from ccweb.hub.bodies import read_json, shown
from ccweb.tools.answer import RUN_HEADER
from ccweb.tools.dispatch import Call, Dispatcher
from ccweb_contract.enums import Door

_FIELDS: Final = frozenset({"tool", "args", "sourceSessionId", "sourceHopCount"})
"""The last two are accepted and never believed: the credential says who calls, and the database
how deep the chain is (R-D6)."""


def routes() -> list[Route]:
    """Return the route."""
    return [Route("/api/internal/mcp", call, methods=["POST"])]


async def call(request: Request) -> Response:
    """Call the tool that the body names."""
    caller = await bearer(request.app.state.db, request.headers)
    body = _checked(await read_json(request))
    dispatcher: Dispatcher = request.app.state.dispatcher
    answer = await dispatcher.call(
        Call(
            tool=body["tool"],
            arguments=body.get("args"),
            door=Door.INTERNAL,
            caller=caller,
            run_id=request.headers.get(RUN_HEADER),
        )
    )
    return shown(answer)


def _checked(body: Any) -> dict[str, Any]:
    if not isinstance(body, dict) or not isinstance(body.get("tool"), str):
        raise InvalidParams(why="The body must be an object whose `tool` is a tool's name.")
    unknown = sorted(body.keys() - _FIELDS)
    if unknown:
        raise InvalidParams(why=f"The body has no field {unknown[0][:64]!r}.")
    return body
