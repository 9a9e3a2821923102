"""An ask: one thing that waits for a person's decision."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from ccweb_contract.enums import AskKind, AskStatus


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """One ask; at most one of a kind and subject is open in a conversation."""

    id: str
    kind: AskKind
    status: AskStatus
    conversation_id: str
    """'' for what a blueprint asks for itself."""
    subject: str
    """What it is about: the turn to continue, the target of a refused send, a blueprint, '' for
    held replies."""
    turn_id: str | None
    """The turn that opened it."""
    parent_request_id: str | None
    """The request that this turn serves, held while the ask is open."""
    detail: Mapping[str, Any]
    created_at: datetime
    closed_at: datetime | None
    closed_by: str | None
    """The person who decided; None when it closed by itself."""
    answer: Mapping[str, Any] | None
    """What the person answered to an agent that asks; None for every other decision."""
