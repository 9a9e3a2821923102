"""What a conversation's agent runs with, against what its host offers."""

from dataclasses import dataclass

from ccweb.conversations.hosts import Host, Model, Offer
from ccweb.errors import InvalidParams
from ccweb_contract.enums import AgentKind, PermissionMode


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """The model, how much it thinks, and what the agent may do."""

    permission_mode: PermissionMode
    model: str | None = None
    """None leaves it to the program."""
    effort: str | None = None


def check(
    choice: Choice, agent: AgentKind, host: Host | None, *, kept: Choice | None = None
) -> None:
    """Refuse what a host does not offer; where it lists nothing, everything goes.

    Args:
        choice: What is chosen.
        agent: The kind of agent.
        host: Where it runs.
        kept: What was chosen before; what stays as it is needs no offer.

    Raises:
        InvalidParams: it names what can be chosen.
    """
    offer = _offer(agent, host)
    if offer is None:
        return
    if kept is None or choice.model != kept.model:
        _check_model(choice, offer)
    if kept is None or (choice.model, choice.effort) != (kept.model, kept.effort):
        _check_effort(choice, offer)
    if kept is None or choice.permission_mode != kept.permission_mode:
        _check_mode(choice, offer)


def _check_model(choice: Choice, offer: Offer) -> None:
    if choice.model and offer.models and _model(offer, choice.model) is None:
        _refuse("model", choice.model, [model.name for model in offer.models])


def _check_effort(choice: Choice, offer: Offer) -> None:
    efforts = _efforts(offer, choice.model)
    if choice.effort and efforts and choice.effort not in efforts:
        _refuse("effort", choice.effort, efforts)


def _check_mode(choice: Choice, offer: Offer) -> None:
    if offer.modes and choice.permission_mode not in offer.modes:
        modes = [mode.value for mode in offer.modes]
        _refuse("permissionMode", choice.permission_mode.value, modes)


def _offer(agent: AgentKind, host: Host | None) -> Offer | None:
    offers = host.offers if host else ()
    return next((offer for offer in offers if offer.agent is agent), None)


def _model(offer: Offer, name: str) -> Model | None:
    return next((model for model in offer.models if model.name == name), None)


def _efforts(offer: Offer, name: str | None) -> list[str]:
    """Return the efforts of a model; without a model those that any of them has."""
    models = offer.models if name is None else filter(None, [_model(offer, name)])
    return list(dict.fromkeys(effort for model in models for effort in model.efforts))


def _refuse(field: str, given: str, offered: list[str]) -> None:
    raise InvalidParams(
        why=f"`{field}` {given!r} is not offered; choose one of {', '.join(offered)}."
    )
