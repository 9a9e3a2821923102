"""The real Claude Code fails: each failure of the model's service is an outcome of its own."""

import json
import shutil
import time
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

import pytest

from ccweb_contract.enums import AgentKind, StepStatus, TurnFailure, TurnStatus
from ccweb_contract.tools import ToolName
from tests.chaos.processes import free_port
from tests.fakes.model import RunningModel
from tests.fakes.model_script import Call, Step
from tests.real_agents.harness import Workspace, a_workspace
from tests.real_agents.machine import a_machine

FAILURES = {
    "bad key": (
        Step(error=401, type="authentication_error", message="invalid x-api-key"),
        TurnFailure.NOT_LOGGED_IN,
        "Invalid API key",
    ),
    "no right": (
        Step(error=403, type="permission_error", message="not for you"),
        TurnFailure.NOT_LOGGED_IN,
        "not for you",
    ),
    "bad request": (
        Step(error=400, type="invalid_request_error", message="no such thing"),
        TurnFailure.REQUEST_REFUSED,
        "no such thing",
    ),
    "unknown model": (
        Step(error=404, type="not_found_error", message="model: nonsense"),
        TurnFailure.REQUEST_REFUSED,
        "model",
    ),
    "context": (
        Step(
            error=400,
            type="invalid_request_error",
            message="prompt is too long: 213462 tokens > 200000 maximum",
        ),
        TurnFailure.CONTEXT_FULL,
        "too long",
    ),
    "size": (
        Step(error=413, type="request_too_large", message="Request exceeds the maximum size"),
        TurnFailure.CONTEXT_FULL,
        "too large",
    ),
    "limit": (
        Step(error=429, type="rate_limit_error", message="slow down"),
        TurnFailure.RATE_LIMITED,
        "slow down",
    ),
    "service": (
        Step(error=500, type="api_error", message="broken"),
        TurnFailure.OVERLOADED,
        "broken",
    ),
    "overload": (
        Step(error=529, type="overloaded_error", message="Overloaded"),
        TurnFailure.OVERLOADED,
        "Overloaded",
    ),
    "refusal": (
        Step(text="I cannot", stop="refusal"),
        TurnFailure.REQUEST_REFUSED,
        "safeguards",
    ),
    "window": (
        Step(text="cut", stop="model_context_window_exceeded"),
        TurnFailure.CONTEXT_FULL,
        "context window",
    ),
}


@pytest.mark.requirement("R-A2", "R-A5")
@pytest.mark.parametrize("name", FAILURES)
async def test_a_failure_of_the_models_service_has_its_own_outcome(
    workspace: Workspace, name: str
) -> None:
    step, failure, words = FAILURES[name]
    talk = workspace.talk(AgentKind.CLAUDE)
    turn = await workspace.run(talk, *[step] * 8)
    assert (turn.status, turn.failure) == (TurnStatus.FAILED, failure)
    assert words in (turn.error or "")
    again = await workspace.run(talk, Step(text="well again"))
    assert (again.status, workspace.texts(talk)[-1]) == (TurnStatus.COMPLETED, "well again")


@pytest.mark.requirement("R-A2")
async def test_an_answer_that_breaks_off_is_kept_and_is_no_success(workspace: Workspace) -> None:
    talk, gate = workspace.talk(AgentKind.CLAUDE), uuid4().hex
    turn_id = workspace.say(talk, Step(text="one two three", gate=gate, drop=True))
    await workspace.until_told(turn_id)
    await workspace.model.open(gate)
    turn = await workspace.until_ended(turn_id)
    assert (turn.status, turn.failure) == (TurnStatus.FAILED, TurnFailure.NETWORK_DOWN)
    assert workspace.texts(talk)[-1] == "one "


@pytest.mark.requirement("R-A2")
async def test_a_service_that_fails_in_the_middle_of_its_answer_is_no_success(
    workspace: Workspace,
) -> None:
    talk = workspace.talk(AgentKind.CLAUDE)
    turn = await workspace.run(talk, Step(stream_error="overloaded_error"))
    assert (turn.status, turn.failure) == (TurnStatus.FAILED, TurnFailure.OVERLOADED)


@pytest.mark.requirement("R-A2")
async def test_a_turn_without_a_last_text_is_empty(workspace: Workspace) -> None:
    talk = workspace.talk(AgentKind.CLAUDE)
    look = Call(tool="Bash", args={"command": "ls", "description": "look"})
    turn = await workspace.run(talk, Step(text="I look.", calls=[look]), Step())
    assert (turn.status, turn.failure) == (TurnStatus.EMPTY, None)


