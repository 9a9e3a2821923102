"""Two contracts compared: what a thread that holds the old one meets in the new one."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from difflib import SequenceMatcher

from codegen.compatibility import names
from codegen.compatibility.rules import RULES, WHEN_IT_ENDS, Level
from codegen.compatibility.snapshot import LEFT_OUT, Shape, Snapshot
from codegen.rules.lifecycle import release_number

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])|\n+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One change that a thread can notice."""

    rule: str
    level: Level
    owner: str
    """The tool, alias, prompt, code or address that changed."""
    place: str
    """`section.NAME.part`."""
    says: str
    """One sentence."""
    old: str
    """What stood there; of a text, the sentences that are another now."""
    new: str


def findings(old: Snapshot, new: Snapshot) -> list[Finding]:
    """Return every change from one contract to another, by place."""
    found = [*_addresses(old, new), *_codes(old, new), *_names(old, new), *_texts(old, new)]
    return [_with_level(finding, old, new) for finding in found]


def _finding(rule: str, place: str, says: str, *, old: str, new: str) -> Finding:
    owner = place.split(".")[1]
    level = RULES[rule].level
    return Finding(rule=rule, level=level, owner=owner, place=place, says=says, old=old, new=new)


def _with_level(finding: Finding, old: Snapshot, new: Snapshot) -> Finding:
    """Let what would break pass when the release until which it had to be taken is over."""
    end = _end(finding, old) if finding.rule in WHEN_IT_ENDS else None
    if end and _is_over(end, new):
        says = f"{finding.says} It was to be taken until {end}."
        return replace(finding, level=Level.EXPIRED, says=says)
    return finding


def _is_over(end: str, new: Snapshot) -> bool:
    return release_number(new.release) > release_number(end)


def _end(finding: Finding, old: Snapshot) -> str | None:
    """Return the last release that had to take what a finding is about."""
    section, name, *rest = finding.place.split(".", 2)
    if section == "errors":
        return old.errors[name].ends if name in old.errors else None
    definition = old.definitions.get(name)
    left_out = LEFT_OUT if finding.rule == "INPUT_REQUIRED_ADDED" else ""
    return definition.ends.get("".join(rest) + left_out) if definition else None


def _addresses(old: Snapshot, new: Snapshot) -> Iterator[Finding]:
    for key, address in old.addresses.items():
        if new.addresses[key] != address:
            says = f"The {key} is another."
            there = new.addresses[key]
            yield _finding("ADDRESS_CHANGED", f"address.{key}", says, old=address, new=there)
    if release_number(new.release) < release_number(old.release):
        says = f"{old.release} has been published."
        was, now = old.release, new.release
        yield _finding("RELEASE_LOWERED", "address.release", says, old=was, new=now)


def _codes(old: Snapshot, new: Snapshot) -> Iterator[Finding]:
    for code, error in old.errors.items():
        place = f"errors.{code}"
        if code not in new.errors:
            says = f"The error code {code} is gone."
            yield _finding("ERROR_CODE_REMOVED", place, says, old=code, new="")
        elif (status := new.errors[code].status) != error.status:
            says = f"The error code {code} has another HTTP status."
            was, now = f"status: {error.status}", f"status: {status}"
            yield _finding("ERROR_STATUS_CHANGED", place, says, old=was, new=now)
        elif names.is_earlier(new.errors[code].ends, error.ends):
            was, now = str(error.ends), str(new.errors[code].ends)
            says = f"The error code {code} is to go earlier than was told."
            yield _finding("END_BROUGHT_FORWARD", place, says, old=was, new=now)
    for code in new.errors:
        if code not in old.errors:
            says = f"There is a new error code {code}."
            yield _finding("ERROR_CODE_ADDED", f"errors.{code}", says, old="", new=code)


def _names(old: Snapshot, new: Snapshot) -> Iterator[Finding]:
    """Yield what happens to calls by each name, once where a tool and its alias share it."""
    seen = set()
    for name, before in old.definitions.items():
        for change in names.changes(name, before, new.definitions):
            key = (change.rule, before.tool, change.part, change.says)
            if change.part and key in seen and before.tool != name:
                continue
            seen.add(key)
            place = f"tools.{name}.{change.part}" if change.part else f"tools.{name}"
            yield _finding(change.rule, place, change.says, old=change.old, new=change.new)
    for name, now in new.definitions.items():
        if name not in old.definitions:
            leads = f", which leads to {now.tool}" if now.tool != name else ""
            says = f"There is a new name {name}{leads}."
            yield _finding("TOOL_ADDED", f"tools.{name}", says, old="", new=name)


def _texts(old: Snapshot, new: Snapshot) -> Iterator[Finding]:
    """Yield each text that is another, and each that goes while its argument is still taken."""
    for place, text in old.texts.items():
        if place in new.texts and new.texts[place] != text:
            was, now = _changed_sentences(text, new.texts[place])
            says = "Models read another text here."
            yield _finding("TEXT_CHANGED", place, says, old=was, new=now)
        elif place not in new.texts and _is_still_taken(place, new):
            says = "It is deprecated: no list shows it, and calls may still send it."
            yield _finding("DECLARED", place, says, old="listed", new="not listed")


def _is_still_taken(place: str, new: Snapshot) -> bool:
    """Tell whether a text was that of an argument which calls of a listed tool may send."""
    section, name, part, *way = place.split(".")
    definition = new.definitions.get(name)
    if (section, part) != ("tools", "input") or definition is None or not definition.listed:
        return False
    shape: Shape = definition.input
    for step in way:
        shape = shape.get("properties", {}).get(step.removesuffix("[]"), {})
        shape = shape.get("items", {}) if step.endswith("[]") else shape
    is_argument = bool(way) and not place.endswith("[]") and way[0] not in definition.renamed
    return is_argument and bool(shape)


def _changed_sentences(old: str, new: str) -> tuple[str, str]:
    """Return what of two texts differs, in whole sentences; of two that differ in spaces, all."""
    was, now = (_SENTENCE_END.split(text) for text in (old, new))
    codes = SequenceMatcher(a=was, b=now, autojunk=False).get_opcodes()
    changed = [code for code in codes if code[0] != "equal"]
    if not changed:
        return old, new
    return (
        "\n".join("\n".join(was[start:end]) for _, start, end, _, _ in changed),
        "\n".join("\n".join(now[start:end]) for _, _, _, start, end in changed),
    )
