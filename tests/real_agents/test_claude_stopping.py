"""The real Claude Code is stopped, killed with its host, and goes on; nothing is left behind."""

import json
from pathlib import Path

import anyio
import psutil
import pytest

from ccweb.conversations.model import Conversation
from ccweb_contract.enums import (
    AgentKind,
    PermissionAnswer,
    StepKind,
    StepStatus,
    TurnStatus,
)
from tests.fakes.model import RunningModel
from tests.fakes.model_script import Call, Step
from tests.host.test_process import is_gone
from tests.processes import command, living, variables
from tests.real_agents.harness import Workspace, a_workspace
from tests.real_agents.machine import a_machine

WAIT_S = 20.0
WAITING = "echo $$ > pid; exec sleep 600\n"


def agents(workspace: Workspace) -> list[psutil.Process]:
    """Return all that runs on the machine but our own servers and the model."""
    servers = {workspace.servers.pid("hub"), workspace.servers.pid("host")}
    return [process for process in living(workspace.machine.home) if process.pid not in servers]


def waits(talk: Conversation) -> Step:
    """Return a step whose command runs until it is ended."""
    (Path(talk.cwd) / "wait.sh").write_text(WAITING)
    call = Call(tool="Bash", args={"command": "sh ./wait.sh", "description": "wait"})
    return Step(text="I wait.", calls=[call])


async def until_waiting(workspace: Workspace, talk: Conversation) -> psutil.Process:
    """Return the command's process once it is permitted and runs."""
    ask = await workspace.until_asked(talk)
    workspace.answer(ask, decision=PermissionAnswer.ALLOW_ONCE.value)
    path = Path(talk.cwd) / "pid"
    with anyio.fail_after(WAIT_S):
        while not (path.exists() and path.read_text().strip()):
            await anyio.sleep(0.02)
    return psutil.Process(int(path.read_text()))


async def said_to_model(workspace: Workspace) -> str:
    """Return the conversation as the model was last shown it."""
    asked = await workspace.model.asked("/v1/messages")
    return json.dumps(asked[-1]["body"]["messages"], ensure_ascii=False)


@pytest.mark.requirement("R-A4", "R-M11")
async def test_stopped_while_it_writes_it_keeps_its_text_and_its_session(
    workspace: Workspace,
) -> None:
    talk = workspace.talk(AgentKind.CLAUDE)
    turn_id = workspace.say(talk, Step(text="一半 of a sentence", gate="writing"))
    await workspace.model.reached("writing")
    await workspace.until(
        lambda c: c.exec_driver_sql(
            "SELECT 1 FROM event WHERE kind = 'delta' AND turn_id = ?", (turn_id,)
        ).first()
    )
    workspace.stop(talk)
    turn = await workspace.until_ended(turn_id)
    await workspace.model.open("writing")
    assert (turn.status, turn.failure) == (TurnStatus.INTERRUPTED, None)
    assert workspace.texts(talk)[-1] == "一半 "
    assert agents(workspace) == []
    assert (await workspace.run(talk, Step(text="again"))).status is TurnStatus.COMPLETED
    assert "一半" in await said_to_model(workspace)


@pytest.mark.requirement("R-A4", "R-M11")
async def test_stopped_in_a_tool_its_whole_tree_ends(workspace: Workspace) -> None:
    talk = workspace.talk(AgentKind.CLAUDE)
    turn_id = workspace.say(talk, waits(talk), Step(text="never"))
    command = await until_waiting(workspace, talk)
    workspace.stop(talk)
    turn = await workspace.until_ended(turn_id)
    assert turn.status is TurnStatus.INTERRUPTED
    assert (turn.facts.output_tokens, bool(turn.facts.cost_microusd)) == (10, True)
    assert is_gone(command)
    assert agents(workspace) == []
    stored = [step.step for step in workspace.steps(turn_id)]
    assert [(step.kind, step.status) for step in stored] == [
        (StepKind.SAID, StepStatus.DONE),
        (StepKind.TOOL, StepStatus.FAILED),
    ]
    assert (await workspace.run(talk, Step(text="again"))).status is TurnStatus.COMPLETED


@pytest.mark.requirement("R-A4", "R-M13")
@pytest.mark.parametrize("doing", ["writing", "tool"])
async def test_a_host_that_is_killed_leaves_a_session_that_goes_on(
    tmp_path: Path, model: RunningModel, doing: str
) -> None:
    async with a_workspace(a_machine(tmp_path / "home", model)) as workspace:
        talk = workspace.talk(AgentKind.CLAUDE)
        await workspace.run(talk, Step(text="remembered"), before="first question")
        step = waits(talk) if doing == "tool" else Step(text="half a word", gate="killed")
        turn_id = workspace.say(talk, step, Step(text="never"))
        if doing == "tool":
            await until_waiting(workspace, talk)
        else:
            await workspace.model.reached("killed")
        [*before] = agents(workspace)
        assert before
        await workspace.servers.kill("host")
        await workspace.servers.start("host")
        lost = await workspace.until_ended(turn_id)
        assert lost.status is TurnStatus.LOST
        assert [process for process in before if not is_gone(process)] == []
        again = await workspace.run(talk, Step(text="here again"))
        assert again.status is TurnStatus.COMPLETED
        assert "remembered" in await said_to_model(workspace)
        assert agents(workspace) == []


@pytest.mark.requirement("R-A6", "R-D6", "R-S1")
async def test_no_secret_and_no_prompt_is_seen_among_the_processes(workspace: Workspace) -> None:
    talk = workspace.talk(AgentKind.CLAUDE)
    turn_id = workspace.say(talk, waits(talk), before="the secret prompt")
    await until_waiting(workspace, talk)
    running = agents(workspace)
    seen = "\n".join(command(process) for process in running)
    named = {name for process in running for name in variables(process)}
    [entry] = (workspace.machine.data_dir / "claude").iterdir()
    server = json.loads(entry.read_text())["mcpServers"]["ccweb"]
    token = server["headers"]["Authorization"].removeprefix("Bearer ")
    assert len(running) >= 2
    assert entry.stat().st_mode & 0o077 == 0
    assert token not in seen
    assert "the secret prompt" not in seen
    assert {name for name in named if name.startswith("CCWEB_")} == {"CCWEB_PROCESS"}
    workspace.stop(talk)
    await workspace.until_ended(turn_id)
    assert list((workspace.machine.data_dir / "claude").iterdir()) == []
