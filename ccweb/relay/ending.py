"""The end of a turn: what it answers, what it holds open, and what goes on after it."""

from collections.abc import Sequence

from sqlalchemy import Connection

from ccweb.asks import store as asks
from ccweb.clock import Moment
from ccweb.conversations import inbox, messages, steps, turns
from ccweb.conversations import rules as turn_rules
from ccweb.conversations import store as conversations
from ccweb.conversations.model import EventKind, Lease, NewItem, Turn, TurnEnd
from ccweb.conversations.rules import TurnEvent
from ccweb.relay import planned, rules, store
from ccweb.relay.delivery import settle
from ccweb.relay.model import PendingReply
from ccweb.relay.rules import ReplyEvent
from ccweb.settings import Settings
from ccweb_contract.enums import AskKind, InboxKind, MessageRole, Outcome, SourceKind, TurnStatus

_NO_HOST = TurnEnd(status=TurnStatus.FAILED, error="no host is running for this conversation")


def turn_ended(c: Connection, m: Moment, s: Settings, lease: Lease, end: TurnEnd) -> bool:
    """Write the end of a turn with everything that follows from it, in this one transaction.

    Returns False when the lease was no longer the caller's: then the output is kept as a late
    message and may replace a reply that says `lost` and has not been delivered (R-M13). The same
    report once more, by a host that did not hear of the first one's commit, changes nothing.
    """
    turn = turns.get(c, lease.turn_id)
    if turn is None:
        return False
    if turn.lease == lease and turn.status is not TurnStatus.LOST and turn.ended_at is not None:
        return False
    if turn.status is not TurnStatus.RUNNING or turn.lease != lease:
        _keep_late(c, m, turn, end)
        return False
    finish(c, m, s, turn, turn_rules.ENDS[end.status], end)
    return True


def lose_turns(c: Connection, m: Moment, s: Settings, lost: Sequence[Turn]) -> None:
    """End turns whose host is gone or silent; what they answered comes back as `lost`."""
    for turn in lost:
        end = TurnEnd(status=TurnStatus.LOST, error="the host that ran it went away")
        finish(c, m, s, turn, TurnEvent.LOST, end)


def reap(c: Connection, m: Moment, s: Settings) -> None:
    """End turns whose lease has run out, and requests whose target has no live host (R-M4)."""
    lose_turns(c, m, s, turns.expired(c, m))
    for turn in turns.without_host(c, m, no_host_s=s.no_host_s):
        finish(c, m, s, turn, TurnEvent.NO_HOST, _NO_HOST, outcome=Outcome.NO_HOST)
    for request_id in inbox.holding_without_host(c, m, no_host_s=s.no_host_s):
        answer(c, m, s, request_id, _NO_HOST, Outcome.NO_HOST)


def sweep(c: Connection, m: Moment, s: Settings) -> None:
    """Deliver what an idle conversation still has in its inbox: a net that catches nothing."""
    for conversation_id in inbox.conversations_waiting(c):
        settle(c, m, s, conversation_id)


def finish(
    c: Connection,
    m: Moment,
    s: Settings,
    turn: Turn,
    event: TurnEvent,
    end: TurnEnd,
    *,
    outcome: Outcome | None = None,
) -> None:
    """End a queued or running turn: retry it, or write its end, answer its request, deliver."""
    if event is not TurnEvent.WITHDRAWN and _retry(c, m, s, turn, end):
        return
    message_id = _final_message(c, m, turn, end)
    turns.end(c, m, turn, event, end, final_message_id=message_id)
    steps.end_open(c, m, turn.id)
    asks.close_turn(c, m, turn)
    conversations.touch(c, turn.conversation_id, m.now)
    messages.tell(c, m, EventKind.TURN, [turn.conversation_id], turn_id=turn.id)
    if end.status not in turn_rules.ENDED_WELL:
        _ask_to_continue(c, m, turn)
    if turn.thread.serves is not None:
        answer(c, m, s, turn.thread.serves, end, outcome or rules.OUTCOMES[end.status])
    settle(c, m, s, turn.conversation_id)


def answer(
    c: Connection, m: Moment, s: Settings, request_id: str, end: TurnEnd, outcome: Outcome
) -> None:
    """Make a request ready with the output of a turn that serves it, unless it is held (R-M5)."""
    found = store.answerable(c, request_id)
    if found is None:
        return
    row, open_below = found
    if rules.after(row.status, ReplyEvent.ANSWERED) is None:
        return
    if rules.is_held(end.status, open_below=open_below):
        return
    make_ready(c, m, s, row, ReplyEvent.ANSWERED, outcome, end)


