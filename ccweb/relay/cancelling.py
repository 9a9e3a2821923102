"""Taking a request back, and deleting a conversation: every wait that hangs on it is let go."""

from sqlalchemy import Connection

from ccweb.asks import store as asks
from ccweb.clock import Moment
from ccweb.conversations import inbox, messages, turns
from ccweb.conversations import store as conversations
from ccweb.conversations.model import Conversation, EventKind, Turn, TurnEnd
from ccweb.conversations.rules import TurnEvent
from ccweb.conversations.service import existing
from ccweb.errors import AlreadyEnded, AlreadyReturned, RequestNotFound
from ccweb.media import store as images
from ccweb.relay import planned, rules, store
from ccweb.relay.delivery import withdraw
from ccweb.relay.ending import finish, make_ready, release
from ccweb.relay.model import PendingReply
from ccweb.relay.rules import ReplyEvent
from ccweb.settings import Settings
from ccweb_contract.enums import InboxKind, Outcome, ReplyStatus, TurnKind, TurnStatus

_WITHDRAWN = TurnEnd(status=TurnStatus.INTERRUPTED, stop_reason="cancelled")


def cancel(
    c: Connection,
    m: Moment,
    s: Settings,
    request_id: str,
    *,
    by_source: bool,
    interrupt_target: bool = False,
) -> PendingReply:
    """Take a request back and return its row (R-M10).

    A source's own cancel ends it without a continuation; a person's comes back to the source with
    the outcome `cancelled`. A later end of the target changes nothing.

    Raises:
        RequestNotFound: there is none with this id.
        AlreadyReturned: the reply has been brought into its source.
        AlreadyEnded: it has failed or was cancelled before.
    """
    row = _open_request(c, request_id)
    if by_source:
        _end(c, m, s, row, ReplyEvent.CANCELLED_BY_SOURCE, Outcome.CANCELLED)
    else:
        _cancel_as_person(c, m, s, row)
    _let_target_go(c, m, s, row, interrupt=interrupt_target)
    release(c, m, s, row.opened.serves)
    return store.get(c, request_id) or row


def cancel_tree(c: Connection, m: Moment, s: Settings, conversation_id: str) -> None:
    """End everything that a conversation has delegated and that is still open, all the way down."""
    for row in store.open_from(c, conversation_id):
        _end(c, m, s, row, ReplyEvent.CANCELLED_BY_SOURCE, Outcome.CANCELLED)
        _let_target_go(c, m, s, row, interrupt=True)
        release(c, m, s, row.opened.serves)


def delete(c: Connection, m: Moment, s: Settings, conversation_id: str) -> None:
    """Delete a conversation: what it asked for fails, what it was asked for comes back `deleted`.

    Raises:
        ConversationNotFound: there is none with this id.
    """
    conversation = existing(c, conversation_id)
    for row in store.open_from(c, conversation_id):
        _end(c, m, s, row, ReplyEvent.SOURCE_DELETED, Outcome.DELETED)
    for row in store.open_to(c, conversation_id):
        _return_deleted(c, m, s, row, conversation)
    conversations.set_deleted(c, conversation_id, m.now)
    for turn in turns.open_turns(c, conversation_id):
        _end_turn(c, m, s, turn)
    asks.close_all(c, m, conversation_id)
    images.forget(c, conversation_id)
    messages.tell(c, m, EventKind.CONVERSATION, [conversation_id])


def _open_request(c: Connection, request_id: str) -> PendingReply:
    row = store.get(c, request_id)
    if row is None:
        raise RequestNotFound(request_id=request_id)
    if row.status is ReplyStatus.RETURNED:
        raise AlreadyReturned(request_id=request_id)
    if row.status is ReplyStatus.FAILED:
        raise AlreadyEnded(request_id=request_id)
    return row


def _end(
    c: Connection, m: Moment, s: Settings, row: PendingReply, event: ReplyEvent, outcome: Outcome
) -> None:
    status = rules.TRANSITIONS[row.status, event]
    store.set_failed(c, m, row, status, outcome, error=event.value)
    withdraw(c, m, row)
    planned.withdraw(c, row.request_id)
    asks.close_forms_below(c, m, row.request_id)
    both = (row.source_conversation_id, row.target_conversation_id)
    messages.tell(c, m, EventKind.REPLY, both, data={"requestId": row.request_id})


def _cancel_as_person(c: Connection, m: Moment, s: Settings, row: PendingReply) -> None:
    inbox.withdraw(c, InboxKind.REPLY, row.request_id)
    planned.withdraw(c, row.request_id)
    end = TurnEnd(status=TurnStatus.INTERRUPTED, text=row.reply_text or "", stop_reason="cancelled")
    make_ready(c, m, s, row, ReplyEvent.CANCELLED_BY_PERSON, Outcome.CANCELLED, end)


def _let_target_go(
    c: Connection, m: Moment, s: Settings, row: PendingReply, *, interrupt: bool
) -> None:
    """Withdraw the target's queued turn for this request; with `interrupt` all that came of it."""
    for turn in turns.open_turns(c, row.target_conversation_id):
        if turn.thread.serves == row.request_id and (interrupt or _never_ran(turn)):
            _end_turn(c, m, s, turn)
    if interrupt:
        asks.close_below(c, m, row.request_id)
        for child in store.children(c, row.request_id):
            _end(c, m, s, child, ReplyEvent.CANCELLED_BY_SOURCE, Outcome.CANCELLED)
            _let_target_go(c, m, s, child, interrupt=True)


def _never_ran(turn: Turn) -> bool:
    return turn.status is TurnStatus.QUEUED and turn.kind is TurnKind.MESSAGE


def _end_turn(c: Connection, m: Moment, s: Settings, turn: Turn) -> None:
    if turn.status is TurnStatus.QUEUED:
        finish(c, m, s, turn, TurnEvent.WITHDRAWN, _WITHDRAWN)
    else:
        turns.request_stop(c, m, turn.id)


def _return_deleted(
    c: Connection, m: Moment, s: Settings, row: PendingReply, target: Conversation
) -> None:
    """Answer a request whose target is going; one that was answered before keeps its answer."""
    if rules.after(row.status, ReplyEvent.TARGET_DELETED) is not None:
        end = TurnEnd(status=TurnStatus.INTERRUPTED, error=f"{target.title} was deleted")
        make_ready(c, m, s, row, ReplyEvent.TARGET_DELETED, Outcome.DELETED, end)
