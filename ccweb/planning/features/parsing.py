"""Features: a list of them read from Markdown, tables, numbered or plain lines."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from ccweb.planning.features.lines import BULLET, Kind, Line, is_prose, lines
from ccweb.planning.features.tables import rows
from ccweb.planning.model import Feature

MOST_FEATURES: Final = 500
_MODULE_LENGTH: Final = 200
_SEPARATOR: Final = " / "
_ASIDE: Final = re.compile(
    r"(?:revision|version|document|change) history|table of contents|open (?:questions|issues)"
    r"|non-?\s?goals?|(?:out of|not in) scope(?: for .*)?"
    r"|(?:文档)?(?:修订|变更)(?:记录|历史)|版本(?:记录|历史)|待(?:定|确认)(?:问题|事项)|遗留问题"
    r"|非目标|范围外|(?:本期|本次|暂)?不(?:做|包含)(?:的?(?:功能|内容|范围))?|不在.{0,6}范围内?",
    re.IGNORECASE,
)
"""Titles of what a document tells besides, or of what is expressly not wanted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FeatureList:
    """What a text asks for."""

    items: tuple[Feature, ...]
    truncated: bool
    """True when the text names more than the `MOST_FEATURES` that are here."""


def parse(text: str) -> FeatureList:
    """Return the features of a text; none when it has no structure that shows them.

    Lists and tables are features where there are any, else plain lines, else headings. What
    stands below a title such as "Out of scope" is none.
    """
    read = lines(text)
    forms = (_listed(read), _plain(read), _headed(read))
    kept = ([one for one in found if not one.is_aside] for found in forms)
    return _numbered(next(filter(None, kept), []))


@dataclass(frozen=True, slots=True)
class _Found:
    """A feature with the path that it stands under."""

    path: tuple[str, ...]
    name: str

    @property
    def is_aside(self) -> bool:
        """Tell whether it belongs to a part of a document that asks for nothing."""
        return any(map(_ASIDE.fullmatch, (*self.path, self.name)))


class _Outline:
    """The headings and list items that a line stands under."""

    def __init__(self) -> None:
        self._open: list[tuple[tuple[int, ...], str]] = []

    def enter(self, line: Line) -> tuple[str, ...]:
        """Return what a heading or an item stands under, and let the next lines stand under it."""
        while self._open and self._open[-1][0] >= line.level:
            self._open.pop()
        above = self.path
        self._open.append((line.level, line.text))
        return above

    def close_bullets(self) -> None:
        """Let what follows stand under headings and numbers only."""
        while self._open and self._open[-1][0] >= (0, BULLET):
            self._open.pop()

    @property
    def path(self) -> tuple[str, ...]:
        return tuple(text for _, text in self._open)


def _listed(read: Sequence[Line]) -> Iterator[_Found]:
    """Yield the items without items below them, and the rows of tables."""
    outline = _Outline()
    table: list[Line] = []
    for line, after in zip(read, [*_structure(read), None], strict=False):
        if line.kind is Kind.ROW:
            table.append(line)
        else:
            yield from _tabled(outline, table)
            table = []
        if line.kind in (Kind.HEADING, Kind.ITEM):
            above = outline.enter(line)
            if line.kind is Kind.ITEM and not _is_parent(line, after):
                yield _Found(above, line.text)
    yield from _tabled(outline, table)


def _structure(read: Sequence[Line]) -> list[Line | None]:
    """Return for each line the next heading, item or row after it."""
    following: list[Line | None] = []
    after: Line | None = None
    for line in reversed(read):
        following.append(after)
        if line.kind in (Kind.HEADING, Kind.ITEM, Kind.ROW):
            after = line
    return following[::-1]


def _is_parent(line: Line, after: Line | None) -> bool:
    if after is None or after.kind is Kind.HEADING:
        return False
    return after.level > line.level if after.kind is Kind.ITEM else line.level < (0, BULLET)


def _tabled(outline: _Outline, table: Sequence[Line]) -> Iterator[_Found]:
    if not table:
        return
    outline.close_bullets()
    above = outline.path
    for modules, name in rows([line.cells for line in table]):
        yield _Found(above + modules, name)


def _plain(read: Sequence[Line]) -> Iterator[_Found]:
    """Yield the plain lines that are no prose; one alone is a list only below something."""
    outline = _Outline()
    found: list[_Found] = []
    kept = list(_without_prose(read))
    for line, after in zip(kept, [*kept[1:], None], strict=False):
        above = outline.enter(line)
        if line.kind is Kind.PLAIN and (after is None or after.level <= line.level):
            found.append(_Found(above, line.text))
    if len(found) > 1 or any(one.path for one in found):
        yield from found


def _without_prose(read: Sequence[Line]) -> Iterator[Line]:
    """Yield the headings, and the plain lines of blocks that are no prose."""
    block: list[Line] = []
    for line in [*read, Line(kind=Kind.BLANK)]:
        if line.kind is Kind.PLAIN:
            block.append(line)
            continue
        if not is_prose(block):
            yield from block
        block = []
        if line.kind is Kind.HEADING:
            yield line


def _headed(read: Sequence[Line]) -> Iterator[_Found]:
    """Yield the headings without headings below them; one alone is a title."""
    outline = _Outline()
    headings = [line for line in read if line.kind is Kind.HEADING]
    for line, after in zip(headings, [*headings[1:], None], strict=False):
        above = outline.enter(line)
        if len(headings) > 1 and (after is None or after.level <= line.level):
            yield _Found(above, line.text)


def _numbered(found: Sequence[_Found]) -> FeatureList:
    """Return the features with their keys, each once a module and no more than there may be."""
    unique: dict[tuple[str, str], tuple[str, str]] = {}
    for one in found:
        module = _SEPARATOR.join(one.path)[:_MODULE_LENGTH].rstrip(_SEPARATOR)
        unique.setdefault((_folded(module), _folded(one.name)), (module, one.name))
        if len(unique) > MOST_FEATURES:
            break
    items = tuple(
        Feature(key=f"f{number}", module=module, name=name)
        for number, (module, name) in enumerate(list(unique.values())[:MOST_FEATURES], start=1)
    )
    return FeatureList(items=items, truncated=len(unique) > MOST_FEATURES)


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()
