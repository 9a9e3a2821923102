"""The rules of a turn: one table of transitions, and how a continuation's text budget is shared."""

from collections.abc import Sequence
from enum import StrEnum
from typing import Final

from ccweb_contract.enums import TurnKind, TurnStatus


class TurnEvent(StrEnum):
    """What can happen to a turn."""

    CLAIMED = "claimed"
    WITHDRAWN = "withdrawn"
    NO_HOST = "no host"
    COMPLETED = "completed"
    ENDED_EMPTY = "ended empty"
    FAILED = "failed"
    INTERRUPTED = "interrupted"
    LOST = "lost"
    RETRIED = "retried"


TRANSITIONS: Final = {
    (TurnStatus.QUEUED, TurnEvent.CLAIMED): TurnStatus.RUNNING,
    (TurnStatus.QUEUED, TurnEvent.WITHDRAWN): TurnStatus.INTERRUPTED,
    (TurnStatus.QUEUED, TurnEvent.NO_HOST): TurnStatus.FAILED,
    (TurnStatus.RUNNING, TurnEvent.COMPLETED): TurnStatus.COMPLETED,
    (TurnStatus.RUNNING, TurnEvent.ENDED_EMPTY): TurnStatus.EMPTY,
    (TurnStatus.RUNNING, TurnEvent.FAILED): TurnStatus.FAILED,
    (TurnStatus.RUNNING, TurnEvent.INTERRUPTED): TurnStatus.INTERRUPTED,
    (TurnStatus.RUNNING, TurnEvent.LOST): TurnStatus.LOST,
    (TurnStatus.RUNNING, TurnEvent.RETRIED): TurnStatus.QUEUED,
}
"""Every legal move; anything else is a bug of the caller."""

ENDS: Final = {
    TurnStatus.COMPLETED: TurnEvent.COMPLETED,
    TurnStatus.EMPTY: TurnEvent.ENDED_EMPTY,
    TurnStatus.FAILED: TurnEvent.FAILED,
    TurnStatus.INTERRUPTED: TurnEvent.INTERRUPTED,
    TurnStatus.LOST: TurnEvent.LOST,
}
"""The event by which a running turn comes to each of its ends."""

ENDED_WELL: Final = frozenset({TurnStatus.COMPLETED, TurnStatus.EMPTY})
"""Only these ends can hold a request open for what the turn has delegated (R-M5)."""

_RETRIED_ENDS: Final = frozenset({TurnStatus.FAILED, TurnStatus.LOST})

_MIN_SHARE_BYTES: Final = 4 * 1024
_AROUND_BYTES: Final = 800
"""What stands around one reply in the prompt: ids, titles, headings, fences, notes on cuts."""


def after(status: TurnStatus, event: TurnEvent) -> TurnStatus:
    """Return the state that follows.

    Raises:
        KeyError: the move is not in the table.
    """
    return TRANSITIONS[status, event]


def is_retried(
    kind: TurnKind, end: TurnStatus, *, began: bool, attempt: int, attempts: int
) -> bool:
    """Tell whether a turn goes back to the queue: a continuation whose agent never began (R-M7)."""
    return (
        kind is TurnKind.CONTINUATION and end in _RETRIED_ENDS and not began and attempt < attempts
    )


def how_many_fit(cut_sizes: Sequence[int], whole_sizes: Sequence[int], *, total: int) -> int:
    """Return how many of the first items one continuation can carry, at least one (R-M9).

    An item fits while what is never cut of it does, and a readable part of the rest.
    """
    used = 0
    for count, (cut_size, whole) in enumerate(zip(cut_sizes, whole_sizes, strict=True)):
        used += whole + min(cut_size, _MIN_SHARE_BYTES) + _AROUND_BYTES
        if count and used > total:
            return count
    return len(cut_sizes)


def share(sizes: Sequence[int], total: int) -> list[int]:
    """Return what each text gets of `total` bytes: small ones whole, the rest in equal parts."""
    shares = [0] * len(sizes)
    left = max(total, 0)
    by_size = sorted(range(len(sizes)), key=lambda i: sizes[i])
    for done, i in enumerate(by_size):
        shares[i] = min(sizes[i], left // (len(sizes) - done))
        left -= shares[i]
    return shares


def cut(text: str, limit_bytes: int) -> str:
    """Return the longest beginning of `text` that has at most `limit_bytes` in UTF-8."""
    encoded = text.encode()
    if len(encoded) <= limit_bytes:
        return text
    return encoded[: max(limit_bytes, 0)].decode(errors="ignore")
