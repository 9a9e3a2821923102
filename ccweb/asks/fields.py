"""A field of a form: what it takes, and what an answer to it comes to."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from enum import StrEnum
from typing import Any, Final

from ccweb_contract.enums import FieldType

Value = str | Sequence[str]
"""An answer as text; a list of values for a multiselect."""

_LONGEST: Final = {FieldType.TEXT: 200, FieldType.TEXTAREA: 20_000}
_NUMBER: Final = re.compile(
    r"[+-]?(?:[0-9]{1,40}(?:\.[0-9]{0,40})?|\.[0-9]{1,40})(?:[eE][+-]?[0-9]{1,2})?"
)
_DAY: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


class Fault(StrEnum):
    """What can be wrong with an answer; the page has words for each."""

    MISSING = "missing"
    UNKNOWN = "unknown"
    KIND = "kind"
    ONE_LINE = "line"
    LONG = "long"
    NUMBER = "number"
    WHOLE = "whole"
    SMALL = "small"
    LARGE = "large"
    DAY = "day"
    EARLY = "early"
    LATE = "late"
    BOOLEAN = "boolean"
    OPTION = "option"
    FEW = "few"
    MANY = "many"


_SENTENCES: Final = {
    Fault.MISSING: "An answer is required.",
    Fault.UNKNOWN: "The form has no such field.",
    Fault.KIND: "The answer is of the wrong type.",
    Fault.ONE_LINE: "The answer must be one line.",
    Fault.LONG: "At most {limit} characters are allowed.",
    Fault.NUMBER: "The answer must be a number.",
    Fault.WHOLE: "The number must be a whole one.",
    Fault.SMALL: "The number must be at least {limit}.",
    Fault.LARGE: "The number must be at most {limit}.",
    Fault.DAY: "The answer must be a day, as 2026-01-31.",
    Fault.EARLY: "The day must not be before {limit}.",
    Fault.LATE: "The day must not be after {limit}.",
    Fault.BOOLEAN: "The answer must be true or false.",
    Fault.OPTION: "The answer must be one of the options.",
    Fault.FEW: "At least {limit} options must be chosen.",
    Fault.MANY: "At most {limit} options may be chosen.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """What is wrong with one answer."""

    fault: Fault
    limit: str = ""
    """The limit that it breaks, as text."""

    @property
    def sentence(self) -> str:
        """Return it as an English sentence."""
        return _SENTENCES[self.fault].format(limit=self.limit)


class Unfit(Exception):
    """A value that is no answer to a field."""

    def __init__(self, fault: Fault, limit: object = "") -> None:
        self.problem = Problem(fault=fault, limit=str(limit))
        super().__init__(self.problem.sentence)


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """What can be chosen."""

    value: str
    label: str
    """What the person reads."""
    chosen: bool
    """Chosen beforehand."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One field of a form, with its limits; those that do not apply to its type are None."""

    name: str
    label: str
    type: FieldType
    required: bool
    help: str
    default: str
    max_length: int | None
    """Most characters of a text; given for every text."""
    minimum: Decimal | None
    """Itself a whole number where only whole ones are taken, as `maximum` is."""
    maximum: Decimal | None
    whole: bool
    earliest: date | None
    latest: date | None
    fewest: int | None
    most: int | None
    options: tuple[Option, ...]

    @property
    def beforehand(self) -> Value | None:
        """Return what stands in it beforehand, None when nothing does."""
        chosen = [option.value for option in self.options if option.chosen]
        if self.type is FieldType.MULTISELECT:
            return chosen or None
        return chosen[0] if chosen else self.default or None


def longest(kind: FieldType, given: int | None) -> int | None:
    """Return the most characters of a field: as given, else by its type."""
    return given or _LONGEST.get(kind)


def value_of(field: Field, given: Any) -> Value | None:
    """Return the answer in its one form as text, None when nothing was answered.

    Raises:
        Unfit: it is no answer to this field.
    """
    if given is None or given == [] or (isinstance(given, str) and not given.strip()):
        if field.required:
            raise Unfit(Fault.MISSING)
        return None
    return _READ[field.type](field, given)


def decimals(number: Decimal) -> str:
    """Return a number in decimals, with no more digits than it needs."""
    text = format(number, "f")
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text == "-0" else text


def number(text: str) -> Decimal | None:
    """Return the number that a text names, None when it names none or has too many digits."""
    return Decimal(text) if _NUMBER.fullmatch(text) else None


def day(text: str) -> date | None:
    """Return the day that a text names, None when the calendar has none."""
    try:
        return date.fromisoformat(text) if _DAY.fullmatch(text) else None
    except ValueError:
        return None


def _text(field: Field, given: Any) -> str:
    if not isinstance(given, str):
        raise Unfit(Fault.KIND)
    if field.type is FieldType.TEXT and ("\n" in given or "\r" in given):
        raise Unfit(Fault.ONE_LINE)
    if field.max_length is not None and len(given) > field.max_length:
        raise Unfit(Fault.LONG, field.max_length)
    return given


def _number(field: Field, given: Any) -> str:
    if isinstance(given, bool) or not isinstance(given, int | float | str):
        raise Unfit(Fault.KIND)
    found = number(given.strip() if isinstance(given, str) else repr(given))
    if found is None:
        raise Unfit(Fault.NUMBER)
    if field.whole and found != found.to_integral_value():
        raise Unfit(Fault.WHOLE)
    if field.minimum is not None and found < field.minimum:
        raise Unfit(Fault.SMALL, decimals(field.minimum))
    if field.maximum is not None and found > field.maximum:
        raise Unfit(Fault.LARGE, decimals(field.maximum))
    return decimals(found)


def _day(field: Field, given: Any) -> str:
    if not isinstance(given, str):
        raise Unfit(Fault.KIND)
    found = day(given.strip())
    if found is None:
        raise Unfit(Fault.DAY)
    if field.earliest is not None and found < field.earliest:
        raise Unfit(Fault.EARLY, field.earliest)
    if field.latest is not None and found > field.latest:
        raise Unfit(Fault.LATE, field.latest)
    return found.isoformat()


def _boolean(_: Field, given: Any) -> str:
    if isinstance(given, bool):
        return "true" if given else "false"
    if not isinstance(given, str):
        raise Unfit(Fault.KIND)
    if given not in ("true", "false"):
        raise Unfit(Fault.BOOLEAN)
    return given


def _one_option(field: Field, given: Any) -> str:
    if not isinstance(given, str):
        raise Unfit(Fault.KIND)
    if given not in [option.value for option in field.options]:
        raise Unfit(Fault.OPTION)
    return given


def _options(field: Field, given: Any) -> list[str]:
    """Return what was chosen, in the order of the options and each once."""
    if not isinstance(given, list) or not all(isinstance(one, str) for one in given):
        raise Unfit(Fault.KIND)
    chosen = [option.value for option in field.options if option.value in given]
    if len(chosen) < len(set(given)):
        raise Unfit(Fault.OPTION)
    if field.fewest is not None and len(chosen) < field.fewest:
        raise Unfit(Fault.FEW, field.fewest)
    if field.most is not None and len(chosen) > field.most:
        raise Unfit(Fault.MANY, field.most)
    return chosen


_READ: Final[Mapping[FieldType, Callable[[Field, Any], Value]]] = {
    FieldType.TEXT: _text,
    FieldType.TEXTAREA: _text,
    FieldType.NUMBER: _number,
    FieldType.DATE: _day,
    FieldType.BOOLEAN: _boolean,
    FieldType.SELECT: _one_option,
    FieldType.MULTISELECT: _options,
}
