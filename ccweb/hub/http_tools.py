"""The plain HTTP door: `POST /api/mcp/tools/{tool_name}/`, one tool a path (R-P1)."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from ccweb.hub.auth import bearer
from ccweb.hub.bodies import read_json, shown
from ccweb.tools.dispatch import Call, Dispatcher, admitted
from ccweb_contract.enums import Door


def routes() -> list[Route]:
    """Return the routes, with the slash at the end and without."""
    return [
        Route("/api/mcp/tools/{tool_name}/", call, methods=["POST"]),
        Route("/api/mcp/tools/{tool_name}", call, methods=["POST"]),
    ]


async def call(request: Request) -> Response:
    """Call a tool: the result is the body, a refusal has the contract's status."""
    caller = await bearer(request.app.state.db, request.headers)
    tool = request.path_params["tool_name"]
    admitted(tool, Door.HTTP, caller)
    dispatcher: Dispatcher = request.app.state.dispatcher
    answer = await dispatcher.call(
        Call(
            tool=tool,
            arguments=await read_json(request),
            door=Door.HTTP,
            caller=caller,
        )
    )
    return shown(answer)
