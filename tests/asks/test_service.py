"""A person's answer to an agent: written once, told the same when it is sent again."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ccweb.access import service as access
from ccweb.asks import service, store
from ccweb.asks.model import Ask
from ccweb.errors import AskClosed, AskNotFound, InvalidParams
from ccweb_contract.enums import AskKind, AskStatus, PermissionAnswer
from tests.relay.world import PERSON, World, a_world

ONCE = {"decision": PermissionAnswer.ALLOW_ONCE.value}
ALWAYS = {"decision": PermissionAnswer.ALLOW_IN_CONVERSATION.value}
QUESTIONS = {"questions": [{"key": "a", "text": "Which?"}, {"key": "b", "text": "Why?"}]}


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    world = a_world(tmp_path)
    yield world
    world.db.close()


def asked(world: World, kind: AskKind = AskKind.PERMISSION, **detail: Any) -> Ask:
    """Let a running turn ask something and return the ask."""
    turn = world.started(world.conversation("A"))
    with world.tx() as c:
        ask_id = store.open_ask(
            c, world.m, kind, turn.conversation_id, subject="1", turn_id=turn.id, detail=detail
        )
        return store.get(c, ask_id)


def answer(world: World, ask: Ask, given: dict[str, Any], person_id: str = PERSON) -> Ask:
    with world.tx() as c:
        service.answer(c, world.m, ask.id, given, person_id=person_id)
        return store.get(c, ask.id)


@pytest.mark.requirement("R-U3")
def test_an_answer_closes_the_ask_for_everybody(world: World) -> None:
    closed = answer(world, asked(world), ONCE)
    assert (closed.status, closed.closed_by) == (AskStatus.RESOLVED, PERSON)
    assert closed.answer == ONCE | {"note": ""}


@pytest.mark.requirement("R-U3")
def test_the_same_answer_sent_again_changes_nothing_and_another_one_is_refused(
    world: World,
) -> None:
    ask = asked(world)
    first = answer(world, ask, ONCE)
    assert answer(world, ask, ONCE) == first
    for given, person_id in ((ALWAYS, PERSON), (ONCE, "person_2")):
        with pytest.raises(AskClosed):
            answer(world, ask, given, person_id)


@pytest.mark.requirement("R-S2")
def test_what_was_allowed_for_a_conversation_can_be_taken_back(world: World) -> None:
    ask = asked(world, what="Bash: npm test")
    with world.tx() as c:
        person = access.owner(c, world.m)
    answer(world, ask, ALWAYS, person.id)
    with world.tx() as c:
        assert store.allowed(c, ask.conversation_id) == ["Bash: npm test"]
        store.disallow(c, world.m, ask.conversation_id, "Bash: npm test")
        assert not store.is_allowed(c, ask.conversation_id, "Bash: npm test")


@pytest.mark.requirement("R-U3")
@pytest.mark.parametrize(
    "given",
    [
        {},
        {"decision": "perhaps"},
        {"decision": PermissionAnswer.DENY.value, "note": 1},
    ],
)
def test_what_is_no_answer_to_a_permission_is_refused(world: World, given: dict[str, Any]) -> None:
    with pytest.raises(InvalidParams):
        answer(world, asked(world), given)


@pytest.mark.requirement("R-U3")
@pytest.mark.parametrize(
    "given",
    [
        {"answers": {"a": "x"}},
        {"answers": {"a": "x", "b": 1}},
        {"answers": {"a": "x", "b": ["y", 2]}},
        {"answers": "x"},
    ],
)
def test_each_question_gets_a_text_or_texts(world: World, given: dict[str, Any]) -> None:
    ask = asked(world, AskKind.QUESTION, **QUESTIONS)
    with pytest.raises(InvalidParams):
        answer(world, ask, given)


@pytest.mark.requirement("R-U3")
def test_a_question_is_answered_or_declined(world: World) -> None:
    answered = answer(
        world,
        asked(world, AskKind.QUESTION, **QUESTIONS),
        {"answers": {"a": "x", "b": ["y", "z"]}},
    )
    declined = answer(world, asked(world, AskKind.QUESTION, **QUESTIONS), {"note": "later"})
    assert answered.answer == {"answers": {"a": "x", "b": ["y", "z"]}, "note": ""}
    assert declined.answer == {"answers": None, "note": "later"}


@pytest.mark.requirement("R-U3")
def test_what_no_agent_asks_cannot_be_answered(world: World) -> None:
    with pytest.raises(InvalidParams):
        answer(world, asked(world, AskKind.LOOP_PAUSED), ONCE)
    with pytest.raises(AskNotFound), world.tx() as c:
        service.answer(c, world.m, "no", ONCE, person_id=PERSON)
