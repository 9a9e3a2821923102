"""What a person can choose for a conversation: its agent, and with what that runs."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from sqlalchemy import Connection

from ccweb.asks import store as asks
from ccweb.clock import Moment
from ccweb.conversations import hosts
from ccweb.conversations.hosts import Host, Model, Offer
from ccweb.conversations.model import Conversation
from ccweb.conversations.service import existing
from ccweb_contract.enums import AgentKind, PermissionMode

_SEEN_S: Final = 30.0
"""A host that was silent for longer offers nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentChoice:
    """An agent kind: whether it can run, and with what."""

    kind: AgentKind
    offered: bool
    chosen: bool
    offer: Offer

    @property
    def modes(self) -> Sequence[PermissionMode]:
        """Return what it may be allowed to do."""
        return self.offer.modes or tuple(PermissionMode)

    @property
    def efforts(self) -> list[tuple[str, str]]:
        """Return how much it can think, each with the names of the models that can."""
        return _efforts(self.offer.models)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """With what a conversation's agent runs, what it could run with, and what it may do."""

    conversation: Conversation
    choice: AgentChoice
    allowed: Sequence[str]
    """What it may do without asking again."""

    @property
    def models(self) -> Sequence[Model]:
        """Return the models to choose from; one that is not offered any more stays choosable."""
        own, offered = self.conversation.model, self.choice.offer.models
        if own is None or any(model.name == own for model in offered):
            return offered
        known = tuple(effort for effort, _ in self.choice.efforts)
        return (Model(name=own, title=own, efforts=known), *offered)

    @property
    def efforts(self) -> list[tuple[str, str]]:
        """Return how much it can think, each with the names of the models that can."""
        own, known = self.conversation.effort, _efforts(self.models)
        if own is None or any(effort == own for effort, _ in known):
            return known
        return [(own, self.conversation.model or ""), *known]

    @property
    def modes(self) -> Sequence[PermissionMode]:
        """Return what it may be allowed to do; what it is allowed now stays choosable."""
        own, offered = self.conversation.permission_mode, self.choice.modes
        return offered if own in offered else (own, *offered)


def agents(c: Connection, m: Moment, host_id: str) -> list[AgentChoice]:
    """Return every kind of agent as the host of new conversations offers it, what runs first."""
    host = hosts.get(c, host_id)
    able = host.agents if host and _is_alive(host, m) else frozenset()
    first = next((kind for kind in AgentKind if kind in able), None)
    return [
        AgentChoice(kind=kind, offered=kind in able, chosen=kind is first, offer=_offer(host, kind))
        for kind in sorted(AgentKind, key=lambda kind: kind not in able)
    ]


def settings(c: Connection, conversation_id: str) -> Settings:
    """Return what can be changed in a conversation for its next turn.

    Raises:
        ConversationNotFound: there is none with this id.
    """
    conversation = existing(c, conversation_id)
    kind = conversation.agent
    offer = _offer(hosts.get(c, conversation.host_id), kind)
    return Settings(
        conversation=conversation,
        choice=AgentChoice(kind=kind, offered=offer.problem is None, chosen=True, offer=offer),
        allowed=asks.allowed(c, conversation_id),
    )


def _efforts(models: Sequence[Model]) -> list[tuple[str, str]]:
    names: dict[str, list[str]] = {}
    for model in models:
        for effort in model.efforts:
            names.setdefault(effort, []).append(model.name)
    return [(effort, " ".join(able)) for effort, able in names.items()]


def _is_alive(host: Host, m: Moment) -> bool:
    return (m.now - host.seen_at).total_seconds() < _SEEN_S


def _offer(host: Host | None, kind: AgentKind) -> Offer:
    offers = host.offers if host else ()
    return next((offer for offer in offers if offer.agent is kind), Offer(agent=kind))
