"""Delivery: the one rule by which an inbox is brought into its conversation (R-M6)."""

from collections.abc import Sequence

from sqlalchemy import Connection

from ccweb.asks import store as asks
from ccweb.clock import Moment
from ccweb.conversations import inbox, messages, turns
from ccweb.conversations import store as conversations
from ccweb.conversations.model import Delivered, EventKind, InboxItem, Thread
from ccweb.relay import continuation, rules, store
from ccweb.relay.model import PendingReply
from ccweb.relay.opening import open_turn
from ccweb.relay.rules import ReplyEvent
from ccweb.settings import Settings
from ccweb_contract.enums import AskKind, InboxKind, MessageRole, TurnKind


def settle(c: Connection, m: Moment, s: Settings, conversation_id: str) -> None:
    """Bring in what may be brought in now; every command that could make it possible ends here.

    Display-only items are shown at once. The others become one continuation when the conversation
    is idle; while it is busy or held they stay, and a held one shows that it needs a person.
    """
    items = inbox.waiting(c, conversation_id)
    conversation = conversations.get(c, conversation_id) if items else None
    if conversation is None:
        return
    _deliver(c, m, [item for item in items if item.display_only], turn_id=None)
    waiting = [item for item in items if not item.display_only]
    if not waiting:
        return
    if conversation.held_at is not None:
        asks.open_ask(c, m, AskKind.REPLIES_HELD, conversation_id)
    elif turns.busy(c, conversation_id) is None:
        _continue(c, m, s, continuation.fitting(c, s, inbox.first_group(waiting)))


def _continue(c: Connection, m: Moment, s: Settings, items: Sequence[InboxItem]) -> None:
    turn_id = m.new_id("turn")
    _deliver(c, m, items, turn_id=turn_id)
    open_turn(
        c,
        m,
        s,
        items[0].conversation_id,
        TurnKind.CONTINUATION,
        continuation.compose(c, s, items),
        thread=_thread(items),
        turn_id=turn_id,
    )


def _thread(items: Sequence[InboxItem]) -> Thread:
    """Return the thread that opened the items; of several the deepest, so no loop gets free."""
    return max((item.opened for item in items), key=lambda opened: opened.hop)


def _deliver(c: Connection, m: Moment, items: Sequence[InboxItem], *, turn_id: str | None) -> None:
    rows = store.get_many(c, [i.ref_id for i in items if i.kind is InboxKind.REPLY])
    delivered = [
        Delivered(item=item, message_id=_show(c, m, item, rows.get(item.ref_id), turn_id))
        for item in items
    ]
    inbox.deliver(c, m, delivered, turn_id)


def _show(
    c: Connection, m: Moment, item: InboxItem, row: PendingReply | None, turn_id: str | None
) -> str | None:
    """Show a returned reply in its source and return the message's id; a decision shows nothing."""
    if row is None:
        return None
    auto_run = turn_id is not None
    message_id = messages.add(
        c,
        m,
        item.conversation_id,
        MessageRole.ASSISTANT,
        row.reply_text or "",
        turn_id=turn_id,
        display_only=True,
        metadata={
            "replyToRequestId": row.request_id,
            "processed": True,
            "autoRun": auto_run,
            "ccwebDisplayOnly": True,
        },
    )
    status = rules.TRANSITIONS[row.status, ReplyEvent.DELIVERED]
    store.set_returned(c, m, row, status, message_id=message_id, auto_run=auto_run)
    both = (row.source_conversation_id, row.target_conversation_id)
    messages.tell(c, m, EventKind.REPLY, both, data={"requestId": row.request_id})
    return message_id
