"""The rules of a request: its table of transitions, what holds it, the limits of sending."""

from enum import StrEnum
from typing import Final

from ccweb.conversations.rules import ENDED_WELL
from ccweb_contract.enums import Outcome, ReplyStatus, TurnStatus


class ReplyEvent(StrEnum):
    """What can happen to a request."""

    ANSWERED = "answered"
    TARGET_DELETED = "target deleted"
    CANCELLED_BY_PERSON = "cancelled by a person"
    CANCELLED_BY_SOURCE = "cancelled by its source"
    SOURCE_DELETED = "source deleted"
    LATE_OUTPUT = "late output"
    DELIVERED = "delivered"


TRANSITIONS: Final = {
    (ReplyStatus.WAITING, ReplyEvent.ANSWERED): ReplyStatus.READY,
    (ReplyStatus.WAITING, ReplyEvent.TARGET_DELETED): ReplyStatus.READY,
    (ReplyStatus.WAITING, ReplyEvent.CANCELLED_BY_PERSON): ReplyStatus.READY,
    (ReplyStatus.WAITING, ReplyEvent.CANCELLED_BY_SOURCE): ReplyStatus.FAILED,
    (ReplyStatus.WAITING, ReplyEvent.SOURCE_DELETED): ReplyStatus.FAILED,
    (ReplyStatus.READY, ReplyEvent.CANCELLED_BY_PERSON): ReplyStatus.READY,
    (ReplyStatus.READY, ReplyEvent.CANCELLED_BY_SOURCE): ReplyStatus.FAILED,
    (ReplyStatus.READY, ReplyEvent.SOURCE_DELETED): ReplyStatus.FAILED,
    (ReplyStatus.READY, ReplyEvent.LATE_OUTPUT): ReplyStatus.READY,
    (ReplyStatus.READY, ReplyEvent.DELIVERED): ReplyStatus.RETURNED,
}
"""Every legal move; `returned` and `failed` are final."""

OUTCOMES: Final = {
    TurnStatus.COMPLETED: Outcome.COMPLETED,
    TurnStatus.EMPTY: Outcome.EMPTY,
    TurnStatus.FAILED: Outcome.FAILED,
    TurnStatus.INTERRUPTED: Outcome.INTERRUPTED,
    TurnStatus.LOST: Outcome.LOST,
}
"""How the end of the target's turn reads in the reply."""

BROKEN: Final = frozenset({Outcome.FAILED, Outcome.INTERRUPTED, Outcome.LOST, Outcome.NO_HOST})
"""With these outcomes a request is over: what its turns had opened arrives display-only (R-M5)."""

WELL: Final = frozenset({Outcome.COMPLETED, Outcome.EMPTY})
"""With any other outcome nobody waits for the forms that its turns had asked for."""


def after(status: ReplyStatus, event: ReplyEvent) -> ReplyStatus | None:
    """Return the state that follows, None when the event changes nothing any more."""
    return TRANSITIONS.get((status, event))


def is_held(end: TurnStatus, *, open_below: bool) -> bool:
    """Tell whether a request stays open after a turn that serves it has ended (R-M5)."""
    return end in ENDED_WELL and open_below


def takes_late_output(status: ReplyStatus, outcome: Outcome | None) -> bool:
    """Tell whether output that came too late may still replace the reply (R-M13)."""
    return status is ReplyStatus.READY and outcome is Outcome.LOST


def pair_is_looping(forward: int, backward: int, limit: int) -> bool:
    """Tell whether two conversations that both initiate have sent too often (R-M2)."""
    return forward > 0 and backward > 0 and forward + backward > limit
