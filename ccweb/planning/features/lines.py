"""Lines of a feature list: what each is by its form, and its text without markup."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import Final

NAME_LENGTH: Final = 200
_LINE_LENGTH: Final = 2000
"""What is read of a line: more than any name, and a bound to what a pattern can cost."""


class Kind(Enum):
    """What a line is by its form."""

    BLANK = auto()
    HEADING = auto()
    ITEM = auto()
    ROW = auto()
    LEAD = auto()
    """A plain line that ends in a colon."""
    PLAIN = auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line as it is read."""

    kind: Kind
    level: tuple[int, ...] = ()
    """Compared with others it says what stands under what; a heading stands over every item."""
    text: str = ""
    cells: tuple[str, ...] = ()
    is_sentence: bool = False
    """It ends in a full stop."""


_INVISIBLE: Final = re.compile(
    "[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]"
)
_NEWLINE: Final = re.compile("\r\n?|[\u2028\u2029\x85\x0b\x0c]")
_CONTROL: Final = re.compile("[\x00-\x08\x0e-\x1f\x7f-\xa0\u2000-\u200a\u202f\u205f]")
_CHAPTER: Final = re.compile(r"^([ \t]*)(\d{1,2})(?=[ \t\u3000]+\S.*\n\s*\2[.．]\d)", re.MULTILINE)
"""A number that nothing but the numbers below it shows to be one."""
_FRONT_MATTER: Final = re.compile(
    r"\A---[ \t]*\n(?:(?:[\w-]+[ \t]*:|[ \t#]|-[ \t])[^\n]*\n)+---[ \t]*(?:\n|\Z)"
)
_HEADING: Final = re.compile(r"(#{1,6})(?:[ \t\u3000]+|(?=[^\x00-\x7f]))(.+)")
_UNDERLINE: Final = re.compile(r"[ ]{0,3}(=+|-{3,})[ \t]*$")
_RULE: Final = re.compile(r"[ \t]*([-*_=])(?:[ \t]*\1){2,}[ \t]*$")
_FENCE: Final = re.compile(r"[ \t>]*(`{3,}|~{3,})")
_QUOTE: Final = re.compile(r"(?:[ ]{0,3}>[ ]?)+")
_BOLD_ALONE: Final = re.compile(r"(\*\*|__)[^*_]+\1[:：]?$")
_CHECKBOX: Final = re.compile(r"[\[［【][ \txX✓✔√]?[\]］】][ \t\u3000]*(?![(（])")

_NUMERALS: Final = "一二三四五六七八九十百零〇两"
_MARKERS: Final = (
    rf"第[{_NUMERALS}\d]{{1,4}}(?:部分|[章篇])[ \t\u3000:：、.．]*",
    rf"第[{_NUMERALS}\d]{{1,4}}节[ \t\u3000:：、.．]*",
    rf"[{_NUMERALS}]{{1,4}}[、.．][ \t\u3000]*",
    rf"[(（][{_NUMERALS}]{{1,4}}[)）][、.．]?[ \t\u3000]*",
    r"\d{1,4}(?:[.．]\d{1,3})+(?:[.．、]?[ \t\u3000]+|[.．、]?(?=[\u3400-\u9fff]))"
    r"|\d{1,4}[.．、](?!\d)[ \t\u3000]*",
    r"\d{1,4}[)）][ \t\u3000]*",
    r"[(（]\d{1,4}[)）][ \t\u3000]*",
    r"[①-⒛㉑-㉟㊱-㊿❶-❿][ \t\u3000]*",
    r"(?:[A-Za-z]|[ivxIVX]{1,5})[.)）、][ \t\u3000]+",
    r"[-*+–—][ \t\u3000]+|[-–—](?=[\u3400-\u9fff])|o(?:\t|[ ]{2})[ \t]*"
    r"|[•●○◦▪■□◆◇‣▶►※·・☐☑☒✅✔➤★☆\uf0a7\uf0b7\uf0d8\uf0fc][ \t\u3000]*",
)
"""By rank: of two that stand equally far in, the later in this row stands under the earlier."""
_MARKER: Final = re.compile("|".join(f"({marker})" for marker in _MARKERS))
BULLET: Final = len(_MARKERS) - 1
_INDENT: Final = 2
_TITLE: Final = -1
_BOLD_LEVEL: Final = (_TITLE, 7)
_LEAD_LEVEL: Final = (_TITLE, 8)

