"""The plain HTTP door: `POST /api/mcp/tools/{tool_name}/`, one tool a path (R-P1)."""

from importlib.resources import files

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from ccweb.errors import InvalidParams
from ccweb.hub.auth import bearer, person
from ccweb.hub.bodies import read_json, shown
from ccweb.tools.answer import RUN_HEADER
from ccweb.tools.dispatch import Call, Dispatcher, admitted
from ccweb_contract.enums import Door


def routes() -> list[Route]:
    """Return the routes: the tools, with the slash at the end and without, and what they are."""
    return [
        Route("/api/openapi.json", described, methods=["GET"]),
        Route("/api/mcp/tools/{tool_name}/", call, methods=["POST"]),
        Route("/api/mcp/tools/{tool_name}", call, methods=["POST"]),
    ]


async def described(request: Request) -> Response:
    """Return the OpenAPI document, to programs and to whoever is signed in."""
    db = request.app.state.db
    if await person(db, request) is None:
        await bearer(db, request.headers)
    document = files("ccweb_contract").joinpath("openapi.json").read_bytes()
    headers = {"Cache-Control": "no-cache"}
    return Response(document, media_type="application/json", headers=headers)


async def call(request: Request) -> Response:
    """Call a tool: the result is the body, a refusal has the contract's status."""
    caller = await bearer(request.app.state.db, request.headers)
    tool = request.path_params["tool_name"]
    admitted(tool, Door.HTTP, caller)
    arguments = await read_json(request)
    if arguments is None:
        raise InvalidParams(why="The arguments must be an object, not null.")
    dispatcher: Dispatcher = request.app.state.dispatcher
    answer = await dispatcher.call(
        Call(
            tool=tool,
            arguments=arguments,
            door=Door.HTTP,
            caller=caller,
            run_id=request.headers.get(RUN_HEADER),
        )
    )
    return shown(answer)
