"""The rules of an ask: one table of transitions."""

from enum import StrEnum
from typing import Final

from ccweb_contract.enums import AskKind, AskStatus


class AskEvent(StrEnum):
    """What can happen to an ask."""

    RESUMED = "resumed"
    DISMISSED = "dismissed"


ASKED_BY_AGENTS: Final = frozenset({AskKind.PERMISSION, AskKind.QUESTION})
"""The kinds that an agent asks in the middle of a turn and waits for."""

ABOUT_BLUEPRINTS: Final = frozenset({AskKind.BLUEPRINT_QUESTION, AskKind.BLUEPRINT_APPROVAL})
"""The kinds that are decided on the page of a blueprint."""

TRANSITIONS: Final = {
    (AskStatus.OPEN, AskEvent.RESUMED): AskStatus.RESOLVED,
    (AskStatus.OPEN, AskEvent.DISMISSED): AskStatus.DISMISSED,
}
"""Every legal move; a closed ask stays closed."""


def after(status: AskStatus, event: AskEvent) -> AskStatus | None:
    """Return the state that follows, None when the ask is closed already."""
    return TRANSITIONS.get((status, event))
