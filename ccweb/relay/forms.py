"""Forms between an agent and people: asked for in a turn, brought back by a continuation."""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection

from ccweb.asks import forms
from ccweb.asks import store as asks
from ccweb.asks.fields import Value
from ccweb.asks.forms import Form
from ccweb.asks.model import Ask
from ccweb.asks.rules import AskEvent
from ccweb.clock import Moment
from ccweb.conversations import inbox, turns
from ccweb.conversations import store as conversations
from ccweb.conversations.model import NewItem, Thread
from ccweb.errors import ContentTooLarge, InvalidParams, TurnOver
from ccweb.relay import continuation, store
from ccweb.relay.delivery import settle
from ccweb.relay.model import Source
from ccweb.relay.sending import calling_turn
from ccweb.settings import Settings
from ccweb_contract.enums import AskKind, InboxKind


def request_form(c: Connection, m: Moment, source: Source, given: Mapping[str, Any]) -> str:
    """Ask a person to fill in a form and return its id; the agent goes on and ends its turn.

    What the turn serves is held until the form has come back (R-M5).

    Raises:
        InvalidParams: the form could not be filled in.
        TurnOver: the turn that calls has ended or lost its lease, or its conversation is deleted.
    """
    forms.read(given)
    if conversations.get(c, source.conversation_id) is None:
        raise TurnOver(turn_id=source.lease.turn_id if source.lease else None)
    turn = calling_turn(c, m, source.lease) if source.lease else None
    return asks.open_ask(
        c,
        m,
        AskKind.FORM,
        source.conversation_id,
        subject=m.new_id("form"),
        turn_id=turn.id if turn else None,
        parent_request_id=turn.thread.serves if turn else None,
        detail=given,
    )


def answer(
    c: Connection, m: Moment, s: Settings, ask: Ask, given: Mapping[str, Any], *, person_id: str
) -> None:
    """Close a form with a person's answers and bring them into the conversation that asked.

    The same person's same answers once more change nothing: their first answer was lost on the way.

    Args:
        c: Connection.
        m: Moment.
        s: Settings.
        ask: The form.
        given: `answers` by the name of the field; without them a `note` that says why not.
        person_id: Who answers.

    Raises:
        AskClosed: it was answered differently, by another person, or is no longer needed.
        AnswersRefused, ContentTooLarge, InvalidParams: the answers do not fit.
    """
    form = forms.read(ask.detail)
    decided = _decided(form, given)
    if (ask.closed_by, ask.answer) == (person_id, decided):
        return
    payload = {"title": form.title} | decided | {"answers": _in_order(form, decided["answers"])}
    _check_prompt(s, ask, payload)
    asks.close(c, m, ask, AskEvent.RESUMED, by=person_id, answer=decided)
    opened = _opened(c, m, ask)
    store.reset_counts(c, ask.conversation_id)
    store.reset_chain(c, opened.chain_id)
    item = NewItem(
        conversation_id=ask.conversation_id,
        kind=InboxKind.FORM,
        ref_id=ask.id,
        opened=opened,
        payload=payload,
    )
    inbox.put(c, m, item)
    settle(c, m, s, ask.conversation_id)


def _decided(form: Form, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the answers that the form accepts, or none with the reason."""
    note, answers = given.get("note", ""), given.get("answers")
    if not isinstance(note, str):
        raise InvalidParams(why="`note` must be a text.")
    if answers is not None:
        return {"answers": forms.accept(form, answers), "note": ""}
    forms.check_size(note)
    return {"answers": None, "note": note.strip()}


def _in_order(
    form: Form, answers: Mapping[str, Value] | None
) -> list[dict[str, str | Sequence[str]]] | None:
    """Return an answer a field, as lines; none where nothing was answered."""
    if answers is None:
        return None
    lines = {name: [value] if isinstance(value, str) else value for name, value in answers.items()}
    return [
        {"name": field.name, "label": field.label, "values": lines.get(field.name, [])}
        for field in form.fields
    ]


def _check_prompt(s: Settings, ask: Ask, payload: Mapping[str, Any]) -> None:
    """Refuse answers whose very prompt, fences included, no continuation could carry."""
    size = len(continuation.form_text(s, ask.id, payload).encode())
    if size > s.continuation_limit_bytes:
        raise ContentTooLarge(size_bytes=size, limit_bytes=s.continuation_limit_bytes)


def _opened(c: Connection, m: Moment, ask: Ask) -> Thread:
    """Return the thread that asked, which the continuation takes over; else one of its own."""
    turn = turns.get(c, ask.turn_id) if ask.turn_id else None
    return turn.thread if turn else Thread(chain_id=m.new_id("chain"))
