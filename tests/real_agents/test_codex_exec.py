"""The real `codex exec` runs turns: text, tools, sessions, facts, stops and failures."""

import json
from pathlib import Path

import psutil
import pytest
from anyio import to_thread

from ccweb.access.rules import AGENT_PREFIX
from ccweb_contract import prompts
from ccweb_contract.enums import (
    AgentKind,
    Lang,
    PermissionMode,
    StepKind,
    StepStatus,
    TurnFailure,
    TurnStatus,
)
from tests.fakes.model import RunningModel
from tests.fakes.model_script import Call, Step
from tests.processes import commands
from tests.real_agents.codex_homes import (
    FAILURES,
    RESET_AT,
    USED_UP,
    an_old_thread,
    contents,
    pids,
    shell,
)
from tests.real_agents.delegations import send
from tests.real_agents.harness import Workspace, a_workspace
from tests.real_agents.machine import a_machine

CODEX = AgentKind.CODEX


@pytest.mark.requirement("R-A2", "R-A6")
async def test_a_turn_ends_with_the_models_text(workspace: Workspace) -> None:
    talk = workspace.talk(CODEX)
    turn = await workspace.run(talk, Step(text="你好，世界 🎉, done"), before="Please")
    assert (turn.status, turn.failure, turn.error) == (TurnStatus.COMPLETED, None, None)
    assert workspace.texts(talk)[-1] == "你好，世界 🎉, done"


@pytest.mark.requirement("R-A2")
async def test_the_next_turn_goes_on_in_the_same_thread_and_counts_for_itself(
    workspace: Workspace,
) -> None:
    talk = workspace.talk(CODEX)
    usage = {"input_tokens": 1000, "cached_tokens": 500, "output_tokens": 200}
    first = await workspace.run(talk, Step(text="one", usage=usage), before="first question")
    session = workspace.conversation_now(talk).agent_session
    since = len(await workspace.model.asked())
    second = await workspace.run(talk, Step(text="two", usage=usage), before="second question")
    [asked] = await workspace.model.asked("/v1/responses", since=since)
    assert session
    assert workspace.conversation_now(talk).agent_session == session
    assert "first question" in json.dumps(asked["body"])
    assert first.facts == second.facts
    facts = second.facts
    assert (facts.input_tokens, facts.cached_tokens, facts.output_tokens) == (1000, 500, 200)
    assert facts.model == "test-model"


@pytest.mark.requirement("R-A2")
async def test_what_it_does_before_its_last_text_are_steps(workspace: Workspace) -> None:
    talk = workspace.talk(CODEX, mode=PermissionMode.SKIP_PERMISSIONS)
    turn = await workspace.run(
        talk, Step(think="I look.", text="Let me look.", calls=[]), before="think"
    )
    assert [step.step.output for step in workspace.steps(turn.id)] == ["I look."]
    turn = await workspace.run(talk, shell("echo seen; exit 3", "Now."), Step(text="Seen."))
    stored = [step.step for step in workspace.steps(turn.id)]
    assert [(step.kind, step.status, step.name) for step in stored] == [
        (StepKind.SAID, StepStatus.DONE, ""),
        (StepKind.TOOL, StepStatus.FAILED, "exec_command"),
    ]
    assert (stored[1].input, stored[1].output) == ("echo seen; exit 3", "seen\n(exit code 3)")
    assert workspace.texts(talk)[-1] == "Seen."


@pytest.mark.requirement("R-A2")
@pytest.mark.parametrize("mode", list(PermissionMode))
async def test_each_mode_is_a_sandbox_and_our_tools_work_in_all(
    workspace: Workspace, mode: PermissionMode
) -> None:
    talk, other = workspace.talk(CODEX, mode=mode), workspace.talk(AgentKind.DEMO)
    order = send(other, Step(text="-"))
    await workspace.run(talk, shell("echo x > made.txt"), order, Step(text="ok"))
    await workspace.until_settled(talk, other)
    may_write = mode in (PermissionMode.ACCEPT_EDITS, PermissionMode.SKIP_PERMISSIONS)
    assert Path(talk.cwd, "made.txt").exists() is may_write
    assert len(workspace.texts(other)) == 2


@pytest.mark.requirement("R-A2")
async def test_what_needs_a_person_is_refused_and_shown(workspace: Workspace) -> None:
    talk = workspace.talk(CODEX, mode=PermissionMode.ACCEPT_EDITS)
    wanted = {"cmd": "echo x", "sandbox_permissions": "require_escalated", "justification": "I"}
    turn = await workspace.run(
        talk, Step(calls=[Call(tool="exec_command", args=wanted)]), Step(text="Refused.")
    )
    [refused] = [step.step for step in workspace.steps(turn.id)]
    assert (refused.name, refused.status) == ("approval", StepStatus.FAILED)
    assert "reject" in refused.output


@pytest.mark.requirement("R-A2", "R-M4")
@pytest.mark.parametrize("failure", FAILURES)
async def test_each_failure_of_the_model_has_its_own_name(
    workspace: Workspace, failure: TurnFailure
) -> None:
    talk = workspace.talk(CODEX)
    turn = await workspace.run(talk, FAILURES[failure])
    assert (turn.status, turn.failure) == (TurnStatus.FAILED, failure)
    assert turn.error


@pytest.mark.requirement("R-A2")
async def test_a_reached_limit_says_when_it_is_reset(workspace: Workspace) -> None:
    talk = workspace.talk(CODEX)
    turn = await workspace.run(talk, USED_UP)
    assert turn.failure is TurnFailure.RATE_LIMITED
    assert turn.retry_at == RESET_AT


