"""An explanation as lines for people: aligned columns, whatever script they hold."""

import unicodedata
from collections.abc import Iterable, Iterator, Sequence

from codegen.explanation.changes import Changes
from codegen.explanation.old_calls import OldCall, OldName
from codegen.explanation.places import Place
from codegen.explanation.tools import Explanation, Field, Refusal
from codegen.literals import compact_json

Row = Sequence[str]
_BEGINS_WIDTH = 56
_SAME = "the same"


def of_tool(found: Explanation) -> Iterator[str]:
    """Yield the lines about a tool."""
    yield f"{found.name}   {' · '.join(found.title.values())}"
    yield f"group {found.group} of {found.contract}, release {found.release}"
    if found.deprecated:
        yield f"on no list: {_age(found.deprecated.since, found.deprecated.remove_after)}"
        yield found.deprecated.reason
    if found.sights:
        rows = [(sight.surface, sight.name, sight.about) for sight in found.sights]
        yield from _section("Shown", rows)
    yield from _section("Arguments", _fields(found.arguments, "calls may send"))
    yield from _section("Answer", _fields(found.answer, "this contract answers"))
    yield from _section("Refused with", _refusals(found.refusals))
    yield from _section("Named in", [(place,) for place in found.named_in] or [("no other text",)])
    yield from _old_calls(found.old_calls, found.name)
    yield from _changes(found.changes)
    yield from _section("Rendered to", _places(found.places))


def of_old_name(found: OldName) -> Iterator[str]:
    """Yield the lines about an old name of a tool."""
    yield f"{found.name}   an old name of {found.tool}"
    yield "on no list; calls by this name are still answered"
    yield from _old_calls([found.call], found.tool)
    yield from _section("Rendered to", _places(found.places))
    yield from ("", f"All of the tool: python -m codegen explain {found.tool}")


def _fields(fields: Iterable[Field], taken: str) -> list[Row]:
    """Return what lists show beside what is taken, said once where both agree."""
    rows: list[Row] = [("", "lists show", taken)]
    for field in fields:
        same = field.shown == field.taken
        rows.append((field.name, field.shown or "nothing", _SAME if same else field.taken))
    return rows if len(rows) > 1 else [("nothing",)]


def _refusals(refusals: Iterable[Refusal]) -> list[Row]:
    return [_refusal(refusal) for refusal in refusals] or [("no error code",)]


def _refusal(refusal: Refusal) -> Row:
    about = ", ".join(refusal.fields) or ("any tool" if refusal.is_common else "")
    return str(refusal.status), refusal.code, about


def _places(places: Iterable[Place]) -> list[Row]:
    return [(place.file, _lines(place), _cut(place.begins)) for place in places]


def _lines(place: Place) -> str:
    lines = f"{place.first}" if place.first == place.last else f"{place.first}-{place.last}"
    return f"{lines} of it" if ", block " in place.file else lines


def _changes(changes: Changes | None) -> Iterator[str]:
    if changes is None:
        yield from _section("Since the last published contract", [("none is published yet",)])
        return
    rows = [(change.level, change.rule, change.says) for change in changes.found]
    title = f"Since the contract published with {changes.release}"
    yield from _section(title, rows or [("nothing that a thread can notice",)])


def _old_calls(calls: Sequence[OldCall], tool: str) -> Iterator[str]:
    yield from ("", "What an old thread sees")
    if not calls:
        yield "  nothing: no call but those that lists show is taken"
    for call in calls:
        yield f"  {call.what}: {_age(call.since, call.remove_after)}"
        yield from _table(_told(call, tool), indent=4)


def _told(call: OldCall, tool: str) -> Iterator[Row]:
    """Yield what is to be said of an old call, a row each."""
    yield "why", " ".join(call.reason.split())
    if call.arguments is not None:
        yield "sends", f"{call.call} {compact_json(call.arguments)}"
    yield "done", call.done
    if call.becomes is not None:
        yield "runs", f"{tool} {compact_json(call.becomes)}"
    if call.notice is None:
        yield "told", "nothing: the answer is that of any call"
    for language, text in (call.notice or {}).items():
        first, *rest = text.splitlines()
        yield f"told {language}", first
        yield from (("", line) for line in rest)


def _age(since: str, remove_after: str | None) -> str:
    last = f"taken until {remove_after}" if remove_after else "taken for good"
    return f"old since {since}, {last}"


def _section(title: str, rows: Iterable[Row]) -> Iterator[str]:
    yield from ("", title)
    yield from _table(rows, indent=2)


def _table(rows: Iterable[Row], *, indent: int) -> Iterator[str]:
    """Yield rows as aligned lines."""
    lines = list(rows)
    columns = max(map(len, lines))
    widths = [max(_width(row[i]) for row in lines if i < len(row)) for i in range(columns)]
    for row in lines:
        cells = [cell + " " * (widths[i] - _width(cell)) for i, cell in enumerate(row)]
        yield (" " * indent + "  ".join(cells)).rstrip()


def _width(text: str) -> int:
    """Return the columns of a text on a terminal: two for a wide character, none for a mark."""
    return sum(_columns(character) for character in text)


def _columns(character: str) -> int:
    if unicodedata.combining(character) or unicodedata.category(character) in ("Cf", "Me", "Mn"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def _cut(text: str) -> str:
    """Return as much of a text as a column holds."""
    kept, width = "", 0
    for character in text:
        width += _columns(character)
        if width >= _BEGINS_WIDTH:
            return f"{kept}…"
        kept += character
    return kept
