"""Questions of blueprints in the database: opened once, answered once, kept for ever."""

import json
from collections.abc import Sequence
from typing import Any, Final

from sqlalchemy import Connection, Row

from ccweb.clock import Moment, from_ms, maybe_from_ms, to_ms
from ccweb.db.sql import select, text
from ccweb.planning.model import Clarification, Option
from ccweb_contract.enums import QuestionType, ThreadKind, ThreadStatus

_COLUMNS: Final = """q.id, q.artifact_id, q.kind, q.question, q.type, q.options, q.recommended,
    q.status, q.body, q.person_id, q.created_at, q.answered_at"""

_OF = select(
    f"{_COLUMNS}, p.name AS person_name",
    """FROM clarification q LEFT JOIN person p ON p.id = q.person_id
    WHERE q.artifact_id = :id ORDER BY q.position""",
)

_ONE = select(_COLUMNS, "FROM clarification q WHERE q.id = :id")

_ADD = text("""
    INSERT INTO clarification (id, artifact_id, kind, question, type, options, recommended, status,
        created_at)
    VALUES (:id, :artifact_id, :kind, :question, :type, :options, :recommended, :status, :now)""")


def add(c: Connection, one: Clarification) -> None:
    """Insert a question."""
    options = [{"value": option.value, "label": option.label} for option in one.options]
    c.execute(
        _ADD,
        {
            "id": one.id,
            "artifact_id": one.artifact_id,
            "kind": one.kind.value,
            "question": one.question,
            "type": one.type.value,
            "options": json.dumps(options, ensure_ascii=False),
            "recommended": json.dumps(list(one.recommended), ensure_ascii=False),
            "status": one.status.value,
            "now": to_ms(one.created_at),
        },
    )


def of(c: Connection, artifact_id: str) -> tuple[list[Clarification], dict[str, str]]:
    """Return the questions of a blueprint in order, and the names of those who answered."""
    rows = c.execute(_OF, {"id": artifact_id}).all()
    names = {row.person_id: row.person_name for row in rows if row.person_id}
    return [_clarification_of(row) for row in rows], names


def get(c: Connection, thread_id: str) -> Clarification | None:
    """Return a question, else None."""
    row = c.execute(_ONE, {"id": thread_id}).one_or_none()
    return None if row is None else _clarification_of(row)


def set_answer(c: Connection, m: Moment, thread_id: str, body: str, person_id: str) -> None:
    """Write a person's answer."""
    c.execute(
        text("""UPDATE clarification SET status = :status, body = :body, person_id = :person_id,
            answered_at = :now WHERE id = :id AND status = :before"""),
        {
            "id": thread_id,
            "before": ThreadStatus.OPEN.value,
            "status": ThreadStatus.ANSWERED.value,
            "body": body,
            "person_id": person_id,
            "now": m.now_ms,
        },
    )


def withdraw(c: Connection, artifact_id: str) -> None:
    """Ask nothing any more of what was asked; answers stay as history."""
    c.execute(
        text("UPDATE clarification SET status = :status WHERE artifact_id = :id"),
        {"id": artifact_id, "status": ThreadStatus.WITHDRAWN.value},
    )


def _clarification_of(row: Row[Any]) -> Clarification:
    return Clarification(
        id=row.id,
        artifact_id=row.artifact_id,
        kind=ThreadKind(row.kind),
        question=row.question,
        type=QuestionType(row.type),
        options=_options_of(row.options),
        recommended=json.loads(row.recommended),
        status=ThreadStatus(row.status),
        body=row.body,
        person_id=row.person_id,
        created_at=from_ms(row.created_at),
        answered_at=maybe_from_ms(row.answered_at),
    )


def _options_of(said: str) -> Sequence[Option]:
    return [Option(value=one["value"], label=one["label"]) for one in json.loads(said)]
