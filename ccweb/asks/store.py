"""Asks in the database: opened once, decided once."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from sqlalchemy import Connection, Row, bindparam

from ccweb.asks import rules
from ccweb.asks.model import Ask
from ccweb.asks.rules import ASKED_BY_AGENTS, AskEvent
from ccweb.clock import Moment, from_ms, maybe_from_ms
from ccweb.conversations import messages
from ccweb.conversations.model import EventKind, Turn
from ccweb.db.sql import select, text
from ccweb.errors import AskClosed, AskNotFound
from ccweb_contract.enums import AskKind, AskStatus

_COLUMNS = """id, kind, status, conversation_id, subject, turn_id, parent_request_id, detail,
    created_at, closed_at, closed_by, answer"""

_OPEN = text("""
    INSERT INTO ask (id, kind, status, conversation_id, subject, turn_id, parent_request_id,
        detail, created_at)
    VALUES (:id, :kind, 'open', :conversation_id, :subject, :turn_id, :parent, :detail, :now)
    ON CONFLICT (conversation_id, kind, subject) WHERE status = 'open' DO NOTHING""")

_OPEN_ONE = text("""
    SELECT id FROM ask WHERE conversation_id = :conversation_id AND kind = :kind
    AND subject = :subject AND status = 'open'""")

_BY_ID = select(_COLUMNS, "FROM ask WHERE id = :id")

_ALL_OPEN = select(_COLUMNS, "FROM ask WHERE status = 'open' ORDER BY position")

_OPEN_IN = select(
    _COLUMNS, "FROM ask WHERE status = 'open' AND conversation_id = :id ORDER BY position"
)

_CLOSED_OF = select(
    _COLUMNS, "FROM ask WHERE id IN :ids AND status <> 'open' ORDER BY position"
).bindparams(bindparam("ids", expanding=True))

_OPEN_ABOUT = select(
    _COLUMNS,
    "FROM ask WHERE status = 'open' AND kind = :kind AND subject = :subject ORDER BY position",
)

_OPEN_BELOW = select(
    _COLUMNS, "FROM ask WHERE status = 'open' AND parent_request_id = :id ORDER BY position"
)


def open_ask(
    c: Connection,
    m: Moment,
    kind: AskKind,
    conversation_id: str,
    *,
    subject: str = "",
    turn_id: str | None = None,
    parent_request_id: str | None = None,
    detail: Mapping[str, Any] | None = None,
) -> str:
    """Open an ask unless the same one is open, and return its id."""
    key = {"conversation_id": conversation_id, "kind": kind.value, "subject": subject}
    opened = c.execute(
        _OPEN,
        key
        | {
            "id": m.new_id("ask"),
            "turn_id": turn_id,
            "parent": parent_request_id,
            "detail": json.dumps(detail or {}, ensure_ascii=False),
            "now": m.now_ms,
        },
    )
    if opened.rowcount:
        messages.tell(c, m, EventKind.ASK, [conversation_id])
    return str(c.execute(_OPEN_ONE, key).scalar_one())


def open_own(
    c: Connection, m: Moment, kind: AskKind, subject: str, *, detail: Mapping[str, Any]
) -> str:
    """Open what a subject asks for itself, in no conversation, unless it is open; return its id."""
    for ask in open_about(c, kind, subject):
        if not ask.conversation_id:
            return ask.id
    ask_id = m.new_id("ask")
    c.execute(
        _OPEN,
        {
            "id": ask_id,
            "kind": kind.value,
            "conversation_id": None,
            "subject": subject,
            "turn_id": None,
            "parent": None,
            "detail": json.dumps(detail, ensure_ascii=False),
            "now": m.now_ms,
        },
    )
    messages.tell(c, m, EventKind.ASK, [""])
    return ask_id


def open_about(c: Connection, kind: AskKind, subject: str) -> list[Ask]:
    """Return the open asks of a kind about a subject, in whatever conversation."""
    rows = c.execute(_OPEN_ABOUT, {"kind": kind.value, "subject": subject})
    return [ask_of(row) for row in rows]


def get(c: Connection, ask_id: str) -> Ask:
    """Return an ask.

    Raises:
        AskNotFound: there is none with this id.
    """
    row = c.execute(_BY_ID, {"id": ask_id}).one_or_none()
    if row is None:
        raise AskNotFound(ask_id=ask_id)
    return ask_of(row)


def open_asks(c: Connection, conversation_id: str | None = None) -> list[Ask]:
    """Return the open asks, oldest first: "Needs you", or one conversation's part of it."""
    if conversation_id is None:
        return [ask_of(row) for row in c.execute(_ALL_OPEN)]
    rows = c.execute(_OPEN_IN, {"id": conversation_id})
    return [ask_of(row) for row in rows]


