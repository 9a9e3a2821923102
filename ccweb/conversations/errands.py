"""Errands in the database: what a hub asks a host about its machine, and what it answers."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from sqlalchemy import Connection

from ccweb.clock import Moment
from ccweb.db.sql import text

PATIENCE_S: Final = 10.0
"""An errand that no host has taken by then is not done any more."""
_KEPT_S: Final = 600.0


class ErrandKind(StrEnum):
    """What a host can be asked."""

    LIST_SESSIONS = "list sessions"
    OPEN_SESSION = "open session"


@dataclass(frozen=True, slots=True, kw_only=True)
class Errand:
    """Something that a host is asked."""

    id: str
    kind: ErrandKind
    given: Mapping[str, Any]


def ask(c: Connection, m: Moment, host_id: str, kind: ErrandKind, given: Mapping[str, Any]) -> str:
    """Ask a host for something and return the errand's id."""
    c.execute(text("DELETE FROM errand WHERE created_at < :limit"), {"limit": m.later_ms(-_KEPT_S)})
    errand_id = m.new_id("errand")
    c.execute(
        text("""INSERT INTO errand (id, host_id, kind, given, created_at)
            VALUES (:id, :host_id, :kind, :given, :now)"""),
        {
            "id": errand_id,
            "host_id": host_id,
            "kind": kind.value,
            "given": json.dumps(given, ensure_ascii=False),
            "now": m.now_ms,
        },
    )
    return errand_id


def any_waiting(c: Connection, host_id: str) -> bool:
    """Tell cheaply whether a host is asked for something."""
    found = c.execute(
        text("SELECT 1 FROM errand WHERE host_id = :host_id AND taken_at IS NULL LIMIT 1"),
        {"host_id": host_id},
    )
    return found.first() is not None


def take(c: Connection, m: Moment, host_id: str) -> list[Errand]:
    """Return what a host is asked, each once; what has waited too long is given up."""
    rows = c.execute(
        text("""UPDATE errand SET taken_at = :now WHERE host_id = :host_id AND taken_at IS NULL
            RETURNING id, kind, given, created_at"""),
        {"host_id": host_id, "now": m.now_ms},
    ).all()
    return [
        Errand(id=row.id, kind=ErrandKind(row.kind), given=json.loads(row.given))
        for row in rows
        if row.created_at >= m.later_ms(-PATIENCE_S)
    ]


def answer(c: Connection, errand_id: str, said: Mapping[str, Any]) -> None:
    """Write a host's answer."""
    c.execute(
        text("UPDATE errand SET answer = :answer WHERE id = :id"),
        {"id": errand_id, "answer": json.dumps(said, ensure_ascii=False)},
    )


def answered(c: Connection, errand_id: str) -> dict[str, Any] | None:
    """Return the answer, None while there is none."""
    said = c.execute(
        text("SELECT answer FROM errand WHERE id = :id"), {"id": errand_id}
    ).scalar_one_or_none()
    return None if said is None else dict(json.loads(said))


def forget(c: Connection, errand_id: str) -> None:
    """Remove an errand: nobody waits for it any more."""
    c.execute(text("DELETE FROM errand WHERE id = :id"), {"id": errand_id})
