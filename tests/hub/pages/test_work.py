"""What a turn did, took and why it failed, as its conversation shows it."""

import re
from datetime import timedelta

import pytest

from ccweb.conversations import messages, steps
from ccweb.conversations.model import EventKind, Step, Turn, TurnEnd, TurnFacts
from ccweb.hub import work
from ccweb.relay import service as relay
from ccweb_contract.enums import EXPLANATIONS, Lang, StepKind, StepStatus, TurnFailure, TurnStatus
from tests.hub.pages.conftest import Web
from tests.relay.world import World


def did(world: World, turn: Turn, *told: Step) -> None:
    """Let the agent of a turn tell steps."""
    with world.tx() as c:
        for step in told:
            steps.put(c, world.m, turn, step)


def a_step(key: str = "1", status: StepStatus = StepStatus.DONE, **values: str) -> Step:
    values = {"name": "Bash", "input": f"command {key}", "output": f"output {key}"} | values
    return Step(key=key, kind=StepKind.TOOL, status=status, **values)


def said(text: str, key: str = "s") -> Step:
    return Step(key=key, kind=StepKind.SAID, status=StepStatus.DONE, output=text)


def wrote(world: World, turn: Turn, text: str) -> None:
    with world.tx() as c:
        ids, data = [turn.conversation_id], {"text": text}
        messages.tell(c, world.m, EventKind.DELTA, ids, turn_id=turn.id, data=data)


def ended(world: World, turn: Turn, end: TurnEnd) -> None:
    with world.tx() as c:
        relay.turn_ended(c, world.m, world.settings, turn.lease, end)


def places(html: str) -> list[int]:
    return [int(place) for place in re.findall(r'id="step-(\d+)"', html)]


@pytest.mark.requirement("R-U1")
async def test_a_few_steps_stand_there_live_and_after_the_end_alike(world: World, web: Web) -> None:
    a = world.conversation("A")
    turn = world.started(a)
    did(world, turn, said("**First** I look."), a_step("2", StepStatus.RUNNING, output=""))
    running = await web.html(f"/parts/conversations/{a}")
    assert "<strong>First</strong> I look." in running
    assert 'data-status="running"' in running
    did(world, turn, a_step("2"))
    live = re.findall(r'<li class="step".*?</li>', await web.html(f"/conversations/{a}"), re.S)
    world.end(turn)
    after = re.findall(r'<li class="step".*?</li>', await web.html(f"/conversations/{a}"), re.S)
    assert live == after
    assert [place in live[1] for place in ("command 2", "Bash", 'data-status="done"')] == [True] * 3


@pytest.mark.requirement("R-U1")
async def test_of_many_steps_the_last_are_shown_while_the_turn_runs_and_then_a_fold(
    world: World, web: Web
) -> None:
    a = world.conversation("A")
    turn = world.started(a)
    did(world, turn, *(a_step(str(number)) for number in range(500)))
    html = await web.html(f"/parts/conversations/{a}")
    assert len(places(html)) == work.TAIL
    assert "494 earlier steps" in html
    assert len(html) < 20_000
    before = places(html)[0]
    earlier = places(await web.html(f"/parts/turns/{turn.id}/steps", before=before))
    assert [*earlier, *places(html)] == sorted({*earlier, *places(html)})
    assert len(earlier) == 494
    assert places(await web.html(f"/parts/turns/{turn.id}/steps", start=before)) == places(html)
    world.end(turn)
    after = await web.html(f"/parts/conversations/{a}")
    assert places(after) == []
    assert "500 steps" in after


@pytest.mark.requirement("R-U1")
async def test_a_step_is_opened_with_its_input_and_output_which_can_be_read_whole(
    world: World, web: Web
) -> None:
    a = world.conversation("A")
    turn = world.started(a)
    output = "\x1b[32mgreen\x1b[0m\n" + "x" * 100_000
    did(world, turn, a_step(input='{"command": "npm test"}', output=output))
    [place] = places(await web.html(f"/conversations/{a}"))
    shown = await web.html(f"/parts/turns/{turn.id}/steps/{place}")
    assert "npm" in shown
    assert "green" in shown
    assert "\x1b" not in shown
    assert "U+001B" not in shown
    assert len(shown) < 60_000
    assert await web.html(f"/turns/{turn.id}/steps/{place}/output") == output
    own = f"turns/{turn.id}/steps"
    beyond = 10**30
    for path in (
        f"/parts/{own}/{place + 1}",
        f"/parts/turns/no/steps/{place}",
        f"/parts/{own}/{beyond}",
        f"/{own}/{beyond}/input",
    ):
        assert (await web.http.get(path)).status_code == 409


