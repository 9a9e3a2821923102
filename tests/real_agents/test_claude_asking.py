"""The real Claude Code asks people: permissions and questions, answered, refused, taken back."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import text

from ccweb.conversations.model import Conversation
from ccweb_contract.enums import (
    AgentKind,
    AskKind,
    AskStatus,
    PermissionAnswer,
    PermissionMode,
    StepKind,
    StepStatus,
    TurnStatus,
)
from tests.fakes.model import RunningModel
from tests.fakes.model_script import Call, Step, script
from tests.real_agents.harness import Workspace, a_workspace
from tests.real_agents.machine import a_machine

MAKE = Step(calls=[Call(tool="Bash", args={"command": "touch made", "description": "make"})])
QUESTIONS = {
    "questions": [
        {
            "question": "Which colour?",
            "header": "Colour",
            "options": [
                {"label": "Red", "description": "warm"},
                {"label": "Blue", "description": "cold"},
            ],
            "multiSelect": False,
        },
        {
            "question": "Which sizes?",
            "header": "Sizes",
            "options": [
                {"label": "S", "description": "small"},
                {"label": "L", "description": "large"},
            ],
            "multiSelect": True,
        },
    ]
}


def files(talk: Conversation) -> list[str]:
    """Return what stands in the folder of a conversation, hidden files included."""
    return sorted(path.name for path in Path(talk.cwd).iterdir())


def writes(talk: Conversation, name: str) -> Step:
    """Return a step that writes a file in the conversation's folder."""
    return Step(
        calls=[Call(tool="Write", args={"file_path": f"{talk.cwd}/{name}", "content": "x"})]
    )


def delegates(name: str) -> Call:
    """Return a call that lets a subagent make a file."""
    make = Call(tool="Bash", args={"command": f"touch {name}", "description": "make"})
    order = script(Step(calls=[make]), Step(text=f"{name} is made"))
    given = {"description": name, "prompt": order, "subagent_type": "general-purpose"}
    return Call(tool="Task", args=given)


async def last_result(workspace: Workspace) -> str:
    """Return what the model was last told by a tool."""
    asked = await workspace.model.asked("/v1/messages")
    return json.dumps(asked[-1]["body"]["messages"][-1], ensure_ascii=False)


@pytest.mark.requirement("R-A2", "R-S2")
async def test_what_is_allowed_once_is_done_and_asked_again(workspace: Workspace) -> None:
    talk = workspace.talk(AgentKind.CLAUDE)
    turn_id = workspace.say(talk, MAKE, MAKE, Step(text="made"))
    ask = await workspace.until_asked(talk)
    assert ask.kind is AskKind.PERMISSION
    assert ask.detail["tool"] == "Bash"
    assert ask.detail["title"] == "Bash: touch made"
    assert ask.detail["input"]["command"] == "touch made"
    assert files(talk) == []
    workspace.answer(ask, decision=PermissionAnswer.ALLOW_ONCE.value)
    again = await workspace.until_asked(talk)
    assert files(talk) == ["made"]
    workspace.answer(again, decision=PermissionAnswer.ALLOW_ONCE.value)
    turn = await workspace.until_ended(turn_id)
    assert turn.status is TurnStatus.COMPLETED


@pytest.mark.requirement("R-A2")
async def test_what_is_denied_is_not_done_and_the_model_reads_the_persons_note(
    workspace: Workspace,
) -> None:
    talk = workspace.talk(AgentKind.CLAUDE)
    turn_id = workspace.say(talk, MAKE, Step(text="I see."))
    ask = await workspace.until_asked(talk)
    workspace.answer(ask, decision=PermissionAnswer.DENY.value, note="不要，use the other one.")
    turn = await workspace.until_ended(turn_id)
    assert (turn.status, files(talk)) == (TurnStatus.COMPLETED, [])
    assert "不要，use the other one." in await last_result(workspace)
    [step] = [one.step for one in workspace.steps(turn_id) if one.step.kind is StepKind.TOOL]
    assert (step.status, step.output) == (StepStatus.FAILED, "不要，use the other one.")


