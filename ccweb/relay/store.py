"""Requests in the database, and the counts that guard against loops."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Row

from ccweb.clock import Moment, from_ms, maybe_from_ms
from ccweb.conversations.model import Thread
from ccweb.db.sql import select, text
from ccweb.relay.model import PendingReply
from ccweb_contract.enums import (
    Outcome,
    ReplyDirection,
    ReplyStatus,
    SourceKind,
)

_COLUMNS = """request_id, message_id, source_kind, source_conversation_id, source_title,
    target_conversation_id, target_title, status, outcome, stop_reason, created_at, hop_count,
    source_auto_run, original_request, reply_text, completed_at, returned_at, reply_message_id,
    last_error, target_turn_id, opened_by_turn_id, parent_request_id, opened_chain_id, opened_hop"""

_INSERT = text("""
    INSERT INTO pending_reply (request_id, message_id, source_kind, source_conversation_id,
        source_title, target_conversation_id, target_title, status, created_at, hop_count,
        source_auto_run, original_request, target_turn_id, opened_by_turn_id, parent_request_id,
        opened_chain_id, opened_hop)
    VALUES (:request_id, :message_id, :source_kind, :source_id, :source_title, :target_id,
        :target_title, :status, :now, :hop, :auto_run, :original, :target_turn_id,
        :opened_by, :parent, :chain_id, :opened_hop)""")

_BY_ID = select(_COLUMNS, "FROM pending_reply WHERE request_id = :id")

_OPEN_BELOW = """EXISTS (SELECT 1 FROM pending_reply
            WHERE parent_request_id = :id AND status = :waiting)
        OR EXISTS (SELECT 1 FROM inbox_item
            WHERE parent_request_id = :id AND delivered_at IS NULL)
        OR EXISTS (SELECT 1 FROM ask WHERE parent_request_id = :id AND status = 'open')
        OR EXISTS (SELECT 1 FROM turn WHERE serves_request_id = :id AND ended_at IS NULL)"""

_ANSWERABLE = select(
    f"{_COLUMNS}, {_OPEN_BELOW} AS open_below", "FROM pending_reply WHERE request_id = :id"
)

_CHILDREN = select(
    _COLUMNS,
    """FROM pending_reply WHERE parent_request_id = :id AND status IN (:waiting, :ready)
    ORDER BY position""",
)

_OPEN_FROM, _OPEN_TO = (
    select(
        _COLUMNS,
        f"""FROM pending_reply WHERE {end} = :id AND status IN (:waiting, :ready)
        ORDER BY position""",
    )
    for end in ("source_conversation_id", "target_conversation_id")
)

_LISTED = select(
    _COLUMNS,
    """FROM pending_reply
    WHERE (:id IS NULL OR (:outgoing AND source_conversation_id = :id)
        OR (:incoming AND target_conversation_id = :id))
    AND (:status IS NULL OR status = :status)
    ORDER BY position DESC LIMIT :limit""",
)

_READY = text("""
    UPDATE pending_reply SET status = :status, outcome = :outcome, stop_reason = :stop_reason,
        reply_text = :reply_text, last_error = :error, completed_at = :now
    WHERE request_id = :id AND status = :before""")

_FAILED = text("""
    UPDATE pending_reply SET status = :status, outcome = :outcome, last_error = :error,
        completed_at = coalesce(completed_at, :now)
    WHERE request_id = :id AND status = :before""")

_RETURNED = text("""
    UPDATE pending_reply SET status = :status, returned_at = :now, reply_message_id = :message_id,
        source_auto_run = :auto_run
    WHERE request_id = :id AND status = :before""")

_COUNT_TURN = text("""
    INSERT INTO chain (id, turns) VALUES (:id, 1)
    ON CONFLICT (id) DO UPDATE SET turns = chain.turns + 1""")

_COUNT_SEND = text("""
    INSERT INTO send_count (low_id, high_id, from_low, from_high)
    VALUES (:low, :high, :from_low, :from_high)
    ON CONFLICT (low_id, high_id) DO UPDATE SET
        from_low = send_count.from_low + :from_low, from_high = send_count.from_high + :from_high
    RETURNING from_low, from_high""")

_OPEN_STATES = {"waiting": ReplyStatus.WAITING.value, "ready": ReplyStatus.READY.value}


def add(c: Connection, m: Moment, row: PendingReply) -> None:
    """Insert a request that waits."""
    c.execute(
        _INSERT,
        {
            "request_id": row.request_id,
            "message_id": row.message_id,
            "source_kind": row.source_kind.value,
            "source_id": row.source_conversation_id,
            "source_title": row.source_title,
            "target_id": row.target_conversation_id,
            "target_title": row.target_title,
            "status": row.status.value,
            "now": m.now_ms,
            "hop": row.hop_count,
            "auto_run": row.source_auto_run,
            "original": row.original_request,
            "target_turn_id": row.target_turn_id,
            "opened_by": row.opened_by_turn_id,
            "parent": row.opened.serves,
            "chain_id": row.opened.chain_id,
            "opened_hop": row.opened.hop,
        },
    )


def get(c: Connection, request_id: str) -> PendingReply | None:
    """Return a request, else None."""
    row = c.execute(_BY_ID, {"id": request_id}).one_or_none()
    return None if row is None else reply_of(row)


def get_many(c: Connection, request_ids: Sequence[str]) -> dict[str, PendingReply]:
    """Return requests by id; one look-up each costs half of a list for the usual single one."""
    rows = (get(c, request_id) for request_id in request_ids)
    return {row.request_id: row for row in rows if row is not None}


def answerable(c: Connection, request_id: str) -> tuple[PendingReply, bool] | None:
    """Return a request, and whether anything that serves it or was opened for it is open."""
    row = c.execute(
        _ANSWERABLE, {"id": request_id, "waiting": ReplyStatus.WAITING.value}
    ).one_or_none()
    return None if row is None else (reply_of(row), bool(row.open_below))


def children(c: Connection, request_id: str) -> list[PendingReply]:
    """Return the requests opened by turns that serve this one and that are not over."""
    rows = c.execute(_CHILDREN, _OPEN_STATES | {"id": request_id})
    return [reply_of(row) for row in rows]


def open_from(c: Connection, conversation_id: str) -> list[PendingReply]:
    """Return the requests of a source that have neither returned nor failed."""
    rows = c.execute(_OPEN_FROM, _OPEN_STATES | {"id": conversation_id})
    return [reply_of(row) for row in rows]


def open_to(c: Connection, conversation_id: str) -> list[PendingReply]:
    """Return the requests to a target that have neither returned nor failed."""
    rows = c.execute(_OPEN_TO, _OPEN_STATES | {"id": conversation_id})
    return [reply_of(row) for row in rows]


def listed(
    c: Connection,
    conversation_id: str | None,
    *,
    direction: ReplyDirection,
    status: ReplyStatus | None,
    limit: int,
) -> list[PendingReply]:
    """Return requests, newest first: those of one conversation, or all when it is None."""
    incoming = direction is not ReplyDirection.OUTGOING
    outgoing = direction is not ReplyDirection.INCOMING
    rows = c.execute(
        _LISTED,
        {
            "id": conversation_id,
            "incoming": incoming,
            "outgoing": outgoing,
            "status": status and status.value,
            "limit": limit,
        },
    )
    return [reply_of(row) for row in rows]


def set_ready(
    c: Connection,
    m: Moment,
    row: PendingReply,
    status: ReplyStatus,
    *,
    outcome: Outcome,
    reply_text: str,
    stop_reason: str | None,
    error: str | None,
) -> None:
    """Write the answer of a request."""
    c.execute(
        _READY,
        {
            "id": row.request_id,
            "before": row.status.value,
            "status": status.value,
            "outcome": outcome.value,
            "stop_reason": stop_reason,
            "reply_text": reply_text,
            "error": error,
            "now": m.now_ms,
        },
    )


def set_failed(
    c: Connection, m: Moment, row: PendingReply, status: ReplyStatus, outcome: Outcome, error: str
) -> None:
    """Write that a request is over without a return."""
    c.execute(
        _FAILED,
        {
            "id": row.request_id,
            "before": row.status.value,
            "status": status.value,
            "outcome": outcome.value,
            "error": error,
            "now": m.now_ms,
        },
    )


def set_returned(
    c: Connection,
    m: Moment,
    row: PendingReply,
    status: ReplyStatus,
    *,
    message_id: str,
    auto_run: bool,
) -> None:
    """Write that a reply has been brought into its source."""
    c.execute(
        _RETURNED,
        {
            "id": row.request_id,
            "before": row.status.value,
            "status": status.value,
            "message_id": message_id,
            "auto_run": auto_run,
            "now": m.now_ms,
        },
    )


def last_turn_serving(c: Connection, request_id: str) -> str | None:
    """Return the last turn that has ended of those that serve a request.

    They run one after the other in the order of the queue; a clock may be set back meanwhile.
    """
    return c.execute(
        text("""SELECT id FROM turn WHERE serves_request_id = :id AND ended_at IS NOT NULL
            ORDER BY position DESC LIMIT 1"""),
        {"id": request_id},
    ).scalar_one_or_none()


def count_turn(c: Connection, chain_id: str) -> None:
    """Count one more turn in a chain."""
    c.execute(_COUNT_TURN, {"id": chain_id})


def chain_turns(c: Connection, chain_id: str) -> int:
    """Return how many turns a chain has had since a person last wrote or let it go on."""
    value = c.execute(
        text("SELECT turns FROM chain WHERE id = :id"), {"id": chain_id}
    ).scalar_one_or_none()
    return value or 0


def count_send(c: Connection, source_id: str, target_id: str) -> tuple[int, int]:
    """Count one more send and return how many went each way: forward, backward."""
    from_low = source_id < target_id
    row = c.execute(
        _COUNT_SEND,
        {
            "low": min(source_id, target_id),
            "high": max(source_id, target_id),
            "from_low": int(from_low),
            "from_high": int(not from_low),
        },
    ).one()
    return (row.from_low, row.from_high) if from_low else (row.from_high, row.from_low)


def reset_counts(c: Connection, conversation_id: str) -> None:
    """Begin to count anew: a person has written to this conversation."""
    c.execute(
        text("DELETE FROM send_count WHERE low_id = :id OR high_id = :id"),
        {"id": conversation_id},
    )
    c.execute(
        text("""UPDATE chain SET turns = 0 WHERE id = (
            SELECT chain_id FROM turn WHERE conversation_id = :id
            ORDER BY position DESC LIMIT 1)"""),
        {"id": conversation_id},
    )


def reset_chain(c: Connection, chain_id: str) -> None:
    """Begin to count the turns of a chain anew: a person has let it go on."""
    c.execute(text("UPDATE chain SET turns = 0 WHERE id = :id"), {"id": chain_id})


def reply_of(row: Row[Any]) -> PendingReply:
    """Return the request that a row holds."""
    return PendingReply(
        request_id=row.request_id,
        message_id=row.message_id,
        source_kind=SourceKind(row.source_kind),
        source_conversation_id=row.source_conversation_id,
        source_title=row.source_title,
        target_conversation_id=row.target_conversation_id,
        target_title=row.target_title,
        status=ReplyStatus(row.status),
        outcome=Outcome(row.outcome) if row.outcome else None,
        stop_reason=row.stop_reason,
        created_at=from_ms(row.created_at),
        hop_count=row.hop_count,
        source_auto_run=bool(row.source_auto_run),
        original_request=row.original_request or "",
        reply_text=row.reply_text,
        completed_at=maybe_from_ms(row.completed_at),
        returned_at=maybe_from_ms(row.returned_at),
        reply_message_id=row.reply_message_id,
        last_error=row.last_error,
        target_turn_id=row.target_turn_id,
        opened_by_turn_id=row.opened_by_turn_id,
        opened=Thread(
            serves=row.parent_request_id, chain_id=row.opened_chain_id, hop=row.opened_hop
        ),
    )
