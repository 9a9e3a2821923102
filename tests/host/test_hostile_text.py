"""What an agent writes may hold anything: it is kept as far as a text can hold it."""

import anyio
import pytest

from ccweb.asks import store as asks
from ccweb.clock import moment
from ccweb.conversations import steps
from ccweb.conversations.model import Step, TurnEnd, TurnFacts
from ccweb.host.agent import Job, Question, SessionId, Tell, TextDelta
from ccweb.relay import service as relay
from ccweb_contract.enums import AskKind, StepKind, StepStatus, TurnStatus
from tests.host.workshop import ScriptedAgent, Workshop, done

HALF, OTHER_HALF = "\ud83d", "\ude00"
"""Programs that count in UTF-16 cut a text between them."""


@pytest.mark.requirement("R-A6")
async def test_half_a_character_in_a_step_keeps_no_turn_from_its_end(workshop: Workshop) -> None:
    cut = Step(
        key=f"t{HALF}",
        kind=StepKind.TOOL,
        status=StepStatus.DONE,
        name=f"Read{HALF}",
        input=f'"{HALF}"',
        output=f"cut here: {HALF}",
    )

    async def run(job: Job, tell: Tell) -> TurnEnd:
        tell(SessionId(session_id=f"s{HALF}"))
        tell(cut)
        await workshop.until(lambda c: steps.of_turns(c, [job.turn.id]))
        return TurnEnd(
            status=TurnStatus.FAILED,
            text=f"a\x00b{HALF}",
            error=f"no{HALF}",
            stop_reason=f"why{HALF}",
            facts=TurnFacts(model=f"m{HALF}"),
        )

    conversation = workshop.conversation()
    turn_id = workshop.write(conversation, "go")
    async with workshop.hosting(ScriptedAgent(run)):
        turn = await workshop.until_ended(turn_id)
    with workshop.db.connect() as c:
        step = steps.of_turns(c, [turn_id])[0].step
    assert (step.name, step.output) == ("Read\ufffd", "cut here: \ufffd")
    assert (turn.error, turn.stop_reason, turn.facts.model) == ("no\ufffd", "why\ufffd", "m\ufffd")
    assert workshop.texts(conversation)[-1] == "a\ufffdb\ufffd"


@pytest.mark.requirement("R-A6", "R-M11")
async def test_a_character_that_comes_in_two_halves_is_whole_in_what_is_kept(
    workshop: Workshop,
) -> None:
    async def run(job: Job, tell: Tell) -> TurnEnd:
        tell(TextDelta(text=f"I smile {HALF}"))
        tell(TextDelta(text=f"{OTHER_HALF}."))
        await anyio.sleep_forever()
        raise AssertionError

    conversation = workshop.conversation()
    turn_id = workshop.write(conversation, "go")
    async with workshop.hosting(ScriptedAgent(run)):
        await workshop.until_running(turn_id)
        with workshop.db.begin() as c:
            relay.stop(c, moment(), workshop.s, conversation.id)
        await workshop.until_ended(turn_id)
    assert workshop.texts(conversation)[-1] == "I smile 😀."
    told = workshop.rows(
        "SELECT data FROM event WHERE turn_id = :id AND kind = 'delta'", id=turn_id
    )
    assert told == [('{"text": "I smile 😀."}',)]


async def test_a_question_with_half_a_character_is_asked(workshop: Workshop) -> None:
    detail = {"tool": "Bash", "title": f"echo {HALF}", "input": {f"k{HALF}": [f"v{HALF}", 1]}}

    async def run(job: Job, tell: Tell) -> TurnEnd:
        question = Question(kind=AskKind.PERMISSION, subject=f"c{HALF}", detail=detail)
        await job.ask(question)
        return done()

    workshop.write(workshop.conversation(), "go")
    async with workshop.hosting(ScriptedAgent(run)):
        (ask,) = await workshop.until(asks.open_asks)
    assert ask.detail == {
        "tool": "Bash",
        "title": "echo \ufffd",
        "input": {"k\ufffd": ["v\ufffd", 1]},
    }


@pytest.mark.requirement("R-A6", "R-M4")
async def test_an_agent_that_breaks_down_keeps_what_it_had_said(workshop: Workshop) -> None:
    async def break_down(job: Job, tell: Tell) -> TurnEnd:
        tell(TextDelta(text="half a sentence"))
        async with anyio.create_task_group():
            raise RuntimeError("the model is out")
        raise AssertionError

    conversation = workshop.conversation()
    turn_id = workshop.write(conversation, "go")
    async with workshop.hosting(ScriptedAgent(break_down)):
        turn = await workshop.until_ended(turn_id)
    assert (turn.status, turn.error) == (TurnStatus.FAILED, "the model is out")
    assert workshop.texts(conversation)[-1] == "half a sentence"
