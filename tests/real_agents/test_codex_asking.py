"""What the real `codex app-server` asks people, and what becomes of their answers."""

import json
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from ccweb_contract.enums import (
    AgentKind,
    AskKind,
    PermissionAnswer,
    PermissionMode,
    StepKind,
    StepStatus,
    TurnStatus,
)
from tests.fakes.model import RunningModel
from tests.fakes.model_script import Call, Step
from tests.real_agents.codex_homes import shell
from tests.real_agents.harness import Workspace, a_workspace
from tests.real_agents.machine import a_machine

APP = AgentKind.CODEX_APP
ALLOW, DENY = PermissionAnswer.ALLOW_ONCE.value, PermissionAnswer.DENY.value
ALWAYS = PermissionAnswer.ALLOW_IN_CONVERSATION.value
SERVER = Path(__file__).with_name("person_server.py")
PATCH = """*** Begin Patch
*** Add File: new.txt
+hello
*** End Patch"""
PATCHING = "gpt-5.5"
"""A model that Codex gives its tool for patches."""


@pytest.mark.requirement("R-A2", "R-U3")
@pytest.mark.parametrize("decision", [ALLOW, DENY])
async def test_a_command_is_run_if_a_person_allows_it(workspace: Workspace, decision: str) -> None:
    talk = workspace.talk(APP)
    turn_id = workspace.say(talk, shell("echo hi > made.txt; cat made.txt"), Step(text="So."))
    ask = await workspace.until_asked(talk)
    workspace.answer(ask, decision=decision)
    turn = await workspace.until_ended(turn_id)
    [step] = [one.step for one in workspace.steps(turn_id)]
    assert ask.kind is AskKind.PERMISSION
    assert ask.detail["title"] == "echo hi > made.txt; cat made.txt"
    assert turn.status is TurnStatus.COMPLETED
    assert step.output == ("hi" if decision == ALLOW else "(declined)")
    assert Path(talk.cwd, "made.txt").exists() is (decision == ALLOW)


@pytest.mark.requirement("R-A2")
async def test_what_is_allowed_for_the_conversation_is_not_asked_again(
    workspace: Workspace,
) -> None:
    talk = workspace.talk(APP)
    run = shell("echo hi > made.txt")
    turn_id = workspace.say(talk, run, Step(text="Once."))
    workspace.answer(await workspace.until_asked(talk), decision=ALWAYS)
    await workspace.until_ended(turn_id)
    turn = await workspace.run(talk, run, Step(text="Twice."))
    assert turn.status is TurnStatus.COMPLETED
    assert [one.step.status for one in workspace.steps(turn.id)] == [StepStatus.DONE]


@pytest.mark.requirement("R-A2", "R-U3")
async def test_an_edit_is_shown_and_what_a_person_says_to_it_is_heard(
    workspace: Workspace,
) -> None:
    talk = workspace.talk(APP, model=PATCHING)
    edit = Step(text="I edit.", calls=[Call(tool="apply_patch", args=PATCH)])
    turn_id = workspace.say(talk, edit, Step(text="Then not."))
    ask = await workspace.until_asked(talk)
    since = len(await workspace.model.asked())
    workspace.answer(ask, decision=DENY, note="Not in this folder.")
    await workspace.until_ended(turn_id)
    asked = await workspace.model.asked("/v1/responses", since=since)
    steps = [one.step for one in workspace.steps(turn_id)]
    assert "+hello" in json.loads(ask.detail["input"])["diff"]
    assert [step.kind for step in steps] == [StepKind.SAID, StepKind.TOOL]
    assert steps[1].status is StepStatus.FAILED
    assert "Not in this folder." in json.dumps(asked[-1]["body"])
    assert not Path(talk.cwd, "new.txt").exists()


