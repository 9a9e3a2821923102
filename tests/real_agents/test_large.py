"""Answers of 20 MB and of 20,000 pieces arrive whole and in order, from every real agent."""

import json

import pytest

from ccweb.conversations.model import Conversation
from ccweb_contract.enums import AgentKind, TurnStatus
from tests.fakes.model_script import Step
from tests.real_agents.delegations import said
from tests.real_agents.harness import Workspace

EVERY_KIND = (AgentKind.CLAUDE, AgentKind.CODEX, AgentKind.CODEX_APP)
MANY, LARGE = Step(count=20_000), Step(count=20_000, width=1_000)
STREAMING = (AgentKind.CLAUDE, AgentKind.CODEX_APP)


def told(workspace: Workspace, talk: Conversation) -> str:
    """Return all that pages were told of a conversation's text while it was written."""
    rows = workspace.rows(
        "SELECT data FROM event WHERE conversation_id = :id AND kind = 'delta' ORDER BY position",
        id=talk.id,
    )
    return "".join(json.loads(str(data))["text"] for (data,) in rows)


@pytest.mark.requirement("R-A6")
@pytest.mark.parametrize("answer", [MANY, LARGE], ids=["20,000 deltas", "20 MB"])
@pytest.mark.parametrize("kind", EVERY_KIND)
async def test_a_large_answer_loses_no_character(
    workspace: Workspace, kind: AgentKind, answer: Step
) -> None:
    talk = workspace.talk(kind)
    turn = await workspace.run(talk, answer)
    assert turn.status is TurnStatus.COMPLETED
    whole = "".join(answer.pieces)
    [text] = said(workspace, talk)
    assert text.strip() == whole.strip()
    if kind in STREAMING:  # a good end's message brings what no page had been told by then
        shown = told(workspace, talk).strip()
        assert shown
        assert whole.strip().startswith(shown)
