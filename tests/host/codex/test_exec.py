"""What `codex exec` is started with: no prompt, no secret, and what the conversation says."""

from dataclasses import replace

import pytest

from ccweb.host.codex.exec import arguments
from ccweb_contract.enums import AgentKind, PermissionMode
from tests.host.workshop import Workshop

URL = "http://127.0.0.1:8002"


def settings(given: list[str]) -> dict[str, str]:
    """Return the settings among arguments."""
    at = [i for i, word in enumerate(given) if word == "--config"]
    return dict(given[i + 1].split("=", 1) for i in at)


@pytest.mark.requirement("R-A2", "R-A6")
def test_a_first_turn_begins_a_thread_that_reads_its_prompt_from_standard_input(
    workshop: Workshop,
) -> None:
    given = arguments(workshop.conversation(agent=AgentKind.CODEX), URL)
    assert (given[0], given[-1]) == ("exec", "-")
    assert settings(given) == {
        "approval_policy": '"never"',
        "sandbox_mode": '"read-only"',
        "mcp_servers.ccweb": (
            '{url = "http://127.0.0.1:8002/mcp", bearer_token_env_var = "CCWEB_TOKEN", '
            'default_tools_approval_mode = "approve"}'
        ),
    }


@pytest.mark.requirement("R-A2")
@pytest.mark.parametrize(("forks", "verb"), [(False, "resume"), (True, "fork")])
def test_a_later_turn_goes_on_with_the_thread_or_with_a_copy_of_it(
    workshop: Workshop, forks: bool, verb: str
) -> None:
    talk = replace(workshop.conversation(agent=AgentKind.CODEX), agent_session="T")
    given = arguments(talk, None, forks=forks)
    assert given[:2] == ["exec", verb]
    assert given[-2:] == ["T", "-"]
    assert "mcp_servers.ccweb" not in settings(given)


@pytest.mark.requirement("R-A2")
def test_model_effort_and_mode_are_those_of_the_conversation(workshop: Workshop) -> None:
    talk = replace(
        workshop.conversation(agent=AgentKind.CODEX),
        model="gpt",
        effort="high",
        permission_mode=PermissionMode.SKIP_PERMISSIONS,
    )
    given = arguments(talk, None, told='Say "hi".')
    assert given[given.index("--model") + 1] == "gpt"
    assert settings(given) == {
        "approval_policy": '"never"',
        "sandbox_mode": '"danger-full-access"',
        "model_reasoning_effort": '"high"',
        "developer_instructions": '"Say \\"hi\\"."',
    }
