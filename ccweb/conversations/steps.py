"""Steps in the database: what agents did on the way to their final texts."""

from collections.abc import Sequence
from typing import Any, Final

from sqlalchemy import Connection, Row, bindparam

from ccweb.clock import Moment, from_ms, maybe_from_ms
from ccweb.conversations import messages
from ccweb.conversations.model import EventKind, Step, StoredStep, Turn
from ccweb.db.sql import select, text
from ccweb_contract.enums import StepKind, StepStatus

SAID: Final = {"said": True}
"""Ends, among the deltas of a turn, the text that has become a step; what follows is a new one."""

_PUT = text("""
    INSERT INTO step (turn_id, key, conversation_id, kind, status, name, input, output,
        started_at, ended_at)
    VALUES (:turn_id, :key, :conversation_id, :kind, :status, :name, :input, :output,
        :now, :ended_at)
    ON CONFLICT (turn_id, key) DO UPDATE SET status = excluded.status,
        name = CASE WHEN excluded.name = '' THEN step.name ELSE excluded.name END,
        input = CASE WHEN excluded.input = '' THEN step.input ELSE excluded.input END,
        output = excluded.output, ended_at = excluded.ended_at""")

_OF_TURNS = select(
    "position, turn_id, key, kind, status, name, input, output, started_at, ended_at",
    "FROM step WHERE turn_id IN :ids ORDER BY position",
).bindparams(bindparam("ids", expanding=True))

_END_OPEN = text("""
    UPDATE step SET status = 'failed', ended_at = :now
    WHERE turn_id = :turn_id AND status = 'running'""")


def put(c: Connection, m: Moment, turn: Turn, step: Step) -> None:
    """Write a step, or how far the one with this key has come; an empty part keeps the old one."""
    ended = None if step.status is StepStatus.RUNNING else m.now_ms
    c.execute(
        _PUT,
        {
            "turn_id": turn.id,
            "key": step.key,
            "conversation_id": turn.conversation_id,
            "kind": step.kind.value,
            "status": step.status.value,
            "name": step.name,
            "input": step.input,
            "output": step.output,
            "now": m.now_ms,
            "ended_at": ended,
        },
    )
    ids = [turn.conversation_id]
    if step.kind is StepKind.SAID:
        messages.tell(c, m, EventKind.DELTA, ids, turn_id=turn.id, data=SAID)
    messages.tell(c, m, EventKind.STEP, ids, turn_id=turn.id)


def end_open(c: Connection, m: Moment, turn_id: str) -> None:
    """Let what was not done when a turn ended count as failed."""
    c.execute(_END_OPEN, {"turn_id": turn_id, "now": m.now_ms})


def of_turns(c: Connection, turn_ids: Sequence[str]) -> list[StoredStep]:
    """Return the steps of these turns, in their order."""
    return [_step_of(row) for row in c.execute(_OF_TURNS, {"ids": list(turn_ids)})]


def _step_of(row: Row[Any]) -> StoredStep:
    return StoredStep(
        position=row.position,
        turn_id=row.turn_id,
        step=Step(
            key=row.key,
            kind=StepKind(row.kind),
            status=StepStatus(row.status),
            name=row.name,
            input=row.input,
            output=row.output,
        ),
        started_at=from_ms(row.started_at),
        ended_at=maybe_from_ms(row.ended_at),
    )
