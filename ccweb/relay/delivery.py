"""Delivery: the one rule by which an inbox is brought into its conversation (R-M6)."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from sqlalchemy import Connection

from ccweb.asks import store as asks
from ccweb.asks.rules import AskEvent
from ccweb.clock import Moment
from ccweb.conversations import inbox, messages
from ccweb.conversations import store as conversations
from ccweb.conversations.model import Delivered, EventKind, InboxItem, Thread
from ccweb.relay import continuation, rules, store
from ccweb.relay.model import PendingReply
from ccweb.relay.opening import open_turn
from ccweb.relay.rules import ReplyEvent
from ccweb.settings import Settings
from ccweb_contract.enums import AskKind, InboxKind, MessageRole, TurnKind

Rows = Mapping[str, PendingReply]
"""The requests of inbox items, by id."""


def settle(c: Connection, m: Moment, s: Settings, conversation_id: str) -> None:
    """Bring in what may be brought in now; every command that could make it possible ends here.

    Display-only items are shown at once. The others become one continuation when the conversation
    is idle; while it is busy or held they stay, and a held one shows that it needs a person.
    """
    items = inbox.waiting(c, conversation_id)
    standing = conversations.standing(c, conversation_id) if items else None
    if standing is None:
        return
    _show_only(c, m, [item for item in items if item.display_only])
    waiting = [item for item in items if not item.display_only]
    if not waiting:
        _nothing_held(c, m, conversation_id)
    elif standing.held:
        asks.open_ask(c, m, AskKind.REPLIES_HELD, conversation_id)
    elif not standing.busy:
        _continue(c, m, s, inbox.first_group(waiting))


def withdraw(c: Connection, m: Moment, row: PendingReply) -> None:
    """Take a reply out of its source's inbox."""
    inbox.withdraw(c, InboxKind.REPLY, row.request_id)
    if not inbox.waiting(c, row.source_conversation_id):
        _nothing_held(c, m, row.source_conversation_id)


def show_held(c: Connection, m: Moment, conversation_id: str) -> set[str]:
    """Show what a held conversation will not work on; return the requests that it held open."""
    items = inbox.waiting(c, conversation_id)
    _show_only(c, m, items)
    return {item.opened.serves for item in items if item.opened.serves}


def _nothing_held(c: Connection, m: Moment, conversation_id: str) -> None:
    asks.close_kind(c, m, conversation_id, AskKind.REPLIES_HELD, AskEvent.DISMISSED)


def _show_only(c: Connection, m: Moment, items: Sequence[InboxItem]) -> None:
    if items:
        _bring_in(c, m, items, continuation.rows_of(c, items), turn_id=None)


def _continue(c: Connection, m: Moment, s: Settings, group: Sequence[InboxItem]) -> None:
    rows = continuation.rows_of(c, group)
    items = continuation.fitting(s, group, rows)
    turn_id = m.new_id("turn")
    returned = _bring_in(c, m, items, rows, turn_id=turn_id)
    open_turn(
        c,
        m,
        s,
        items[0].conversation_id,
        TurnKind.CONTINUATION,
        continuation.compose(s, items, returned),
        thread=_thread(items),
        turn_id=turn_id,
    )


def _thread(items: Sequence[InboxItem]) -> Thread:
    """Return the thread that opened the items; of several the deepest, so no loop gets free."""
    return max((item.opened for item in items), key=lambda opened: opened.hop)


def _bring_in(
    c: Connection, m: Moment, items: Sequence[InboxItem], rows: Rows, *, turn_id: str | None
) -> Rows:
    """Mark items as delivered and return their requests as they are now."""
    returned = {
        item.ref_id: _show(c, m, item, rows[item.ref_id], turn_id)
        for item in items
        if item.ref_id in rows
    }
    shown = {request_id: row.reply_message_id for request_id, row in returned.items()}
    delivered = [Delivered(item=item, message_id=shown.get(item.ref_id)) for item in items]
    inbox.deliver(c, m, delivered, turn_id)
    return returned


def _show(
    c: Connection, m: Moment, item: InboxItem, row: PendingReply, turn_id: str | None
) -> PendingReply:
    """Show a reply in its source and return the request, now returned."""
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
    return replace(row, status=status, reply_message_id=message_id, source_auto_run=auto_run)
