"""Strategies for schemas in their short form, for values that fit them, and for awkward words."""

import math
import re
from collections.abc import Mapping
from typing import Any

import jsonschema_rs
from hypothesis import strategies as st

Schema = dict[str, Any]

AWKWARD = (
    "Say it.",
    'a "quoted" word',
    "it's",
    '"""',
    "`code` and ```fence```",
    "{braces} {0} {}",
    "{{ words }}",
    "{% raw",
    "{# none",
    "}}",
    "\\n \\ back\\",
    "| a | cell |",
    "<!-- mark -->",
    "</script>",
    "two\nlines",
    "tab\there",
    "yes",
    "null",
    "1:30",
    "# no comment",
    "- no list",
    "emoji 🦜👩‍💻",
    "עברית و عربي",
    "中文，标点。",
    "a\u2028b\u00a0c\u200f",
    "long " * 60,
)
"""Texts with what YAML, Jinja, Python, JSON, JavaScript or Markdown read in their own way."""
PATTERNS = ("^[a-z]+$", "^[A-Z][a-z]{0,3}$", "[0-9]", '"', "^\\.\\\\", "^(a|b)*$", "中")
FIELD_NAMES = (
    *("id", "cardId", "cardURL", "first_name", "x1", "items", "values", "keys", "type", "class"),
    *("from", "self", "schema", "copy", "json", "model", "date", "field", "print", "uuid"),
)
FORMATS: Mapping[str, st.SearchStrategy[str]] = {
    "date": st.dates().map(lambda day: day.isoformat()),
    "date-time": st.datetimes(timezones=st.just(None)).map(lambda at: f"{at.isoformat()}Z"),
    "uri": st.sampled_from(["https://example.org/a?b=c#d", "http://example.org/"]),
    "uuid": st.uuids().map(str),
}
_WORD_START = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_CHARACTERS = st.characters(codec="utf-8", exclude_categories=("Cc", "Cs"))
_MARKS = ("{{", "{%", "{#")


def words(*, awkward: bool = True) -> st.SearchStrategy[str]:
    """Return texts that say something: at least one letter, and no mark of a prompt's parameter."""
    free = st.text(_CHARACTERS, max_size=20).map(lambda text: f"{text}x")
    drawn = st.sampled_from(AWKWARD) | free if awkward else st.sampled_from(AWKWARD[:4])
    return drawn.map(lambda text: text.replace("<<", "< <"))


def as_written(value: Any) -> Any:
    """Return a value as a contract must write it, so that no text of it is taken for a template."""
    if isinstance(value, dict):
        return {key: as_written(child) for key, child in value.items()}
    if isinstance(value, list):
        return [as_written(child) for child in value]
    if isinstance(value, str) and (value != value.strip("\n") or any(m in value for m in _MARKS)):
        escaped = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
        return f'{{{{ "{escaped}" }}}}'
    return value


def field_names() -> st.SearchStrategy[str]:
    """Return names that a property can have."""
    free = st.from_regex(r"[a-z][A-Za-z0-9_]{0,8}x", fullmatch=True)
    return st.sampled_from(FIELD_NAMES) | free


def snake(name: str) -> str:
    """Return what two properties of one object must not share."""
    return _WORD_START.sub("_", name).lower()


@st.composite
def schemas(
    draw: st.DrawFn, *, enums: tuple[str, ...] = (), objects: tuple[str, ...] = (), depth: int = 2
) -> Schema:
    """Draw the short form of any schema, with its texts as they are meant (see `as_written`).

    Args:
        draw: Given by Hypothesis.
        enums: Enums that it may name.
        objects: Objects that it may name.
        depth: How many more schemas may stand inside each other.
    """
    kinds = [strings(), integers(), numbers(), st.just({"type": "boolean"})]
    kinds += [st.sampled_from(enums).map(lambda name: {"$enum": name})] if enums else []
    if depth > 0:
        inner = schemas(enums=enums, objects=objects, depth=depth - 1)
        kinds += [arrays(inner), object_schemas(enums=enums, objects=objects, depth=depth)]
        kinds += [st.sampled_from(objects).map(lambda name: {"$ref": name})] if objects else []
    drawn: Schema = draw(st.one_of(kinds))
    return drawn


@st.composite
def object_schemas(
    draw: st.DrawFn,
    *,
    enums: tuple[str, ...] = (),
    objects: tuple[str, ...] = (),
    depth: int = 2,
    names: st.SearchStrategy[str] | None = None,
) -> Schema:
    """Draw the short form of an object's schema, each property described."""
    drawn = st.lists(names or field_names(), max_size=4, unique_by=snake)
    inner = schemas(enums=enums, objects=objects, depth=depth - 1)
    properties = {name: draw(inner) | {"description": draw(words())} for name in draw(drawn)}
    required = [name for name in properties if draw(st.booleans())]
    said = {"required": required} if required != [] or draw(st.booleans()) else {}
    return {"type": "object", **said, "properties": properties}


