"""The inbox: what waits to be brought into a conversation, and the rule that groups it."""

import json
from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Row

from ccweb.clock import Moment, from_ms
from ccweb.conversations.model import Delivered, InboxItem, NewItem, Thread
from ccweb.db.sql import select, text
from ccweb_contract.enums import InboxKind

_COLUMNS = """position, conversation_id, kind, ref_id, parent_request_id, chain_id, hop, payload,
    display_only, created_at"""

_PUT = text("""
    INSERT INTO inbox_item (conversation_id, kind, ref_id, parent_request_id, chain_id, hop,
        payload, display_only, created_at)
    VALUES (:conversation_id, :kind, :ref_id, :serves, :chain_id, :hop,
        :payload, :display_only, :now)""")

_WAITING = select(
    _COLUMNS,
    "FROM inbox_item WHERE conversation_id = :id AND delivered_at IS NULL ORDER BY position",
)

_CARRIED = select(_COLUMNS, "FROM inbox_item WHERE turn_id = :id ORDER BY position")

_WITHOUT_HOST = text("""
    SELECT DISTINCT i.parent_request_id AS id
    FROM inbox_item i JOIN conversation k ON k.id = i.conversation_id
        JOIN host h ON h.id = k.host_id
    WHERE i.delivered_at IS NULL AND i.parent_request_id IS NOT NULL
        AND i.created_at < :limit AND h.seen_at < :limit
        AND NOT EXISTS (SELECT 1 FROM turn t
            WHERE t.conversation_id = k.id AND t.status = 'running')
    ORDER BY id""")

_DELIVER = text("""
    UPDATE inbox_item SET delivered_at = :now, message_id = :message_id, turn_id = :turn_id
    WHERE position = :position AND delivered_at IS NULL""")


def put(c: Connection, m: Moment, item: NewItem) -> None:
    """Put something into the inbox; each request or ask comes at most once (a unique key)."""
    c.execute(
        _PUT,
        {
            "conversation_id": item.conversation_id,
            "kind": item.kind.value,
            "ref_id": item.ref_id,
            "serves": item.opened.serves,
            "chain_id": item.opened.chain_id,
            "hop": item.opened.hop,
            "payload": json.dumps(item.payload, ensure_ascii=False),
            "display_only": item.display_only,
            "now": m.now_ms,
        },
    )


def waiting(c: Connection, conversation_id: str) -> list[InboxItem]:
    """Return what has not been delivered, in order of arrival."""
    return [item_of(row) for row in c.execute(_WAITING, {"id": conversation_id})]


def first_group(items: Sequence[InboxItem]) -> list[InboxItem]:
    """Return the items that one continuation may carry: those that answer the first one's request.

    Items whose opening turns serve the same request belong together; another group waits for the
    next continuation, so no answer reaches the wrong requester (R-M6).
    """
    return [item for item in items if item.opened.serves == items[0].opened.serves]


def deliver(c: Connection, m: Moment, delivered: Sequence[Delivered], turn_id: str | None) -> None:
    """Mark items as brought in by a continuation, or display-only without one."""
    if delivered:
        c.execute(
            _DELIVER,
            [
                {
                    "position": one.item.position,
                    "message_id": one.message_id,
                    "turn_id": turn_id,
                    "now": m.now_ms,
                }
                for one in delivered
            ],
        )


def withdraw(c: Connection, kind: InboxKind, ref_id: str) -> None:
    """Take an item out that has not been delivered."""
    c.execute(
        text("""DELETE FROM inbox_item
            WHERE kind = :kind AND ref_id = :ref_id AND delivered_at IS NULL"""),
        {"kind": kind.value, "ref_id": ref_id},
    )


def show_only(c: Connection, request_id: str) -> None:
    """Make what the turns of a failed request had opened arrive without a continuation (R-M5)."""
    c.execute(
        text("""UPDATE inbox_item SET display_only = :yes
            WHERE parent_request_id = :request_id AND delivered_at IS NULL
                AND kind <> :decision"""),
        {"request_id": request_id, "yes": True, "decision": InboxKind.DECISION.value},
    )


def carried_by(c: Connection, turn_id: str) -> list[InboxItem]:
    """Return what a turn carries, in order of arrival."""
    rows = c.execute(_CARRIED, {"id": turn_id})
    return [item_of(row) for row in rows]


def move(c: Connection, from_turn_id: str, to_turn_id: str) -> None:
    """Let another turn carry the items of one that did not finish."""
    c.execute(
        text("UPDATE inbox_item SET turn_id = :new WHERE turn_id = :old"),
        {"old": from_turn_id, "new": to_turn_id},
    )


def conversations_waiting(c: Connection) -> list[str]:
    """Return the conversations whose inbox is not empty, for the sweep."""
    rows = c.execute(
        text("SELECT DISTINCT conversation_id AS id FROM inbox_item WHERE delivered_at IS NULL")
    )
    return [row.id for row in rows]


def holding_without_host(c: Connection, m: Moment, *, no_host_s: float) -> list[str]:
    """Return the requests held by what a conversation cannot take in: its host is away too long."""
    rows = c.execute(_WITHOUT_HOST, {"limit": m.now_ms - int(no_host_s * 1000)})
    return [row.id for row in rows]


def item_of(row: Row[Any]) -> InboxItem:
    """Return the inbox item that a row holds."""
    return InboxItem(
        position=row.position,
        conversation_id=row.conversation_id,
        kind=InboxKind(row.kind),
        ref_id=row.ref_id,
        opened=Thread(serves=row.parent_request_id, chain_id=row.chain_id, hop=row.hop),
        payload=json.loads(row.payload),
        display_only=bool(row.display_only),
        created_at=from_ms(row.created_at),
    )
