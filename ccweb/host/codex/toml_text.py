"""TOML as text: what `tomllib` reads, written again."""

import json
from collections.abc import Mapping
from datetime import date, datetime, time
from typing import Any


def dumps(tables: Mapping[str, Any]) -> str:
    """Return a document that reads as these tables; comments and order of sections are not kept."""
    return "".join(f"{_key(key)} = {inline(value)}\n" for key, value in tables.items())


def inline(value: Any) -> str:
    """Return a value on one line.

    Raises:
        TypeError: TOML has no such value.
    """
    match value:
        case bool():
            return str(value).lower()
        case str():
            return _text(value)
        case int() | float():
            return repr(value)
        case datetime() | date() | time():
            return value.isoformat()
        case Mapping():
            return "{" + ", ".join(f"{_key(k)} = {inline(v)}" for k, v in value.items()) + "}"
        case list() | tuple():
            return "[" + ", ".join(inline(one) for one in value) + "]"
        case _:
            raise TypeError(f"TOML has no {type(value).__name__}.")


def _key(key: str) -> str:
    plain = key.isascii() and key.replace("-", "").replace("_", "").isalnum()
    return key if plain else _text(key)


def _text(value: str) -> str:
    """Return a basic string; JSON's escapes are TOML's, but for DEL and surrogate pairs."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
