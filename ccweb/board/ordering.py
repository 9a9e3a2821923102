"""Ranks: texts of [0-9a-z] in whose order things stand, with room between any two.

A rank is a whole number and a fraction. The first letter says how many digits the number has, so
that longer numbers sort after shorter ones: `n0` to `nz`, then `o00` to `ozz`, and downwards `mz`
to `m0`, then `lzz`. Putting something last or first counts on by one and stays short; only putting
it between two others makes a fraction. No fraction ends in `0`, so there is room before each.
"""

from typing import Final

_DIGITS: Final = "0123456789abcdefghijklmnopqrstuvwxyz"
_ZERO: Final = _DIGITS[0]
_LAST: Final = _DIGITS[-1]
_FIRST_UP: Final = "n"
_FIRST_DOWN: Final = "m"
_START: Final = _FIRST_UP + _ZERO


def between(before: str | None, after: str | None) -> str:
    """Return a rank after `before` and before the greater `after`; None is the end there."""
    if before is None:
        return _START if after is None else _first_before(after)
    if after is None:
        return _counted(_whole(before), up=True)
    whole, fraction = _whole(before), before[len(_whole(before)) :]
    if whole == _whole(after):
        return whole + _middle(fraction, after[len(whole) :])
    following = _counted(whole, up=True)
    return following if following < after else whole + _middle(fraction, None)


def _first_before(after: str) -> str:
    whole = _whole(after)
    return whole if whole < after else _counted(whole, up=False)


def _whole(rank: str) -> str:
    """Return the whole number that a rank begins with."""
    return rank[: 1 + _length(rank[0])]


def _length(head: str) -> int:
    distance = ord(head) - ord(_FIRST_UP)
    return distance + 1 if distance >= 0 else -distance


def _counted(whole: str, *, up: bool) -> str:
    """Return the next whole number, or the one before."""
    head, digits = whole[0], whole[1:]
    turning, fresh = (_LAST, _ZERO) if up else (_ZERO, _LAST)
    kept = digits.rstrip(turning)
    if kept:
        step = _DIGITS[_DIGITS.index(kept[-1]) + (1 if up else -1)]
        return head + kept[:-1] + step + fresh * (len(digits) - len(kept))
    following = chr(ord(head) + (1 if up else -1))
    return following + fresh * _length(following)


def _middle(low: str, high: str | None) -> str:
    """Return a fraction between two; `high` None is one more than every fraction."""
    shared = _shared(low, high) if high is not None else 0
    if high is not None and shared:
        return high[:shared] + _middle(low[shared:], high[shared:])
    first = _DIGITS.index(low[0]) if low else 0
    last = _DIGITS.index(high[0]) if high is not None else len(_DIGITS)
    if last - first > 1:
        return _DIGITS[(first + last) // 2]
    if high is not None and len(high) > 1:
        return high[0]
    return _DIGITS[first] + _middle(low[1:], None)


def _shared(low: str, high: str) -> int:
    """Return how many digits two fractions begin with alike; a missing one of `low` is a zero."""
    count = 0
    while count < len(high) and (low[count] if count < len(low) else _ZERO) == high[count]:
        count += 1
    return count
