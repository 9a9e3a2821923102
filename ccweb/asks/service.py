"""What a person answers to an agent that asks in the middle of its turn."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection

from ccweb.asks import store
from ccweb.asks.model import Ask
from ccweb.asks.rules import ASKED_BY_AGENTS, AskEvent
from ccweb.clock import Moment
from ccweb.errors import InvalidParams
from ccweb_contract.enums import AskKind, PermissionAnswer


def answer(
    c: Connection, m: Moment, ask_id: str, given: Mapping[str, Any], *, person_id: str
) -> None:
    """Write a person's answer; the agent that waits for it goes on.

    Args:
        c: Connection.
        m: Moment.
        ask_id: A permission or a question.
        given: For a permission `decision`, one of `PermissionAnswer`, and a `note` for the agent
            where it is denied; for a question `answers`, by question, or a `note` to decline it.
        person_id: Who answers.

    Raises:
        AskNotFound, AskClosed: nothing was changed.
        InvalidParams: it is no answer to this ask.
    """
    ask = store.get(c, ask_id)
    if ask.kind not in ASKED_BY_AGENTS:
        raise InvalidParams(why="This is decided with Resume or Dismiss.")
    decided = _permission(given) if ask.kind is AskKind.PERMISSION else _answers(ask, given)
    if (ask.closed_by, ask.answer) == (person_id, decided):
        return  # sent again, its answer lost on the way
    store.close(c, m, ask, AskEvent.RESUMED, by=person_id, answer=decided)
    what = ask.detail.get("what")
    if decided.get("decision") == PermissionAnswer.ALLOW_IN_CONVERSATION and what:
        store.allow(c, m, ask.conversation_id, str(what), person_id=person_id)


def _permission(given: Mapping[str, Any]) -> dict[str, Any]:
    try:
        decision = PermissionAnswer(given.get("decision", ""))
    except ValueError as error:
        allowed = ", ".join(PermissionAnswer)
        raise InvalidParams(why=f"`decision` must be one of {allowed}.") from error
    return {"decision": decision.value, "note": _note(given)}


def _answers(ask: Ask, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the answers, one a question; without any the question is declined."""
    answers = given.get("answers")
    if answers is None:
        return {"answers": None, "note": _note(given)}
    asked = [str(question["key"]) for question in ask.detail["questions"]]
    if not isinstance(answers, dict) or answers.keys() != set(asked):
        raise InvalidParams(why=f"`answers` must answer each of {', '.join(asked)}.")
    if not all(_is_answer(value) for value in answers.values()):
        raise InvalidParams(why="Each answer must be a text or a list of texts.")
    return {"answers": answers, "note": _note(given)}


def _is_answer(value: Any) -> bool:
    texts = value if isinstance(value, list) else [value]
    return all(isinstance(text, str) for text in texts)


def _note(given: Mapping[str, Any]) -> str:
    note = given.get("note", "")
    if not isinstance(note, str):
        raise InvalidParams(why="`note` must be a text.")
    return note
