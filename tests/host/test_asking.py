"""An agent's question waits for a person, and for nothing else."""

from collections.abc import Callable
from typing import Any

import anyio
import pytest
from sqlalchemy import Connection

from ccweb.access import service as access
from ccweb.asks import service as answers
from ccweb.asks import store as asks
from ccweb.asks.model import Ask
from ccweb.clock import moment
from ccweb.conversations.model import TurnEnd
from ccweb.errors import AskClosed, InvalidParams
from ccweb.host.agent import Job, Question, Tell
from ccweb.relay import service as relay
from ccweb_contract.enums import AskKind, AskStatus, PermissionAnswer, TurnStatus
from tests.host.workshop import WAIT_S, ScriptedAgent, Workshop, done

WRITING = {"tool": "Write", "title": "Write notes.txt", "input": "{}", "what": "Write"}
COLOURS = {"questions": [{"key": "colour", "text": "Which colour?", "options": []}]}


def wanting(detail: dict[str, Any] = WRITING, kind: AskKind = AskKind.PERMISSION) -> ScriptedAgent:
    """Return an agent that asks once and says what it was answered."""

    async def run(job: Job, tell: Tell) -> TurnEnd:
        said = await job.ask(Question(kind=kind, subject="call_1", detail=detail))
        return done(f"{said.decision} {said.answers} {said.note!r}")

    return ScriptedAgent(run)


def the_ask(c: Connection) -> Ask | None:
    """Return the one open ask, None while there is none."""
    found = asks.open_asks(c)
    return found[0] if found else None


def decide(workshop: Workshop, ask: Ask, given: dict[str, Any]) -> None:
    """Answer an ask as the owner, in a transaction of another process."""
    with workshop.again().db.begin() as c:
        person = access.owner(c, moment())
        answers.answer(c, moment(), ask.id, given, person_id=person.id)


@pytest.mark.parametrize("decision", list(PermissionAnswer))
async def test_an_agent_goes_on_with_what_a_person_answers(
    workshop: Workshop, decision: PermissionAnswer
) -> None:
    conversation = workshop.conversation()
    turn_id = workshop.write(conversation, "go")
    async with workshop.hosting(wanting()):
        ask = await workshop.until(the_ask)
        assert (ask.turn_id, ask.kind, ask.detail) == (turn_id, AskKind.PERMISSION, WRITING)
        decide(workshop, ask, {"decision": decision.value, "note": "mind the tests"})
        await workshop.until_ended(turn_id)
    assert workshop.texts(conversation)[-1] == f"{decision} None 'mind the tests'"


async def test_what_is_allowed_for_a_conversation_is_asked_there_once(workshop: Workshop) -> None:
    first, second = workshop.conversation("A"), workshop.conversation("B")
    turn_id = workshop.write(first, "go")
    async with workshop.hosting(wanting()):
        ask = await workshop.until(the_ask)
        decide(workshop, ask, {"decision": PermissionAnswer.ALLOW_IN_CONVERSATION.value})
        await workshop.until_ended(turn_id)

        await workshop.until_ended(workshop.write(first, "again"))
        workshop.write(second, "and you?")
        other = await workshop.until(the_ask)

    assert workshop.texts(first)[-1].startswith(PermissionAnswer.ALLOW_IN_CONVERSATION)
    assert other.conversation_id == second.id


async def test_a_question_brings_its_answers_or_is_declined(workshop: Workshop) -> None:
    conversation = workshop.conversation()
    async with workshop.hosting(wanting(COLOURS, AskKind.QUESTION)):
        turn_id = workshop.write(conversation, "go")
        decide(workshop, await workshop.until(the_ask), {"answers": {"colour": "red"}})
        await workshop.until_ended(turn_id)
        turn_id = workshop.write(conversation, "once more")
        decide(workshop, await workshop.until(the_ask), {"note": "ask later"})
        await workshop.until_ended(turn_id)
    said = workshop.texts(conversation)
    assert said[1] == f"{PermissionAnswer.DENY} {{'colour': 'red'}} ''"
    assert said[3] == f"{PermissionAnswer.DENY} None 'ask later'"


async def test_a_dismissed_ask_is_a_denial(workshop: Workshop) -> None:
    conversation = workshop.conversation()
    turn_id = workshop.write(conversation, "go")
    async with workshop.hosting(wanting()):
        ask = await workshop.until(the_ask)
        with workshop.again().db.begin() as c:
            person = access.owner(c, moment())
            relay.dismiss(c, moment(), workshop.s, ask.id, person_id=person.id)
        await workshop.until_ended(turn_id)
    assert workshop.texts(conversation)[-1].startswith(PermissionAnswer.DENY)


