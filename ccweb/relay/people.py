"""What a person does in a conversation: write, stop, continue, and decide what was asked."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import Connection

from ccweb.asks import service as agents_asks
from ccweb.asks import store as asks
from ccweb.asks.model import Ask
from ccweb.asks.rules import ABOUT_BLUEPRINTS, AskEvent
from ccweb.clock import Moment
from ccweb.conversations import inbox, messages, turns
from ccweb.conversations import store as conversations
from ccweb.conversations.model import (
    EventKind,
    NewItem,
    Sender,
    Thread,
    Turn,
    TurnEnd,
)
from ccweb.conversations.rules import TurnEvent
from ccweb.conversations.service import existing
from ccweb.errors import InvalidParams, TurnOver
from ccweb.relay import continuation, forms, planned, store
from ccweb.relay.cancelling import cancel_tree
from ccweb.relay.delivery import settle, show_held
from ccweb.relay.ending import finish, release
from ccweb.relay.opening import open_turn, unfinished_continuations
from ccweb.relay.sending import check_content
from ccweb.settings import Settings
from ccweb_contract.enums import (
    AskKind,
    Decision,
    InboxKind,
    MessageRole,
    SourceKind,
    TurnKind,
    TurnStatus,
)

_STOPPED = TurnEnd(status=TurnStatus.INTERRUPTED, stop_reason="stopped by a person")


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """A person's message and the turn that it queued."""

    message_id: str
    turn_id: str


def write(
    c: Connection,
    m: Moment,
    s: Settings,
    *,
    person_id: str,
    conversation_id: str,
    content: str,
    key: str | None = None,
) -> Written:
    """Queue a person's message; it is never refused for what goes on (R-M11).

    It lifts a hold, sets the counts against loops back, and begins a chain of its own. With a
    `key` (random, the sender's) it is written once, however often it is sent.

    Raises:
        ConversationNotFound, ContentTooLarge: nothing was written.
        InvalidParams: the key is another message's.
    """
    check_content(s, content)
    existing(c, conversation_id)
    new = Written(
        message_id=f"msg_{key}" if key else m.new_id("msg"),
        turn_id=f"turn_{key}" if key else m.new_id("turn"),
    )
    if key and _is_written(c, new.message_id, conversation_id, person_id):
        return new
    store.reset_counts(c, conversation_id)
    _lift_hold(c, m, conversation_id)
    messages.add(
        c,
        m,
        conversation_id,
        MessageRole.USER,
        content,
        sender=Sender(kind=SourceKind.PERSON, id=person_id),
        message_id=new.message_id,
    )
    open_turn(
        c,
        m,
        s,
        conversation_id,
        TurnKind.PERSON,
        content,
        thread=Thread(chain_id=m.new_id("chain")),
        message_id=new.message_id,
        turn_id=new.turn_id,
    )
    return new


def _is_written(c: Connection, message_id: str, conversation_id: str, person_id: str) -> bool:
    """Tell whether this very message came before, its answer lost on the way."""
    message = messages.get(c, message_id)
    if message is None:
        return False
    sender = Sender(kind=SourceKind.PERSON, id=person_id)
    if message.conversation_id != conversation_id or message.sender != sender:
        raise InvalidParams(why="This key belongs to another message.")
    return True


def take_back(c: Connection, m: Moment, s: Settings, turn_id: str) -> None:
    """Take a person's queued message out of the queue.

    Raises:
        TurnOver: the turn has begun, has ended, or is no person's.
    """
    turn = turns.get(c, turn_id)
    if turn is None or turn.status is not TurnStatus.QUEUED or turn.kind is not TurnKind.PERSON:
        raise TurnOver(turn_id=turn_id)
    end = TurnEnd(status=TurnStatus.INTERRUPTED, stop_reason="taken back")
    finish(c, m, s, turn, TurnEvent.WITHDRAWN, end)


def stop(c: Connection, m: Moment, s: Settings, conversation_id: str) -> None:
    """End what runs in a conversation and hold its automatic continuations (R-M11).

    A person's own queued messages stay and run next.
    """
    existing(c, conversation_id)
    conversations.set_held(c, conversation_id, m.now)
    for turn in turns.open_turns(c, conversation_id):
        _stop_turn(c, m, s, turn)
    settle(c, m, s, conversation_id)
    messages.tell(c, m, EventKind.CONVERSATION, [conversation_id])


def stop_all(c: Connection, m: Moment, s: Settings, conversation_id: str) -> None:
    """Stop a conversation and everything that it has delegated, all the way down."""
    stop(c, m, s, conversation_id)
    cancel_tree(c, m, s, conversation_id)


def go_on(c: Connection, m: Moment, s: Settings, conversation_id: str) -> None:
    """Lift a hold and let the conversation take in what has been waiting (Continue)."""
    existing(c, conversation_id)
    _lift_hold(c, m, conversation_id)
    for ask in unfinished_continuations(c, conversation_id):
        _continue_again(c, m, s, ask)
    settle(c, m, s, conversation_id)
    messages.tell(c, m, EventKind.CONVERSATION, [conversation_id])


