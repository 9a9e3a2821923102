"""Waivers: findings that the contract itself says are right as they are."""

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from codegen.lint.rule import Fault, Level, Rule
from codegen.problems import Path

_SECTIONS = ("tools", "prompts", "enums", "errors")

STALE = Rule(
    id="stale-waiver",
    level=Level.ERROR,
    asks="A waiver names a rule, and something that this rule finds where it stands.",
    why="A waiver that waives nothing hides the next finding of its rule.",
    bad="""\
tools:
  find_note:
    waive: { waiting-word: It waits for the index. }
""",
    good="""\
tools:
  find_note:
    description: Find a note. It waits for the index, a second at most.
    waive: { waiting-word: The call is over when the index is; nobody has to do anything. }
""",
    check=None,
)


def waiver_of(written: Mapping[str, Any], path: Path, rule: str) -> Path | None:
    """Return the place of the waiver that covers a rule at a place, None when there is none."""
    section, name = (*path, "", "")[:2]
    if section not in _SECTIONS or rule not in _waivers(written, section, name):
        return None
    return (section, name, "waive", rule)


def stale(
    written: Mapping[str, Any], rules: Collection[str], used: Collection[Path]
) -> Iterator[Fault]:
    """Yield each waiver that waives nothing."""
    for section in _SECTIONS:
        for name in written[section]:
            for rule in _waivers(written, section, name):
                path = (section, name, "waive", rule)
                if rule not in rules:
                    yield Fault(path=path, message=f"there is no rule {rule!r}")
                elif path not in used:
                    yield Fault(path=path, message=f"nothing here breaks {rule!r}; take it out")


def _waivers(written: Mapping[str, Any], section: str | int, name: str | int) -> Mapping[str, str]:
    waivers: Mapping[str, str] = written[str(section)][name].get("waive", {})
    return waivers