@pytest.mark.requirement("R-A4")
async def test_a_hub_that_has_crashed_costs_the_tools_and_not_the_turn(
    tmp_path: Path, model: RunningModel
) -> None:
    async with a_workspace(a_machine(tmp_path / "home", model)) as workspace:
        old = await an_old_thread(workspace, [])
        await workspace.servers.kill("hub")
        for talk in (workspace.talk(CODEX), old):
            turn = await workspace.run(talk, Step(text="Without tools."))
            assert (turn.status, turn.error) == (TurnStatus.COMPLETED, None)
            assert workspace.texts(talk)[-1] == "Without tools."


@pytest.mark.requirement("R-A2", "R-M11")
async def test_a_stopped_turn_leaves_nothing_and_its_thread_goes_on(workspace: Workspace) -> None:
    talk = workspace.talk(CODEX, mode=PermissionMode.SKIP_PERMISSIONS)
    turn_id = workspace.say(talk, shell("echo begun > begun.txt; exec sleep 600", "I begin."))
    await workspace.until(lambda _: Path(talk.cwd, "begun.txt").exists() or None)
    workspace.stop(talk)
    turn = await workspace.until_ended(turn_id)
    assert turn.status is TurnStatus.INTERRUPTED
    assert (turn.facts.model, turn.facts.input_tokens) == ("test-model", 100)
    assert not [line for line in commands(workspace.machine.home) if line.startswith("sleep")]
    after = await workspace.run(talk, Step(text="Going on."))
    assert after.status is TurnStatus.COMPLETED


@pytest.mark.requirement("R-A2")
@pytest.mark.parametrize("kind", [CODEX, AgentKind.CODEX_APP])
async def test_a_thread_that_is_gone_is_said_and_the_next_turn_begins_anew(
    workspace: Workspace, kind: AgentKind
) -> None:
    talk = workspace.talk(kind)
    await workspace.run(talk, Step(text="kept"))
    session = workspace.conversation_now(talk).agent_session
    [rollout] = (workspace.s.data_dir / "codex" / "sessions").glob(f"*/*/*/*{session}.jsonl")
    rollout.unlink()
    for pid in pids(workspace, talk.id):
        process = psutil.Process(pid)
        process.kill()
        await to_thread.run_sync(process.wait, 10)
    turn = await workspace.run(talk, Step(text="lost"))
    since = len(await workspace.model.asked())
    after = await workspace.run(talk, Step(text="new"))
    [asked] = await workspace.model.asked("/v1/responses", since=since)
    assert turn.failure is TurnFailure.SESSION_MISSING
    assert after.status is TurnStatus.COMPLETED
    assert prompts.begun_anew(Lang.EN, conversation_id=talk.id) in str(asked["body"])


@pytest.mark.requirement("R-A6", "R-D6")
async def test_no_secret_and_no_prompt_is_seen_among_the_processes(workspace: Workspace) -> None:
    talk = workspace.talk(CODEX)
    turn_id = workspace.say(talk, Step(text="held", gate="exec-ps"), before="a private word")
    await workspace.model.reached("exec-ps")
    shown = commands(workspace.machine.home)
    await workspace.model.open("exec-ps")
    await workspace.until_ended(turn_id)
    assert any("codex exec" in command for command in shown)
    assert not [c for c in shown if AGENT_PREFIX in c or "private" in c]


@pytest.mark.requirement("R-D6")
@pytest.mark.parametrize("kind", [CODEX, AgentKind.CODEX_APP])
async def test_no_command_that_it_runs_sees_the_credential(
    workspace: Workspace, kind: AgentKind
) -> None:
    talk = workspace.talk(kind, mode=PermissionMode.SKIP_PERMISSIONS)
    turn = await workspace.run(talk, shell("env; echo all"), Step(text="Seen."))
    [step] = [one.step for one in workspace.steps(turn.id)]
    assert step.output.endswith("all")
    assert AGENT_PREFIX not in step.output


@pytest.mark.requirement("R-A2")
async def test_nothing_of_the_persons_home_is_changed(workspace: Workspace) -> None:
    person = workspace.machine.home / ".codex"
    (person / "skills" / "mine").mkdir(parents=True, exist_ok=True)
    (person / "skills" / "mine" / "SKILL.md").write_text("---\nname: mine\n---\n")
    (person / "auth.json").write_text('{"OPENAI_API_KEY": "sk-none"}')
    (person / "AGENTS.md").write_text("Speak like a person.")
    before = contents(person)
    talk = workspace.talk(CODEX)
    since = len(await workspace.model.asked())
    turn = await workspace.run(talk, Step(text="ok"))
    [asked] = await workspace.model.asked("/v1/responses", since=since)
    assert turn.status is TurnStatus.COMPLETED
    assert contents(person) == before
    assert "Speak like a person." in json.dumps(asked["body"])


@pytest.mark.requirement("R-A2")
async def test_a_thread_that_a_person_began_elsewhere_goes_on_here(workspace: Workspace) -> None:
    talk = workspace.talk(CODEX)
    await workspace.run(talk, Step(text="first answer"), before="first question")
    session = workspace.conversation_now(talk).agent_session
    ours = workspace.s.data_dir / "codex"
    [rollout] = (ours / "sessions").glob(f"*/*/*/*{session}.jsonl")
    person = workspace.machine.home / ".codex"
    theirs = person / rollout.relative_to(ours)
    theirs.parent.mkdir(parents=True)
    rollout.rename(theirs)
    before = contents(person)
    since = len(await workspace.model.asked())
    turn = await workspace.run(talk, Step(text="second answer"))
    [asked] = await workspace.model.asked("/v1/responses", since=since)
    assert turn.status is TurnStatus.COMPLETED
    assert "first question" in json.dumps(asked["body"])
    assert contents(person) == before