def make_ready(
    c: Connection,
    m: Moment,
    s: Settings,
    row: PendingReply,
    event: ReplyEvent,
    outcome: Outcome,
    end: TurnEnd,
) -> None:
    """Write the reply of a request, put it into its source's inbox and deliver it if it may be."""
    store.set_ready(
        c,
        m,
        row,
        rules.TRANSITIONS[row.status, event],
        outcome=outcome,
        reply_text=end.text,
        stop_reason=end.stop_reason,
        error=end.error,
    )
    if outcome not in rules.WELL:
        asks.close_forms_below(c, m, row.request_id)
    if outcome in rules.BROKEN:
        inbox.show_only(c, row.request_id)
        settle(c, m, s, row.target_conversation_id)
    both = (row.source_conversation_id, row.target_conversation_id)
    messages.tell(c, m, EventKind.REPLY, both, data={"requestId": row.request_id})
    if row.source_kind is SourceKind.PLANNING:
        planned.hand_over(c, m, row.request_id)
        return
    inbox.put(c, m, _item(c, row))
    settle(c, m, s, row.source_conversation_id)


def release(c: Connection, m: Moment, s: Settings, request_id: str | None) -> None:
    """Answer a request that only waited for something that is no longer open (R-M10)."""
    last = request_id and store.last_turn_serving(c, request_id)
    turn = turns.get(c, last) if last else None
    if turn is None or request_id is None:
        return
    end = TurnEnd(
        status=turn.status, text=_text_of(c, turn), stop_reason=turn.stop_reason, error=turn.error
    )
    answer(c, m, s, request_id, end, rules.OUTCOMES[turn.status])


def _retry(c: Connection, m: Moment, s: Settings, turn: Turn, end: TurnEnd) -> bool:
    retried = turn.status is TurnStatus.RUNNING and turn_rules.is_retried(
        turn.kind,
        end.status,
        began=turn.started_at is not None or turn.stop_requested_at is not None,
        attempt=turn.attempt,
        attempts=s.continuation_attempts,
    )
    if retried:
        turns.requeue(c, turn)
        messages.tell(c, m, EventKind.TURN, [turn.conversation_id], turn_id=turn.id)
    return retried


def _final_message(c: Connection, m: Moment, turn: Turn, end: TurnEnd) -> str | None:
    if not end.text:
        return None
    return messages.add(
        c, m, turn.conversation_id, MessageRole.ASSISTANT, end.text, turn_id=turn.id
    )


def _text_of(c: Connection, turn: Turn) -> str:
    message = messages.get(c, turn.final_message_id) if turn.final_message_id else None
    return message.text if message else ""


def _ask_to_continue(c: Connection, m: Moment, turn: Turn) -> None:
    """Open "Continue again" for the replies that a turn carried and did not work on (R-M7).

    Nobody goes on in a conversation that was deleted while the turn ran.
    """
    if inbox.carried_by(c, turn.id) and conversations.get(c, turn.conversation_id):
        asks.open_ask(
            c,
            m,
            AskKind.CONTINUE_AGAIN,
            turn.conversation_id,
            subject=turn.id,
            turn_id=turn.id,
        )


def _item(c: Connection, row: PendingReply) -> NewItem:
    parent = store.get(c, row.opened.serves) if row.opened.serves else None
    return NewItem(
        conversation_id=row.source_conversation_id,
        kind=InboxKind.REPLY,
        ref_id=row.request_id,
        opened=row.opened,
        payload={},
        display_only=parent is not None and parent.outcome in rules.BROKEN,
    )


def _keep_late(c: Connection, m: Moment, turn: Turn, end: TurnEnd) -> None:
    if not end.text:
        return
    messages.add(
        c,
        m,
        turn.conversation_id,
        MessageRole.ASSISTANT,
        end.text,
        turn_id=turn.id,
        display_only=True,
        late=True,
    )
    row = store.get(c, turn.thread.serves) if turn.thread.serves else None
    if row is not None and rules.takes_late_output(row.status, row.outcome):
        store.set_ready(
            c,
            m,
            row,
            rules.TRANSITIONS[row.status, ReplyEvent.LATE_OUTPUT],
            outcome=rules.OUTCOMES[end.status],
            reply_text=end.text,
            stop_reason=end.stop_reason,
            error=end.error,
        )
