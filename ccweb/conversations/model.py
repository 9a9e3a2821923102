"""What a conversation is made of: conversation, message, turn and lease, inbox item, event."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from ccweb_contract.enums import (
    AgentKind,
    InboxKind,
    MessageRole,
    PermissionMode,
    SourceKind,
    StepKind,
    StepStatus,
    TurnFailure,
    TurnKind,
    TurnStatus,
)

OPEN_TURNS = (TurnStatus.QUEUED, TurnStatus.RUNNING)
"""The states of a turn that has not ended."""


class EventKind(StrEnum):
    """What a line of the feed is about; pages follow the feed."""

    CONVERSATION = "conversation"
    MESSAGE = "message"
    TURN = "turn"
    DELTA = "delta"
    STEP = "step"
    REPLY = "reply"
    ASK = "ask"
    BOARD = "board"
    """Of no conversation: its id is empty, the data name the board and the task."""
    BLUEPRINT = "blueprint"
    """Of no conversation: its id is empty, the data name the blueprint."""
    RUN = "run"
    """Of no conversation: its id is empty, the data name the run that has more calls."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """One chat with one agent in one working directory."""

    id: str
    title: str
    agent: AgentKind
    model: str | None
    effort: str | None
    """How much the model thinks, by the CLI's own word; None leaves it to the CLI."""
    cwd: str
    permission_mode: PermissionMode
    host_id: str
    agent_session: str | None
    """The session id that the agent's own CLI gave, to resume it."""
    created_at: datetime
    updated_at: datetime
    held_at: datetime | None
    """Set by Stop: replies wait in the inbox until the person writes or presses Continue."""
    archived_at: datetime | None
    deleted_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """Whether a conversation can take in what waits for it."""

    held: bool
    """A person has stopped it."""
    busy: bool
    """A turn is queued or runs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sender:
    """Who wrote a message that came from outside the conversation's own agent."""

    kind: SourceKind
    id: str
    """A person's or a conversation's id."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One text in a conversation, whole, in the order of `position`."""

    position: int
    id: str
    conversation_id: str
    role: MessageRole
    text: str
    sender: Sender | None
    """None for what the conversation's agent wrote."""
    turn_id: str | None
    display_only: bool
    """Shown to people; the agent reads it in a prompt of its own."""
    late: bool
    """Came after the turn had lost its lease."""
    metadata: Mapping[str, Any]
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Lease:
    """The right of one run of a host to report on one attempt at a turn."""

    turn_id: str
    run_id: str
    attempt: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Thread:
    """Where a turn stands in the delegations: what it answers, how deep, in which chain."""

    serves: str | None = None
    """The request that the turn's output answers; a request opens one turn, so never more."""
    hop: int = 0
    chain_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnFacts:
    """What a turn took, as far as the agent says so."""

    model: str | None = None
    cost_microusd: int | None = None
    """Millionths of a US dollar."""
    input_tokens: int | None = None
    """All that was read, what came from the cache included."""
    cached_tokens: int | None = None
    output_tokens: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One run of an agent on one prompt."""

    position: int
    id: str
    conversation_id: str
    kind: TurnKind
    status: TurnStatus
    prompt: str
    message_id: str | None
    thread: Thread
    attempt: int
    run_id: str | None
    lease_until: datetime | None
    queued_at: datetime
    claimed_at: datetime | None
    started_at: datetime | None
    """The agent's first event; from here on the turn is never run again."""
    ended_at: datetime | None
    stop_requested_at: datetime | None
    stop_reason: str | None
    error: str | None
    final_message_id: str | None
    failure: TurnFailure | None
    """Why the agent could not do it; None unless it failed."""
    retry_at: datetime | None
    """When the account's limit is reset."""
    facts: TurnFacts

    @property
    def lease(self) -> Lease:
        """Return the lease of the attempt that runs."""
        return Lease(turn_id=self.id, run_id=self.run_id or "", attempt=self.attempt)


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnEnd:
    """How an agent's run of a turn ended."""

    status: TurnStatus
    text: str = ""
    """The final output, or what there is of it."""
    stop_reason: str | None = None
    error: str | None = None
    failure: TurnFailure | None = None
    retry_at: datetime | None = None
    facts: TurnFacts = field(default_factory=TurnFacts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One thing that an agent did on the way to its final text."""

    key: str
    """The agent's own id of it; the same key again is the same step, further on."""
    kind: StepKind
    status: StepStatus
    name: str = ""
    """The tool, as the agent calls it."""
    input: str = ""
    """What it was given: one line for people, or JSON."""
    output: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredStep:
    """A step with its place and its times."""

    position: int
    turn_id: str
    step: Step
    started_at: datetime
    ended_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class NewItem:
    """Something that waits to be brought into a conversation."""

    conversation_id: str
    kind: InboxKind
    ref_id: str
    """The request or ask that it settles; one item each, for ever."""
    opened: Thread
    """The thread of the turn that opened it; its continuation takes it over."""
    payload: Mapping[str, Any]
    """What the continuation's prompt and the displayed message are made of, by kind."""
    display_only: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class InboxItem:
    """A `NewItem` in the inbox."""

    position: int
    conversation_id: str
    kind: InboxKind
    ref_id: str
    opened: Thread
    payload: Mapping[str, Any]
    display_only: bool
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivered:
    """One inbox item that was brought in."""

    item: InboxItem
    message_id: str | None
    """The message that shows it; None where there is nothing to show."""
