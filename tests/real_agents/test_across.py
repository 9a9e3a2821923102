"""Work goes between real agents of every kind and comes back: nothing is lost, nothing doubled."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from ccweb_contract.enums import AgentKind, Outcome
from tests.fakes.model import RunningModel
from tests.fakes.model_script import Step, script
from tests.real_agents.delegations import ONE_WAY, Reply, replies, said, send, turns
from tests.real_agents.harness import Workspace, a_workspace
from tests.real_agents.machine import a_machine
from tests.real_codex.app_server import running

CLAUDE, CODEX, CODEX_APP = AgentKind.CLAUDE, AgentKind.CODEX, AgentKind.CODEX_APP
PERSON, MESSAGE = ("person", "completed", 1), ("message", "completed", 1)
CONTINUATION = ("continuation", "completed", 1)
HANDED_OVER = Step(text="Handed over.")


def returned(text: str, outcome: Outcome = Outcome.COMPLETED) -> Reply:
    """Return a reply that has reached its source."""
    return Reply(status="returned", outcome=outcome.value, text=text)


@pytest.fixture
async def own_workspace(tmp_path: Path, model: RunningModel) -> AsyncIterator[Workspace]:
    """Run a workspace whose processes a test may kill."""
    async with a_workspace(a_machine(tmp_path / "home", model)) as workspace:
        yield workspace


@pytest.mark.requirement("R-A2", "R-M4", "AC3")
@pytest.mark.parametrize(
    ("source_kind", "target_kind"),
    [(CLAUDE, CODEX_APP), (CODEX_APP, CODEX), (CODEX, CLAUDE), (CLAUDE, CLAUDE)],
)
async def test_work_is_returned_and_its_source_goes_on(
    workspace: Workspace, source_kind: AgentKind, target_kind: AgentKind
) -> None:
    source, target = workspace.talk(source_kind), workspace.talk(target_kind)
    order = send(target, Step(text="结果: 42"))
    await workspace.run(source, order, HANDED_OVER, Step(text="All of it is done."))
    await workspace.until_settled(source, target)
    assert replies(workspace, source) == [returned("结果: 42")]
    assert turns(workspace, source) == [PERSON, CONTINUATION]
    assert turns(workspace, target) == [MESSAGE]
    assert said(workspace, source) == ["Handed over.", "All of it is done."]
    assert said(workspace, target) == ["结果: 42"]


@pytest.mark.requirement("R-A2", "R-M5")
async def test_work_goes_down_three_agents_and_comes_back_up(workspace: Workspace) -> None:
    first, second = workspace.talk(CLAUDE), workspace.talk(CODEX_APP)
    third = workspace.talk(CLAUDE)
    below = send(third, Step(text="the part"))
    work = send(second, below, HANDED_OVER, Step(text="the whole"))
    await workspace.run(first, work, HANDED_OVER, Step(text="the end"))
    await workspace.until_settled(first, second, third)
    assert replies(workspace, second) == [returned("the part")]
    assert replies(workspace, first) == [returned("the whole")]
    assert turns(workspace, second) == [MESSAGE, CONTINUATION]
    assert said(workspace, first) == ["Handed over.", "the end"]


@pytest.mark.requirement("R-A2", "AC3")
@pytest.mark.parametrize("target_kind", [CLAUDE, CODEX, CODEX_APP])
@pytest.mark.parametrize("source_kind", [CLAUDE, CODEX, CODEX_APP])
async def test_what_is_sent_one_way_stays_where_it_went(
    workspace: Workspace, source_kind: AgentKind, target_kind: AgentKind
) -> None:
    source, target = workspace.talk(source_kind), workspace.talk(target_kind)
    await workspace.run(source, send(target, Step(text="kept"), mode=ONE_WAY), Step(text="told"))
    await workspace.until_settled(source, target)
    assert replies(workspace, source) == []
    assert turns(workspace, source) == [PERSON]
    assert said(workspace, target) == ["kept"]


ALIAS = "ccweb_request_reply"
OLD_TOOL: dict[str, Any] = {
    "type": "function",
    "name": ALIAS,
    "description": "Send work to a conversation; its result is returned.",
    "inputSchema": {"type": "object", "properties": {"content": {"type": "string"}}},
}
OLD_NAMESPACE: dict[str, Any] = {
    "type": "namespace",
    "name": "ccweb",
    "description": "The tools of long ago.",
    "tools": [OLD_TOOL],
}


@pytest.mark.requirement("R-A2", "R-D3", "AC4")
@pytest.mark.parametrize("tools", [OLD_TOOL, OLD_NAMESPACE], ids=["flat", "namespace"])
async def test_an_old_thread_of_codex_still_sends_work_by_the_old_name(
    workspace: Workspace, tools: dict[str, Any]
) -> None:
    machine = workspace.machine
    source, target = workspace.talk(CODEX_APP), workspace.talk(CLAUDE)
    async with running(machine.home, machine.environ) as old:
        thread_id = await old.start_thread([tools])
        await old.run_turn(thread_id, script(Step(text="Long ago.")))
    workspace.give_session(source, thread_id)
    order = send(target, Step(text="done as ever"), tool=ALIAS, mode=ONE_WAY)
    await workspace.run(source, order, HANDED_OVER, Step(text="Good."))
    await workspace.until_settled(source, target)
    assert replies(workspace, source) == [returned("done as ever")]
    assert said(workspace, source) == ["Handed over.", "Good."]
    last = (await workspace.model.asked("/responses"))[-1]
    assert "Long ago." in json.dumps(last["body"])


@pytest.mark.requirement("R-A2", "R-M11")
@pytest.mark.parametrize(
    ("source_kind", "target_kind"), [(CLAUDE, CODEX_APP), (CODEX_APP, CODEX), (CODEX, CLAUDE)]
)
async def test_a_target_that_is_stopped_tells_its_source_once(
    workspace: Workspace, source_kind: AgentKind, target_kind: AgentKind
) -> None:
    source, target, gate = workspace.talk(source_kind), workspace.talk(target_kind), uuid4().hex
    order = send(target, Step(text="half of it", gate=gate))
    await workspace.run(source, order, HANDED_OVER, Step(text="I see."))
    await workspace.model.reached(gate)
    workspace.stop(target)
    await workspace.until_settled(source)
    await workspace.model.open(gate)
    [reply] = replies(workspace, source)
    assert (reply.status, reply.outcome) == ("returned", Outcome.INTERRUPTED)
    assert turns(workspace, source) == [PERSON, CONTINUATION]
    assert turns(workspace, target) == [("message", "interrupted", 1)]
    await workspace.run(target, Step(text="on again"))
    assert said(workspace, target)[-1] == "on again"


@pytest.mark.requirement("R-A4", "R-M13")
@pytest.mark.parametrize(
    ("source_kind", "target_kind"), [(CLAUDE, CODEX_APP), (CODEX_APP, CODEX), (CODEX, CLAUDE)]
)
async def test_a_host_that_dies_in_the_middle_loses_and_doubles_nothing(
    own_workspace: Workspace, source_kind: AgentKind, target_kind: AgentKind
) -> None:
    workspace, gate = own_workspace, uuid4().hex
    source, target = workspace.talk(source_kind), workspace.talk(target_kind)
    order = send(target, Step(text="half of it", gate=gate))
    await workspace.run(source, order, HANDED_OVER, Step(text="I see."))
    await workspace.model.reached(gate)
    await workspace.servers.kill("host")
    await workspace.servers.start("host")
    await workspace.until_settled(source, target)
    await workspace.model.open(gate)
    [reply] = replies(workspace, source)
    assert (reply.status, reply.outcome) == ("returned", Outcome.LOST)
    assert turns(workspace, source) == [PERSON, CONTINUATION]
    assert turns(workspace, target) == [("message", "lost", 1)]
    assert said(workspace, source) == ["Handed over.", "I see."]
    assert (await workspace.run(target, Step(text="on again"))).status == "completed"
