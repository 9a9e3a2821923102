"""What has changed between two texts: line by line, and word by word where a line was reworded."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import StrEnum
from itertools import takewhile
from typing import Final

_AROUND: Final = 3
"""Unchanged lines that stand beside a change."""
_ALIKE: Final = 0.4
"""From which likeness on a line counts as reworded, not as another one."""
_MOST_COMPARED: Final = 25_000_000
"""Pairs of lines among which equal ones are sought; of larger texts all in between has changed."""
_MOST_LIKENED: Final = 200_000
"""Characters that are compared for likeness in one change; in a larger one no line is."""
_LONGEST_LINE: Final = 4_000
_WORDS: Final = re.compile(r"[A-Za-z0-9_]+|\s+|.", re.DOTALL)


class Change(StrEnum):
    """What has become of a line."""

    SAME = "same"
    REMOVED = "removed"
    ADDED = "added"
    REWORDED = "reworded"


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A part of a line."""

    text: str
    changed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """A line of one of the two texts."""

    number: int
    """From 1."""
    pieces: Sequence[Piece]


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A line before and after; None where the other text has none."""

    change: Change
    old: Side | None
    new: Side | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretch:
    """Rows that follow each other, folded when they are far from any change."""

    rows: Sequence[Row]
    folded: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Diff:
    """Two texts beside each other."""

    stretches: Sequence[Stretch]
    added: int
    removed: int


def compare(old: str, new: str) -> Diff:
    """Return what has changed from one text to the next."""
    before, after = old.splitlines(), new.splitlines()
    rows = list(_rows(before, after))
    return Diff(
        stretches=list(_stretches(rows)),
        added=sum(row.change in (Change.ADDED, Change.REWORDED) for row in rows),
        removed=sum(row.change in (Change.REMOVED, Change.REWORDED) for row in rows),
    )


# --- lines --------------------------------------------------------------------------------------


def _rows(before: Sequence[str], after: Sequence[str]) -> Iterator[Row]:
    i = j = 0
    for old, new in _changes(before, after):
        yield from _unchanged(before, range(i, old.start), j)
        yield from _changed(before, after, old, new)
        i, j = old.stop, new.stop
    yield from _unchanged(before, range(i, len(before)), j)


def _changes(before: Sequence[str], after: Sequence[str]) -> Iterator[tuple[range, range]]:
    """Yield where the texts differ; lines that stand everywhere are no hold in long texts."""
    first = _common(before, after)
    last = _common(before[first:][::-1], after[first:][::-1])
    old, new = before[first : len(before) - last], after[first : len(after) - last]
    if len(old) * len(new) > _MOST_COMPARED:
        yield range(first, first + len(old)), range(first, first + len(new))
        return
    for tag, i, i_end, j, j_end in SequenceMatcher(None, old, new).get_opcodes():
        if tag != "equal":
            yield range(first + i, first + i_end), range(first + j, first + j_end)


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    """Return how many lines are equal from the beginning on."""
    pairs = zip(one, other, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _changed(before: Sequence[str], after: Sequence[str], old: range, new: range) -> Iterator[Row]:
    """Yield the rows of one change: reworded lines beside each other, the others in between."""
    i, j = old.start, new.start
    for pair_i, pair_j in _alike(before, after, old, new):
        yield from _apart(before, after, range(i, pair_i), range(j, pair_j))
        yield _reworded(before, after, pair_i, pair_j)
        i, j = pair_i + 1, pair_j + 1
    yield from _apart(before, after, range(i, old.stop), range(j, new.stop))


def _alike(
    before: Sequence[str], after: Sequence[str], old: range, new: range
) -> Iterator[tuple[int, int]]:
    """Yield the lines of a change that are one line in two wordings, in order."""
    if _likened(before, after, old, new) > _MOST_LIKENED:
        return
    start = new.start
    for i in old:
        likeness = {j: _likeness(before[i], after[j]) for j in range(start, new.stop)}
        best = max(likeness, key=likeness.__getitem__, default=None)
        if best is not None and likeness[best] >= _ALIKE:
            yield i, best
            start = best + 1


def _likened(before: Sequence[str], after: Sequence[str], old: range, new: range) -> int:
    """Return how many characters are compared when each line of a change is with each other."""
    removed, added = (
        sum(map(len, text[lines.start : lines.stop]))
        for text, lines in ((before, old), (after, new))
    )
    return removed * len(new) + added * len(old)


def _likeness(one: str, other: str) -> float:
    if not one.strip() or not other.strip() or max(len(one), len(other)) > _LONGEST_LINE:
        return 0.0
    matcher = SequenceMatcher(None, _WORDS.findall(one), _WORDS.findall(other))
    return matcher.ratio() if matcher.quick_ratio() >= _ALIKE else 0.0


def _apart(before: Sequence[str], after: Sequence[str], old: range, new: range) -> Iterator[Row]:
    for i in old:
        yield Row(change=Change.REMOVED, old=_plain(before, i), new=None)
    for j in new:
        yield Row(change=Change.ADDED, old=None, new=_plain(after, j))


def _unchanged(before: Sequence[str], lines: range, j: int) -> Iterator[Row]:
    for number, i in enumerate(lines, j + 1):
        pieces = (Piece(text=before[i]),)
        old, new = Side(number=i + 1, pieces=pieces), Side(number=number, pieces=pieces)
        yield Row(change=Change.SAME, old=old, new=new)


def _plain(lines: Sequence[str], index: int) -> Side:
    return Side(number=index + 1, pieces=(Piece(text=lines[index]),))


# --- words --------------------------------------------------------------------------------------


def _reworded(before: Sequence[str], after: Sequence[str], i: int, j: int) -> Row:
    old, new = _WORDS.findall(before[i]), _WORDS.findall(after[j])
    steps = SequenceMatcher(None, old, new).get_opcodes()
    return Row(
        change=Change.REWORDED,
        old=Side(number=i + 1, pieces=_pieces(old, [(tag, a, b) for tag, a, b, _, _ in steps])),
        new=Side(number=j + 1, pieces=_pieces(new, [(tag, a, b) for tag, _, _, a, b in steps])),
    )


def _pieces(words: Sequence[str], steps: Sequence[tuple[str, int, int]]) -> list[Piece]:
    return [
        Piece(text="".join(words[start:stop]), changed=tag != "equal")
        for tag, start, stop in steps
        if stop > start
    ]


# --- what is shown ------------------------------------------------------------------------------


def _stretches(rows: Sequence[Row]) -> Iterator[Stretch]:
    """Yield the rows, those folded that are far from any change."""
    near = _near(rows)
    start = 0
    for index in range(1, len(rows) + 1):
        if index == len(rows) or near[index] != near[start]:
            yield Stretch(rows=rows[start:index], folded=not near[start])
            start = index


def _near(rows: Sequence[Row]) -> list[bool]:
    """Return for each row whether a change is near; a fold of one line is not worth it."""
    near = [False] * len(rows)
    for index, row in enumerate(rows):
        if row.change is not Change.SAME:
            reach = range(max(index - _AROUND, 0), min(index + _AROUND + 1, len(rows)))
            for other in reach:
                near[other] = True
    alone = [i for i in range(len(near)) if not near[i] and near[i - 1 : i] != [False]]
    for i in alone:
        if near[i + 1 : i + 2] == [True]:
            near[i] = True
    return near
