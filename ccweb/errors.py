"""Refusals: one class a code of the contract, its data as attributes, its sentence in `detail`."""

from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar

from ccweb.clock import iso
from ccweb_contract.enums import AgentKind
from ccweb_contract.errors import ErrorCode


@dataclass(eq=False)
class CcwebError(Exception):
    """A refusal that a caller can read: nothing was changed unless `commits` says so."""

    code: ClassVar[ErrorCode]
    commits: ClassVar[bool] = False
    """True where the refusal itself must be remembered (an ask was opened for a person)."""

    @property
    def detail(self) -> str:
        """Return one sentence that says what was wrong."""
        raise NotImplementedError

    def __str__(self) -> str:
        return self.detail


@dataclass(eq=False)
class AuthenticationFailed(CcwebError):
    """No credential, or one that is unknown, expired or revoked."""

    code: ClassVar = ErrorCode.AUTHENTICATION_FAILED
    why: str = "The credential is missing, unknown, expired or revoked."

    @property
    def detail(self) -> str:
        return self.why


@dataclass(eq=False)
class Forbidden(CcwebError):
    """A valid credential without the right."""

    code: ClassVar = ErrorCode.FORBIDDEN
    why: str

    @property
    def detail(self) -> str:
        return self.why


@dataclass(eq=False)
class HumanRequired(CcwebError):
    """Only a person may decide this."""

    code: ClassVar = ErrorCode.HUMAN_REQUIRED
    why: str

    @property
    def detail(self) -> str:
        return self.why


@dataclass(eq=False)
class SourceRequired(CcwebError):
    """A caller that is no conversation asked for a return."""

    code: ClassVar = ErrorCode.SOURCE_REQUIRED

    @property
    def detail(self) -> str:
        return "The caller is no conversation, so there is nothing to return a reply to."


@dataclass(eq=False)
class TurnOver(CcwebError):
    """The turn that the credential belongs to has ended or lost its lease."""

    code: ClassVar = ErrorCode.TURN_OVER
    turn_id: str | None = None

    @property
    def detail(self) -> str:
        return f"The turn {self.turn_id or 'of this credential'} is over; its calls are refused."


@dataclass(eq=False)
class UnknownTool(CcwebError):
    """No tool and no alias has this name."""

    code: ClassVar = ErrorCode.UNKNOWN_TOOL
    tool: str

    @property
    def detail(self) -> str:
        return f"There is no tool named {self.tool[:64]!r}."


@dataclass(eq=False)
class InvalidParams(CcwebError):
    """The arguments do not fit the schema."""

    code: ClassVar = ErrorCode.INVALID_PARAMS
    why: str

    @property
    def detail(self) -> str:
        return self.why


@dataclass(eq=False)
class InvalidReplyMode(CcwebError):
    """`replyMode` is missing or no member of its enum."""

    code: ClassVar = ErrorCode.INVALID_REPLY_MODE
    why: str

    @property
    def detail(self) -> str:
        return self.why


@dataclass(eq=False)
class ContentTooLarge(CcwebError):
    """The content is over the limit."""

    code: ClassVar = ErrorCode.CONTENT_TOO_LARGE
    size_bytes: int
    limit_bytes: int

    @property
    def detail(self) -> str:
        return f"The content has {self.size_bytes} bytes; at most {self.limit_bytes} are allowed."


@dataclass(eq=False)
class TargetNotFound(CcwebError):
    """The target conversation does not exist."""

    code: ClassVar = ErrorCode.TARGET_NOT_FOUND
    conversation_id: str

    @property
    def detail(self) -> str:
        return f"There is no conversation {self.conversation_id!r}."


@dataclass(eq=False)
class ConversationNotFound(TargetNotFound):
    """The conversation does not exist."""

    code: ClassVar = ErrorCode.CONVERSATION_NOT_FOUND


@dataclass(eq=False)
class RequestNotFound(CcwebError):
    """The request does not exist, or the caller is neither its source nor its target."""

    code: ClassVar = ErrorCode.REQUEST_NOT_FOUND
    request_id: str

    @property
    def detail(self) -> str:
        return f"There is no request {self.request_id!r} that this caller may see."


@dataclass(eq=False)
class MessageNotFound(CcwebError):
    """The message does not exist in that conversation."""

    code: ClassVar = ErrorCode.MESSAGE_NOT_FOUND
    message_id: str

    @property
    def detail(self) -> str:
        return f"There is no message {self.message_id!r} in this conversation."


@dataclass(eq=False)
class AskNotFound(CcwebError):
    """The ask does not exist."""

    code: ClassVar = ErrorCode.ASK_NOT_FOUND
    ask_id: str

    @property
    def detail(self) -> str:
        return f"There is no question {self.ask_id!r}."


@dataclass(eq=False)
class AskClosed(CcwebError):
    """The ask has been decided already."""

    code: ClassVar = ErrorCode.ASK_CLOSED
    ask_id: str

    @property
    def detail(self) -> str:
        return f"The question {self.ask_id} has been decided already."


@dataclass(eq=False)
class TargetIsSource(CcwebError):
    """A conversation sent to itself."""

    code: ClassVar = ErrorCode.TARGET_IS_SOURCE
    conversation_id: str

    @property
    def detail(self) -> str:
        return f"{self.conversation_id} is the conversation that sends."


@dataclass(eq=False)
class TargetBusy(CcwebError):
    """The target has a running or queued turn."""

    code: ClassVar = ErrorCode.TARGET_BUSY
    conversation_id: str
    status: str
    since: datetime

    @property
    def detail(self) -> str:
        return f"{self.conversation_id} is {self.status} since {iso(self.since)}."


@dataclass(eq=False)
class HopLimitExceeded(CcwebError):
    """The chain of delegations would become too deep."""

    code: ClassVar = ErrorCode.HOP_LIMIT_EXCEEDED
    hop: int
    limit: int

    @property
    def detail(self) -> str:
        return f"This send would be hop {self.hop}; at most {self.limit} are allowed."


@dataclass(eq=False)
class LoopGuard(CcwebError):
    """Conversations have kept each other going with no person; an ask was opened."""

    code: ClassVar = ErrorCode.LOOP_GUARD
    commits: ClassVar[bool] = True
    ask_id: str
    why: str

    @property
    def detail(self) -> str:
        return f"{self.why} A person was asked ({self.ask_id})."


@dataclass(eq=False)
class AlreadyReturned(CcwebError):
    """The reply has been returned, so there is nothing left to cancel."""

    code: ClassVar = ErrorCode.ALREADY_RETURNED
    request_id: str

    @property
    def detail(self) -> str:
        return f"The reply to {self.request_id} has been returned already."


@dataclass(eq=False)
class AlreadyEnded(CcwebError):
    """The request has failed or was cancelled before."""

    code: ClassVar = ErrorCode.ALREADY_ENDED
    request_id: str

    @property
    def detail(self) -> str:
        return f"The request {self.request_id} has ended already."


@dataclass(eq=False)
class AgentUnavailable(CcwebError):
    """No host offers this kind of agent."""

    code: ClassVar = ErrorCode.AGENT_UNAVAILABLE
    agent: AgentKind
    why: str

    @property
    def detail(self) -> str:
        return f"The agent {self.agent} cannot be used here: {self.why}"


@dataclass(eq=False)
class Unavailable(CcwebError):
    """The hub cannot answer just now; nothing was changed."""

    code: ClassVar = ErrorCode.UNAVAILABLE
    why: str

    @property
    def detail(self) -> str:
        return self.why
