"""What happens to calls by one name when its definition changes."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from codegen.compatibility.shapes import Loss, Lost, lost
from codegen.compatibility.snapshot import LEFT_OUT, Definition, Shape
from codegen.rules.lifecycle import release_number

_SHOWN_ONLY = "composer"
"""The surface that people pick from; nothing is called through it."""
_INPUT = {
    Loss.FIELD: "INPUT_FIELD_REMOVED",
    Loss.REQUIRED: "INPUT_REQUIRED_ADDED",
    Loss.TYPE: "INPUT_TYPE_NARROWED",
    Loss.ENUM: "INPUT_ENUM_NARROWED",
    Loss.LIMIT: "INPUT_LIMIT_NARROWED",
    Loss.FORM: "INPUT_FORM_NARROWED",
}
_OUTPUT = {
    Loss.FIELD: "OUTPUT_FIELD_REMOVED",
    Loss.REQUIRED: "OUTPUT_REQUIRED_DROPPED",
    Loss.TYPE: "OUTPUT_TYPE_WIDENED",
    Loss.ENUM: "OUTPUT_ENUM_WIDENED",
    Loss.LIMIT: "OUTPUT_LIMIT_WIDENED",
    Loss.FORM: "OUTPUT_FORM_WIDENED",
}
_SENTENCES = {
    "INPUT_FIELD_REMOVED": "A call that sends it is refused.",
    "INPUT_REQUIRED_ADDED": "A call that leaves it out is refused.",
    "INPUT_TYPE_NARROWED": "A call with the old type is refused.",
    "INPUT_ENUM_NARROWED": "A call with this value is refused.",
    "INPUT_LIMIT_NARROWED": "A call within the old limit is refused.",
    "INPUT_FORM_NARROWED": "A call in the old form may be refused.",
    "OUTPUT_FIELD_REMOVED": "Readers of the answer miss it.",
    "OUTPUT_REQUIRED_DROPPED": "An answer without it is refused by an old client.",
    "OUTPUT_TYPE_WIDENED": "The new type is refused by an old client.",
    "OUTPUT_ENUM_WIDENED": "An answer with this value is refused by an old client.",
    "OUTPUT_LIMIT_WIDENED": "An answer outside the old limit is refused by an old client.",
    "OUTPUT_FORM_WIDENED": "An answer that has not the old form may be refused by an old client.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One change of what a name stands for."""

    rule: str
    part: str
    """Where below the name: `input.a`, `output.b[].c`; empty for the name itself."""
    says: str
    old: str
    new: str


def changes(name: str, old: Definition, now: Mapping[str, Definition]) -> Iterator[Change]:
    """Yield what a thread that holds the old definition of a name meets.

    Args:
        name: What the thread calls.
        old: What the name stood for.
        now: What every name stands for now.
    """
    new = now.get(name)
    if new is None:
        rule = "TOOL_REMOVED" if old.listed else "ALIAS_REMOVED"
        yield _change(rule, "", f"A call of {name} is answered as unknown.", name, "")
        return
    yield from _leads(name, old, new, now)
    yield from _renamed(old, new)
    yield from _surfaces(name, old, new)
    yield from _input(old, new)
    yield from _output(old.output, new.output)
    yield from _manners(old, new)
    yield from _ends(old, new)


def is_earlier(end: str | None, than: str | None) -> bool:
    """Tell whether an end is nearer than another; None is none."""
    return bool(end and than) and release_number(str(end)) < release_number(str(than))


def _ends(old: Definition, new: Definition) -> Iterator[Change]:
    """Yield each end that is announced now, or is nearer than it was."""
    for place, end in new.ends.items():
        was = old.ends.get(place)
        if was is None:
            says = f"It stays until {end} and may go afterwards."
            yield _change("DECLARED", place.rstrip(LEFT_OUT), says, "no end", end)
        elif is_earlier(end, was):
            says = "It is to go earlier than was told."
            yield _change("END_BROUGHT_FORWARD", place.rstrip(LEFT_OUT), says, was, end)


