"""The real Claude Code runs turns: text, tools, sessions, facts."""

import json

import pytest
from sqlalchemy import text

from ccweb_contract.enums import AgentKind, StepKind, StepStatus, TurnStatus
from tests.fakes.model_script import Call, Step
from tests.real_agents.harness import Workspace


@pytest.mark.requirement("R-A2", "R-A6")
async def test_a_turn_ends_with_the_models_text(workspace: Workspace) -> None:
    talk = workspace.talk(AgentKind.CLAUDE)
    turn = await workspace.run(talk, Step(text="你好，世界 🎉, done"), before="Please")
    assert (turn.status, turn.failure, turn.error) == (TurnStatus.COMPLETED, None, None)
    assert workspace.texts(talk)[-1] == "你好，世界 🎉, done"


@pytest.mark.requirement("R-A2")
async def test_facts_are_those_of_the_turn_and_not_of_the_whole_session(
    workspace: Workspace,
) -> None:
    talk = workspace.talk(AgentKind.CLAUDE)
    usage = {"input_tokens": 1000, "cache_read_input_tokens": 500, "output_tokens": 200}
    turns = [await workspace.run(talk, Step(text="ok", usage=usage)) for _ in range(2)]
    facts = turns[1].facts
    assert turns[0].facts == facts
    assert (facts.input_tokens, facts.cached_tokens, facts.output_tokens) == (1500, 500, 200)
    assert facts.model is not None
    assert facts.model.startswith("claude-")
    assert facts.cost_microusd
    assert turns[1].stop_reason == "end_turn"


@pytest.mark.requirement("R-A2")
async def test_the_next_turn_goes_on_in_the_same_session(workspace: Workspace) -> None:
    talk = workspace.talk(AgentKind.CLAUDE)
    await workspace.run(talk, Step(text="first answer"), before="first question")
    session = workspace.conversation_now(talk).agent_session
    since = len(await workspace.model.asked())
    await workspace.run(talk, Step(text="second answer"), before="second question")
    [asked] = await workspace.model.asked("/v1/messages", since=since)
    assert session
    assert workspace.conversation_now(talk).agent_session == session
    assert "first question" in json.dumps(asked["body"])
    assert "first answer" in json.dumps(asked["body"])


@pytest.mark.requirement("R-A2")
async def test_what_it_does_before_its_last_text_are_steps(workspace: Workspace) -> None:
    talk = workspace.talk(AgentKind.CLAUDE)
    look = Call(tool="Bash", args={"command": "cat missing.txt", "description": "look"})
    turn = await workspace.run(
        talk, Step(think="I should look.", text="Let me look.", calls=[look]), Step(text="Seen.")
    )
    stored = [step.step for step in workspace.steps(turn.id)]
    assert [(step.kind, step.status) for step in stored] == [
        (StepKind.THINKING, StepStatus.DONE),
        (StepKind.SAID, StepStatus.DONE),
        (StepKind.TOOL, StepStatus.FAILED),
    ]
    assert stored[1].output == "Let me look."
    assert (stored[2].name, json.loads(stored[2].input)) == ("Bash", look.args)
    assert "missing.txt" in stored[2].output
    assert workspace.texts(talk)[-1] == "Seen."


@pytest.mark.requirement("R-A2")
async def test_a_full_conversation_is_compacted_and_goes_on(workspace: Workspace) -> None:
    talk = workspace.talk(AgentKind.CLAUDE)
    await workspace.run(talk, Step(text="first answer"), before="first question")
    turn = await workspace.until_ended(workspace.write(talk, "/compact"))
    [step] = [one.step for one in workspace.steps(turn.id)]
    assert (turn.status, workspace.texts(talk)[-1]) == (TurnStatus.COMPLETED, "Compacted")
    assert (step.name, step.status) == ("compact", StepStatus.DONE)
    assert (await workspace.run(talk, Step(text="on"))).status is TurnStatus.COMPLETED


@pytest.mark.requirement("R-A2")
async def test_another_model_and_effort_hold_from_the_next_turn_on(workspace: Workspace) -> None:
    talk = workspace.talk(AgentKind.CLAUDE)
    since = len(await workspace.model.asked())
    await workspace.run(talk, Step(text="first"))
    with workspace.db.begin() as c:
        c.execute(
            text("UPDATE conversation SET model = 'haiku', effort = 'low' WHERE id = :id"),
            {"id": talk.id},
        )
    turn = await workspace.run(talk, Step(text="second"))
    first, second = await workspace.model.asked("/v1/messages", since=since)
    assert "haiku" not in first["body"]["model"]
    assert "haiku" in second["body"]["model"]
    assert turn.facts.model == second["body"]["model"]
