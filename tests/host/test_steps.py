"""What an agent does on the way to its final text is kept, in order, with how it went."""

import anyio
import pytest

from ccweb.clock import moment
from ccweb.conversations import steps
from ccweb.conversations.model import Step, TurnEnd, TurnFacts
from ccweb.host.agent import Job, Started, Tell, TextDelta
from ccweb.relay import service as relay
from ccweb_contract.enums import StepKind, StepStatus, TurnFailure, TurnStatus
from tests.host.workshop import ScriptedAgent, Workshop, done

SAID = Step(key="m1", kind=StepKind.SAID, status=StepStatus.DONE, output="I look first.")
BEGUN = Step(
    key="t1", kind=StepKind.TOOL, status=StepStatus.RUNNING, name="Read", input='{"path": "a"}'
)
READ = Step(key="t1", kind=StepKind.TOOL, status=StepStatus.DONE, output="text")


def kept(workshop: Workshop, turn_id: str) -> list[Step]:
    """Return the steps of a turn."""
    with workshop.db.connect() as c:
        return [stored.step for stored in steps.of_turns(c, [turn_id])]


@pytest.mark.requirement("R-A6")
async def test_steps_keep_their_order_and_a_step_its_name_and_input(workshop: Workshop) -> None:
    async def run(job: Job, tell: Tell) -> TurnEnd:
        tell(Started())
        for event in (TextDelta(text="I look "), TextDelta(text="first."), SAID, BEGUN):
            tell(event)
        await workshop.until(lambda c: steps.of_turns(c, [job.turn.id]))
        tell(READ)
        tell(TextDelta(text="It is short."))
        return done("It is short.")

    turn_id = workshop.write(workshop.conversation(), "go")
    async with workshop.hosting(ScriptedAgent(run)):
        await workshop.until_ended(turn_id)
    assert kept(workshop, turn_id) == [
        SAID,
        Step(
            key="t1",
            kind=StepKind.TOOL,
            status=StepStatus.DONE,
            name="Read",
            input='{"path": "a"}',
            output="text",
        ),
    ]


async def test_what_was_told_just_before_the_end_is_kept(workshop: Workshop) -> None:
    async def run(job: Job, tell: Tell) -> TurnEnd:
        tell(BEGUN)
        tell(READ)
        return done()

    turn_id = workshop.write(workshop.conversation(), "go")
    async with workshop.hosting(ScriptedAgent(run)):
        await workshop.until_ended(turn_id)
    assert [step.status for step in kept(workshop, turn_id)] == [StepStatus.DONE]


async def test_a_turn_that_ends_well_leaves_no_step_running(workshop: Workshop) -> None:
    async def run(job: Job, tell: Tell) -> TurnEnd:
        tell(BEGUN)
        return done()

    turn_id = workshop.write(workshop.conversation(), "go")
    async with workshop.hosting(ScriptedAgent(run)):
        turn = await workshop.until_ended(turn_id)
    assert turn.status is TurnStatus.COMPLETED
    assert [step.status for step in kept(workshop, turn_id)] == [StepStatus.FAILED]


@pytest.mark.requirement("R-M11")
async def test_a_stopped_turn_keeps_its_last_text_and_no_step_stays_running(
    workshop: Workshop,
) -> None:
    async def run(job: Job, tell: Tell) -> TurnEnd:
        for event in (TextDelta(text="I look first."), SAID, BEGUN, TextDelta(text="It is")):
            tell(event)
        await anyio.sleep_forever()
        raise AssertionError

    conversation = workshop.conversation()
    turn_id = workshop.write(conversation, "go")
    async with workshop.hosting(ScriptedAgent(run)):
        await workshop.until(lambda c: steps.of_turns(c, [turn_id]))
        with workshop.db.begin() as c:
            relay.stop(c, moment(), workshop.s, conversation.id)
        turn = await workshop.until_ended(turn_id)
    assert turn.status is TurnStatus.INTERRUPTED
    assert workshop.texts(conversation)[-1] == "It is"
    assert kept(workshop, turn_id)[-1].status is StepStatus.FAILED


async def test_the_facts_of_a_turn_are_kept_with_its_failure(workshop: Workshop) -> None:
    facts = TurnFacts(
        model="m", cost_microusd=1_500, input_tokens=20, cached_tokens=8, output_tokens=3
    )
    reset = moment().now.replace(microsecond=0)

    async def run(job: Job, tell: Tell) -> TurnEnd:
        return TurnEnd(
            status=TurnStatus.FAILED,
            error="limit",
            failure=TurnFailure.RATE_LIMITED,
            retry_at=reset,
            facts=facts,
        )

    turn_id = workshop.write(workshop.conversation(), "go")
    async with workshop.hosting(ScriptedAgent(run)):
        turn = await workshop.until_ended(turn_id)
    assert (turn.failure, turn.retry_at, turn.facts) == (TurnFailure.RATE_LIMITED, reset, facts)
