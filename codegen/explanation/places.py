"""Where a tool goes: the lines that it alone brings, and the name that each client sees."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from difflib import SequenceMatcher

from codegen import emit
from codegen.model import Contract, Tool

_SURFACES = {
    "mcp": ("mcp__{contract.name}__{tool.name}", "in the list of MCP tools"),
    "dynamic": ("{contract.namespace}.{tool.name}", "in the dynamic tools of Codex App"),
    "composer": ("{contract.composer_prefix}{tool.name}", "what a person picks while writing"),
    "http": ("POST {path}", "as an HTTP endpoint"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Lines of a generated file or block that stand there because of a tool."""

    file: str
    """Below the output folder, or a document with the name of its block."""
    first: int
    last: int
    begins: str
    """The first of the lines that says something."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sight:
    """A surface that shows a tool."""

    surface: str
    name: str
    """What a client of the surface calls it."""
    about: str


def sights(contract: Contract, tool: Tool) -> tuple[Sight, ...]:
    """Return the surfaces that show a tool, with the name that it has there."""
    if tool.deprecated:
        return ()
    path = contract.http_path.replace("{tool}", tool.name)
    return tuple(
        Sight(
            surface=surface, name=name.format(contract=contract, tool=tool, path=path), about=text
        )
        for surface, (name, text) in _SURFACES.items()
        if surface in tool.group.surfaces
    )


def places(contract: Contract, tool: Tool) -> tuple[Place, ...]:
    """Return every place of a tool: what is rendered with it and not without it."""
    others = replace(
        contract,
        tools=tuple(other for other in contract.tools if other != tool),
        aliases=tuple(alias for alias in contract.aliases if alias.tool != tool.name),
    )
    return added_lines(others if others.tools else None, contract)


def added_lines(less: Contract | None, full: Contract) -> tuple[Place, ...]:
    """Return what is rendered of a contract and not of one that has less; None has nothing."""
    without = _texts(less) if less else {}
    found = (_added(name, without.get(name, ""), text) for name, text in _texts(full).items())
    return tuple(place for in_file in found for place in in_file)


def _texts(contract: Contract) -> dict[str, str]:
    """Return all that a contract renders to: the files, and the blocks of each document."""
    texts = emit.files(contract)
    for document in contract.documents:
        name = document.path.removeprefix("../")
        blocks = emit.blocks(contract, document.language)
        texts |= {f"{name}, block {block}": text for block, text in blocks.items()}
    return texts


def _added(file: str, less: str, full: str) -> Iterator[Place]:
    """Yield the runs of lines that only the full text has."""
    old, new = less.splitlines(), full.splitlines()
    for kind, _, _, start, end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind in ("insert", "replace"):
            lines = [line.strip() for line in new[start:end]]
            begins = next((line for line in lines if any(c.isalnum() for c in line)), "")
            yield Place(file=file, first=start + 1, last=end, begins=begins)
