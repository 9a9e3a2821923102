"""Homes of Codex as tests look at them, and threads that an older ccweb has started."""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sqlalchemy import text

from ccweb.conversations.model import Conversation
from ccweb_contract.enums import AgentKind, TurnFailure
from tests.fakes.model_script import Call, Step
from tests.real_agents.harness import Workspace
from tests.real_codex.app_server import running

RESET_AT = datetime(2030, 3, 17, 17, 46, 40, tzinfo=UTC)
FAILURES = {
    TurnFailure.NOT_LOGGED_IN: Step(error=401),
    TurnFailure.RATE_LIMITED: Step(error=429),
    TurnFailure.REQUEST_REFUSED: Step(error=400, message="not like this"),
    TurnFailure.CONTEXT_FULL: Step(error=400, code="context_length_exceeded"),
    TurnFailure.OVERLOADED: Step(error=503),
    TurnFailure.NETWORK_DOWN: Step(text="a part of it", drop=True),
}
"""How a model fails, and what that is to ccweb."""
USED_UP = Step(
    error=429,
    type="usage_limit_reached",
    headers={
        "x-codex-primary-used-percent": "100",
        "x-codex-primary-window-minutes": "300",
        "x-codex-primary-reset-at": str(int(RESET_AT.timestamp())),
    },
)
"""What the service answers once an account has used up what it may, and until when."""


def shell(command: str, text: str = "") -> Step:
    """Return the answer that runs a command."""
    return Step(text=text, calls=[Call(tool="exec_command", args={"cmd": command})])


def contents(folder: Path) -> dict[str, bytes]:
    """Return every file of a folder with its bytes."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def pids(workspace: Workspace, talk_id: str) -> list[int]:
    """Return the processes that were started for a conversation and not ended yet."""
    rows = workspace.rows(
        "SELECT pid FROM agent_process WHERE conversation_id = :id AND ended_at IS NULL",
        id=talk_id,
    )
    return [int(str(pid)) for (pid,) in rows]


async def an_old_thread(workspace: Workspace, tools: Sequence[Any]) -> Conversation:
    """Make a conversation whose thread was started with these dynamic tools, not by us."""
    await workspace.run(workspace.talk(AgentKind.CODEX), Step(text="so that the home is there"))
    talk = workspace.talk(AgentKind.CODEX_APP)
    async with running(workspace.s.data_dir) as server:
        thread_id = await server.start_thread(tools)
        said = [{"type": "text", "text": "The old days."}]
        await server.ask("turn/start", threadId=thread_id, input=said)
        while (await server.read()).get("method") != "turn/completed":
            pass
    with workspace.db.begin() as c:
        c.execute(
            text("UPDATE conversation SET agent_session = :thread WHERE id = :id"),
            {"thread": thread_id, "id": talk.id},
        )
    return talk
