"""The real `codex app-server` runs turns: text, dynamic tools, approvals, stops and failures."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil
import pytest

from ccweb.access.rules import AGENT_PREFIX
from ccweb.host.codex import home as codex_home
from ccweb_contract.aliases import ALIASES
from ccweb_contract.enums import (
    AgentKind,
    Door,
    ReplyMode,
    StepStatus,
    TurnFailure,
    TurnStatus,
)
from ccweb_contract.tools import TOOLS, ToolGroup, ToolName
from ccweb_contract.version import CONTRACT_HASH
from tests.fakes.model import RunningModel
from tests.fakes.model_script import Call, Step
from tests.processes import commands, living
from tests.real_agents.codex_homes import FAILURES, RESET_AT, USED_UP, an_old_thread, contents, pids
from tests.real_agents.delegations import ONE_WAY, Reply, replies, said, send
from tests.real_agents.harness import Workspace, a_workspace
from tests.real_agents.machine import a_machine

APP = AgentKind.CODEX_APP
[ALIAS] = ALIASES
OLD_TOOL = {
    "name": ALIAS,
    "description": "Ask another conversation and wait for its reply.",
    "inputSchema": {
        "type": "object",
        "properties": {
            "targetConversationId": {"type": "string"},
            "content": {"type": "string"},
        },
        "required": ["targetConversationId", "content"],
    },
}
OLD_LISTS: dict[str, list[Any]] = {
    "flat": [OLD_TOOL],
    "namespace": [
        {
            "type": "namespace",
            "name": "ccweb",
            "description": "Tools of ccweb.",
            "tools": [{"type": "function", **OLD_TOOL}],
        }
    ],
}
CODING = "gpt-6.2-sol"
"""The default model: it is shown no tool but one that runs its code."""


@pytest.mark.requirement("R-A2", "R-A6", "R-D7")
async def test_turns_run_in_one_warm_process_and_one_thread(workspace: Workspace) -> None:
    talk = workspace.talk(APP)
    usage = {"input_tokens": 1000, "cached_tokens": 500, "output_tokens": 200}
    first = await workspace.run(
        talk, Step(text="你好，世界 🎉", usage=usage), before="question one"
    )
    before = pids(workspace, talk.id)
    since = len(await workspace.model.asked())
    second = await workspace.run(talk, Step(text="again", usage=usage))
    [asked] = await workspace.model.asked("/v1/responses", since=since)
    assert [first.status, second.status] == [TurnStatus.COMPLETED] * 2
    assert workspace.texts(talk)[1::2] == ["你好，世界 🎉", "again"]
    assert "question one" in json.dumps(asked["body"])
    assert pids(workspace, talk.id) == before
    assert len(before) == 1
    facts = second.facts
    assert facts == first.facts
    assert (facts.input_tokens, facts.cached_tokens, facts.output_tokens) == (1000, 500, 200)
    assert facts.model == "test-model"
    loaded = workspace.rows(
        "SELECT door, contract_hash FROM loaded_contract WHERE holder_id = :id", id=talk.id
    )
    assert sorted(loaded) == [(door.value, CONTRACT_HASH) for door in (Door.DYNAMIC, Door.MCP)]


@pytest.mark.requirement("AC8", "R-A2")
async def test_its_dynamic_tools_are_those_of_one_group_and_mcp_shows_it_the_others(
    workspace: Workspace,
) -> None:
    talk = workspace.talk(APP)
    since = len(await workspace.model.asked())
    await workspace.run(talk, Step(text="ok"))
    [asked] = await workspace.model.asked("/v1/responses", since=since)
    [(thread,)] = workspace.rows(
        "SELECT agent_session FROM conversation WHERE id = :id", id=talk.id
    )
    [kept] = workspace.machine.data_dir.rglob(f"rollout-*{thread}*")
    groups = {name.value: tool.group is ToolGroup.COMMUNICATION for name, tool in TOOLS.items()}
    shown = json.dumps(asked["body"]["tools"])
    assert codex_home.stored_tools(kept) == {name for name, dynamic in groups.items() if dynamic}
    assert {name: shown.count(f'"{name}"') for name in groups} == dict.fromkeys(groups, 1)


@pytest.mark.requirement("R-A2", "AC2", "AC3")
async def test_its_tools_are_there_once_and_work_without_a_hub(
    tmp_path: Path, model: RunningModel
) -> None:
    async with a_workspace(a_machine(tmp_path / "home", model)) as workspace:
        talk, other = workspace.talk(APP), workspace.talk(AgentKind.DEMO)
        await workspace.servers.end("hub")
        since = len(await model.asked())
        order = send(other, Step(text="-"), mode=ONE_WAY)
        turn = await workspace.run(talk, order, Step(text="told"))
        asked = await model.asked("/v1/responses", since=since)
        await workspace.until_settled(talk, other)
    [step] = [one.step for one in workspace.steps(turn.id)]
    assert (step.name, step.status) == (ToolName.CCWEB_SEND_MESSAGE.value, StepStatus.DONE)
    assert json.dumps(asked[0]["body"]["tools"]).count(f'"{ToolName.CCWEB_SEND_MESSAGE}"') == 1
    assert len(workspace.texts(other)) == 2


@pytest.mark.requirement("AC4", "R-A2", "R-D3", "R-D4", "FC-44")
@pytest.mark.parametrize("form", OLD_LISTS)
async def test_an_old_thread_asks_by_the_old_name_and_gets_its_reply(
    workspace: Workspace, form: str
) -> None:
    talk = await an_old_thread(workspace, OLD_LISTS[form])
    other = workspace.talk(AgentKind.DEMO)
    given = {"targetConversationId": other.id, "content": "/say 42"}
    listing = Call(tool=ToolName.CCWEB_LIST_CONVERSATIONS)
    since = len(await workspace.model.asked())
    turn = await workspace.run(
        talk,
        Step(calls=[Call(tool=ALIAS, args=given)]),
        Step(calls=[listing]),
        Step(text="Over to you."),
        Step(text="It is 42."),
    )
    await workspace.until_settled(talk, other)
    asked = await workspace.model.asked("/v1/responses", since=since)
    called, listed = [one.step for one in workspace.steps(turn.id)]
    assert (called.name, called.status) == (ALIAS, StepStatus.DONE)
    assert ToolName.CCWEB_SEND_MESSAGE.value in json.loads(called.output)["notice"]
    assert listed.name == f"mcp__ccweb__{ToolName.CCWEB_LIST_CONVERSATIONS}"
    assert listed.status is StepStatus.DONE
    assert replies(workspace, talk) == [Reply(status="returned", outcome="completed", text="42")]
    assert said(workspace, talk) == ["Over to you.", "It is 42."]
    assert "The old days." in json.dumps(asked[0]["body"])


@pytest.mark.requirement("R-A2", "R-D5")
async def test_a_name_that_nobody_knows_any_more_is_answered(workspace: Workspace) -> None:
    gone = {**OLD_TOOL, "name": "ccweb_retired"}
    talk = await an_old_thread(workspace, [gone])
    turn = await workspace.run(
        talk, Step(calls=[Call(tool="ccweb_retired", args={"a": 1})]), Step(text="I see.")
    )
    [step] = [one.step for one in workspace.steps(turn.id)]
    assert step.status is StepStatus.FAILED
    assert json.loads(step.output)["error_code"] == "unknown_tool"
    assert workspace.texts(talk)[-1] == "I see."


@pytest.mark.requirement("R-A2", "AC2")
@pytest.mark.parametrize(
    ("kind", "name"),
    [
        (APP, f"ccweb__{ToolName.CCWEB_SEND_MESSAGE}"),
        (AgentKind.CODEX, f"mcp__ccweb__{ToolName.CCWEB_SEND_MESSAGE}"),
    ],
)
async def test_a_model_that_writes_code_calls_our_tools_from_it(
    workspace: Workspace, kind: AgentKind, name: str
) -> None:
    talk, other = workspace.talk(kind, model=CODING), workspace.talk(AgentKind.DEMO)
    given = {
        "targetConversationId": other.id,
        "content": "hello",
        "replyMode": ReplyMode.ONE_WAY.value,
    }
    code = f"text(JSON.stringify(await tools.{name}({json.dumps(given)})))"
    turn = await workspace.run(talk, Step(calls=[Call(tool="exec", args=code)]), Step(text="sent"))
    await workspace.until_settled(talk, other)
    [step] = [one.step for one in workspace.steps(turn.id)]
    assert step.name.endswith(ToolName.CCWEB_SEND_MESSAGE)
    assert (step.status, workspace.texts(talk)[-1]) == (StepStatus.DONE, "sent")
    assert len(workspace.texts(other)) == 2


@pytest.mark.requirement("R-A2", "R-M11")
async def test_an_interrupt_keeps_the_partial_text_and_the_process(workspace: Workspace) -> None:
    talk = workspace.talk(APP)
    turn_id = workspace.say(talk, Step(text="One two three.", gate="app-stream"))
    await workspace.model.reached("app-stream")
    await workspace.until(
        lambda c: workspace.rows("SELECT 1 FROM event WHERE kind = 'delta'") or None
    )
    workspace.stop(talk)
    turn = await workspace.until_ended(turn_id)
    before = pids(workspace, talk.id)
    after = await workspace.run(talk, Step(text="Going on."))
    await workspace.model.open("app-stream")
    assert turn.status is TurnStatus.INTERRUPTED
    assert workspace.texts(talk)[1::2] == ["One ", "Going on."]
    assert after.status is TurnStatus.COMPLETED
    assert pids(workspace, talk.id) == before


@pytest.mark.requirement("R-A4", "R-M7", "R-M13")
async def test_after_a_crash_of_the_host_the_thread_goes_on_in_a_new_process(
    tmp_path: Path, model: RunningModel
) -> None:
    async with a_workspace(a_machine(tmp_path / "home", model)) as workspace:
        talk = workspace.talk(APP)
        await workspace.run(talk, Step(text="first"), before="before the crash")
        [old] = pids(workspace, talk.id)
        turn_id = workspace.say(talk, Step(text="half of it", gate="app-crash"))
        await model.reached("app-crash")
        await workspace.servers.kill("host")
        await workspace.servers.start("host")
        turn = await workspace.until_ended(turn_id)
        since = len(await model.asked())
        after = await workspace.run(talk, Step(text="after"))
        await model.open("app-crash")
        [asked] = await model.asked("/v1/responses", since=since)
        assert turn.status is TurnStatus.LOST
        assert old not in [process.pid for process in living(workspace.machine.home)]
        assert after.status is TurnStatus.COMPLETED
        assert "before the crash" in json.dumps(asked["body"])


@pytest.mark.requirement("R-A2", "R-M4")
@pytest.mark.parametrize("failure", FAILURES)
async def test_each_failure_of_the_model_has_its_own_name(
    workspace: Workspace, failure: TurnFailure
) -> None:
    talk = workspace.talk(APP)
    turn = await workspace.run(talk, FAILURES[failure])
    after = await workspace.run(talk, Step(text="well again"))
    assert (turn.status, turn.failure) == (TurnStatus.FAILED, failure)
    assert turn.error
    assert after.status is TurnStatus.COMPLETED or failure is TurnFailure.CONTEXT_FULL


@pytest.mark.requirement("R-A2")
async def test_a_reached_limit_says_when_it_is_reset(workspace: Workspace) -> None:
    turn = await workspace.run(workspace.talk(APP), USED_UP)
    assert turn.failure is TurnFailure.RATE_LIMITED
    assert turn.retry_at == RESET_AT


@pytest.mark.requirement("R-A2")
async def test_a_program_that_dies_is_said_and_the_next_turn_has_another(
    workspace: Workspace,
) -> None:
    talk = workspace.talk(APP)
    turn_id = workspace.say(talk, Step(text="half of it", gate="app-dies"))
    await workspace.model.reached("app-dies")
    [pid] = pids(workspace, talk.id)
    psutil.Process(pid).kill()
    turn = await workspace.until_ended(turn_id)
    await workspace.model.open("app-dies")
    after = await workspace.run(talk, Step(text="whole"))
    assert (turn.status, turn.failure) == (TurnStatus.FAILED, TurnFailure.PROGRAM_CRASHED)
    assert after.status is TurnStatus.COMPLETED
    assert pid not in [process.pid for process in living(workspace.machine.home)]


@pytest.mark.requirement("R-A4")
async def test_a_process_that_nobody_needs_any_more_is_ended(
    tmp_path: Path, model: RunningModel
) -> None:
    machine = replace(a_machine(tmp_path / "home", model), more={"CCWEB_AGENT_IDLE_S": "0.5"})
    async with a_workspace(machine) as workspace:
        talk = workspace.talk(APP)
        await workspace.run(talk, Step(text="done"))
        await workspace.until(lambda _: not pids(workspace, talk.id) or None)
        after = await workspace.run(talk, Step(text="again"))
        started = workspace.rows(
            "SELECT 1 FROM agent_process WHERE conversation_id = :id", id=talk.id
        )
    assert len(started) == 2
    assert after.status is TurnStatus.COMPLETED


@pytest.mark.requirement("R-A6", "R-D6")
async def test_no_secret_and_no_prompt_is_seen_and_the_persons_home_is_unchanged(
    workspace: Workspace,
) -> None:
    person = workspace.machine.home / ".codex"
    before = contents(person)
    talk = workspace.talk(APP)
    turn_id = workspace.say(talk, Step(text="held", gate="app-ps"), before="a private word")
    await workspace.model.reached("app-ps")
    shown = commands(workspace.machine.home)
    await workspace.model.open("app-ps")
    await workspace.until_ended(turn_id)
    assert any("codex app-server" in command for command in shown)
    assert not [c for c in shown if AGENT_PREFIX in c or "private" in c]
    assert contents(person) == before
