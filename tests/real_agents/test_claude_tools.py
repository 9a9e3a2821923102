"""The real Claude Code uses the hub's tools: listed as published, allowed, and answered."""

import json
from pathlib import Path

import pytest

from ccweb_contract.aliases import ALIASES
from ccweb_contract.enums import (
    AgentKind,
    PermissionMode,
    ReplyMode,
    StepKind,
    StepStatus,
    TurnStatus,
)
from ccweb_contract.tools import ToolName
from tests.contract.surfaces import mcp_tools
from tests.fakes.model_script import Call, Step, script
from tests.real_agents.harness import Workspace


def sends(target: str, mode: ReplyMode, content: str) -> Call:
    """Return a call that sends a message."""
    given = {"targetConversationId": target, "content": content, "replyMode": mode.value}
    return Call(tool=ToolName.CCWEB_SEND_MESSAGE.value, args=given)


@pytest.mark.requirement("AC1", "AC4", "R-D3")
async def test_its_model_reads_each_tool_as_published_and_no_old_name(
    workspace: Workspace,
) -> None:
    since = len(await workspace.model.asked())
    await workspace.run(workspace.talk(AgentKind.CLAUDE), Step(text="ok"))
    [asked] = await workspace.model.asked("/v1/messages", since=since)
    shown = {tool["name"]: tool for tool in asked["body"]["tools"]}
    ours = {
        name.removeprefix("mcp__ccweb__"): tool for name, tool in shown.items() if "ccweb" in name
    }
    assert ours.keys() == mcp_tools().keys()
    for name, tool in mcp_tools().items():
        assert ours[name]["description"] == tool["description"]
        assert ours[name]["input_schema"] == tool["inputSchema"]
    assert [name for name in ALIASES if name in json.dumps(asked["body"])] == []
    assert {"ScheduleWakeup", "Monitor", "CronCreate"}.isdisjoint(shown)


@pytest.mark.requirement("AC3", "R-S2")
@pytest.mark.parametrize("mode", [PermissionMode.PLAN, PermissionMode.ASK])
async def test_a_message_one_way_asks_nobody_and_comes_not_back(
    workspace: Workspace, mode: PermissionMode
) -> None:
    source, target = workspace.talk(AgentKind.CLAUDE, mode=mode), workspace.talk(AgentKind.CLAUDE)
    call = sends(target.id, ReplyMode.ONE_WAY, script(Step(text="taken")))
    turn = await workspace.run(source, Step(calls=[call]), Step(text="sent"))
    await workspace.until_settled(source, target)
    [step] = [one.step for one in workspace.steps(turn.id) if one.step.kind is StepKind.TOOL]
    assert (turn.status, step.status) == (TurnStatus.COMPLETED, StepStatus.DONE)
    assert step.name == "mcp__ccweb__ccweb_send_message"
    assert workspace.rows("SELECT id FROM ask WHERE conversation_id = :id", id=source.id) == []
    assert workspace.texts(source)[-1] == "sent"
    assert workspace.texts(target)[-1] == "taken"


@pytest.mark.requirement("AC3", "AC5")
async def test_a_request_comes_back_and_the_source_goes_on(workspace: Workspace) -> None:
    source, target = workspace.talk(AgentKind.CLAUDE), workspace.talk(AgentKind.CLAUDE)
    call = sends(target.id, ReplyMode.RETURN_AND_CONTINUE, script(Step(text="the answer, 答案")))
    turn = await workspace.run(source, Step(calls=[call]), Step(text="asked"), Step(text="judged"))
    await workspace.until_settled(source, target)
    assert turn.status is TurnStatus.COMPLETED
    assert workspace.texts(source)[1:] == ["asked", "the answer, 答案", "judged"]
    [(kind, status)] = workspace.rows(
        "SELECT kind, status FROM turn WHERE conversation_id = :id AND id <> :turn",
        id=source.id,
        turn=turn.id,
    )
    assert (kind, status) == ("continuation", "completed")


@pytest.mark.requirement("R-M4")
async def test_a_failed_turn_answers_its_request_by_itself(workspace: Workspace) -> None:
    source, target = workspace.talk(AgentKind.CLAUDE), workspace.talk(AgentKind.CLAUDE)
    failing = script(Step(error=400, type="invalid_request_error", message="no such thing"))
    call = sends(target.id, ReplyMode.RETURN_AND_CONTINUE, failing)
    await workspace.run(source, Step(calls=[call]), Step(text="asked"), Step(text="judged"))
    await workspace.until_settled(source, target)
    [(outcome, error)] = workspace.rows(
        "SELECT outcome, last_error FROM pending_reply WHERE source_conversation_id = :id",
        id=source.id,
    )
    assert outcome == "failed"
    assert "no such thing" in str(error)
    assert workspace.texts(source)[-1] == "judged"


@pytest.mark.requirement("R-D5")
async def test_a_refused_call_is_read_by_the_model(workspace: Workspace) -> None:
    source = workspace.talk(AgentKind.CLAUDE)
    call = sends("conv_none", ReplyMode.ONE_WAY, "hello")
    turn = await workspace.run(source, Step(calls=[call]), Step(text="I see"))
    [step] = [one.step for one in workspace.steps(turn.id) if one.step.kind is StepKind.TOOL]
    assert step.status is StepStatus.FAILED
    assert json.loads(step.output)["error_code"] == "target_not_found"


@pytest.mark.requirement("R-A2")
async def test_nothing_is_written_into_the_folder(workspace: Workspace) -> None:
    talk = workspace.talk(AgentKind.CLAUDE)
    await workspace.run(talk, Step(text="ok"))
    assert list(Path(talk.cwd).iterdir()) == []
