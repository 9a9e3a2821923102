"""Features: a list of them read from Markdown, tables, numbered or plain lines."""

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from ccweb.planning.feature_lines import BULLET, Kind, Line, is_prose, lines
from ccweb.planning.feature_tables import rows
from ccweb.planning.model import Feature

MOST_FEATURES: Final = 500
_MODULE_LENGTH: Final = 200
_SEPARATOR: Final = " / "


@dataclass(frozen=True, slots=True, kw_only=True)
class FeatureList:
    """What a text asks for."""

    items: tuple[Feature, ...]
    truncated: bool
    """True when the text names more than the `MOST_FEATURES` that are here."""


def parse(text: str) -> FeatureList:
    """Return the features of a text; none when it has no structure that shows them.

    Lists and tables are features where there are any, else plain lines, else headings.
    """
    read = lines(text)
    found = list(_listed(read)) or list(_plain(read)) or list(_headed(read))
    return _numbered(found)


@dataclass(frozen=True, slots=True)
class _Found:
    """A feature with the path that it stands under."""

    path: tuple[str, ...]
    name: str


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
    """Yield the plain lines that are no prose; one alone is a list only under a heading."""
    outline = _Outline()
    found: list[_Found] = []
    block: list[Line] = []
    for line in [*read, Line(kind=Kind.BLANK)]:
        if line.kind is Kind.PLAIN:
            block.append(line)
            continue
        if not is_prose(block):
            found += [_Found(outline.path, one.text) for one in block]
        block = []
        if line.kind is Kind.HEADING:
            outline.enter(line)
    if len(found) > 1 or any(one.path for one in found):
        yield from found


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
