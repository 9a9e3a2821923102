"""The demo agent shows its steps and asks people, as the agents of the command line do."""

from collections.abc import Mapping
from typing import Any

import pytest

from ccweb.access import service as access
from ccweb.asks import service as asks
from ccweb.asks import store as ask_store
from ccweb.asks.model import Ask
from ccweb.clock import moment
from ccweb.conversations import steps
from ccweb.conversations.model import Step, Turn
from ccweb.host.demo import DemoAgent
from ccweb.relay import service as relay
from ccweb_contract import prompts
from ccweb_contract.enums import (
    AskKind,
    Lang,
    PermissionAnswer,
    StepKind,
    StepStatus,
    TurnStatus,
)
from tests.host.workshop import Workshop


async def answered(workshop: Workshop, prompt: str, given: Mapping[str, Any]) -> tuple[Turn, str]:
    """Return the ended turn and its text after a person has answered the one thing it asks."""
    conversation = workshop.conversation()
    turn_id = workshop.write(conversation, prompt)
    async with workshop.hosting(DemoAgent(workshop.s)):
        (ask,) = await workshop.until(lambda c: ask_store.open_asks(c, conversation.id))
        answer(workshop, ask, given)
        turn = await workshop.until_ended(turn_id)
    return turn, workshop.texts(conversation)[-1]


def answer(workshop: Workshop, ask: Ask, given: Mapping[str, Any]) -> None:
    with workshop.db.begin() as c:
        person = access.owner(c, moment())
        asks.answer(c, moment(), ask.id, given, person_id=person.id)


def told(workshop: Workshop, turn: Turn) -> list[Step]:
    with workshop.db.connect() as c:
        return [stored.step for stored in steps.of_turns(c, [turn.id])]


@pytest.mark.requirement("R-A3")
async def test_what_it_said_before_a_step_is_a_step_and_not_its_final_text(
    workshop: Workshop,
) -> None:
    conversation = workshop.conversation()
    turn_id = workshop.write(conversation, "/say Looking.\n/use Bash npm test\n/say All green.")
    async with workshop.hosting(DemoAgent(workshop.s)):
        turn = await workshop.until_ended(turn_id)
    output = prompts.demo_used(Lang.EN, tool="Bash")
    assert workshop.texts(conversation)[1:] == ["All green."]
    assert told(workshop, turn) == [
        Step(key="1", kind=StepKind.SAID, status=StepStatus.DONE, output="Looking."),
        Step(
            key="2",
            kind=StepKind.TOOL,
            status=StepStatus.DONE,
            name="Bash",
            input="npm test",
            output=output,
        ),
    ]


@pytest.mark.requirement("R-A3", "R-A2")
@pytest.mark.parametrize(
    "decision", [PermissionAnswer.ALLOW_ONCE, PermissionAnswer.ALLOW_IN_CONVERSATION]
)
async def test_it_goes_on_with_what_it_was_permitted(
    workshop: Workshop, decision: PermissionAnswer
) -> None:
    turn, said = await answered(
        workshop, "/ask-permission rm -r build", {"decision": decision.value}
    )
    assert said == prompts.demo_permitted(Lang.EN, request="rm -r build")
    assert [step.status for step in told(workshop, turn)] == [StepStatus.DONE]


@pytest.mark.requirement("R-A3", "R-A2")
async def test_it_says_what_it_was_told_when_it_is_denied(workshop: Workshop) -> None:
    given = {"decision": PermissionAnswer.DENY.value, "note": "ask ops first"}
    turn, said = await answered(workshop, "/ask-permission rm -r build", given)
    assert said == prompts.demo_denied(Lang.EN, request="rm -r build", note="ask ops first")
    assert [step.status for step in told(workshop, turn)] == [StepStatus.FAILED]


@pytest.mark.requirement("R-A3", "R-A2")
async def test_what_was_allowed_for_the_conversation_is_not_asked_again(
    workshop: Workshop,
) -> None:
    line = "/ask-permission rm -r build"
    conversation = workshop.conversation()
    given = {"decision": PermissionAnswer.ALLOW_IN_CONVERSATION.value}
    turn_id = workshop.write(conversation, f"{line}\n{line}")
    async with workshop.hosting(DemoAgent(workshop.s)):
        (ask,) = await workshop.until(lambda c: ask_store.open_asks(c, conversation.id))
        answer(workshop, ask, given)
        await workshop.until_ended(turn_id)
    assert workshop.rows("SELECT count(*) FROM ask") == [(1,)]


@pytest.mark.requirement("R-A3", "R-A2")
@pytest.mark.parametrize(
    ("given", "said"),
    [
        (
            {"answers": {"1": "left"}},
            prompts.demo_answered(Lang.EN, question="Which?", answer="left"),
        ),
        (
            {"answers": {"1": ["left", "right"]}},
            prompts.demo_answered(Lang.EN, question="Which?", answer="left, right"),
        ),
        ({"note": "no"}, prompts.demo_declined(Lang.EN, question="Which?")),
    ],
)
async def test_it_repeats_what_its_question_was_answered_with(
    workshop: Workshop, given: dict[str, Any], said: str
) -> None:
    turn, text = await answered(workshop, "/ask Which? | left | right", given)
    assert (turn.status, text) == (TurnStatus.COMPLETED, said)


@pytest.mark.requirement("R-A3", "R-M11")
async def test_a_stop_takes_its_question_back(workshop: Workshop) -> None:
    conversation = workshop.conversation()
    turn_id = workshop.write(conversation, "/ask Which?")
    async with workshop.hosting(DemoAgent(workshop.s)):
        await workshop.until(lambda c: ask_store.open_asks(c, conversation.id))
        with workshop.db.begin() as c:
            relay.stop(c, moment(), workshop.s, conversation.id)
        await workshop.until_ended(turn_id)
    assert workshop.rows("SELECT kind, status FROM ask") == [(AskKind.QUESTION.value, "dismissed")]
