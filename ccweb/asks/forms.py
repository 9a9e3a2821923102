"""A form: read from what an agent gave, and the answers that it accepts."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from typing import Any, Final

from ccweb.asks import fields
from ccweb.asks.errors import AnswersRefused
from ccweb.asks.fields import Fault, Field, Option, Problem, Unfit, Value
from ccweb.asks.model import Ask
from ccweb.errors import ContentTooLarge, InvalidParams
from ccweb_contract.enums import AskStatus, FieldType, FormStatus

ANSWERS_LIMIT_BYTES: Final = 64 * 1024
"""Most bytes of all answers together, so that they always fit into a continuation."""

_TEXTS: Final = frozenset({FieldType.TEXT, FieldType.TEXTAREA})
_CHOICES: Final = frozenset({FieldType.SELECT, FieldType.MULTISELECT})
_APPLIES: Final[Mapping[str, frozenset[FieldType]]] = {
    "default": frozenset(FieldType) - {FieldType.MULTISELECT},
    "maxLength": _TEXTS,
    "minimum": frozenset({FieldType.NUMBER}),
    "maximum": frozenset({FieldType.NUMBER}),
    "whole": frozenset({FieldType.NUMBER}),
    "earliest": frozenset({FieldType.DATE}),
    "latest": frozenset({FieldType.DATE}),
    "fewest": frozenset({FieldType.MULTISELECT}),
    "most": frozenset({FieldType.MULTISELECT}),
    "options": _CHOICES,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """What an agent wants to know."""

    title: str
    intro: str
    fields: tuple[Field, ...]


def read(given: Mapping[str, Any]) -> Form:
    """Return the form that arguments of the contract's schema describe.

    Raises:
        InvalidParams: it could not be filled in, for a reason that a schema cannot see.
    """
    form = Form(
        title=str(given["title"]),
        intro=str(given.get("intro") or ""),
        fields=tuple(_field(one) for one in given["fields"]),
    )
    names = [field.name for field in form.fields]
    for name in names:
        if names.count(name) > 1:
            raise _wrong(name, "another field has this name too.")
    return form


def accept(form: Form, answers: Any) -> dict[str, Value]:
    """Return answers in their one form as text, without the fields that were not answered.

    Raises:
        AnswersRefused: they do not fit the form.
        ContentTooLarge: they are too long together.
        InvalidParams: they are no object.
    """
    if not isinstance(answers, dict):
        raise InvalidParams(why="`answers` must be an object: an answer by the name of each field.")
    accepted, problems = _judged(form, answers)
    if problems:
        raise AnswersRefused(problems=problems)
    check_size("".join("".join(value) for value in accepted.values()))
    return accepted


def check_size(text: str) -> None:
    """Refuse what a person says to a form when it is too long for a continuation.

    Raises:
        ContentTooLarge: it is.
    """
    size = len(text.encode())
    if size > ANSWERS_LIMIT_BYTES:
        raise ContentTooLarge(size_bytes=size, limit_bytes=ANSWERS_LIMIT_BYTES)


def status_of(ask: Ask) -> FormStatus:
    """Return where the form stands that an ask is."""
    match ask.status:
        case AskStatus.OPEN:
            return FormStatus.WAITING
        case AskStatus.DISMISSED:
            return FormStatus.CLOSED
        case AskStatus.RESOLVED:
            answered = ask.answer is not None and ask.answer["answers"] is not None
            return FormStatus.ANSWERED if answered else FormStatus.DECLINED


def _judged(form: Form, answers: Mapping[str, Any]) -> tuple[dict[str, Value], dict[str, Problem]]:
    """Return the answers that fit, and what is wrong with the others."""
    accepted: dict[str, Value] = {}
    problems: dict[str, Problem] = {}
    for field in form.fields:
        try:
            value = fields.value_of(field, answers.get(field.name))
        except Unfit as unfit:
            problems[field.name] = unfit.problem
        else:
            accepted |= {} if value is None else {field.name: value}
    unknown = answers.keys() - {field.name for field in form.fields}
    return accepted, problems | {name: Problem(fault=Fault.UNKNOWN) for name in sorted(unknown)}


def _field(given: Mapping[str, Any]) -> Field:
    name, kind, whole = str(given["name"]), FieldType(given["type"]), bool(given.get("whole"))
    for key, kinds in _APPLIES.items():
        unused = given.get(key) is None or given[key] is False or given[key] == ""
        if kind not in kinds and not unused:
            raise _wrong(name, f"`{key}` does not apply to the type `{kind}`.")
    field = Field(
        name=name,
        label=str(given["label"]),
        type=kind,
        required=bool(given.get("required")),
        help=str(given.get("help") or ""),
        default=str(given.get("default") or ""),
        max_length=fields.longest(kind, given.get("maxLength")),
        minimum=_number(name, given.get("minimum"), ROUND_CEILING if whole else None),
        maximum=_number(name, given.get("maximum"), ROUND_FLOOR if whole else None),
        whole=whole,
        earliest=_day(name, given.get("earliest")),
        latest=_day(name, given.get("latest")),
        fewest=given.get("fewest"),
        most=given.get("most"),
        options=tuple(_option(one) for one in given.get("options") or ()),
    )
    _check_options(field)
    _check_limits(field)
    return _with_default(field)


def _option(given: Mapping[str, Any]) -> Option:
    value = str(given["value"])
    return Option(
        value=value, label=str(given.get("label") or value), chosen=bool(given.get("chosen"))
    )


def _number(name: str, given: float | None, rounding: str | None) -> Decimal | None:
    if given is None:
        return None
    found = fields.number(repr(given))
    if found is None:
        raise _wrong(name, "a limit is no number that an answer could be.")
    return found.to_integral_value(rounding) if rounding else found


def _day(name: str, given: str | None) -> date | None:
    found = fields.day(given) if given is not None else None
    if given is not None and found is None:
        raise _wrong(name, f"{given[:40]!r} is no day of the calendar, as 2026-01-31.")
    return found


def _check_options(field: Field) -> None:
    if field.type in _CHOICES and not field.options:
        raise _wrong(field.name, "`options` is required for something to choose from.")
    values = [option.value for option in field.options]
    for value in values:
        if values.count(value) > 1:
            raise _wrong(field.name, f"the option {value!r} is there more than once.")
    if field.fewest is not None and field.fewest > len(values):
        raise _wrong(field.name, f"`fewest` is more than the {len(values)} options.")


def _check_limits(field: Field) -> None:
    pairs: tuple[tuple[str, Any, str, Any], ...] = (
        ("minimum", field.minimum, "maximum", field.maximum),
        ("earliest", field.earliest, "latest", field.latest),
        ("fewest", field.fewest, "most", field.most),
    )
    for low_name, low, high_name, high in pairs:
        if low is not None and high is not None and low > high:
            raise _wrong(field.name, f"`{low_name}` is above `{high_name}`.")


def _with_default(field: Field) -> Field:
    """Return a field with its default as an answer has it: a browser shows no `+5` as a number.

    Raises:
        InvalidParams: what stands in it beforehand would not be accepted.
    """
    chosen = [option.value for option in field.options if option.chosen]
    if field.type is FieldType.SELECT and len(chosen) + bool(field.default) > 1:
        raise _wrong(field.name, "only one option can be chosen beforehand.")
    if field.beforehand is None:
        return field
    try:
        value = fields.value_of(field, field.beforehand)
    except Unfit as unfit:
        raise _wrong(field.name, f"what stands in it beforehand is refused: {unfit}") from unfit
    return replace(field, default=value if field.default and isinstance(value, str) else "")


def _wrong(name: str, why: str) -> InvalidParams:
    return InvalidParams(why=f"The field `{name}` of the form cannot be used: {why}")