@st.composite
def strings(draw: st.DrawFn) -> Schema:
    """Draw a string's schema: with lengths, with a pattern, with a format, or free."""
    low, more = draw(st.integers(0, 5)), draw(st.integers(0, 9))
    limits: list[Schema] = [
        {},
        {"minLength": low},
        {"maxLength": more},
        {"minLength": low, "maxLength": low + more},
        {"pattern": draw(st.sampled_from(PATTERNS))},
        {"format": draw(st.sampled_from([*FORMATS]))},
    ]
    return {"type": "string", **draw(st.sampled_from(limits))}


@st.composite
def integers(draw: st.DrawFn) -> Schema:
    """Draw an integer's schema."""
    low, more = draw(st.integers(-9, 9)), draw(st.integers(0, 99))
    return {"type": "integer", **draw(_limits("minimum", low, "maximum", low + more))}


@st.composite
def numbers(draw: st.DrawFn) -> Schema:
    """Draw a number's schema; its limits are written without an exponent."""
    low, more = draw(st.integers(-99, 99)) / 4, draw(st.integers(0, 99)) / 4
    return {"type": "number", **draw(_limits("minimum", low, "maximum", low + more))}


@st.composite
def arrays(draw: st.DrawFn, items: st.SearchStrategy[Schema]) -> Schema:
    """Draw an array's schema."""
    low, more = draw(st.integers(0, 1)), draw(st.integers(1, 3))
    limits = draw(_limits("minItems", low, "maxItems", low + more))
    unique = {"uniqueItems": True} if low == 0 and draw(st.booleans()) else {}
    return {"type": "array", "items": draw(items), **limits, **unique}


def _limits(low_key: str, low: float, high_key: str, high: float) -> st.SearchStrategy[Schema]:
    """Return none, one or both of two limits."""
    both: Schema = {low_key: low, high_key: high}
    return st.sampled_from([{}, {low_key: low}, {high_key: high}, both])


def values_of(schema: Mapping[str, Any]) -> st.SearchStrategy[Any]:
    """Return the values that fit a schema in full, as a caller or a tool may send them."""
    if "enum" in schema:
        return st.sampled_from(list(schema["enum"]))
    match schema["type"]:
        case "object":
            return _objects_of(schema)
        case "array":
            return _arrays_of(schema)
        case "string":
            return _strings_of(schema)
        case "integer":
            return st.integers(*_range(schema, 50))
        case "number":
            low, high = _range(schema, 50)
            quarters = st.integers(math.ceil(low * 4), math.floor(high * 4))
            return quarters.map(lambda n: n / 4) if low < high else st.just(low)
        case _:
            return st.booleans()


def _objects_of(schema: Mapping[str, Any]) -> st.SearchStrategy[dict[str, Any]]:
    values = {name: values_of(child) for name, child in schema.get("properties", {}).items()}
    required = {name: values[name] for name in schema.get("required", ())}
    optional = {name: value for name, value in values.items() if name not in required}
    return st.fixed_dictionaries(required, optional=optional)


def _arrays_of(schema: Mapping[str, Any]) -> st.SearchStrategy[list[Any]]:
    low = schema.get("minItems", 0)
    lists = st.lists(
        values_of(schema["items"]),
        min_size=low,
        max_size=min(schema.get("maxItems", low + 3), low + 3),
        unique_by=repr if schema.get("uniqueItems") else None,
    )
    return lists.filter(jsonschema_rs.validator_for(dict(schema)).is_valid)


def _strings_of(schema: Mapping[str, Any]) -> st.SearchStrategy[str]:
    fits = jsonschema_rs.validator_for(dict(schema), validate_formats=True).is_valid
    if "format" in schema:
        return FORMATS[schema["format"]].filter(fits)
    if "pattern" in schema:
        pattern = schema["pattern"].replace("$", r"\Z")
        return st.from_regex(pattern, alphabet=_CHARACTERS).filter(fits)
    low = schema.get("minLength", 0)
    high = schema.get("maxLength", low + 20)
    texts = st.text(_CHARACTERS | st.just("\n"), min_size=low, max_size=high)
    awkward = [text for text in AWKWARD if fits(text)]
    return st.sampled_from(awkward) | texts if awkward else texts


def _range(schema: Mapping[str, Any], around: int) -> tuple[Any, Any]:
    """Return the smallest and the greatest number to draw."""
    low, high = schema.get("minimum"), schema.get("maximum")
    if low is None:
        low = -around if high is None else high - around
    return low, low + around if high is None else high