_IMAGE_OR_LINK: Final = re.compile(r"!?\[([^\[\]]*)\](?:\([^()]*\)|\[[^\[\]]*\])")
_TAG: Final = re.compile(r"<(?:https?://[^<>\s]+|/?[A-Za-z][^<>]*)>")
_EMPHASIS_OR_ESCAPED: Final = re.compile(
    r"\\([!-/:-@\[-`{-~])|\*{2,}|~{2,}|`+|(?<!\w)\*(?=\S)|(?<=\S)\*(?!\w)|(?<!\w)_+(?=\S)|(?<=\S)_+(?!\w)"
)
_STRUCK: Final = re.compile("~~[^~]*~~(?:[ ]*[(（][^()（）]*[)）])?")
"""What nobody wants any more, with a remark on it."""
_EDGES: Final = " \t\u3000;；,，、。.:：|"
_PIPE: Final = re.compile(r"(?<!\\)\|")

_STOPS: Final = (".", "!", "?", "。", "！", "？")
_SENTENCES: Final = re.compile(r"[a-z)\"'][.!?]\s+\S|[。！？]\s*\S")
_WIDE: Final = 60
_WIDEST: Final = 120


def lines(text: str) -> list[Line]:
    """Return the lines of a text in order; front matter, comments and fenced code are left out."""
    read: list[Line] = []
    for raw in _raw(text):
        if _UNDERLINE.match(raw) and _is_title(read):
            level = 1 if "=" in raw else 2
            read[-1] = Line(kind=Kind.HEADING, level=(_TITLE, level), text=read[-1].text)
        else:
            read.append(_line(raw, below_row=bool(read) and read[-1].kind is Kind.ROW))
    return _with_leads(read)


def is_prose(block: Sequence[Line]) -> bool:
    """Tell whether lines that follow each other are a paragraph and no list."""
    if len(block) == 1 and block[0].is_sentence:
        return True
    texts = [line.text for line in block]
    if any(map(_SENTENCES.search, texts)):
        return True
    if len(block) > 2 and all(line.is_sentence for line in block):
        return False
    wrapped = any(_width(text) > _WIDE for text in texts[:-1])
    return wrapped or any(_width(text) > _WIDEST for text in texts)


def _width(line: str) -> int:
    return sum(2 if character >= "\u2e80" else 1 for character in line)


def _raw(text: str) -> Iterator[str]:
    """Yield the lines outside of fences, without what nobody sees and without quote marks."""
    visible = _CONTROL.sub(" ", _INVISIBLE.sub("", _NEWLINE.sub("\n", text)))
    told = _without_comments(_FRONT_MATTER.sub("", visible))
    fence = ""
    for whole in _CHAPTER.sub(r"\1\2.", told).split("\n"):
        raw = whole[:_LINE_LENGTH]
        found = _FENCE.match(raw)
        if fence:
            fence = "" if found and found[1].startswith(fence) else fence
        elif found:
            fence = found[1]
        else:
            yield _QUOTE.sub("", raw, count=1) if raw.lstrip(" ").startswith(">") else raw


def _without_comments(text: str) -> str:
    pieces = []
    start = 0
    while (begin := text.find("<!--", start)) >= 0 and (end := text.find("-->", begin)) >= 0:
        pieces.append(text[start:begin])
        start = end + 3
    return "".join([*pieces, text[start:]])


def _is_title(read: Sequence[Line]) -> bool:
    """Tell whether the last line stands alone, so that an underline makes it a heading."""
    alone = len(read) == 1 or (len(read) > 1 and read[-2].kind is Kind.BLANK)
    return alone and read[-1].kind in (Kind.PLAIN, Kind.LEAD)


def _with_leads(read: Sequence[Line]) -> list[Line]:
    """Return the lines, those that lead to a list as headings of it."""
    done: list[Line] = []
    after: Line | None = None
    for line in reversed(read):
        if line.kind is Kind.LEAD:
            leads = after is not None and after.kind in (Kind.ITEM, Kind.ROW)
            kind, level = (Kind.HEADING, _LEAD_LEVEL) if leads else (Kind.PLAIN, line.level)
            line = Line(kind=kind, level=level, text=line.text)
        after = after if line.kind is Kind.BLANK else line
        done.append(line)
    return done[::-1]


