"""Delegations between real agents: what their models are told to do, and what came of it."""

from dataclasses import dataclass

from ccweb.conversations.model import Conversation
from ccweb_contract.enums import ReplyMode
from ccweb_contract.tools import ToolName
from tests.fakes.model_script import Call, Step, script
from tests.real_agents.harness import Workspace

RETURN, ONE_WAY = ReplyMode.RETURN_AND_CONTINUE, ReplyMode.ONE_WAY


def send(target: Conversation, *answers: Step, mode: ReplyMode = RETURN, tool: str = "") -> Step:
    """Return the step that sends work to a conversation whose model then answers like this."""
    given = {
        "targetConversationId": target.id,
        "content": f"Work for {target.title}: {script(*answers)}",
        "replyMode": mode.value,
    }
    return Step(calls=[Call(tool=tool or ToolName.CCWEB_SEND_MESSAGE, args=given)])


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """How a request ended."""

    status: str
    outcome: str | None
    text: str | None


def replies(workspace: Workspace, source: Conversation) -> list[Reply]:
    """Return what became of the requests of a conversation, in their order."""
    rows = workspace.rows(
        """SELECT status, outcome, reply_text FROM pending_reply
        WHERE source_conversation_id = :id ORDER BY position""",
        id=source.id,
    )
    return [Reply(status=str(a), outcome=_maybe(b), text=_maybe(c)) for a, b, c in rows]


def turns(workspace: Workspace, talk: Conversation) -> list[tuple[str, str, int]]:
    """Return kind, status and attempt of the turns of a conversation, in their order."""
    rows = workspace.rows(
        "SELECT kind, status, attempt FROM turn WHERE conversation_id = :id ORDER BY position",
        id=talk.id,
    )
    return [(str(kind), str(status), int(str(attempt))) for kind, status, attempt in rows]


def said(workspace: Workspace, talk: Conversation) -> list[str]:
    """Return what a conversation's agent said at the end of its turns."""
    rows = workspace.rows(
        """SELECT text FROM message m JOIN turn t ON t.final_message_id = m.id
        WHERE t.conversation_id = :id ORDER BY t.position""",
        id=talk.id,
    )
    return [str(text) for (text,) in rows]


def _maybe(value: object) -> str | None:
    return None if value is None else str(value)
