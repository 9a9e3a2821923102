"""Time and ids as values: a command gets one `Moment` and never asks the machine for either."""

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

from ccweb.ids import new_id

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND: Final = timedelta(milliseconds=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """When a command happens and where its new ids come from."""

    now: datetime
    new_id: Callable[[str], str] = new_id
    """Returns a fresh id for a prefix: `new_id("req")` -> `req_7k2…`."""
    new_secret: Callable[[], str] = lambda: secrets.token_urlsafe(32)
    """Returns 256 random bits as text, for tickets, tokens and credentials."""

    @property
    def now_ms(self) -> int:
        """Return `now` as the database keeps it."""
        return to_ms(self.now)

    def later_ms(self, seconds: float) -> int:
        """Return the time `seconds` from now as the database keeps it."""
        return self.now_ms + int(seconds * 1000)


def system_clock() -> datetime:
    """Return the machine's time in UTC, in whole milliseconds."""
    return from_ms(to_ms(datetime.now(UTC)))


def moment() -> Moment:
    """Return the machine's present moment."""
    return Moment(now=system_clock())


def to_ms(at: datetime) -> int:
    """Return milliseconds since 1970 (UTC)."""
    return (at - _EPOCH) // _MILLISECOND


def from_ms(value: int) -> datetime:
    """Return the aware UTC time of a number of milliseconds since 1970."""
    return _EPOCH + value * _MILLISECOND


def maybe_from_ms(value: int | None) -> datetime | None:
    """Return the time of a nullable column."""
    return None if value is None else from_ms(value)


def iso(at: datetime) -> str:
    """Return ISO 8601 in UTC with milliseconds and `Z`, as every door shows times."""
    return at.isoformat(timespec="milliseconds").removesuffix("+00:00") + "Z"