def _line(raw: str, *, below_row: bool) -> Line:
    text = raw.strip(" \t\u3000")
    if not text or _RULE.match(raw):
        return Line(kind=Kind.BLANK)
    read = (
        _row(raw, text, below_row=below_row)
        or _heading(text)
        or _item(raw, text)
        or _loose_row(text)
        or _plain(raw, text)
    )
    return read if read.text or read.cells else Line(kind=Kind.BLANK)


def _row(raw: str, text: str, *, below_row: bool) -> Line | None:
    """Return a row that shows itself as one: by a pipe in front, or by several tabs."""
    if text.startswith("|"):
        return Line(kind=Kind.ROW, cells=_cells(text))
    tabbed = "\t" in text or below_row  # tabs in front are also how far in a line stands
    if raw.count("\t") > 1 and tabbed and not _MARKER.match(text):
        return Line(kind=Kind.ROW, cells=_cells(raw))
    return Line(kind=Kind.ROW, cells=_cells(text)) if text.count("\t") > 1 else None


def _loose_row(text: str) -> Line | None:
    cells = _cells(text)
    return Line(kind=Kind.ROW, cells=cells) if len(cells) > 1 else None


def _cells(text: str) -> tuple[str, ...]:
    if "\t" in text and not text.startswith("|"):
        return tuple(_clean(cell) for cell in text.split("\t"))
    return tuple(_clean(cell) for cell in _PIPE.split(text.removeprefix("|").removesuffix("|")))


def _heading(text: str) -> Line | None:
    found = _HEADING.match(text)
    if found:
        title = _unmarked(_without_closing(found[2]))
        return Line(kind=Kind.HEADING, level=(_TITLE, len(found[1])), text=_clean(title))
    if _BOLD_ALONE.match(text):
        return Line(
            kind=Kind.HEADING, level=_BOLD_LEVEL, text=_clean(_unmarked(text.strip("*_:：")))
        )
    return None


def _without_closing(title: str) -> str:
    rest = title.rstrip("#")
    return rest if rest.endswith((" ", "\t")) else title


def _item(raw: str, text: str) -> Line | None:
    if found := _MARKER.match(text):
        rank = (found.lastindex or 0) - 1
        level = (_indent(raw) // _INDENT, rank, len(re.findall(r"\d+", found[0])))
        return Line(kind=Kind.ITEM, level=level, text=_clean(_unmarked(text)))
    if found := _CHECKBOX.match(text):
        level = (_indent(raw) // _INDENT, BULLET, 0)
        return Line(kind=Kind.ITEM, level=level, text=_clean(text[found.end() :]))
    return None


def _indent(raw: str) -> int:
    """Return how far in a line begins, in columns."""
    column = 0
    for character in raw:
        match character:
            case " ":
                column += 1
            case "\t":
                column += 4 - column % 4
            case "\u3000":
                column += 2
            case _:
                break
    return column


def _unmarked(text: str) -> str:
    """Return a text without its marker and without a checkbox after it."""
    if found := _MARKER.match(text):
        text = text[found.end() :]
    found = _CHECKBOX.match(text)
    return text[found.end() :] if found else text


def _plain(raw: str, text: str) -> Line:
    return Line(
        kind=Kind.LEAD if text.endswith((":", "：")) else Kind.PLAIN,
        level=(_indent(raw) // _INDENT,),
        text=_clean(text),
        is_sentence=text.endswith(_STOPS),
    )


def _clean(text: str) -> str:
    """Return what a reader sees of a text on one line; empty when it holds no letter or digit."""
    text = _STRUCK.sub(" ", text)
    for _ in range(2):  # a link may hold an image
        text = _IMAGE_OR_LINK.sub(r"\1", text)
    text = _EMPHASIS_OR_ESCAPED.sub(r"\1", _TAG.sub(" ", text))
    shown = " ".join(text.split()).strip(_EDGES)[:NAME_LENGTH].rstrip()
    return shown if any(character.isalnum() for character in shown) else ""
