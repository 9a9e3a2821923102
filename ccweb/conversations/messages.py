"""Messages in the database, and the feed of events that pages follow."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from sqlalchemy import Connection, Row

from ccweb.clock import Moment, from_ms
from ccweb.conversations.model import EventKind, Message, Sender
from ccweb.db import feed
from ccweb.db.sql import select, text
from ccweb_contract.enums import MessageRole, SourceKind

_COLUMNS = """position, id, conversation_id, role, text, source_kind, source_id, turn_id,
    display_only, late, metadata, created_at"""

_INSERT = text("""
    INSERT INTO message (id, conversation_id, role, text, source_kind, source_id, turn_id,
        display_only, late, metadata, created_at)
    VALUES (:id, :conversation_id, :role, :text, :source_kind, :source_id, :turn_id,
        :display_only, :late, :metadata, :now)""")

_PAGE = select(
    _COLUMNS,
    """FROM message WHERE conversation_id = :conversation_id AND position < :before ORDER
        BY position DESC LIMIT :limit""",
)

_BY_ID = select(_COLUMNS, "FROM message WHERE id = :id")

_LATEST = 2**62


def add(
    c: Connection,
    m: Moment,
    conversation_id: str,
    role: MessageRole,
    body: str,
    *,
    sender: Sender | None = None,
    turn_id: str | None = None,
    display_only: bool = False,
    late: bool = False,
    metadata: Mapping[str, Any] | None = None,
    message_id: str | None = None,
) -> str:
    """Insert a message, tell the feed, and return its id."""
    message_id = message_id or m.new_id("msg")
    c.execute(
        _INSERT,
        {
            "id": message_id,
            "conversation_id": conversation_id,
            "role": role.value,
            "text": body,
            "source_kind": sender and sender.kind.value,
            "source_id": sender and sender.id,
            "turn_id": turn_id,
            "display_only": display_only,
            "late": late,
            "metadata": json.dumps(metadata or {}, ensure_ascii=False),
            "now": m.now_ms,
        },
    )
    tell(c, m, EventKind.MESSAGE, [conversation_id], data={"messageId": message_id})
    return message_id


def tell(
    c: Connection,
    m: Moment,
    kind: EventKind,
    conversation_ids: Iterable[str],
    *,
    turn_id: str | None = None,
    data: Mapping[str, Any] | None = None,
) -> None:
    """Append a line to the feed of each conversation, at the end of the command."""
    for conversation_id in conversation_ids:
        feed.tell(
            c,
            conversation_id=conversation_id,
            kind=kind.value,
            turn_id=turn_id,
            data=data or {},
            created_at=m.now_ms,
        )


def get(c: Connection, message_id: str) -> Message | None:
    """Return a message, else None."""
    row = c.execute(_BY_ID, {"id": message_id}).one_or_none()
    return None if row is None else message_of(row)


def page(
    c: Connection, conversation_id: str, *, before: int | None = None, limit: int = 50
) -> list[Message]:
    """Return the last `limit` messages before a position, oldest first."""
    rows = c.execute(
        _PAGE,
        {"conversation_id": conversation_id, "before": before or _LATEST, "limit": limit},
    ).all()
    return [message_of(row) for row in reversed(rows)]


def message_of(row: Row[Any]) -> Message:
    """Return the message that a row holds."""
    sender = row.source_kind and Sender(kind=SourceKind(row.source_kind), id=row.source_id)
    return Message(
        position=row.position,
        id=row.id,
        conversation_id=row.conversation_id,
        role=MessageRole(row.role),
        text=row.text,
        sender=sender or None,
        turn_id=row.turn_id,
        display_only=bool(row.display_only),
        late=bool(row.late),
        metadata=json.loads(row.metadata),
        created_at=from_ms(row.created_at),
    )
