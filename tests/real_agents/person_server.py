"""An MCP server of a person's own, as a program over standard input and output."""

from mcp.server.mcpserver import MCPServer

server = MCPServer("person")


@server.tool()
async def order(what: str) -> str:
    """Order something."""
    return f"ordered: {what}"


if __name__ == "__main__":
    server.run("stdio")
