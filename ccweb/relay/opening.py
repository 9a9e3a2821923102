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
    What does not fit into a continuation (R-M9) stays in its ask, for the next turn or a person.
    """
    unfinished = [] if thread.serves else unfinished_continuations(c, conversation_id)
    carried, prompt = _with_unfinished(c, s, kind, unfinished, prompt)
    turn_id = turns.add(
        c,
        m,
        conversation_id,
        kind,
        prompt,
        thread=thread,
        message_id=message_id,
        turn_id=turn_id,
    )
    _carry(c, m, carried, turn_id)
    store.count_turn(c, thread.chain_id)
    conversations.touch(c, conversation_id, m.now)
    messages.tell(c, m, EventKind.TURN, [conversation_id], turn_id=turn_id)
    return turn_id


def unfinished_continuations(c: Connection, conversation_id: str) -> list[Ask]:
    """Return the open asks about continuations of this conversation that did not finish."""
    return [ask for ask in asks.open_asks(c, conversation_id) if ask.kind is AskKind.CONTINUE_AGAIN]


def _with_unfinished(
    c: Connection, s: Settings, kind: TurnKind, unfinished: Sequence[Ask], prompt: str
) -> tuple[Sequence[Ask], str]:
    """Return the asks whose replies fit before a prompt, and the prompt with them.

    A person's own words take none of the room, and the first ask always fits before them.
    """
    by_person = kind is TurnKind.PERSON
    limit = s.continuation_limit_bytes + (len(prompt.encode()) if by_person else 0)
    texts: list[prompts.Leftover] = []
    whole = prompt
    for count, ask in enumerate(unfinished):
        again = continuation.compose_again(c, s, ask.subject)
        texts.append(prompts.leftover(s.lang, text=again))
        longer = f"{prompts.unfinished_continuation(s.lang, texts=texts)}\n\n{prompt}"
        if len(longer.encode()) > limit and (count or not by_person):
            return unfinished[:count], whole
        whole = longer
    return unfinished, whole


def _carry(c: Connection, m: Moment, unfinished: Sequence[Ask], turn_id: str) -> None:
    for ask in unfinished:
        inbox.move(c, ask.subject, turn_id)
        asks.close(c, m, ask, AskEvent.RESUMED)