@pytest.mark.requirement("R-A2")
@pytest.mark.parametrize("kind", ["command", "edit"])
async def test_what_is_allowed_in_a_conversation_is_asked_once_and_written_nowhere(
    workspace: Workspace, kind: str
) -> None:
    talk, other = workspace.talk(AgentKind.CLAUDE), workspace.talk(AgentKind.CLAUDE)
    steps = [MAKE, MAKE] if kind == "command" else [writes(talk, "a"), writes(talk, "b")]
    turn_id = workspace.say(talk, *steps, Step(text="done"))
    ask = await workspace.until_asked(talk)
    assert ask.detail["what"]
    workspace.answer(ask, decision=PermissionAnswer.ALLOW_IN_CONVERSATION.value)
    assert (await workspace.until_ended(turn_id)).status is TurnStatus.COMPLETED
    again = MAKE if kind == "command" else writes(talk, "c")
    assert (await workspace.run(talk, again, Step(text="x"))).status is TurnStatus.COMPLETED
    assert files(talk) == (["made"] if kind == "command" else ["a", "b", "c"])
    assert not (workspace.machine.home / ".claude" / "settings.local.json").exists()
    turn_id = workspace.say(other, MAKE, Step(text="done"))
    workspace.answer(await workspace.until_asked(other), decision=PermissionAnswer.DENY.value)
    await workspace.until_ended(turn_id)


@pytest.mark.requirement("R-A2")
async def test_allowing_edits_here_allows_none_elsewhere(workspace: Workspace) -> None:
    talk, other = workspace.talk(AgentKind.CLAUDE), workspace.talk(AgentKind.CLAUDE)
    turn_id = workspace.say(talk, writes(talk, "a"), writes(other, "b"), Step(text="done"))
    ask = await workspace.until_asked(talk)
    workspace.answer(ask, decision=PermissionAnswer.ALLOW_IN_CONVERSATION.value)
    elsewhere = await workspace.until_asked(talk)
    assert elsewhere.detail["what"] != ask.detail["what"]
    workspace.answer(elsewhere, decision=PermissionAnswer.DENY.value)
    await workspace.until_ended(turn_id)
    assert (files(talk), files(other)) == (["a"], [])


@pytest.mark.requirement("R-A2")
async def test_a_question_is_answered_by_a_person(workspace: Workspace) -> None:
    talk = workspace.talk(AgentKind.CLAUDE)
    turn_id = workspace.say(
        talk, Step(calls=[Call(tool="AskUserQuestion", args=QUESTIONS)]), Step(text="Thanks.")
    )
    ask = await workspace.until_asked(talk)
    colour, sizes = ask.detail["questions"]
    assert ask.kind is AskKind.QUESTION
    assert colour == {
        "key": "1",
        "text": "Which colour?",
        "multiple": False,
        "options": QUESTIONS["questions"][0]["options"],
    }
    assert (sizes["text"], sizes["multiple"]) == ("Which sizes?", True)
    workspace.answer(ask, answers={"1": "蓝色", "2": ["S", "L"]})
    assert (await workspace.until_ended(turn_id)).status is TurnStatus.COMPLETED
    told = json.loads(await last_result(workspace))["content"][0]["content"]
    assert '"Which colour?"="蓝色"' in told
    assert '"Which sizes?"="S, L"' in told


@pytest.mark.requirement("R-A2")
async def test_a_question_can_be_declined(workspace: Workspace) -> None:
    talk = workspace.talk(AgentKind.CLAUDE)
    turn_id = workspace.say(
        talk, Step(calls=[Call(tool="AskUserQuestion", args=QUESTIONS)]), Step(text="Well.")
    )
    workspace.answer(await workspace.until_asked(talk), note="Decide yourself.")
    assert (await workspace.until_ended(turn_id)).status is TurnStatus.COMPLETED
    assert "Decide yourself." in await last_result(workspace)


@pytest.mark.requirement("R-A2", "R-M11")
async def test_stopping_a_turn_takes_its_question_back(workspace: Workspace) -> None:
    talk = workspace.talk(AgentKind.CLAUDE)
    turn_id = workspace.say(talk, Step(text="Shall I?", calls=MAKE.calls), Step(text="done"))
    ask = await workspace.until_asked(talk)
    workspace.stop(talk)
    turn = await workspace.until_ended(turn_id)
    [(status,)] = workspace.rows("SELECT status FROM ask WHERE id = :id", id=ask.id)
    assert (turn.status, status) == (TurnStatus.INTERRUPTED, AskStatus.DISMISSED.value)
    assert files(talk) == []