def close(
    c: Connection,
    m: Moment,
    ask: Ask,
    event: AskEvent,
    *,
    by: str | None = None,
    answer: Mapping[str, Any] | None = None,
) -> None:
    """Write a decision.

    Raises:
        AskClosed: it has been decided already.
    """
    status = rules.after(ask.status, event)
    if status is None:
        raise AskClosed(ask_id=ask.id)
    c.execute(
        text("""UPDATE ask SET status = :status, closed_at = :now, closed_by = :by,
            answer = :answer WHERE id = :id AND status = 'open'"""),
        {
            "id": ask.id,
            "status": status.value,
            "now": m.now_ms,
            "by": by,
            "answer": answer and json.dumps(answer, ensure_ascii=False),
        },
    )
    messages.tell(c, m, EventKind.ASK, [ask.conversation_id])


def close_kind(
    c: Connection, m: Moment, conversation_id: str, kind: AskKind, event: AskEvent
) -> None:
    """Close what is open of a kind in a conversation: something else has decided it."""
    for ask in open_asks(c, conversation_id):
        if ask.kind is kind:
            close(c, m, ask, event)


def close_below(c: Connection, m: Moment, request_id: str) -> None:
    """Dismiss what turns that serve a request had asked: the request is taken back."""
    for row in c.execute(_OPEN_BELOW, {"id": request_id}).all():
        close(c, m, ask_of(row), AskEvent.DISMISSED)


def close_forms_below(c: Connection, m: Moment, request_id: str) -> None:
    """Dismiss the forms that turns which serve a request had asked for: the request is over."""
    for row in c.execute(_OPEN_BELOW, {"id": request_id}).all():
        if row.kind == AskKind.FORM.value:
            close(c, m, ask_of(row), AskEvent.DISMISSED)


def close_turn(c: Connection, m: Moment, turn: Turn) -> None:
    """Dismiss what a turn's agent had asked and was waiting for: the turn is over."""
    for ask in open_asks(c, turn.conversation_id):
        if ask.turn_id == turn.id and ask.kind in ASKED_BY_AGENTS:
            close(c, m, ask, AskEvent.DISMISSED)


def closed_of(c: Connection, ask_ids: Iterable[str]) -> list[Ask]:
    """Return those of these asks that have been decided or dismissed."""
    rows = c.execute(_CLOSED_OF, {"ids": list(ask_ids)})
    return [ask_of(row) for row in rows]


def allow(c: Connection, m: Moment, conversation_id: str, what: str, *, person_id: str) -> None:
    """Remember that a conversation may do something without asking again."""
    c.execute(
        text("""INSERT INTO standing_permission (conversation_id, what, person_id, created_at)
            VALUES (:conversation_id, :what, :person_id, :now) ON CONFLICT DO NOTHING"""),
        {
            "conversation_id": conversation_id,
            "what": what,
            "person_id": person_id,
            "now": m.now_ms,
        },
    )


def allowed(c: Connection, conversation_id: str) -> list[str]:
    """Return what a conversation may do without asking again, the oldest permission first."""
    rows = c.execute(
        text("""SELECT what FROM standing_permission WHERE conversation_id = :id
            ORDER BY created_at, what"""),
        {"id": conversation_id},
    )
    return [row.what for row in rows]


def disallow(c: Connection, m: Moment, conversation_id: str, what: str) -> None:
    """Let a conversation ask again before it does something."""
    c.execute(
        text("DELETE FROM standing_permission WHERE conversation_id = :id AND what = :what"),
        {"id": conversation_id, "what": what},
    )
    messages.tell(c, m, EventKind.CONVERSATION, [conversation_id])


def is_allowed(c: Connection, conversation_id: str, what: str) -> bool:
    """Tell whether a person has allowed a conversation to do something without asking."""
    found = c.execute(
        text("SELECT 1 FROM standing_permission WHERE conversation_id = :id AND what = :what"),
        {"id": conversation_id, "what": what},
    )
    return found.first() is not None


def close_all(c: Connection, m: Moment, conversation_id: str) -> None:
    """Dismiss every open ask of a conversation that is being deleted."""
    for ask in open_asks(c, conversation_id):
        close(c, m, ask, AskEvent.DISMISSED)


def ask_of(row: Row[Any]) -> Ask:
    """Return the ask that a row holds."""
    return Ask(
        id=row.id,
        kind=AskKind(row.kind),
        status=AskStatus(row.status),
        conversation_id=row.conversation_id or "",
        subject=row.subject,
        turn_id=row.turn_id,
        parent_request_id=row.parent_request_id,
        detail=json.loads(row.detail),
        created_at=from_ms(row.created_at),
        closed_at=maybe_from_ms(row.closed_at),
        closed_by=row.closed_by,
        answer=row.answer and json.loads(row.answer),
    )
