"""Claude Code is started with what it needs, and with nothing that others may not see."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ccweb.host.address import publish
from ccweb.host.agent import Answer, Job, Question
from ccweb.host.claude.launch import STREAMING, command, environment_of, mcp_entry
from ccweb_contract.enums import AgentKind, Lang, PermissionMode
from tests.host.workshop import Workshop

CLAUDE = Path("/opt/claude")


async def nobody(_: Question) -> Answer:
    """Answer nothing."""
    return Answer()


def a_job(workshop: Workshop) -> Job:
    """Return a job of a conversation with Claude Code."""
    conversation = workshop.conversation(agent=AgentKind.CLAUDE)
    turn = workshop.turn(workshop.write(conversation, "a prompt"))
    return Job(turn=turn, conversation=conversation, credential="a secret", ask=nobody)


def options(found: list[str]) -> dict[str, str]:
    """Return the options of a command that are not the same in every turn."""
    rest = found[1 + len(STREAMING) :]
    return dict(zip(rest[::2], rest[1::2], strict=True))


def with_(job: Job, **changed: Any) -> Job:
    """Return the job of a conversation with something changed."""
    return replace(job, conversation=replace(job.conversation, **changed))


@pytest.mark.requirement("R-A2")
def test_a_first_turn_names_its_session_and_a_later_one_resumes_it(workshop: Workshop) -> None:
    job = a_job(workshop)
    first, again = (options(command(CLAUDE, job, None, lang=Lang.EN)) for _ in range(2))
    assert first["--session-id"] != again["--session-id"]
    known = options(command(CLAUDE, with_(job, agent_session="s1"), None, lang=Lang.EN))
    assert (known["--resume"], "--session-id" in known) == ("s1", False)
    lost = options(command(CLAUDE, with_(job, agent_session=""), None, lang=Lang.EN))
    assert "--session-id" in lost
    assert job.conversation.id in lost["--append-system-prompt"]
    assert "--append-system-prompt" not in first


@pytest.mark.requirement("R-A2", "R-S2")
@pytest.mark.parametrize(
    ("mode", "named"),
    [
        (PermissionMode.PLAN, "plan"),
        (PermissionMode.ASK, "default"),
        (PermissionMode.ACCEPT_EDITS, "acceptEdits"),
        (PermissionMode.SKIP_PERMISSIONS, "bypassPermissions"),
    ],
)
def test_a_mode_is_the_programs_own(workshop: Workshop, mode: PermissionMode, named: str) -> None:
    job = with_(a_job(workshop), permission_mode=mode)
    found = options(command(CLAUDE, job, None, lang=Lang.EN))
    assert found["--permission-mode"] == named
    assert "--model" not in found
    assert "--effort" not in found


@pytest.mark.requirement("R-A2", "R-A6")
def test_what_a_person_chose_is_named_and_no_prompt_and_no_secret_are(workshop: Workshop) -> None:
    job = a_job(workshop)
    publish(workshop.s, "http://127.0.0.1:1")
    chosen = with_(job, model="opus", effort="high")
    with mcp_entry(workshop.s, job) as entry:
        found = command(CLAUDE, chosen, entry, lang=Lang.EN)
    assert (options(found)["--model"], options(found)["--effort"]) == ("opus", "high")
    assert options(found)["--mcp-config"] == str(entry)
    assert [part for part in found if "secret" in part or part == "prompt"] == []


@pytest.mark.requirement("R-A2", "R-D6")
def test_the_entry_of_the_hub_is_private_and_gone_afterwards(workshop: Workshop) -> None:
    job = a_job(workshop)
    publish(workshop.s, "http://127.0.0.1:1")
    with mcp_entry(workshop.s, job) as entry:
        assert entry is not None
        assert json.loads(entry.read_text()) == {
            "mcpServers": {
                "ccweb": {
                    "type": "http",
                    "url": "http://127.0.0.1:1/mcp",
                    "headers": {"Authorization": "Bearer a secret"},
                    "alwaysLoad": True,
                }
            }
        }
        assert entry.stat().st_mode & 0o777 == 0o600
        assert entry.parent.stat().st_mode & 0o777 == 0o700
        entry.with_suffix(".json").touch()
    assert list(entry.parent.iterdir()) == []


@pytest.mark.requirement("R-D6")
def test_an_entry_that_a_dead_run_has_left_is_replaced(workshop: Workshop) -> None:
    job = a_job(workshop)
    publish(workshop.s, "http://127.0.0.1:1")
    with mcp_entry(workshop.s, replace(job, credential="old")), mcp_entry(workshop.s, job) as entry:
        assert entry is not None
        assert "old" not in entry.read_text()


@pytest.mark.requirement("R-A2")
def test_without_a_hub_there_is_no_entry(workshop: Workshop) -> None:
    with mcp_entry(workshop.s, a_job(workshop)) as entry:
        assert entry is None


@pytest.mark.requirement("R-A2", "R-D6")
def test_the_environment_holds_what_claude_needs_and_no_secret_of_others() -> None:
    ours: dict[str, Any] = {
        "PATH": "/bin",
        "HOME": "/person",
        "ANTHROPIC_API_KEY": "k",
        "CLAUDE_CONFIG_DIR": "/c",
        "SSH_AUTH_SOCK": "/s",
        "CCWEB_TOKEN": "secret",
        "OPENAI_API_KEY": "secret",
        "DATABASE_PASSWORD": "secret",
        "AWS_SECRET_ACCESS_KEY": "secret",
        "GOOGLE_APPLICATION_CREDENTIALS": "secret",
        "AZURE_CLIENT_SECRET": "secret",
        "CLAUDECODE": "1",
        "CLAUDE_CODE_ENTRYPOINT": "cli",
        "CLAUDE_CODE_SESSION_ID": "theirs",
    }
    found = environment_of(ours)
    assert found == {
        "PYTHONUTF8": "1",
        "PATH": "/bin",
        "HOME": "/person",
        "ANTHROPIC_API_KEY": "k",
        "CLAUDE_CONFIG_DIR": "/c",
        "SSH_AUTH_SOCK": "/s",
        "CLAUDE_CODE_DISABLE_BACKGROUND_TASKS": "1",
        "CLAUDE_CODE_DISABLE_CRON": "1",
        "DISABLE_AUTOUPDATER": "1",
    }


@pytest.mark.requirement("R-A2")
@pytest.mark.parametrize(
    ("switch", "key"),
    [
        ("CLAUDE_CODE_USE_BEDROCK", "AWS_SECRET_ACCESS_KEY"),
        ("CLAUDE_CODE_USE_VERTEX", "GOOGLE_APPLICATION_CREDENTIALS"),
        ("CLAUDE_CODE_USE_FOUNDRY", "AZURE_CLIENT_SECRET"),
    ],
)
def test_the_keys_of_a_cloud_go_along_where_the_model_comes_from_there(
    switch: str, key: str
) -> None:
    assert key not in environment_of({key: "k"})
    assert environment_of({key: "k", switch: "1"})[key] == "k"