@pytest.mark.requirement("R-A2")
async def test_two_permissions_at_once_are_answered_in_any_order(workspace: Workspace) -> None:
    talk = workspace.talk(AgentKind.CLAUDE)
    calls = [delegates(name) for name in ("one", "two")]
    turn_id = workspace.say(talk, Step(calls=calls), Step(text="both"))
    first = await workspace.until_asked(talk)
    assert first.detail["tool"] == "Bash"
    workspace.answer(first, decision=PermissionAnswer.ALLOW_ONCE.value)
    workspace.answer(await workspace.until_asked(talk), decision=PermissionAnswer.ALLOW_ONCE.value)
    turn = await workspace.until_ended(turn_id)
    assert (turn.status, files(talk)) == (TurnStatus.COMPLETED, ["one", "two"])
    assert workspace.texts(talk)[-1] == "both"


@pytest.mark.requirement("R-S2")
async def test_a_plan_changes_nothing_without_a_person(workspace: Workspace) -> None:
    talk = workspace.talk(AgentKind.CLAUDE, mode=PermissionMode.PLAN)
    turn_id = workspace.say(
        talk, Step(calls=[Call(tool="ExitPlanMode", args={"plan": "1. do it"})]), Step(text="ok")
    )
    ask = await workspace.until_asked(talk)
    assert (ask.detail["tool"], "what" in ask.detail) == ("ExitPlanMode", False)
    workspace.answer(ask, decision=PermissionAnswer.DENY.value, note="Not yet.")
    assert (await workspace.until_ended(turn_id)).status is TurnStatus.COMPLETED
    assert "Not yet." in await last_result(workspace)


@pytest.mark.requirement("R-S2")
async def test_edits_that_are_accepted_are_not_asked_and_commands_are(
    workspace: Workspace,
) -> None:
    talk = workspace.talk(AgentKind.CLAUDE, mode=PermissionMode.ACCEPT_EDITS)
    command = Step(calls=[Call(tool="Bash", args={"command": "python3 -c 1", "description": "d"})])
    turn_id = workspace.say(talk, writes(talk, "a"), command, Step(text="ok"))
    ask = await workspace.until_asked(talk)
    assert (ask.detail["tool"], files(talk)) == ("Bash", ["a"])
    workspace.answer(ask, decision=PermissionAnswer.DENY.value)
    await workspace.until_ended(turn_id)


@pytest.mark.requirement("R-S2")
async def test_another_mode_holds_from_the_next_turn_on(workspace: Workspace) -> None:
    talk = workspace.talk(AgentKind.CLAUDE, mode=PermissionMode.ACCEPT_EDITS)
    await workspace.run(talk, writes(talk, "a"), Step(text="done"))
    with workspace.db.begin() as c:
        c.execute(
            text("UPDATE conversation SET permission_mode = :mode WHERE id = :id"),
            {"mode": PermissionMode.ASK.value, "id": talk.id},
        )
    turn_id = workspace.say(talk, writes(talk, "b"), Step(text="done"))
    workspace.answer(await workspace.until_asked(talk), decision=PermissionAnswer.DENY.value)
    await workspace.until_ended(turn_id)
    assert files(talk) == ["a"]


@pytest.mark.requirement("R-S2")
async def test_who_chose_to_skip_permissions_is_asked_nothing(
    tmp_path: Path, model: RunningModel
) -> None:
    """The program refuses that to root, unless it is told that it runs in a sandbox."""
    machine = replace(a_machine(tmp_path / "home", model), more={"IS_SANDBOX": "1"})
    async with a_workspace(machine) as workspace:
        talk = workspace.talk(AgentKind.CLAUDE, mode=PermissionMode.SKIP_PERMISSIONS)
        turn = await workspace.run(talk, MAKE, Step(text="made"))
        assert (turn.status, files(talk)) == (TurnStatus.COMPLETED, ["made"])
        assert workspace.rows("SELECT id FROM ask") == []
