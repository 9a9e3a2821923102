"""Requests of the planning service: its outcome leaves through the outbox, consumed once (R-P9)."""

from dataclasses import replace
from typing import Any

from sqlalchemy import Connection

from ccweb.asks.model import Ask
from ccweb.clock import Moment
from ccweb.conversations import inbox, messages, turns
from ccweb.conversations.model import Conversation, EventKind, NewItem, Sender, Thread
from ccweb.db.sql import text
from ccweb.relay import rules, store
from ccweb.relay.delivery import settle
from ccweb.relay.model import PendingReply
from ccweb.relay.opening import open_turn
from ccweb.relay.rules import ReplyEvent
from ccweb.settings import Settings
from ccweb_contract.enums import (
    Decision,
    InboxKind,
    MessageRole,
    ReplyMode,
    ReplyStatus,
    SourceKind,
    TurnKind,
)

_WAITING = text("SELECT request_id FROM outbox ORDER BY position")


def request(
    c: Connection,
    m: Moment,
    s: Settings,
    target: Conversation,
    *,
    ref_id: str,
    title: str,
    prompt: str,
) -> str:
    """Queue a turn in `target` with this very prompt and return the request's id.

    Args:
        c: Connection.
        m: Moment.
        s: Settings.
        target: The conversation that works on it.
        ref_id: What of planning it is for; it stands where a source conversation's id does.
        title: What people read as its source.
        prompt: What the agent reads.
    """
    row = _waiting(m, target, ref_id, title, prompt)
    messages.add(
        c,
        m,
        target.id,
        MessageRole.USER,
        prompt,
        sender=Sender(kind=SourceKind.PLANNING, id=ref_id),
        metadata=_metadata(row),
        message_id=row.message_id,
    )
    turn_id = open_turn(
        c,
        m,
        s,
        target.id,
        TurnKind.MESSAGE,
        prompt,
        thread=Thread(serves=row.request_id, hop=row.hop_count, chain_id=row.opened.chain_id),
        message_id=row.message_id,
    )
    store.add(c, m, replace(row, target_turn_id=turn_id))
    messages.tell(c, m, EventKind.REPLY, [target.id], data={"requestId": row.request_id})
    return row.request_id


def _waiting(m: Moment, target: Conversation, ref_id: str, title: str, prompt: str) -> PendingReply:
    return PendingReply(
        request_id=m.new_id("req"),
        message_id=m.new_id("msg"),
        source_kind=SourceKind.PLANNING,
        source_conversation_id=ref_id,
        source_title=title,
        target_conversation_id=target.id,
        target_title=target.title,
        status=ReplyStatus.WAITING,
        created_at=m.now,
        hop_count=1,
        source_auto_run=True,
        original_request=prompt,
        opened=Thread(chain_id=m.new_id("chain")),
    )


def _metadata(row: PendingReply) -> dict[str, dict[str, Any]]:
    return {
        "crossConversation": {
            "replyMode": ReplyMode.RETURN_AND_CONTINUE.value,
            "expectsReply": True,
            "sourceConversationId": row.source_conversation_id,
            "sourceTitle": row.source_title,
            "replyRequestId": row.request_id,
        }
    }


def hand_over(c: Connection, m: Moment, request_id: str) -> None:
    """Put the outcome of a request into the outbox."""
    c.execute(
        text("INSERT INTO outbox (request_id, created_at) VALUES (:id, :now)"),
        {"id": request_id, "now": m.now_ms},
    )


def withdraw(c: Connection, request_id: str) -> None:
    """Take an outcome out of the outbox that nobody has consumed."""
    c.execute(text("DELETE FROM outbox WHERE request_id = :id"), {"id": request_id})


def waiting(c: Connection) -> list[str]:
    """Return the requests whose outcomes nobody has consumed, the oldest first."""
    return list(c.execute(_WAITING).scalars())


def bring_decision(
    c: Connection, m: Moment, s: Settings, ask: Ask, decision: Decision, note: str = ""
) -> None:
    """Bring what became of a blueprint's question into the conversation that had asked for it.

    A person has taken part, so the counts against loops begin anew.
    """
    opener = turns.get(c, ask.turn_id) if ask.turn_id else None
    opened = opener.thread if opener else Thread(chain_id=m.new_id("chain"))
    store.reset_counts(c, ask.conversation_id)
    store.reset_chain(c, opened.chain_id)
    item = NewItem(
        conversation_id=ask.conversation_id,
        kind=InboxKind.DECISION,
        ref_id=ask.id,
        opened=opened,
        payload={**ask.detail, "decision": decision.value, "note": note},
    )
    inbox.put(c, m, item)
    settle(c, m, s, ask.conversation_id)


def take(c: Connection, m: Moment, request_id: str) -> PendingReply | None:
    """Consume an outcome and return its request, now returned; None when it was consumed before."""
    taken = c.execute(
        text("DELETE FROM outbox WHERE request_id = :id RETURNING request_id"), {"id": request_id}
    ).one_or_none()
    row = store.get(c, request_id) if taken else None
    if row is None:
        return None
    status = rules.TRANSITIONS[row.status, ReplyEvent.DELIVERED]
    store.set_returned(c, m, row, status, message_id="", auto_run=True)
    messages.tell(
        c, m, EventKind.REPLY, [row.target_conversation_id], data={"requestId": request_id}
    )
    return row
