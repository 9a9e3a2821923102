"""The demo agent's way to the hub: a real MCP client over HTTP, one kept pool of connections."""

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import anyio
import httpx2
import structlog

from ccweb.host.address import hub_url
from ccweb.settings import Settings
from ccweb_contract.enums import Lang
from ccweb_contract.errors import REMEDIES, ErrorCode
from ccweb_contract.tools import ToolName

log = structlog.get_logger()

_PATIENCE_S: Final = 15.0
_FIRST_PAUSE_S: Final = 0.05
_LAST_PAUSE_S: Final = 1.0
_CONNECT_S: Final = 5.0
_ANSWER_S: Final = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """A call that was refused, or whose answer never came."""

    error_code: str
    detail: str
    remedy: str


Result = Mapping[str, Any] | Refused


class HubClient:
    """Calls tools of the hub, each call with the credential of its conversation."""

    def __init__(self, s: Settings) -> None:
        self._s = s
        self._made: httpx2.AsyncHTTPTransport | None = None

    async def call(self, credential: str, tool: ToolName, arguments: dict[str, Any]) -> Result:
        """Call a tool and return what it answers.

        While nobody listens at the hub's address the call surely was not received: it is made
        again for a while. A call whose answer was lost is never made again.
        """
        deadline, pause_s = time.monotonic() + _PATIENCE_S, _FIRST_PAUSE_S
        while True:
            way = _Way(self._pool)
            try:
                return await self._call(way, credential, tool, arguments)
            except Exception as error:
                if way.was_open:
                    log.warning("hub_answer_lost", tool=tool.value, error=repr(_first(error)))
                    return _unreachable(self._s.lang, "its answer was lost; it may have worked")
                if time.monotonic() > deadline:
                    return _unreachable(self._s.lang, "nobody answers at the hub's address")
            await anyio.sleep(pause_s)
            pause_s = min(pause_s * 2, _LAST_PAUSE_S)

    async def aclose(self) -> None:
        """Close the kept connections."""
        if self._made is not None:
            await self._made.aclose()

    @property
    def _pool(self) -> httpx2.AsyncHTTPTransport:
        """Return the kept connections, made at the first call: that takes 60 ms."""
        if self._made is None:
            self._made = httpx2.AsyncHTTPTransport(
                trust_env=False,
                limits=httpx2.Limits(max_connections=64, max_keepalive_connections=64),
            )
        return self._made

    async def _call(
        self, way: "_Way", credential: str, tool: ToolName, arguments: dict[str, Any]
    ) -> Result:
        """Make one POST.

        With the protocol's version given nothing is asked before the call; `Client.call_tool`
        would list all tools after it, to check what our own hub has made by the same contract.
        """
        from mcp import Client, MCPError  # imported late: 0.5 s that turns without tools never pay
        from mcp.client.streamable_http import streamable_http_client
        from mcp_types import CallToolRequest, CallToolRequestParams, CallToolResult, TextContent
        from mcp_types.version import MODERN_PROTOCOL_VERSIONS

        url = hub_url(self._s)
        if url is None:
            raise httpx2.ConnectError("the hub has not written its address")
        http = httpx2.AsyncClient(
            transport=way,
            headers={"Authorization": f"Bearer {credential}"},
            timeout=httpx2.Timeout(_ANSWER_S, connect=_CONNECT_S),
            trust_env=False,
        )
        request = CallToolRequest(
            params=CallToolRequestParams(name=tool.value, arguments=arguments)
        )
        transport = streamable_http_client(f"{url}/mcp", http_client=http)
        async with Client(transport, mode=MODERN_PROTOCOL_VERSIONS[-1]) as client:
            try:
                answer = await client.session.send_request(request, CallToolResult)
            except MCPError as error:
                return _unreachable(self._s.lang, str(error))
        if answer.is_error:
            texts = [block.text for block in answer.content if isinstance(block, TextContent)]
            return Refused(**json.loads(texts[0]))
        return answer.structured_content or {}


def _unreachable(lang: Lang, detail: str) -> Refused:
    code = ErrorCode.UNAVAILABLE
    return Refused(error_code=code.value, detail=detail, remedy=REMEDIES[code][lang])


class _Way(httpx2.AsyncBaseTransport):
    """The way of one call to the hub, which knows whether anything may have got through.

    An error alone does not tell which of a client's requests it is about.
    """

    def __init__(self, pool: httpx2.AsyncHTTPTransport) -> None:
        self._pool = pool
        self.was_open = False

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Pass a request on; only one that found nobody leaves the way closed."""
        before, self.was_open = self.was_open, True
        try:
            return await self._pool.handle_async_request(request)
        except (httpx2.ConnectError, httpx2.ConnectTimeout):
            self.was_open = before
            raise


def _first(error: BaseException) -> BaseException:
    return _first(error.exceptions[0]) if isinstance(error, BaseExceptionGroup) else error
