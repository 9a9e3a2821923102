"""Who calls: an agent, a script or a browser; and the person that some of them stand for."""

from dataclasses import dataclass
from datetime import datetime

from ccweb.conversations.model import Lease
from ccweb_contract.enums import Door, TokenScope


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """Somebody who uses this workspace."""

    id: str
    name: str
    owner: bool
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Agent:
    """A process that a host started for a conversation."""

    conversation_id: str
    lease: Lease | None
    """The turn that its credential was last renewed for; None once it is revoked."""
    current: bool
    """True while that turn runs under that lease: only then may it call tools."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Script:
    """The holder of an access token: a person's own, or one that speaks for a conversation."""

    token_id: str
    person_id: str
    conversation_id: str | None
    scopes: frozenset[TokenScope]


@dataclass(frozen=True, slots=True, kw_only=True)
class Browser:
    """A person who has signed in to the page."""

    person_id: str
    name: str


Caller = Agent | Script | Browser
"""Whoever calls a tool; the credential alone decides it (R-D6)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Human:
    """A person who decides; made by `service.human` only, so an agent does not type-check."""

    person_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """An access token as lists show it, without its secret."""

    id: str
    name: str
    person_id: str
    conversation_id: str | None
    scopes: frozenset[TokenScope]
    created_at: datetime
    revoked_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldToken:
    """A token that still opens something, as its person sees it."""

    token: Token
    title: str | None
    """The conversation that it speaks for, None when it is the person's own."""
    connected_at: datetime | None
    """When it last loaded the tools over MCP, None when it never has."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldContract:
    """Which contract the agent of a conversation has loaded at a door (R-D7)."""

    conversation_id: str
    title: str
    door: Door
    contract_hash: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NewToken:
    """A token at the one moment when its secret is shown."""

    id: str
    secret: str


def conversation_of(caller: Caller) -> str | None:
    """Return the conversation that a caller speaks for, None when it is a person."""
    return None if isinstance(caller, Browser) else caller.conversation_id


def holder_of(caller: Caller) -> str | None:
    """Return by whom a loaded contract is remembered, None when nobody loads one (R-D7)."""
    match caller:
        case Agent():
            return caller.conversation_id if caller.lease else None
        case Script():
            return caller.token_id
        case Browser():
            return None
