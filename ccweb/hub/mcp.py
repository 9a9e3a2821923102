"""The MCP door: streamable HTTP at `/mcp`, every protocol version that the SDK serves."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any, Final

from mcp.server import Server
from mcp.server.context import ServerRequestContext
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
    Tool,
)
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import Message, Receive, Scope, Send

import ccweb
from ccweb.access import service as access
from ccweb.access.model import Caller, holder_of
from ccweb.clock import moment
from ccweb.db.engine import Database
from ccweb.errors import CcwebError
from ccweb.hub import direct, envelope
from ccweb.hub.auth import bearer
from ccweb.hub.bodies import check_json_type, refusal
from ccweb.hub.envelope import Malformed
from ccweb.settings import Settings
from ccweb.tools import catalog
from ccweb.tools.answer import RUN_HEADER, Answer
from ccweb.tools.dispatch import Call, Dispatcher
from ccweb_contract import prompts
from ccweb_contract.enums import Door
from ccweb_contract.errors import ErrorCode
from ccweb_contract.version import CONTRACT_HASH

_CHECKED_BY_THE_GUARD: Final = TransportSecuritySettings(enable_dns_rebinding_protection=False)

_TOOLS: Final = ListToolsResult(tools=[Tool.model_validate(tool) for tool in catalog.mcp_tools()])


class McpDoor:
    """The ASGI application of `/mcp`."""

    def __init__(self, db: Database, s: Settings, dispatcher: Dispatcher) -> None:
        self._db = db
        self._s = s
        self._dispatcher = dispatcher
        self._sessions = StreamableHTTPSessionManager(
            app=self._server(),
            json_response=True,
            stateless=True,
            security_settings=_CHECKED_BY_THE_GUARD,
            max_request_body_size=s.body_limit_bytes,
        )

    @asynccontextmanager
    async def open(self) -> AsyncIterator[None]:
        """Serve for as long as the context is entered."""
        async with self._sessions.run():
            yield

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Find out who calls, then hand the request to the SDK."""
        request = Request(scope, receive)
        try:
            request.state.caller = await bearer(self._db, request.headers)
            if request.method != "POST":
                return await Response(status_code=405, headers={"Allow": "POST"})(
                    scope, receive, send
                )
            check_json_type(request)
            body = await request.body()
        except CcwebError as error:
            return await refusal(error, self._s.lang)(scope, receive, send)
        try:
            message = envelope.message_of(body)
        except Malformed as error:
            return await JSONResponse(error.answer, status_code=400)(scope, receive, send)
        era = direct.era_of(request, message)
        if era is not None:
            answer = await self._answer(message["params"], request)
            return await JSONResponse(direct.reply(message, answer, era))(scope, receive, send)
        return await self._sessions.asgi_app(scope, _replayed(body, receive), send)

    async def _answer(self, params: Mapping[str, Any], request: Request) -> Answer:
        return await self._dispatcher.call(
            Call(
                tool=params["name"],
                arguments=params.get("arguments"),
                door=Door.MCP,
                caller=request.state.caller,
                run_id=request.headers.get(RUN_HEADER),
            )
        )

    def _server(self) -> Server[Any]:
        server = Server[Any](
            "ccweb",
            version=ccweb.__version__,
            instructions=prompts.server_instructions(self._s.lang),
            get_tool_input_schema=catalog.input_schema,
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
        )
        server.middleware.clear()  # only OpenTelemetry's, which costs a tenth of every call
        return server

    async def _list_tools(
        self, ctx: ServerRequestContext[Any], params: PaginatedRequestParams | None
    ) -> ListToolsResult:
        await self._note_loaded(_request(ctx).state.caller)
        return _TOOLS

    async def _note_loaded(self, caller: Caller) -> None:
        """Remember that this caller has seen the present list (R-D7)."""
        holder_id = holder_of(caller)
        if holder_id is None:
            return
        loaded = await self._db.read(
            lambda c: access.loaded_contract(c, holder_id=holder_id, door=Door.MCP)
        )
        if loaded != CONTRACT_HASH:
            await self._db.write(
                lambda c: access.record_contract(
                    c, moment(), holder_id=holder_id, door=Door.MCP, contract_hash=CONTRACT_HASH
                )
            )

    async def _call_tool(
        self, ctx: ServerRequestContext[Any], params: CallToolRequestParams
    ) -> CallToolResult:
        given = {"name": params.name, "arguments": params.arguments}
        answer = await self._answer(given, _request(ctx))
        return _shown(answer)


def _replayed(body: bytes, receive: Receive) -> Receive:
    """Return a `receive` that gives the body once more, then what really comes."""
    given = False

    async def replayed() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replayed


def _request(ctx: ServerRequestContext[Any]) -> Request:
    """Return the request whose caller `__call__` has found out."""
    request: Any = ctx.request
    found: Request = request
    return found


def _shown(answer: Answer) -> CallToolResult:
    """Return what a model reads; an unknown tool is the protocol's own error (R-D5).

    Raises:
        MCPError: there is no such tool.
    """
    text = [TextContent(type="text", text=answer.text)]
    if answer.refusal is None:
        return CallToolResult(content=text, structured_content=dict(answer.body))
    if answer.refusal.code is ErrorCode.UNKNOWN_TOOL:
        raise MCPError(INVALID_PARAMS, answer.refusal.detail, answer.refusal.envelope)
    return CallToolResult(
        content=text, is_error=True, _meta={direct.ERROR_META: answer.refusal.envelope}
    )
