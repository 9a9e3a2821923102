"""The changelog's part about the contract: which changes it names, and the lines that it lacks."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import groupby

from codegen.compatibility.comparison import Finding
from codegen.compatibility.rules import Level

HEADING = "### Contract"
_RELEASE = re.compile(r"^## ", re.M)
_UNRELEASED = re.compile(r"^## \[?Unreleased\]?.*?$(?P<part>.*?)(?=^## |\Z)", re.M | re.S | re.I)
_CONTRACT = re.compile(rf"^{HEADING}[ \t]*$(?P<part>.*?)(?=^#|\Z)", re.M | re.S)
_MUST_BE_NAMED = (Level.BEHAVIOUR, Level.EXPIRED)
_WORTH_A_LINE = ("TOOL_ADDED", "DECLARED")


def lines(text: str) -> tuple[str, ...]:
    """Return the lines about the contract in a changelog, those of releases included.

    So a line stays known when the part that it stands in gets the name of a release.
    """
    parts = (match["part"] for match in _CONTRACT.finditer(text.replace("\r\n", "\n")))
    return tuple(line for part in parts for line in part.splitlines() if line.strip())


def added(now: Iterable[str], before: Iterable[str]) -> tuple[str, ...]:
    """Return the lines that have come; one that stands there once more has come as well."""
    known = Counter(before)
    fresh = []
    for line in now:
        if known[line] > 0:
            known[line] -= 1
        else:
            fresh.append(line)
    return tuple(fresh)


def unnamed(findings: Iterable[Finding], fresh: Sequence[str]) -> list[Finding]:
    """Return the changes of behaviour that no fresh line of the changelog names."""
    named = "\n".join(fresh)
    return [f for f in findings if f.level in _MUST_BE_NAMED and f"`{f.owner}`" not in named]


def lacking(findings: Iterable[Finding], fresh: Sequence[str]) -> list[str]:
    """Return a line for every thing that changed and that no fresh line names."""
    named = "\n".join(fresh)
    told = [f for f in findings if f.level in _MUST_BE_NAMED or f.rule in _WORTH_A_LINE]
    rest = sorted((f for f in told if f"`{f.owner}`" not in named), key=lambda f: f.owner)
    return [_line(owner, list(own)) for owner, own in groupby(rest, key=lambda f: f.owner)]


def _line(owner: str, findings: list[Finding]) -> str:
    """Return one line about a tool, a prompt or a code."""
    texts = [f.place.split(".", 2)[-1] for f in findings if f.rule == "TEXT_CHANGED"]
    said = dict.fromkeys(f.says for f in findings if f.rule != "TEXT_CHANGED")
    if texts:
        said[f"Models read another text ({', '.join(texts)})."] = None
    return f"- `{owner}`: {' '.join(said)}"


def with_lines(text: str, new: Sequence[str]) -> str:
    """Return a changelog with lines added to its unreleased part about the contract."""
    unreleased = _UNRELEASED.search(text)
    if not new:
        return text
    if unreleased is None:
        newest = _RELEASE.search(text)
        at = newest.start() if newest else len(text)
        return _inserted(text, at, f"## [Unreleased]\n\n{HEADING}\n\n", new)
    part = _CONTRACT.search(text, unreleased.start("part"), unreleased.end("part"))
    if part is None:
        return _inserted(text, unreleased.end("part"), f"{HEADING}\n\n", new)
    return _inserted(text, part.end("part"), "", new, glued=bool(part["part"].strip()))


def _inserted(text: str, at: int, heading: str, new: Sequence[str], *, glued: bool = False) -> str:
    """Return a text with lines inserted at a place, with one empty line around them."""
    before, after = text[:at].rstrip("\n"), text[at:].lstrip("\n")
    gap = "\n" if glued else "\n\n"
    body = f"{before}{gap}{heading}" + "\n".join(new) + "\n"
    return f"{body}\n{after}" if after else body