@pytest.mark.requirement("R-A2", "R-S2")
@pytest.mark.parametrize(
    ("mode", "writes"),
    [
        (PermissionMode.PLAN, False),
        (PermissionMode.ACCEPT_EDITS, True),
        (PermissionMode.SKIP_PERMISSIONS, True),
    ],
)
async def test_the_other_modes_do_or_refuse_an_edit_without_asking(
    workspace: Workspace, mode: PermissionMode, writes: bool
) -> None:
    talk = workspace.talk(APP, model=PATCHING, mode=mode)
    edit = Step(calls=[Call(tool="apply_patch", args=PATCH)])
    turn = await workspace.run(talk, edit, Step(text="So it is."))
    assert turn.status is TurnStatus.COMPLETED
    assert Path(talk.cwd, "new.txt").exists() is writes


@pytest.fixture
async def with_own_server(tmp_path: Path, model: RunningModel) -> AsyncIterator[Workspace]:
    """Run a workspace whose person has an MCP server of their own."""
    machine = a_machine(tmp_path / "home", model)
    with (machine.home / ".codex" / "config.toml").open("a") as config:
        entry = f"command = {json.dumps(sys.executable)}\nargs = [{json.dumps(str(SERVER))}]\n"
        config.write(f"\n[mcp_servers.person]\nrequired = true\n{entry}")
    async with a_workspace(machine) as workspace:
        yield workspace


@pytest.mark.requirement("R-A2", "R-U3")
async def test_a_tool_of_the_persons_own_server_is_asked_for_and_may_ask_in_turn(
    with_own_server: Workspace,
) -> None:
    workspace = with_own_server
    talk = workspace.talk(APP)
    order = Step(calls=[Call(tool="order", args={"from": "the bar"})])
    turn_id = workspace.say(talk, order, Step(text="Ordered."))
    permission = await workspace.until_asked(talk)
    workspace.answer(permission, decision=ALLOW)
    question = await workspace.until_asked(talk)
    workspace.answer(question, answers={"what": "tea", "count": "2", "hot": "Yes"})
    await workspace.until_ended(turn_id)
    [step] = [one.step for one in workspace.steps(turn_id)]
    assert permission.detail["tool"] == "mcp__person__order"
    assert json.loads(permission.detail["input"]) == {"from": "the bar"}
    assert question.kind is AskKind.QUESTION
    assert [one["key"] for one in question.detail["questions"]] == ["what", "count", "hot"]
    assert json.loads(step.output) == {
        "action": "accept",
        "content": {"what": "tea", "count": 2, "hot": True},
    }


@pytest.mark.requirement("R-A2")
async def test_a_question_of_a_server_can_be_declined(with_own_server: Workspace) -> None:
    workspace = with_own_server
    talk = workspace.talk(APP)
    turn_id = workspace.say(talk, Step(calls=[Call(tool="order")]), Step(text="Not ordered."))
    workspace.answer(await workspace.until_asked(talk), decision=ALLOW)
    workspace.answer(await workspace.until_asked(talk), note="I am not thirsty.")
    turn = await workspace.until_ended(turn_id)
    [step] = [one.step for one in workspace.steps(turn_id)]
    assert json.loads(step.output)["action"] == "decline"
    assert turn.status is TurnStatus.COMPLETED


@pytest.mark.requirement("R-A2", "R-M11")
async def test_an_interrupt_takes_back_a_question_and_its_late_answer_harms_nothing(
    workspace: Workspace,
) -> None:
    talk = workspace.talk(APP)
    turn_id = workspace.say(talk, shell("echo hi > made.txt"), Step(text="Never."))
    await workspace.until_asked(talk)
    workspace.stop(talk)
    turn = await workspace.until_ended(turn_id)
    after = await workspace.run(talk, Step(text="Going on."))
    assert turn.status is TurnStatus.INTERRUPTED
    assert turn.facts.model == "test-model"
    assert workspace.rows("SELECT status FROM ask WHERE conversation_id = :id", id=talk.id) == [
        ("dismissed",)
    ]
    assert after.status is TurnStatus.COMPLETED
    assert not Path(talk.cwd, "made.txt").exists()