@pytest.mark.requirement("R-M11")
async def test_stopping_the_turn_closes_what_it_asked(workshop: Workshop) -> None:
    conversation = workshop.conversation()
    turn_id = workshop.write(conversation, "go")
    async with workshop.hosting(wanting()):
        ask = await workshop.until(the_ask)
        with workshop.db.begin() as c:
            relay.stop(c, moment(), workshop.s, conversation.id)
        turn = await workshop.until_ended(turn_id)
    with workshop.db.connect() as c:
        closed = asks.get(c, ask.id)
    assert (turn.status, closed.status) == (TurnStatus.INTERRUPTED, AskStatus.DISMISSED)
    with pytest.raises(AskClosed):
        decide(workshop, closed, {"decision": PermissionAnswer.ALLOW_ONCE.value})


async def test_an_agent_that_no_longer_wants_to_know_closes_its_ask(workshop: Workshop) -> None:
    async def run(job: Job, tell: Tell) -> TurnEnd:
        with anyio.CancelScope() as scope:
            async with anyio.create_task_group() as tasks:

                async def ask() -> None:
                    await job.ask(
                        Question(kind=AskKind.PERMISSION, subject="call_1", detail=WRITING)
                    )

                tasks.start_soon(ask)
                await workshop.until(the_ask)
                scope.cancel()
        return done()

    turn_id = workshop.write(workshop.conversation(), "go")
    async with workshop.hosting(ScriptedAgent(run)):
        await workshop.until_ended(turn_id)
    assert workshop.rows("SELECT status FROM ask") == [(AskStatus.DISMISSED.value,)]


@pytest.mark.requirement("R-M13")
async def test_a_lost_turn_leaves_no_question_open(workshop: Workshop) -> None:
    conversation = workshop.conversation()
    workshop.write(conversation, "go")
    async with workshop.hosting(wanting()):
        await workshop.until(the_ask)
    assert workshop.rows("SELECT status FROM ask") == [(AskStatus.DISMISSED.value,)]
    assert workshop.rows("SELECT status FROM turn") == [(TurnStatus.LOST.value,)]


WRONG: dict[str, tuple[AskKind, dict[str, Any]]] = {
    "no decision": (AskKind.PERMISSION, {}),
    "an unknown decision": (AskKind.PERMISSION, {"decision": "maybe"}),
    "a decision of a wrong type": (AskKind.PERMISSION, {"decision": ["deny"]}),
    "a note of a wrong type": (AskKind.PERMISSION, {"decision": "deny", "note": 3}),
    "no such question": (AskKind.QUESTION, {"answers": {"shape": "round"}}),
    "an answer too few": (AskKind.QUESTION, {"answers": {}}),
    "an answer of a wrong type": (AskKind.QUESTION, {"answers": {"colour": 3}}),
    "answers of a wrong type": (AskKind.QUESTION, {"answers": ["red"]}),
}


@pytest.mark.requirement("R-S4")
@pytest.mark.parametrize("case", WRONG.values(), ids=WRONG.keys())
async def test_a_wrong_answer_is_refused_and_the_agent_waits_on(
    workshop: Workshop, case: tuple[AskKind, dict[str, Any]]
) -> None:
    kind, given = case
    workshop.write(workshop.conversation(), "go")
    detail = WRITING if kind is AskKind.PERMISSION else COLOURS
    async with workshop.hosting(wanting(detail, kind)):
        ask = await workshop.until(the_ask)
        with pytest.raises(InvalidParams):
            decide(workshop, ask, given)
        with workshop.db.connect() as c:
            assert asks.get(c, ask.id).status is AskStatus.OPEN


async def test_a_question_that_is_taken_back_while_it_is_written_does_not_stay_open(
    workshop: Workshop,
) -> None:
    write, scope, taken_back = workshop.db.write, anyio.CancelScope(), anyio.Event()

    async def cutting(command: Callable[[Connection], object]) -> object:
        if command.__qualname__.startswith("Asking.ask"):
            scope.cancel()
        return await write(command)

    async def run(job: Job, tell: Tell) -> TurnEnd:
        with scope:
            await job.ask(Question(kind=AskKind.PERMISSION, subject="call_1", detail=WRITING))
        taken_back.set()
        await anyio.sleep_forever()
        raise AssertionError

    workshop.db.write = cutting  # type: ignore[method-assign, assignment]
    workshop.write(workshop.conversation(), "go")
    async with workshop.hosting(ScriptedAgent(run)):
        with anyio.fail_after(WAIT_S):
            await taken_back.wait()
        await workshop.db.write(lambda c: None)
        assert workshop.rows("SELECT status FROM ask") == [(AskStatus.DISMISSED.value,)]
