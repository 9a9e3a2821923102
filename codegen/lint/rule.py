"""What a lint rule is, and what it finds."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from codegen.lint.subject import Subject
from codegen.problems import Path


class Level(StrEnum):
    """How bad a finding is."""

    ERROR = "error"
    """A client refuses or cuts it, or an agent that reads it does the wrong thing."""
    WARNING = "warning"
    """It is understood, and could be understood better."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """A place of the contract that a rule does not like."""

    path: Path
    message: str


Check = Callable[[Subject], Iterator[Fault]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One thing that lint asks of a contract."""

    id: str
    level: Level
    asks: str
    """What a contract must be like, in one sentence."""
    why: str
    """Who refuses or misreads it otherwise, with the source."""
    bad: str
    """A part of a contract, in YAML, that breaks the rule."""
    good: str
    """The same part, put right."""
    check: Check | None
    """None for the rule about waivers, which is judged when all others have spoken."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A fault, with the rule that found it and the line on which it stands."""

    rule: str
    level: Level
    line: int
    message: str
