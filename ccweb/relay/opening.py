"""Opening a turn: the one way a turn comes into being, and what it carries forward."""

from collections.abc import Sequence

from sqlalchemy import Connection

from ccweb.asks import store as asks
from ccweb.asks.model import Ask
from ccweb.asks.rules import AskEvent
from ccweb.clock import Moment
from ccweb.conversations import inbox, messages, turns
from ccweb.conversations import store as conversations
from ccweb.conversations.model import EventKind, Thread
from ccweb.relay import continuation, store
from ccweb.settings import Settings
from ccweb_contract import prompts
from ccweb_contract.enums import AskKind, TurnKind


def open_turn(
    c: Connection,
    m: Moment,
    s: Settings,
    conversation_id: str,
    kind: TurnKind,
    prompt: str,
    *,
    thread: Thread,
    message_id: str | None = None,
    turn_id: str | None = None,
) -> str:
    """Queue a turn with the very text that its agent will see, and return its id.

    Replies whose continuation did not finish come first in that text (R-M7), except in a turn that
    answers another conversation's request: its output must not answer the wrong requester.
    """
    unfinished = [] if thread.serves else unfinished_continuations(c, conversation_id)
    turn_id = turns.add(
        c,
        m,
        conversation_id,
        kind,
        _with_unfinished(c, s, unfinished, prompt),
        thread=thread,
        message_id=message_id,
        turn_id=turn_id,
    )
    _carry(c, m, unfinished, turn_id)
    store.count_turn(c, thread.chain_id)
    conversations.touch(c, conversation_id, m.now)
    messages.tell(c, m, EventKind.TURN, [conversation_id], turn_id=turn_id)
    return turn_id


def unfinished_continuations(c: Connection, conversation_id: str) -> list[Ask]:
    """Return the open asks about continuations of this conversation that did not finish."""
    return [ask for ask in asks.open_asks(c, conversation_id) if ask.kind is AskKind.CONTINUE_AGAIN]


def _with_unfinished(c: Connection, s: Settings, unfinished: Sequence[Ask], prompt: str) -> str:
    if not unfinished:
        return prompt
    texts = [continuation.compose_again(c, s, ask.subject) for ask in unfinished]
    before = prompts.unfinished_continuation(
        s.lang, texts=[prompts.leftover(s.lang, text=text) for text in texts]
    )
    return f"{before}\n\n{prompt}"


def _carry(c: Connection, m: Moment, unfinished: Sequence[Ask], turn_id: str) -> None:
    for ask in unfinished:
        inbox.move(c, ask.subject, turn_id)
        asks.close(c, m, ask, AskEvent.RESUMED)
