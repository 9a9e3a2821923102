"""Which values one shape takes and another refuses: the same question in both directions.

Asked from the old arguments to the new ones, the answer is what old calls lose; asked from the new
answer to the old one, it is what an old client would not understand.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from codegen.compatibility.snapshot import Shape


class Loss(StrEnum):
    """How a value that one shape takes can be refused by another."""

    FIELD = "field"
    REQUIRED = "required"
    TYPE = "type"
    ENUM = "enum"
    LIMIT = "limit"
    FORM = "form"


@dataclass(frozen=True, slots=True, kw_only=True)
class Lost:
    """One way in which values are refused."""

    loss: Loss
    place: str
    """Where in the shape: `.a.b[]`; of a value of an enum, `.a=value`."""
    wide: str
    """What the shape says that takes them."""
    narrow: str
    """What the shape says that refuses them."""


_NO_LIMIT = {"minLength": 0, "minItems": 0}
"""Lower limits that every text and every list has."""
_LOWEST = ("minLength", "minimum", "minItems")
_HIGHEST = ("maxLength", "maximum", "maxItems")


def lost(wide: Shape, narrow: Shape, *, place: str = "", closed: bool) -> Iterator[Lost]:
    """Yield every way in which a value that `wide` takes is refused by `narrow`.

    It never misses one; it may name one that no value can show, such as a lower limit on the
    length of texts that are all short.

    Args:
        wide: The shape that takes the values.
        narrow: The shape that they meet.
        place: Where both stand.
        closed: Whether `narrow` refuses properties that it does not name.
    """
    if not narrow:
        return
    if _type(wide) != _type(narrow) and (_type(wide), _type(narrow)) != ("integer", "number"):
        yield Lost(loss=Loss.TYPE, place=place, wide=_type(wide), narrow=_type(narrow))
        return
    yield from _enum(wide, narrow, place)
    yield from _limits(wide, narrow, place)
    yield from _form(wide, narrow, place)
    if _type(wide) == "object":
        yield from _object(wide, narrow, place, closed)
    if _type(wide) == "array":
        yield from lost(wide["items"], narrow["items"], place=f"{place}[]", closed=closed)


def _type(shape: Shape) -> str:
    return str(shape.get("type", "any value"))


def _enum(wide: Shape, narrow: Shape, place: str) -> Iterator[Lost]:
    if "enum" not in narrow:
        return
    if "enum" not in wide:
        yield _of(Loss.ENUM, place, "any text", ", ".join(narrow["enum"]))
    for value in wide.get("enum", ()):
        if value not in narrow["enum"]:
            yield _of(Loss.ENUM, f"{place}={value}", value, f"no {value}")


def _limits(wide: Shape, narrow: Shape, place: str) -> Iterator[Lost]:
    for keys, is_narrower in ((_LOWEST, _is_higher), (_HIGHEST, _is_lower)):
        for key in keys:
            if is_narrower(narrow.get(key), wide.get(key, _NO_LIMIT.get(key))):
                yield _of(Loss.LIMIT, place, _says(key, wide), _says(key, narrow))
    if narrow.get("uniqueItems") and not wide.get("uniqueItems"):
        yield _of(Loss.LIMIT, place, _says("uniqueItems", wide), _says("uniqueItems", narrow))


def _is_higher(limit: float | None, than: float | None) -> bool:
    """Tell whether a lower limit is stricter than another, which may be none."""
    return limit is not None and (than is None or limit > than)


def _is_lower(limit: float | None, than: float | None) -> bool:
    """Tell whether an upper limit is stricter than another, which may be none."""
    return limit is not None and (than is None or limit < than)


def _form(wide: Shape, narrow: Shape, place: str) -> Iterator[Lost]:
    for key in ("pattern", "format"):
        if key in narrow and narrow[key] != wide.get(key):
            yield _of(Loss.FORM, place, _says(key, wide), _says(key, narrow))


def _object(wide: Shape, narrow: Shape, place: str, closed: bool) -> Iterator[Lost]:
    there = narrow.get("properties", {})
    needed = set(narrow.get("required", ())) - set(wide.get("required", ()))
    for name, child in wide.get("properties", {}).items():
        if name in there:
            yield from lost(child, there[name], place=f"{place}.{name}", closed=closed)
        elif closed:
            yield _of(Loss.FIELD, f"{place}.{name}", name, f"no {name}")
    for name in sorted(needed):
        yield _of(Loss.REQUIRED, f"{place}.{name}", f"{name} is optional", f"{name} is required")


def _says(key: str, shape: Shape) -> str:
    value: Any = shape.get(key)
    return f"no {key}" if value is None else f"{key}: {value}"


def _of(loss: Loss, place: str, wide: str, narrow: str) -> Lost:
    return Lost(loss=loss, place=place, wide=wide, narrow=narrow)