def _change(rule: str, part: str, says: str, old: Any, new: Any) -> Change:
    return Change(rule=rule, part=part, says=says, old=str(old), new=str(new))


def _leads(
    name: str, old: Definition, new: Definition, now: Mapping[str, Definition]
) -> Iterator[Change]:
    """Yield how a name leads to another tool or to other arguments than before."""
    was, there = _target(old.tool, old.fixed), _target(new.tool, new.fixed)
    if old.tool == name and new.tool != name:
        says = f"{name} is an alias now: old calls of it are carried out by {new.tool}."
        yield _change("DECLARED", "", says, was, there)
        yield from _chosen(old, new)
    elif _followed(old, now) != (new.tool, new.fixed):
        yield _change("ALIAS_CHANGED", "", f"A call of {name} does something else.", was, there)
    elif was != there:
        says = f"{name} leads to the same under its present name."
        yield _change("DECLARED", "", says, was, there)


def _chosen(old: Definition, new: Definition) -> Iterator[Change]:
    """Yield each argument that calls of a tool chose and that its name fixes now."""
    for name, child in old.input["properties"].items():
        field = new.renamed.get(name, name)
        if field in new.fixed and child.get("enum") != [new.fixed[field]]:
            says = f"Old calls choose {name}, which the alias fixes."
            was, now = _target(old.tool, old.fixed), _target(new.tool, new.fixed)
            yield _change("ALIAS_CHANGED", "", says, was, now)


def _followed(old: Definition, now: Mapping[str, Definition]) -> tuple[str, dict[str, Any]]:
    """Return what an old name leads to when its tool and its arguments have other names now."""
    if old.tool not in now:
        return old.tool, dict(old.fixed)
    via = now[old.tool]
    fixed = {via.renamed.get(name, name): value for name, value in old.fixed.items()}
    return via.tool, {**fixed, **via.fixed}


def _renamed(old: Definition, new: Definition) -> Iterator[Change]:
    """Yield each argument that means another one than before."""
    for name in old.input["properties"]:
        was, now = old.renamed.get(name, name), new.renamed.get(name, name)
        if now != new.renamed.get(was, was):
            if name in new.input["properties"]:
                says = f"{name} means another argument."
                yield _change("ALIAS_CHANGED", f"input.{name}", says, was, now)
        elif was == name != now:
            says = f"{name} is an old name of {now} now; calls may still send it."
            yield _change("DECLARED", f"input.{name}", says, was, now)
            yield from _merged(name, now, old, new)


def _merged(name: str, now: str, old: Definition, new: Definition) -> Iterator[Change]:
    """Yield each other argument that is the same one now."""
    for other in old.input["properties"]:
        if other != name and other not in old.renamed and new.renamed.get(other, other) == now:
            says = f"A call that sends {name} beside {other} loses one of them."
            yield _change("INPUT_FIELDS_MERGED", f"input.{name}", says, f"{name}, {other}", now)


def _target(tool: str, fixed: Mapping[str, Any]) -> str:
    """Return a tool and the arguments that a name fixes, in words."""
    with_ = ", ".join(f"{field}: {value}" for field, value in fixed.items())
    return f"{tool} with {with_}" if with_ else tool


def _surfaces(name: str, old: Definition, new: Definition) -> Iterator[Change]:
    before, after = ([d for d in one.doors if d != _SHOWN_ONLY] for one in (old, new))
    was, now = ", ".join(before) or "none", ", ".join(after) or "none"
    if left := [door for door in before if door not in after]:
        says = f"{name} cannot be called through {', '.join(left)} any more."
        yield _change("SURFACE_LEFT", "", says, was, now)
    if joined := [door for door in after if door not in before]:
        says = f"{name} can be called through {', '.join(joined)} as well."
        yield _change("SURFACE_JOINED", "", says, was, now)
    if old.listed and not new.listed and new.tool == name:
        says = f"{name} is deprecated: no list shows it, and calls are still answered."
        yield _change("DECLARED", "", says, "listed", "not listed")


