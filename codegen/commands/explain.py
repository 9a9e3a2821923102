"""Tell all that becomes of a tool: where it goes, what calls may send, what old threads see."""

import argparse
import sys
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from difflib import get_close_matches
from typing import Any

from codegen import compilation
from codegen.explanation import changes_of, explained, layout, old_name
from codegen.literals import pretty_json
from codegen.model import Contract
from codegen.terminal import say

FORMATS = ("text", "json")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of this command."""
    parser.add_argument("tool", metavar="TOOL", help="a tool, or an old name of one")
    text = "text: aligned lines for people; json: one object"
    parser.add_argument("--format", choices=FORMATS, default=FORMATS[0], help=text)


def run(options: argparse.Namespace) -> int:
    """Return 0, or 2 when there is no such tool."""
    contract = compilation.load(options.contract, package=options.package)
    lines = _lines(contract, options)
    if lines is None:
        say([_unknown(contract, options.tool)], sys.stderr)
        return 2
    say(lines)
    return 0


def _lines(contract: Contract, options: argparse.Namespace) -> Iterable[str] | None:
    """Return what there is to say of a name, None when nothing has it."""
    name, form = options.tool, options.format
    for tool in contract.tools:
        if tool.name == name:
            found = explained(contract, tool, changes_of(options.contract, name))
            return [_json(asdict(found))] if form == "json" else layout.of_tool(found)
    for alias in contract.aliases:
        if alias.name == name:
            old = old_name(contract, alias)
            return [_json(asdict(old))] if form == "json" else layout.of_old_name(old)
    return None


def _json(found: Mapping[str, Any]) -> str:
    return pretty_json(found).rstrip("\n")


def _unknown(contract: Contract, name: str) -> str:
    """Return the words for an unknown name: what was perhaps meant, or how to see all."""
    names = [tool.name for tool in contract.tools] + [alias.name for alias in contract.aliases]
    close = get_close_matches(name, names, n=5) or [n for n in names if name.lower() in n]
    meant = f"did you mean {', '.join(close)}?" if close else f"there are {', '.join(names)}"
    return f"there is no tool {name!r}; {meant}"
