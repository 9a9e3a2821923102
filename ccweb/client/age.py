"""Servers that are too old for the blueprint tools: how each door says so, and what it means.

Such a server is reported and that is all: the feature list tools never stand in, because they know
nothing of a person's approval (R-P6).
"""

from collections.abc import Mapping
from typing import Any, Final

from ccweb.tools.answer import Answer, refused
from ccweb_contract.enums import Lang
from ccweb_contract.errors import ErrorCode
from ccweb_contract.tools import ToolName

CANONICAL: Final[frozenset[str]] = frozenset(
    {
        ToolName.GET_FEISHU_WORK_ITEM_CONTEXT,
        ToolName.CREATE_FEISHU_TECHNICAL_PLAN,
        ToolName.GET_TECHNICAL_BLUEPRINT,
        ToolName.ANSWER_BLUEPRINT_CLARIFICATION,
        ToolName.REQUEST_TECHNICAL_BLUEPRINT_CHANGES,
        ToolName.APPROVE_TECHNICAL_BLUEPRINT,
        ToolName.START_REPO_RESEARCH,
    }
)
"""The tools that never answer missing data with 404, so that a 404 can only mean one thing."""

_UNKNOWN: Final = "unknown tool"
_INVALID_PARAMS: Final = -32602


def too_old(tool: str) -> Answer:
    """Return the refusal that stands for a server without a tool."""
    why = f"The server has no tool {tool!r}."
    return refused(ErrorCode.MCP_VERSION_TOO_OLD, why, Lang.EN)


def is_unknown_tool(error: Mapping[str, Any]) -> bool:
    """Tell whether a JSON-RPC error says that there is no such tool."""
    data = error.get("data")
    if isinstance(data, dict) and "error_code" in data:
        return str(data["error_code"]) == ErrorCode.UNKNOWN_TOOL
    return error.get("code") == _INVALID_PARAMS and _names_none(error.get("message"))


def is_unknown_result(result: Mapping[str, Any]) -> bool:
    """Tell whether a result says so in words, as servers of other makes do."""
    return bool(result.get("isError")) and any(map(_names_none, texts_of(result)))


def texts_of(result: Mapping[str, Any]) -> list[str]:
    """Return what a result says in words."""
    content = result.get("content")
    blocks = content if isinstance(content, list) else []
    texts = [block.get("text") for block in blocks if isinstance(block, dict)]
    return [text for text in texts if isinstance(text, str)]


def _names_none(text: Any) -> bool:
    return isinstance(text, str) and text.strip().lower().startswith(_UNKNOWN)
