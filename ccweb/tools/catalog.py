"""The catalogue: which name means which tool at which door, and what each surface lists."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final

from ccweb.errors import UnknownTool
from ccweb_contract.aliases import ALIASES, Notice
from ccweb_contract.enums import Door
from ccweb_contract.tools import DYNAMIC_TOOLS, MCP_TOOLS, TOOLS, Surface, Tool

_SURFACES: Final = {
    Door.MCP: Surface.MCP,
    Door.DYNAMIC: Surface.DYNAMIC,
    Door.HTTP: Surface.HTTP,
    Door.INTERNAL: Surface.MCP,
}

_BY_NAME: Final = {name.value: tool for name, tool in TOOLS.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A tool by one of its names."""

    tool: Tool
    fixed: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    """Arguments that the old name stands for, whatever the call sends."""
    notice: Notice | None = None
    """What a caller by the old name is told."""


def find(name: str, door: Door) -> Found:
    """Return the tool that a name means at a door.

    Raises:
        UnknownTool: neither a tool of that door nor an alias of one has this name.
    """
    alias = ALIASES.get(name)
    tool = TOOLS[alias.tool] if alias else _BY_NAME.get(name)
    if tool is None or _SURFACES[door] not in tool.surfaces:
        raise UnknownTool(tool=name)
    return Found(tool=tool, fixed=alias.fixed, notice=alias.notice) if alias else Found(tool=tool)


def is_known(name: str, door: Door) -> bool:
    """Tell whether a name means a tool at a door."""
    try:
        find(name, door)
    except UnknownTool:
        return False
    return True


def mcp_tools() -> list[dict[str, Any]]:
    """Return the list that MCP shows, exactly as generated."""
    return MCP_TOOLS


def dynamic_tools() -> list[dict[str, Any]]:
    """Return the list that a Codex App thread is started with, exactly as generated."""
    return DYNAMIC_TOOLS


def input_schema(name: str) -> Mapping[str, Any] | None:
    """Return the published schema of a listed tool, None for any other name."""
    tool = _BY_NAME.get(name)
    return tool.input_schema if tool and Surface.MCP in tool.surfaces else None
