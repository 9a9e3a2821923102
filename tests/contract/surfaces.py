"""The generated surfaces of ccweb's own contract."""

import json
from pathlib import Path
from typing import Any

from ccweb_contract.enums import Lang

ROOT = Path(__file__).parent.parent.parent
GENERATED = ROOT / "generated"
SCHEMAS = GENERATED / "schemas"
READMES = {Lang.EN: ROOT / "README.md", Lang.ZH: ROOT / "README.zh.md"}


def snapshot(name: str) -> Any:
    """Return a generated snapshot."""
    return json.loads((SCHEMAS / name).read_text())


def block(document: Path, name: str) -> str:
    """Return a generated block of a document."""
    text = document.read_text()
    return text.split(f"<!-- generated:{name} -->\n")[1].split(f"<!-- /generated:{name} -->")[0]


def dynamic_functions() -> dict[str, Any]:
    """Return the dynamic tools by name."""
    return {
        tool["name"]: tool
        for namespace in snapshot("codex.dynamic_tools.json")
        for tool in namespace["tools"]
    }


def mcp_tools() -> dict[str, Any]:
    """Return what the MCP list shows, by name."""
    return {tool["name"]: tool for tool in snapshot("mcp.tools_list.json")["tools"]}
