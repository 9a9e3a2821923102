"""What the relay keeps of a request, and what a send answers."""

from dataclasses import dataclass
from datetime import datetime

from ccweb.conversations.model import Lease, Thread
from ccweb_contract.enums import Outcome, ReplyMode, ReplyStatus, SourceKind


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingReply:
    """One request (`return_and_continue`) from its send to its return (R-M3)."""

    request_id: str
    message_id: str
    source_kind: SourceKind
    source_conversation_id: str
    source_title: str
    target_conversation_id: str
    target_title: str
    status: ReplyStatus
    outcome: Outcome | None = None
    stop_reason: str | None = None
    created_at: datetime
    hop_count: int
    source_auto_run: bool
    """False once it has arrived display-only: the source was not continued for it."""
    original_request: str
    """'' for a row written before the text was kept."""
    reply_text: str | None = None
    completed_at: datetime | None = None
    returned_at: datetime | None = None
    reply_message_id: str | None = None
    last_error: str | None = None
    target_turn_id: str | None = None
    opened_by_turn_id: str | None = None
    """The source's turn that sent it; None for a call made outside a turn."""
    opened: Thread
    """That turn's thread; the continuation takes it over."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """The conversation that calls, and the lease of the turn it calls from."""

    conversation_id: str
    lease: Lease | None = None
    """None for a call made outside a turn: it holds nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """A message that is durable in the target, its turn queued."""

    message_id: str
    turn_id: str
    target_conversation_id: str
    target_title: str
    reply_mode: ReplyMode
    request_id: str | None
    """Set for `return_and_continue`."""
