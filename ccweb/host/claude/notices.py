"""What Claude Code tells of itself in between: no tools, another attempt, less context."""

from collections.abc import Mapping
from typing import Any, Final

from ccweb.conversations.model import Step
from ccweb_contract.enums import StepKind, StepStatus

SERVER: Final = "ccweb"
"""Our name among the MCP servers that Claude Code knows."""

_NO_TOOLS: Final = "The hub could not be reached: the agent has no ccweb tools in this turn."


def notice(line: Mapping[str, Any]) -> Step | None:
    """Return what people should know of a line about the program itself, if anything."""
    match line.get("subtype"):
        case "init" if _is_without_us(line):
            return _step(f"mcp-{SERVER}", f"MCP {SERVER}", StepStatus.FAILED, _NO_TOOLS)
        case "api_retry":
            return _step("api-retry", "API", StepStatus.FAILED, _attempt(line))
        case "compact_boundary":
            return _step(
                f"compact-{line.get('uuid')}", "compact", StepStatus.DONE, _compacted(line)
            )
        case _:
            return None


def _step(key: str, name: str, status: StepStatus, output: str) -> Step:
    return Step(key=key, kind=StepKind.TOOL, status=status, name=name, output=output)


def _is_without_us(line: Mapping[str, Any]) -> bool:
    """Tell whether our MCP server could not be reached."""
    servers = line.get("mcp_servers")
    return any(
        server.get("name") == SERVER and server.get("status") == "failed"
        for server in (servers if isinstance(servers, list) else [])
        if isinstance(server, dict)
    )


def _attempt(line: Mapping[str, Any]) -> str:
    """Return which attempt follows, and why there must be one; the last one replaces the others."""
    why = " ".join(str(part) for part in (line.get("error_status"), line.get("error")) if part)
    return f"{why}: attempt {line.get('attempt')} of {line.get('max_retries')} follows."


def _compacted(line: Mapping[str, Any]) -> str:
    sizes = line.get("compact_metadata")
    known = sizes if isinstance(sizes, dict) else {}
    return f"{known.get('pre_tokens')} → {known.get('post_tokens')} tokens"
