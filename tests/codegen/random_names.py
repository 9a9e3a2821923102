"""Strategies for the names of a contract, and for the parts that its tools and prompts refer to."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from codegen.rules.names import CODEX_NAMES
from codegen.schemas import Expander, plain
from tests.codegen.random_schemas import Schema, object_schemas, snake, words

RELEASE = "21.0.0"
"""Comes after whatever the strategies call old."""
NAMES = ("items", "values", "keys", "get", "say", "class", "t1", "card_get", "x_y_z")
CLASSES = ("Mode", "Colour", "Items", "X1", "ABCd")
SURFACES = ("mcp", "dynamic", "composer", "http")


@dataclass(frozen=True, slots=True, kw_only=True)
class Names:
    """The names that the parts of one contract may use of each other."""

    groups: dict[str, Any]
    enums: dict[str, Any]
    objects: dict[str, Any]
    codes: tuple[str, ...]
    notices: tuple[str, ...]
    """Prompts without parameters."""

    def end(self, group: str) -> bool:
        """Tell whether old calls of a group's tools may ever be refused."""
        return "dynamic" not in self.groups[group]["surfaces"]

    def unlisted(self, schema: Schema) -> Any:
        """Return the values of an argument that no list shows."""
        return self.enums.get(schema.get("$enum", ""), {}).get("deprecated", ())

    def expanded(self, schema: Schema) -> Any:
        """Return a short form in full."""
        return plain(Expander(self.objects, self.enums).expand(schema, ()))


def snake_names() -> st.SearchStrategy[str]:
    """Return names of tools, errors, prompts, groups and values."""
    free = st.from_regex(r"[a-z][a-z0-9_]{0,7}n", fullmatch=True)
    return st.sampled_from(NAMES) | free.filter(lambda name: name not in CODEX_NAMES)


def pascal_names() -> st.SearchStrategy[str]:
    """Return names of enums and objects."""
    return st.sampled_from(CLASSES) | st.from_regex(r"[A-Z][A-Za-z0-9]{0,7}N", fullmatch=True)


def texts() -> st.SearchStrategy[dict[str, str]]:
    """Return texts in both languages."""
    return st.fixed_dictionaries({"en": words(), "zh": words()})


@st.composite
def old(draw: st.DrawFn, *, ends: bool = False) -> dict[str, str]:
    """Draw since when and why something is old.

    Args:
        draw: Given by Hypothesis.
        ends: Whether a release may come that no longer takes it.
    """
    since = draw(st.tuples(*[st.integers(0, 20)] * 3))
    said = {"since": _release(since), "reason": draw(words())}
    if ends and draw(st.booleans()):
        said["removeAfter"] = _release((since[0] + draw(st.integers(0, 9)), *since[1:]))
    return said


def _release(numbers: Iterable[int]) -> str:
    return ".".join(map(str, numbers))


def distinct(
    names: st.SearchStrategy[str], *, low: int = 0, high: int = 3
) -> st.SearchStrategy[list[str]]:
    """Return names of which no two become the same class."""
    return st.lists(names, min_size=low, max_size=high, unique_by=class_form)


def class_form(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("_")).lower()


@st.composite
def names_of_parts(draw: st.DrawFn) -> Names:
    """Draw what the tools and prompts refer to."""
    enums = {name: draw(_enums()) for name in draw(distinct(pascal_names()))}
    objects: dict[str, Any] = {}
    for name in draw(distinct(pascal_names())):
        objects[name] = draw(_objects(tuple(enums), objects))
    return Names(
        groups={name: draw(_groups()) for name in draw(distinct(snake_names(), low=1))},
        enums=enums,
        objects=objects,
        codes=tuple(draw(distinct(snake_names(), high=4))),
        notices=tuple(f"{name}_notice" for name in draw(distinct(snake_names(), low=1, high=2))),
    )


@st.composite
def _enums(draw: st.DrawFn) -> Any:
    values = draw(st.lists(snake_names(), min_size=1, max_size=4, unique=True))
    about: dict[str, Any] = {
        "description": draw(words()),
        "values": {value: draw(texts()) for value in values},
    }
    if draw(st.booleans()):
        about["open"] = draw(st.booleans())
    unlisted = draw(some(values[1:]))
    return {**about, **({"deprecated": {v: draw(old()) for v in unlisted}} if unlisted else {})}


@st.composite
def _objects(draw: st.DrawFn, enums: tuple[str, ...], earlier: dict[str, Any]) -> Schema:
    """Draw an object on its own, or one that adds to an object before it."""
    schema = draw(object_schemas(enums=enums, objects=tuple(earlier), depth=1))
    if not earlier or draw(st.booleans()):
        return schema
    name = draw(st.sampled_from([*earlier]))
    return extended(schema, name, earlier)


def extended(schema: Schema, name: str, objects: dict[str, Any]) -> Schema:
    """Return a schema that adds to an object what the object does not have already."""
    taken = {snake(field) for field in _fields(name, objects)}
    properties = {n: s for n, s in schema["properties"].items() if snake(n) not in taken}
    required = [field for field in schema.get("required", ()) if field in properties]
    return {"$extends": name, "required": required, "properties": properties}


def _fields(name: str, objects: dict[str, Any]) -> list[str]:
    entry = objects[name]
    inner = _fields(entry["$extends"], objects) if "$extends" in entry else []
    return [*inner, *entry["properties"]]


def _groups() -> st.SearchStrategy[Any]:
    surfaces = st.lists(st.sampled_from(SURFACES), unique=True)
    return st.fixed_dictionaries({"title": texts(), "surfaces": surfaces})


def errors() -> st.SearchStrategy[Any]:
    status = st.sampled_from([400, 404, 409, 500, 599])
    about = {"status": status, "meaning": texts(), "remedy": texts()}
    return st.fixed_dictionaries(about, optional={"deprecated": old(ends=True)})


def some(names: Iterable[str]) -> st.SearchStrategy[list[str]]:
    """Return some of the names, in their order."""
    pool = list(names)
    return st.lists(st.sampled_from(pool), unique=True) if pool else st.just([])