def answer(
    c: Connection,
    m: Moment,
    s: Settings,
    ask_id: str,
    given: Mapping[str, Any],
    *,
    person_id: str,
) -> None:
    """Write a person's answer to an agent: one that waits goes on, one that asked by a form later.

    Raises:
        AskNotFound, AskClosed: nothing was changed.
        AnswersRefused, ContentTooLarge, InvalidParams: it is no answer to this ask.
    """
    ask = asks.get(c, ask_id)
    if ask.kind is AskKind.FORM:
        forms.answer(c, m, s, ask, given, person_id=person_id)
    else:
        agents_asks.answer(c, m, ask_id, given, person_id=person_id)


def resume(c: Connection, m: Moment, s: Settings, ask_id: str, *, person_id: str) -> None:
    """Decide an ask in favour of going on.

    Raises:
        AskNotFound, AskClosed: nothing was changed.
        InvalidParams: an agent waits for an answer, which this is none.
    """
    ask = asks.get(c, ask_id)
    match ask.kind:
        case AskKind.PERMISSION | AskKind.QUESTION | AskKind.FORM:
            raise InvalidParams(why="An agent asks this: answer it.")
        case AskKind.BLUEPRINT_QUESTION | AskKind.BLUEPRINT_APPROVAL:
            raise InvalidParams(why="Decide it on the page of the blueprint.")
        case AskKind.LOOP_PAUSED:
            asks.close(c, m, ask, AskEvent.RESUMED, by=person_id)
            _resume_loop(c, m, s, ask)
        case AskKind.CONTINUE_AGAIN:
            asks.close(c, m, ask, AskEvent.RESUMED, by=person_id)
            _run_again(c, m, s, ask)
        case AskKind.REPLIES_HELD:
            asks.close(c, m, ask, AskEvent.RESUMED, by=person_id)
            go_on(c, m, s, ask.conversation_id)


def dismiss(c: Connection, m: Moment, s: Settings, ask_id: str, *, person_id: str) -> None:
    """Decide an ask against going on; a request that only waited for it is answered.

    Replies that were held are then shown and not worked on; a form is declined with no reason. An
    agent that had asked for a decision about a blueprint hears that there is none; what the
    blueprint asks itself stays open.

    Raises:
        AskNotFound, AskClosed: nothing was changed.
        InvalidParams: the blueprint itself asks.
    """
    ask = asks.get(c, ask_id)
    if ask.kind in ABOUT_BLUEPRINTS:
        _put_aside(c, m, s, ask, person_id=person_id)
        return
    if ask.kind is AskKind.FORM:
        forms.answer(c, m, s, ask, {}, person_id=person_id)
        return
    asks.close(c, m, ask, AskEvent.DISMISSED, by=person_id)
    release(c, m, s, ask.parent_request_id)
    if ask.kind is AskKind.REPLIES_HELD:
        for request_id in sorted(show_held(c, m, ask.conversation_id)):
            release(c, m, s, request_id)


def _put_aside(c: Connection, m: Moment, s: Settings, ask: Ask, *, person_id: str) -> None:
    if not ask.conversation_id:
        raise InvalidParams(why="Decide it on the page of the blueprint.")
    asks.close(c, m, ask, AskEvent.DISMISSED, by=person_id)
    planned.bring_decision(c, m, s, ask, Decision.UNDECIDED)


def _lift_hold(c: Connection, m: Moment, conversation_id: str) -> None:
    conversations.set_held(c, conversation_id, None)
    asks.close_kind(c, m, conversation_id, AskKind.REPLIES_HELD, AskEvent.RESUMED)


def _stop_turn(c: Connection, m: Moment, s: Settings, turn: Turn) -> None:
    if turn.status is TurnStatus.RUNNING:
        turns.request_stop(c, m, turn.id)
    elif turn.kind is not TurnKind.PERSON:
        finish(c, m, s, turn, TurnEvent.WITHDRAWN, _STOPPED)


def _continue_again(c: Connection, m: Moment, s: Settings, ask: Ask) -> None:
    if asks.get(c, ask.id).closed_at is None:  # else the turn opened before it carries it already
        asks.close(c, m, ask, AskEvent.RESUMED)
        _run_again(c, m, s, ask)


def _run_again(c: Connection, m: Moment, s: Settings, ask: Ask) -> None:
    """Queue a continuation with the replies that an earlier turn carried and did not work on."""
    before = turns.get(c, ask.subject)
    if before is None:
        return
    prompt = continuation.compose_again(c, s, before.id)
    turn_id = open_turn(
        c,
        m,
        s,
        ask.conversation_id,
        TurnKind.CONTINUATION,
        prompt,
        thread=replace(before.thread, serves=None),
    )
    inbox.move(c, before.id, turn_id)


def _resume_loop(c: Connection, m: Moment, s: Settings, ask: Ask) -> None:
    """Count anew and bring the decision into the conversation whose send was refused."""
    store.reset_counts(c, ask.conversation_id)
    opener = turns.get(c, ask.turn_id) if ask.turn_id else None
    thread = opener.thread if opener else Thread(chain_id=m.new_id("chain"))
    store.reset_chain(c, thread.chain_id)
    item = NewItem(
        conversation_id=ask.conversation_id,
        kind=InboxKind.DECISION,
        ref_id=ask.id,
        opened=thread,
        payload=ask.detail,
    )
    inbox.put(c, m, item)
    settle(c, m, s, ask.conversation_id)