@pytest.mark.requirement("R-A2")
@pytest.mark.parametrize("name", ["not logged in", "limit", "network"])
async def test_a_failure_of_the_machine_has_its_own_outcome(
    tmp_path: Path, model: RunningModel, name: str
) -> None:
    reset = int(time.time()) + 3600
    headers = {
        "anthropic-ratelimit-unified-status": "rejected",
        "anthropic-ratelimit-unified-reset": str(reset),
        "anthropic-ratelimit-unified-representative-claim": "five_hour",
    }
    limit = Step(error=429, type="rate_limit_error", message="no more", headers=headers)
    more, answer, failure = {
        "not logged in": ({"ANTHROPIC_API_KEY": ""}, Step(text="x"), TurnFailure.NOT_LOGGED_IN),
        "limit": (
            {"ANTHROPIC_API_KEY": "", "CLAUDE_CODE_OAUTH_TOKEN": "sk-ant-oat01-test"},
            limit,
            TurnFailure.RATE_LIMITED,
        ),
        "network": (
            {"ANTHROPIC_BASE_URL": f"http://127.0.0.1:{free_port()}"},
            Step(text="x"),
            TurnFailure.NETWORK_DOWN,
        ),
    }[name]
    machine = replace(a_machine(tmp_path / "home", model), more=more)
    async with a_workspace(machine) as workspace:
        turn = await workspace.run(workspace.talk(AgentKind.CLAUDE), answer)
    assert (turn.status, turn.failure) == (TurnStatus.FAILED, failure)
    assert turn.retry_at == (datetime.fromtimestamp(reset, UTC) if name == "limit" else None)


@pytest.mark.requirement("R-A2")
async def test_a_session_that_is_gone_is_said_and_the_next_turn_begins_anew(
    workspace: Workspace,
) -> None:
    talk = workspace.talk(AgentKind.CLAUDE)
    await workspace.run(talk, Step(text="remembered"))
    before = workspace.conversation_now(talk).agent_session
    shutil.rmtree(workspace.machine.home / ".claude" / "projects")
    turn = await workspace.run(talk, Step(text="never"))
    assert (turn.status, turn.failure) == (TurnStatus.FAILED, TurnFailure.SESSION_MISSING)
    read = Call(tool=ToolName.CCWEB_GET_CONVERSATION, args={"conversationId": talk.id})
    since = len(await workspace.model.asked())
    again = await workspace.run(talk, Step(calls=[read]), Step(text="anew"))
    [first, then] = await workspace.model.asked("/v1/messages", since=since)
    assert talk.id in json.dumps(first["body"]["system"])
    assert "remembered" in json.dumps(then["body"]["messages"][-1])
    assert (again.status, workspace.texts(talk)[-1]) == (TurnStatus.COMPLETED, "anew")
    assert workspace.conversation_now(talk).agent_session not in ("", None, before)


@pytest.mark.requirement("R-A2", "R-A5")
async def test_without_the_hub_a_turn_runs_and_says_what_it_lacks(
    tmp_path: Path, model: RunningModel
) -> None:
    machine = a_machine(tmp_path / "home", model)
    async with a_workspace(machine) as workspace:
        talk = workspace.talk(AgentKind.CLAUDE)
        address = (workspace.s.data_dir / "hub-url").read_text()
        await workspace.servers.end("hub")
        (workspace.s.data_dir / "hub-url").write_text(address)
        turn = await workspace.run(talk, Step(text="alone"))
        [lack] = [one.step for one in workspace.steps(turn.id)]
    assert turn.status is TurnStatus.COMPLETED
    assert (lack.name, lack.status) == ("MCP ccweb", StepStatus.FAILED)


@pytest.mark.requirement("R-A2")
async def test_what_the_person_has_set_up_stays_and_works(
    tmp_path: Path, model: RunningModel
) -> None:
    """Another server of our name is hidden, those of other names are not; nothing is written."""
    machine = a_machine(tmp_path / "home", model)
    async with a_workspace(machine) as workspace:
        hub = (workspace.s.data_dir / "hub-url").read_text().strip()
        other = {"type": "http", "url": f"{hub}/mcp", "headers": {"Authorization": "Bearer none"}}
        theirs = {"mcpServers": {"ccweb": other, "theirs": other}}
        settings = machine.home / ".claude" / "settings.json"
        settings.write_text('{"env": {"MINE": "1"}}')
        (machine.home / ".claude.json").write_text(json.dumps(theirs))
        talk = workspace.talk(AgentKind.CLAUDE)
        calls = [Call(tool="mcp__ccweb__ccweb_list_conversations")]
        turn = await workspace.run(talk, Step(calls=calls), Step(text="ok"))
        [step] = [one.step for one in workspace.steps(turn.id)]
        assert step.status is StepStatus.DONE
        assert talk.title in step.output
        assert settings.read_text() == '{"env": {"MINE": "1"}}'
        kept = json.loads((machine.home / ".claude.json").read_text())
        assert kept["mcpServers"] == theirs["mcpServers"]
