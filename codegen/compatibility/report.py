"""Findings as people, machines and reviews read them."""

import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from textwrap import wrap

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from codegen.compatibility.comparison import Finding
from codegen.compatibility.rules import RULES, Level
from codegen.github import annotation, place_of
from codegen.literals import pretty_json
from codegen.source import Source

_WIDTH = 96
_ANNOTATIONS: Mapping[Level, str] = {
    Level.BREAKING: "error",
    Level.BEHAVIOUR: "warning",
    Level.EXPIRED: "notice",
    Level.SAFE: "notice",
}
_ORDER = list(Level)


def lines(
    findings: Sequence[Finding], form: str, *, held: str, source: Source, file: Path
) -> list[str]:
    """Return findings in a format.

    Args:
        findings: The changes.
        form: One of `codegen.terminal.FORMATS`.
        held: What the old side is called, such as a release.
        source: The present contract, for the lines of a review.
        file: Where it was read.
    """
    ordered = sorted(findings, key=lambda finding: _ORDER.index(finding.level))
    match form:
        case "json":
            return pretty_json([_values(finding) for finding in ordered]).splitlines()
        case "github":
            place = place_of(file, shown_as=source.file)
            return [_annotation(finding, source, place) for finding in ordered]
        case _:
            return [line for same in _grouped(ordered) for line in _for_people(same, held)]


def _values(finding: Finding) -> dict[str, str]:
    rule = RULES[finding.rule]
    return {**asdict(finding), "level": finding.level.value, "why": rule.why, "safe": rule.safe}


def _annotation(finding: Finding, source: Source, file: str) -> str:
    rule = RULES[finding.rule]
    message = f"{finding.place}: {finding.says}\nWhy: {rule.why}\nTo make it safe: {rule.safe}"
    line = source.line_of(_path(finding.place))
    level = _ANNOTATIONS[finding.level]
    return annotation(level, message, file=file, line=line, title=finding.rule)


def _path(place: str) -> tuple[str, ...]:
    """Return the way to a place in the contract, as far as it is the same there."""
    section, name, *rest = place.replace("[]", ".items").split(".")
    inside = [step for part in rest for step in ("properties", part.split("=")[0])]
    if rest[:1] in (["input"], ["output"]):
        inside = [rest[0], *inside[2:]]
    return (section, name, *inside)


def _grouped(findings: Sequence[Finding]) -> list[list[Finding]]:
    groups: dict[tuple[str, ...], list[Finding]] = {}
    for finding in findings:
        groups.setdefault(_alike(finding), []).append(finding)
    return list(groups.values())


def _alike(finding: Finding) -> tuple[str, ...]:
    """Return what findings share that are told once, such as one wording in many texts."""
    return (finding.rule, finding.level, finding.says, finding.old, finding.new)


def _for_people(findings: Sequence[Finding], held: str) -> Iterator[str]:
    """Yield the same change at one or more places, with the old and the new side by side."""
    first, rule = findings[0], RULES[findings[0].rule]
    yield f"{first.level.value.upper()}  {first.rule}"
    yield from (f"  {finding.place}" for finding in findings)
    yield from _wrapped(first.says)
    yield from _side_by_side(first, held)
    if first.level in (Level.BREAKING, Level.BEHAVIOUR):
        yield from _wrapped(f"Why: {rule.why}")
        yield from _wrapped(f"To make it safe: {rule.safe}")
    yield ""


def _wrapped(text: str) -> list[str]:
    return wrap(text, _WIDTH, initial_indent="  ", subsequent_indent="    ")


def _side_by_side(finding: Finding, held: str) -> Iterator[str]:
    """Yield a table of two columns, which takes wide characters for what they are."""
    table = Table(held, "now", box=SIMPLE_HEAD, width=_WIDTH, pad_edge=False, show_edge=False)
    table.columns[0].ratio = table.columns[1].ratio = 1
    table.add_row(Text(finding.old or "(nothing)"), Text(finding.new or "(nothing)"))
    stream = io.StringIO()
    Console(file=stream, width=_WIDTH, color_system=None, force_terminal=False).print(table)
    for line in stream.getvalue().splitlines():
        yield f"    {line}".rstrip()
