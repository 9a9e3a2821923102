"""Draws docs/states.md from the code's own tables of transitions; `--check` only compares."""

import sys
from collections.abc import Mapping, Sequence
from enum import StrEnum
from pathlib import Path

from ccweb.asks import rules as ask_rules
from ccweb.conversations import rules as turn_rules
from ccweb.relay import rules as reply_rules

TARGET = Path(__file__).resolve().parent.parent / "docs" / "states.md"
_INTRO = """# State tables

Drawn from the tables in the code (`make diagrams`); a test compares them. A move that is not drawn
does not exist.
"""
_MACHINES: Sequence[tuple[str, str, Mapping[tuple[StrEnum, StrEnum], StrEnum]]] = (
    ("Turn", "ccweb/conversations/rules.py", turn_rules.TRANSITIONS),
    ("Request", "ccweb/relay/rules.py", reply_rules.TRANSITIONS),
    ("Ask", "ccweb/asks/rules.py", ask_rules.TRANSITIONS),
)


def document() -> str:
    """Return the whole page."""
    return "\n".join([_INTRO, *(_section(*machine) for machine in _MACHINES)])


def _section(title: str, place: str, table: Mapping[tuple[StrEnum, StrEnum], StrEnum]) -> str:
    first = next(iter(table))[0]
    moves = [f"    {before} --> {after}: {event}" for (before, event), after in table.items()]
    ends = sorted(set(table.values()) - {before for before, _ in table})
    lines = [
        f"## {title}\n\nThe table is `TRANSITIONS` in `{place}`.\n",
        "```mermaid",
        "stateDiagram-v2",
        f"    [*] --> {first}",
        *moves,
        *(f"    {end} --> [*]" for end in ends),
        "```\n",
    ]
    return "\n".join(lines)


def main(arguments: Sequence[str]) -> int:
    """Write the page, or with `--check` return 1 when it is not what the code says."""
    if "--check" in arguments:
        return int(not TARGET.exists() or TARGET.read_text() != document())
    TARGET.parent.mkdir(exist_ok=True)
    TARGET.write_text(document())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