def _input(old: Definition, new: Definition) -> Iterator[Change]:
    sent = _under_present_names(old, new)
    for one in lost(sent, new.input, closed=True):
        yield _lost(one, _INPUT, "input")
    yield from _defaults(_with_legacy(old), _with_legacy(new), "input")
    for field in new.legacy:
        if field not in old.legacy:
            says = f"Lists require {field} now; a call that leaves it out is still taken."
            value = f"a call without it means {new.legacy[field]}"
            yield _change("DECLARED", f"input.{field}", says, "no legacy default", value)
    for one in lost(new.input, sent, closed=True):
        says = "Calls may send more than before."
        yield _change("INPUT_WIDENED", f"input{one.place}", says, one.narrow, one.wide)


def _under_present_names(old: Definition, new: Definition) -> Shape:
    """Return what old calls send; an argument that they always have counts by its present name."""
    required = [new.renamed.get(name, name) for name in old.input.get("required", ())]
    return {**old.input, "required": required}


def _lost(one: Lost, rules: dict[Loss, str], part: str) -> Change:
    """Return a loss as a change; an old client is the narrow side of an answer."""
    rule = rules[one.loss]
    old, new = (one.wide, one.narrow) if part == "input" else (one.narrow, one.wide)
    return _change(rule, f"{part}{one.place}", _SENTENCES[rule], old, new)


def _with_legacy(definition: Definition) -> Shape:
    """Return the arguments with a legacy default as what a missing one stands for."""
    shape = definition.input
    filled = {}
    for name, child in shape["properties"].items():
        field = definition.renamed.get(name, name)
        legacy = {"default": definition.legacy[field]} if field in definition.legacy else {}
        filled[name] = {**child, **legacy}
    return {**shape, "properties": filled}


def _defaults(old: Shape, new: Shape, part: str) -> Iterator[Change]:
    """Yield each argument that stands for something else when it is left out."""
    for name, child in old.get("properties", {}).items():
        there = new.get("properties", {}).get(name)
        if there is None or name in new.get("required", ()):
            continue
        was, now = child.get("default"), there.get("default")
        if was is not None and was != now:
            says = "A call that leaves it out means something else."
            yield _change("INPUT_DEFAULT_CHANGED", f"{part}.{name}", says, was, now)
        elif was != now and "default" in there and name not in old.get("required", ()):
            says = "A call that leaves it out means this, if it did not before."
            yield _change("INPUT_DEFAULT_ADDED", f"{part}.{name}", says, "no default", now)
        yield from _defaults(child, there, f"{part}.{name}")
    if "items" in old and "items" in new:
        yield from _defaults(old["items"], new["items"], f"{part}[]")


def _output(old: Shape, new: Shape) -> Iterator[Change]:
    gone = [one.place for one in lost(old, new, closed=True) if one.loss is Loss.FIELD]
    for place in gone:
        rule = _OUTPUT[Loss.FIELD]
        yield _change(rule, f"output{place}", _SENTENCES[rule], place.split(".")[-1], "")
    for one in lost(new, old, closed=False):
        if one.place not in gone:
            yield _lost(one, _OUTPUT, "output")
    for one in lost(new, old, closed=True):
        if one.loss is Loss.FIELD:
            says = "The answer holds one more part."
            yield _change("OUTPUT_EXTENDED", f"output{one.place}", says, "", one.wide)


def _manners(old: Definition, new: Definition) -> Iterator[Change]:
    """Yield other hints and other refusals."""
    for hint, value in old.annotations.items():
        if new.annotations[hint] != value:
            says = f"The hint {hint} is another."
            yield _change("ANNOTATION_CHANGED", "annotations", says, value, new.annotations[hint])
    for code in new.errors:
        if code not in old.errors:
            says = f"A call can be refused with {code} now."
            yield _change("REFUSAL_CHANGED", "errors", says, "", code)
    for field in {*old.field_errors, *new.field_errors}:
        was, now = (side.field_errors.get(field, "invalid arguments") for side in (old, new))
        if was != now and field in old.input["properties"]:
            says = f"A wrong {field} is refused with another code."
            yield _change("REFUSAL_CHANGED", f"input.{field}", says, was, now)
