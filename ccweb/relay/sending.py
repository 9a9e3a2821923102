"""Sending: one transaction that makes a message durable, with all that it promises."""

from dataclasses import dataclass

from sqlalchemy import Connection

from ccweb.asks import store as asks
from ccweb.clock import Moment
from ccweb.conversations import messages, turns
from ccweb.conversations import store as conversations
from ccweb.conversations.model import Conversation, EventKind, Lease, Sender, Thread, Turn
from ccweb.errors import (
    ContentTooLarge,
    HopLimitExceeded,
    LoopGuard,
    TargetBusy,
    TargetIsSource,
    TargetNotFound,
    TurnOver,
)
from ccweb.relay import rules, store
from ccweb.relay.model import PendingReply, Sent, Source
from ccweb.relay.opening import open_turn
from ccweb.settings import Settings
from ccweb_contract import prompts
from ccweb_contract.enums import (
    AskKind,
    MessageRole,
    ReplyMode,
    ReplyStatus,
    SourceKind,
    TurnKind,
    TurnStatus,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Send:
    """A send whose two ends are known."""

    source: Conversation
    turn: Turn | None
    target: Conversation
    content: str
    reply_mode: ReplyMode

    @property
    def opener(self) -> Thread | None:
        return self.turn.thread if self.turn else None


def send(
    c: Connection,
    m: Moment,
    s: Settings,
    *,
    source: Source,
    target_id: str,
    content: str,
    reply_mode: ReplyMode,
) -> Sent:
    """Queue a turn in the target with this message and return what the sender may rely on (R-M1).

    Raises:
        TurnOver: the turn that calls has ended or lost its lease.
        TargetNotFound, TargetIsSource, ContentTooLarge: the arguments.
        TargetBusy, HopLimitExceeded: the state; end the turn and say so.
        LoopGuard: the two go on without a person; an ask was opened (R-M2).
    """
    check_content(s, content)
    if target_id == source.conversation_id:
        raise TargetIsSource(conversation_id=target_id)
    both = conversations.get_many(c, [source.conversation_id, target_id])
    if target_id not in both:
        raise TargetNotFound(conversation_id=target_id)
    if source.conversation_id not in both:
        raise TurnOver(turn_id=source.lease.turn_id if source.lease else None)
    order = _Send(
        source=both[source.conversation_id],
        turn=calling_turn(c, m, source.lease) if source.lease else None,
        target=both[target_id],
        content=content,
        reply_mode=reply_mode,
    )
    _check_busy(c, order.target)
    return _deliver(c, m, s, order, _opener(c, m, s, order))


def check_content(s: Settings, content: str) -> None:
    """Refuse a text over the limit.

    Raises:
        ContentTooLarge: it has more bytes in UTF-8 than `CCWEB_CONTENT_LIMIT_BYTES`.
    """
    size = len(content.encode())
    if size > s.content_limit_bytes:
        raise ContentTooLarge(size_bytes=size, limit_bytes=s.content_limit_bytes)


def calling_turn(c: Connection, m: Moment, lease: Lease) -> Turn:
    """Return the turn that calls and note that it has begun.

    Raises:
        TurnOver: it has ended or its lease is another's by now.
    """
    turn = turns.get(c, lease.turn_id)
    current = turn is not None and turn.status is TurnStatus.RUNNING and turn.lease == lease
    if turn is None or not current or turn.lease_until is None or turn.lease_until < m.now:
        raise TurnOver(turn_id=lease.turn_id)
    if turn.started_at is None:
        turns.begin(c, m, lease)
    return turn


def _check_busy(c: Connection, target: Conversation) -> None:
    busy = turns.busy(c, target.id)
    if busy is not None:
        raise TargetBusy(conversation_id=target.id, status=busy.status.value, since=busy.since)


def _opener(c: Connection, m: Moment, s: Settings, order: _Send) -> Thread:
    """Return the thread that sends, after the guards against depth and loops."""
    opener = order.opener or Thread(chain_id=m.new_id("chain"))
    if opener.hop + 1 > s.hop_limit:
        raise HopLimitExceeded(hop=opener.hop + 1, limit=s.hop_limit)
    forward, backward = store.count_send(c, order.source.id, order.target.id)
    if rules.pair_is_looping(forward, backward, s.pair_limit):
        why = f"{forward + backward} messages went between the two with no word from a person."
        raise LoopGuard(ask_id=_pause(c, m, order), why=why)
    turns_so_far = store.chain_turns(c, opener.chain_id)
    if turns_so_far >= s.chain_limit:
        why = f"{turns_so_far} turns have followed each other with no word from a person."
        raise LoopGuard(ask_id=_pause(c, m, order), why=why)
    return opener


def _pause(c: Connection, m: Moment, order: _Send) -> str:
    return asks.open_ask(
        c,
        m,
        AskKind.LOOP_PAUSED,
        order.source.id,
        subject=order.target.id,
        turn_id=order.turn.id if order.turn else None,
        parent_request_id=order.opener.serves if order.opener else None,
        detail={
            "targetConversationId": order.target.id,
            "targetTitle": order.target.title,
            "content": order.content,
        },
    )


def _deliver(c: Connection, m: Moment, s: Settings, order: _Send, opener: Thread) -> Sent:
    returns = order.reply_mode is ReplyMode.RETURN_AND_CONTINUE
    request_id = m.new_id("req") if returns else None
    message_id = _message(c, m, order, request_id)
    turn_id = open_turn(
        c,
        m,
        s,
        order.target.id,
        TurnKind.MESSAGE,
        _prompt(s, order, request_id),
        thread=Thread(serves=request_id, hop=opener.hop + 1, chain_id=opener.chain_id),
        message_id=message_id,
    )
    if request_id is not None:
        store.add(c, m, _pending(m, order, opener, request_id, message_id, turn_id))
        both = (order.source.id, order.target.id)
        messages.tell(c, m, EventKind.REPLY, both, data={"requestId": request_id})
    return Sent(
        message_id=message_id,
        turn_id=turn_id,
        target_conversation_id=order.target.id,
        target_title=order.target.title,
        reply_mode=order.reply_mode,
        request_id=request_id,
    )


def _message(c: Connection, m: Moment, order: _Send, request_id: str | None) -> str:
    return messages.add(
        c,
        m,
        order.target.id,
        MessageRole.USER,
        order.content,
        sender=Sender(kind=SourceKind.CONVERSATION, id=order.source.id),
        metadata={
            "crossConversation": {
                "replyMode": order.reply_mode.value,
                "expectsReply": request_id is not None,
                "sourceConversationId": order.source.id,
                "sourceTitle": order.source.title,
            }
            | ({"replyRequestId": request_id} if request_id else {})
        },
    )


def _prompt(s: Settings, order: _Send, request_id: str | None) -> str:
    if request_id is None:
        return prompts.target_one_way(
            s.lang,
            source_title=order.source.title,
            source_id=order.source.id,
            message=order.content,
        )
    return prompts.target_return_and_continue(
        s.lang,
        source_title=order.source.title,
        source_id=order.source.id,
        request_id=request_id,
        message=order.content,
    )


def _pending(
    m: Moment, order: _Send, opener: Thread, request_id: str, message_id: str, turn_id: str
) -> PendingReply:
    return PendingReply(
        request_id=request_id,
        message_id=message_id,
        source_kind=SourceKind.CONVERSATION,
        source_conversation_id=order.source.id,
        source_title=order.source.title,
        target_conversation_id=order.target.id,
        target_title=order.target.title,
        status=ReplyStatus.WAITING,
        created_at=m.now,
        hop_count=opener.hop + 1,
        source_auto_run=True,
        original_request=order.content,
        target_turn_id=turn_id,
        opened_by_turn_id=order.turn.id if order.turn else None,
        opened=opener,
    )
