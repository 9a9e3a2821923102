"""Forms as the page shows them: the limits of each control, and what was answered."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from ccweb.asks.fields import Field, decimals, longest
from ccweb.asks.forms import Form


@dataclass(frozen=True, slots=True, kw_only=True)
class Filled:
    """A field with what a person answered, as people read it."""

    field: Field
    said: Sequence[str]
    """The labels of what was chosen, or the one text; nothing where it was left empty."""


def least(field: Field) -> str:
    """Return the smallest number that a field takes, '' for any."""
    return _limit(field.minimum)


def largest(field: Field) -> str:
    """Return the largest number that a field takes, '' for any."""
    return _limit(field.maximum)


def is_limited(field: Field) -> bool:
    """Tell whether the length of a text has a limit that is worth telling: not just the usual."""
    return field.max_length != longest(field.type, None)


def filled(form: Form, answers: Mapping[str, Any]) -> list[Filled]:
    """Return every field of a form with its answer."""
    return [
        Filled(field=field, said=_said(field, answers.get(field.name))) for field in form.fields
    ]


def _limit(limit: Decimal | None) -> str:
    return "" if limit is None else decimals(limit)


def _said(field: Field, value: Any) -> list[str]:
    labels = {option.value: option.label for option in field.options}
    values = value if isinstance(value, list) else [] if value is None else [value]
    return [labels.get(one, str(one)) for one in values]
