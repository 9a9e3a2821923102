"""Runs: a workflow's calls of the planning tools, each with its time, caller, door and outcome."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from sqlalchemy import Connection, Row

from ccweb.access.model import Agent, Browser, Caller, Script
from ccweb.clock import Moment, from_ms
from ccweb.conversations import messages
from ccweb.conversations.model import EventKind
from ccweb.db.sql import select, text
from ccweb_contract.enums import Door
from ccweb_contract.errors import ErrorCode
from ccweb_contract.tools import ToolName

DONE: Final = "done"
"""The outcome of a call that was carried out; any other is the code of its refusal."""

PREFIX: Final = "run"

_CALLER: Final = """coalesce(
    (SELECT k.title FROM conversation k WHERE k.id = p.caller_id),
    (SELECT a.name FROM token a WHERE a.id = p.caller_id),
    (SELECT o.name FROM person o WHERE o.id = p.caller_id), '')"""

_COLUMNS: Final = f"""p.run_id, p.tool, p.door, p.caller_id, p.outcome, p.about_id, p.created_at,
    {_CALLER} AS caller_name"""

_ORDER: Final = "ORDER BY p.created_at, p.position"
"""By their time: what changes nothing is written later than what changes something."""

_OF_RUN = select(_COLUMNS, f"FROM planning_call p WHERE p.run_id = :run_id {_ORDER}")

_ABOUT = select(_COLUMNS, f"FROM planning_call p WHERE p.about_id = :about_id {_ORDER}")

_HELD = select(
    "id, holder_id, created_at",
    "FROM planning_run WHERE id = :id AND (:holder_id IS NULL OR holder_id = :holder_id)",
)

_LATEST = select(
    "p.run_id",
    """FROM planning_call p JOIN planning_run r ON r.id = p.run_id
    WHERE p.about_id = :about_id AND r.holder_id = :holder_id
    ORDER BY p.position DESC LIMIT 1""",
)

_ADD = text("""
    INSERT INTO planning_call (run_id, tool, door, caller_id, outcome, about_id, created_at)
    VALUES (:run_id, :tool, :door, :caller_id, :outcome, :about_id, :created_at)""")


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One workflow."""

    id: str
    holder_id: str
    """The conversation or the person whose workflow it is; nobody else may go on with it."""
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class MadeCall:
    """A call as it is written."""

    run_id: str
    tool: ToolName
    door: Door
    caller_id: str
    refused: ErrorCode | None
    about_id: str | None
    """The blueprint, plan session or context that it was about."""
    created_at_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedCall:
    """A call as lists show it."""

    run_id: str
    tool: str
    door: Door
    caller_id: str
    caller_name: str
    """Title of the conversation, name of the token or of the person; '' once that is gone."""
    outcome: str
    about_id: str | None
    created_at: datetime


def holder_id(caller: Caller) -> str:
    """Return whose run a call belongs to: the conversation it speaks for, else the person."""
    if isinstance(caller, Browser):
        return caller.person_id
    if isinstance(caller, Agent):
        return caller.conversation_id
    return caller.conversation_id or caller.person_id


def caller_id(caller: Caller) -> str:
    """Return what a list names as the caller: the conversation, the token or the person."""
    if isinstance(caller, Script):
        return caller.token_id
    return holder_id(caller)


def begin(c: Connection, m: Moment, *, holder_id: str) -> str:
    """Insert a run and return its id."""
    run_id = m.new_id(PREFIX)
    c.execute(
        text("INSERT INTO planning_run (id, holder_id, created_at) VALUES (:id, :holder_id, :now)"),
        {"id": run_id, "holder_id": holder_id, "now": m.now_ms},
    )
    return run_id


def find(c: Connection, run_id: str, *, holder_id: str | None = None) -> Run | None:
    """Return a run; with a holder, only one of theirs."""
    row = c.execute(_HELD, {"id": run_id, "holder_id": holder_id}).one_or_none()
    if row is None:
        return None
    return Run(id=row.id, holder_id=row.holder_id, created_at=from_ms(row.created_at))


def latest_about(c: Connection, about_id: str, *, holder_id: str) -> str | None:
    """Return the run in which a holder last called about something."""
    found: str | None = c.execute(
        _LATEST, {"about_id": about_id, "holder_id": holder_id}
    ).scalar_one_or_none()
    return found


def record(c: Connection, m: Moment, made: Sequence[MadeCall]) -> None:
    """Insert calls, in the order in which they were made, and tell the pages of their runs."""
    if not made:
        return
    c.execute(_ADD, [_values(call) for call in made])
    for run_id in dict.fromkeys(call.run_id for call in made):
        messages.tell(c, m, EventKind.RUN, [""], data={"runId": run_id})


def calls(c: Connection, run_id: str) -> list[ListedCall]:
    """Return the calls of a run, the first one first."""
    return _listed(c.execute(_OF_RUN, {"run_id": run_id}).all())


def calls_about(c: Connection, about_id: str) -> list[ListedCall]:
    """Return the calls of all runs about a blueprint, a plan session or a context."""
    return _listed(c.execute(_ABOUT, {"about_id": about_id}).all())


def _values(call: MadeCall) -> dict[str, Any]:
    return {
        "run_id": call.run_id,
        "tool": call.tool.value,
        "door": call.door.value,
        "caller_id": call.caller_id,
        "outcome": call.refused.value if call.refused else DONE,
        "about_id": call.about_id,
        "created_at": call.created_at_ms,
    }


def _listed(rows: Sequence[Row[Any]]) -> list[ListedCall]:
    return [
        ListedCall(
            run_id=row.run_id,
            tool=row.tool,
            door=Door(row.door),
            caller_id=row.caller_id,
            caller_name=row.caller_name,
            outcome=row.outcome,
            about_id=row.about_id,
            created_at=from_ms(row.created_at),
        )
        for row in rows
    ]
