"""The state tables of the code, drawn: docs/states.md, and the machines that other pages show."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from ccweb.asks import rules as ask_rules
from ccweb.board import rules as board_rules
from ccweb.conversations import rules as turn_rules
from ccweb.planning.blueprints import rules as blueprint_rules
from ccweb.planning.plans import rules as plan_rules
from ccweb.relay import rules as reply_rules
from ccweb_contract.enums import Lang
from scripts import gates

Move = tuple[Any, str, Any]
"""A state, what happens, and the state that follows."""

_HEAD: Final = """# State tables

Drawn from the tables in the code (`make documents`); a test compares them. A move that is not drawn
does not exist.
"""

_GATES: Final = f"""Before each step its gates are asked in this order (`GATES` in the same module).
The first that is shut refuses.

{gates.gates(Lang.EN)}
Which step follows in which state (**ok**), and what every other attempt is refused with:

{gates.steps(Lang.EN)}"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """One state table of the code."""

    title: str
    table: str
    """Where it stands."""
    moves: Sequence[Move]
    more: str = ""
    """What else is to be said of it, as Markdown."""


def page() -> str:
    """Return the page of all state tables."""
    return "\n".join([_HEAD, *map(_section, _machines())])


def drawing(moves: Sequence[Move]) -> str:
    """Return a state table as a diagram."""
    befores = [before for before, _, _ in moves]
    ends = sorted({after for _, _, after in moves} - set(befores))
    lines = [
        "```mermaid",
        "stateDiagram-v2",
        f"    [*] --> {befores[0]}",
        *(f"    {before} --> {after}: {event}" for before, event, after in moves),
        *(f"    {end} --> [*]" for end in ends),
        "```",
    ]
    return "".join(f"{line}\n" for line in lines)


def blueprint() -> str:
    """Return the states of a blueprint as a diagram."""
    return drawing(_moves(blueprint_rules.TRANSITIONS))


def feature_plan() -> str:
    """Return the states of a feature list plan as a diagram."""
    return drawing(_moves(plan_rules.TRANSITIONS))


def _machines() -> list[Machine]:
    return [
        _machine("Turn", "conversations", turn_rules.TRANSITIONS),
        _machine("Request", "relay", reply_rules.TRANSITIONS),
        _machine("Ask", "asks", ask_rules.TRANSITIONS),
        Machine(title="Task", table="`MOVES` in `ccweb/board/rules.py`", moves=_board_moves()),
        _machine("Blueprint", "planning", blueprint_rules.TRANSITIONS, more=_GATES),
        Machine(
            title="Feature list plan",
            table="`TRANSITIONS` in `ccweb/planning/plans/rules.py`",
            moves=_moves(plan_rules.TRANSITIONS),
        ),
    ]


def _machine(
    title: str, package: str, transitions: Mapping[tuple[Any, Any], Any], more: str = ""
) -> Machine:
    table = f"`TRANSITIONS` in `ccweb/{package}/rules.py`"
    return Machine(title=title, table=table, moves=_moves(transitions), more=more)


def _moves(transitions: Mapping[tuple[Any, Any], Any]) -> list[Move]:
    return [(before, event, after) for (before, event), after in transitions.items()]


def _board_moves() -> list[Move]:
    return [
        (before, "moved", after)
        for before, followers in board_rules.MOVES.items()
        for after in sorted(followers)
        if after is not before
    ]


def _section(machine: Machine) -> str:
    more = f"\n{machine.more}" if machine.more else ""
    return f"## {machine.title}\n\nThe table is {machine.table}.\n\n{drawing(machine.moves)}{more}"
