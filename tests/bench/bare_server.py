"""The bare low-level SDK server with one tool that does nothing: over HTTP, or over stdio."""

import sys
from typing import Any

import anyio
import uvicorn
from mcp.server import Server
from mcp.server.stdio import stdio_server
from mcp_types import CallToolResult, ListToolsResult, TextContent, Tool

SCHEMA = {"type": "object", "properties": {}, "additionalProperties": False}
TOOLS = ListToolsResult(tools=[Tool(name="noop", description="Does nothing.", input_schema=SCHEMA)])
RESULT = CallToolResult(content=[TextContent(type="text", text="{}")])


async def _list_tools(_context: Any, _params: Any) -> ListToolsResult:
    return TOOLS


async def _call_tool(_context: Any, _params: Any) -> CallToolResult:
    return RESULT


def _server() -> Server[Any]:
    return Server[Any](
        "bare",
        get_tool_input_schema=lambda _name: SCHEMA,
        on_list_tools=_list_tools,
        on_call_tool=_call_tool,
    )


async def _over_stdio() -> None:
    server = _server()
    async with stdio_server() as (reader, writer):
        await server.run(reader, writer, server.create_initialization_options())


def main() -> None:
    """Serve on the port given, or over stdio without one."""
    if len(sys.argv) == 1:
        anyio.run(_over_stdio)
        return
    app = _server().streamable_http_app(json_response=True, stateless_http=True)
    uvicorn.run(app, port=int(sys.argv[1]), http="h11", log_level="error")


if __name__ == "__main__":
    main()
