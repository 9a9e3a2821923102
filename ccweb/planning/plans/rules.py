"""The rules of a feature list plan: its states as one table."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from ccweb_contract.enums import PlanStatus


class PlanEvent(StrEnum):
    """What can happen to a plan."""

    CONFIRMED = "answers confirmed"
    WRITTEN = "plan written"
    WITHOUT_EVIDENCE = "no evidence in any repository"


TRANSITIONS: Final[Mapping[tuple[PlanStatus, PlanEvent], PlanStatus]] = {
    (PlanStatus.AWAITING_CONFIRMATION, PlanEvent.CONFIRMED): PlanStatus.RESEARCHING,
    (PlanStatus.RESEARCHING, PlanEvent.WRITTEN): PlanStatus.COMPLETED,
    (PlanStatus.RESEARCHING, PlanEvent.WITHOUT_EVIDENCE): PlanStatus.FAILED,
}
"""Every legal move."""


def move(event: PlanEvent) -> tuple[PlanStatus, PlanStatus]:
    """Return the states before and after an event, which happens in one state only."""
    [found] = [(before, after) for (before, what), after in TRANSITIONS.items() if what is event]
    return found
