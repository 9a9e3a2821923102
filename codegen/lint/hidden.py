"""What of a schema a model is not shown: limits, forms and defaults, unless a text tells them."""

import re
from collections.abc import Iterator
from typing import Any

import jsonschema_rs

from codegen.lint.rule import Fault, Level, Rule
from codegen.lint.subject import Property, Subject
from codegen.literals import compact_json
from codegen.model import Schema
from codegen.schemas import parts, plain

_LIMITS = ("minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems")
_LENGTHS = ("minLength", "maxLength")
_FORMS = ("pattern", "format")
_NOT_BLANK = r"\S"
_ID = re.compile(r"(^|_)ids?$|Ids?$")
_SPAN = re.compile(r"`([^`\n]+)`")
_SENTENCE = re.compile(r"[.;]\s")
_DEFAULT = re.compile(r"(?i)\bdefaults?\b")
_UNITS = {"GiB": 1 << 30, "MiB": 1 << 20, "KiB": 1 << 10}
_BEGINS, _ENDS = r"(?<![\w.,])", r"(?!\w|[.,]\d|\s?[KMG]i?B\b)"


def hidden_limits(subject: Subject) -> Iterator[Fault]:
    """Yield each argument of a dynamic tool whose limits or default its text does not tell."""
    answered = _parts_of_answers(subject)
    for tool, argument in subject.arguments():
        own = subject.draft.inputs[tool]["properties"].keys()
        if "dynamic" not in subject.surfaces(tool):
            continue
        hidden = list(_hidden(argument, is_copied=_is_copied(argument, answered - own)))
        if hidden:
            text = f"the description of {argument.name!r} does not tell {', '.join(hidden)}"
            yield Fault(path=(*argument.path, "description"), message=text)


def _parts_of_answers(subject: Subject) -> set[str]:
    """Return the name of whatever a model can copy from an answer."""
    return {
        name
        for schema in subject.draft.outputs.values()
        for part in parts(schema)
        for name in part.get("properties", ())
    }


def _is_copied(argument: Property, answered: set[str]) -> bool:
    """Tell whether a model takes a text over as it stands: then it always has the right form."""
    return bool(_ID.search(argument.name)) or not answered.isdisjoint(
        _SPAN.findall(argument.description)
    )


def _hidden(argument: Property, *, is_copied: bool) -> Iterator[str]:
    """Yield what the schema of an argument says, of one element as well, and its text does not."""
    text, schema = argument.description, argument.schema
    if schema.get("default") not in (None, "", [], {}) and not _tells_default(
        text, schema["default"]
    ):
        yield f"the default {compact_json(schema['default'])}"
    for part in _elements(schema):
        for key in _LIMITS:
            is_harmless = _is_trivial(key, part) or (is_copied and key in _LENGTHS)
            if not is_harmless and not _tells_number(text, part[key]):
                yield f"{key} {part[key]}"
        if not is_copied and not _tells_form(text, part):
            yield " and ".join(f"{key} {part[key]}" for key in _FORMS if key in part)


def _elements(schema: Schema) -> Iterator[Schema]:
    """Yield a schema and those of its elements."""
    yield schema
    if "items" in schema:
        yield from _elements(schema["items"])


def _is_trivial(key: str, schema: Schema) -> bool:
    """Tell whether a limit is none, or one that no model runs into: not empty, not below zero."""
    return key not in schema or (key.startswith("min") and schema[key] in (0, 1))


def _tells_default(text: str, value: Any) -> bool:
    """Tell whether one sentence has both the value and the word default."""
    return any(
        _DEFAULT.search(sentence) and _tells_value(sentence, value)
        for sentence in _SENTENCE.split(text)
    )


def _tells_value(text: str, value: Any) -> bool:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _tells_number(text, value)
    word = value if isinstance(value, str) else compact_json(value)
    return bool(re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text))


def _tells_number(text: str, number: float) -> bool:
    """Tell whether a number stands in a text: plain, in groups of three digits, or as a size."""
    whole = int(number) if number == int(number) else number
    words = [f"{whole}", f"{whole:,}"]
    words += [f"{whole // size} {unit}" for unit, size in _UNITS.items() if whole % size == 0]
    return any(re.search(rf"{_BEGINS}{re.escape(word)}{_ENDS}", text) for word in words)


def _tells_form(text: str, schema: Schema) -> bool:
    """Tell whether a text gives an example of a form, if there is one at all."""
    if all(schema.get(key) in (None, _NOT_BLANK) for key in _FORMS):
        return True
    form = jsonschema_rs.validator_for(plain(schema), validate_formats=True)
    return any(form.is_valid(example) for example in _SPAN.findall(text))


RULES = (
    Rule(
        id="hidden-limit",
        level=Level.WARNING,
        asks=(
            "Where a tool is dynamic, an argument's description tells its default (in a sentence "
            "with that word), each limit but lower ones of 0 and 1, and an example in backticks of "
            "its `pattern` or `format`; what is copied, an id or a part of an answer, may have any "
            "length and form."
        ),
        why=(
            "Codex shows its model the type, the description, the values and the parts of a "
            "dynamic tool's argument, and nothing else (measured with 0.171): the model runs into "
            "a refusal that it could not foresee."
        ),
        bad="""\
tools:
  find_note:
    input:
      properties:
        limit:
          type: integer
          minimum: 1
          maximum: 200
          default: 50
          description: How many of them.
""",
        good="""\
tools:
  find_note:
    input:
      properties:
        limit:
          type: integer
          minimum: 1
          maximum: 200
          default: 50
          description: How many, 1-200. Default 50.
""",
        check=hidden_limits,
    ),
)