@pytest.mark.requirement("R-U1")
async def test_thoughts_are_one_line_that_opens(world: World, web: Web) -> None:
    a = world.conversation("A")
    turn = world.started(a)
    thought = Step(key="t", kind=StepKind.THINKING, status=StepStatus.DONE, output="Hmm.\n\n*So.*")
    did(world, turn, thought)
    html = await web.html(f"/conversations/{a}")
    assert "Thought" in html
    assert "Hmm. So." in html
    [place] = places(html)
    assert "<em>So.</em>" in await web.html(f"/parts/turns/{turn.id}/steps/{place}")


@pytest.mark.requirement("R-A1")
@pytest.mark.requirement("R-U1")
async def test_text_that_became_a_step_is_not_shown_again_as_text(world: World, web: Web) -> None:
    a = world.conversation("A")
    turn = world.started(a)
    wrote(world, turn, "I look.")
    did(world, turn, said("I look."))
    wrote(world, turn, "It is ")
    wrote(world, turn, "green.")
    html = await web.html(f"/conversations/{a}")
    assert html.count("I look.") == 1
    assert '<pre class="tail">It is green.</pre>' in html


@pytest.mark.requirement("R-U1")
async def test_of_a_huge_text_that_is_being_written_the_end_is_shown(
    world: World, web: Web
) -> None:
    a = world.conversation("A")
    turn = world.started(a)
    for number in range(40):
        wrote(world, turn, f"{number} " + "x" * 10_000)
    html = await web.html(f"/conversations/{a}")
    assert len(html) < 80_000
    assert "Only the end is shown" in html
    assert "39 x" in html


@pytest.mark.requirement("R-U1")
async def test_what_a_turn_took_stands_under_it_and_its_price_in_the_head(
    world: World, web: Web
) -> None:
    a = world.conversation("A")
    facts = TurnFacts(
        model="opus", cost_microusd=12_300, input_tokens=123_456, cached_tokens=999, output_tokens=7
    )
    for _ in range(2):
        end = TurnEnd(
            status=TurnStatus.COMPLETED, text="done", facts=facts, stop_reason="max_turns"
        )
        ended(world, world.started(a), end)
    html = await web.html(f"/conversations/{a}")
    for part in ("opus", "123.5k tokens read, 7 written", "999 of them", "$0.0123", "max_turns"):
        assert html.count(part) == 2, part
    assert ">$0.0246</span>" in html


@pytest.mark.requirement("R-U1")
async def test_a_turn_that_told_nothing_of_what_it_took_says_nothing(
    world: World, web: Web
) -> None:
    a = world.conversation("A")
    world.end(world.started(a))
    html = await web.html(f"/parts/conversations/{a}")
    assert "tokens" not in html
    assert "$" not in html


@pytest.mark.requirement("R-A5")
@pytest.mark.parametrize("failure", TurnFailure)
async def test_each_failure_says_what_it_means_and_keeps_the_details(
    world: World, web: Web, failure: TurnFailure
) -> None:
    a = world.conversation("A")
    turn = world.started(a, "do <it>")
    retry_at = world.now + timedelta(hours=2) if failure is TurnFailure.RATE_LIMITED else None
    ended(
        world,
        turn,
        TurnEnd(status=TurnStatus.FAILED, error="HTTP 4xx", failure=failure, retry_at=retry_at),
    )
    html = await web.html(f"/conversations/{a}")
    trouble = html[html.index('<div class="trouble"') :]
    assert "HTTP 4xx" in trouble
    if failure is not TurnFailure.OTHER:
        meaning = EXPLANATIONS[TurnFailure][failure.value][Lang.EN].split("`")[0]
        assert meaning.replace("'", "&#39;") in trouble or meaning in trouble
    assert ("The limit is reset at" in trouble) is (retry_at is not None)
    again = 'data-write="do &lt;it&gt;"' in trouble
    assert again is (failure is not TurnFailure.CONTEXT_FULL)
