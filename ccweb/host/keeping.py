"""What agents tell, as it can be kept: no text column holds a NUL or half of a character.

Programs that count in UTF-16 cut texts in the middle of a character, and tools print anything.
"""

import re
from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any, Final, TypeVar

T = TypeVar("T")

_UNKEPT: Final = re.compile("[\x00\ud800-\udfff]")


def kept(value: T) -> T:
    """Return a value with all texts in it as they can be kept, the same one where nothing is wrong.

    Two halves that stand together are a character again; one alone, or a NUL, is shown as unknown.
    """
    found: Any = value
    if isinstance(value, str):
        found = value if _UNKEPT.search(value) is None else _mended(value)
    elif isinstance(value, Mapping):
        found = {kept(key): kept(part) for key, part in value.items()}
    elif isinstance(value, list):
        found = [kept(part) for part in value]
    elif is_dataclass(value) and not isinstance(value, type):
        parts = {field.name: getattr(value, field.name) for field in fields(value)}
        found = replace(value, **{name: kept(part) for name, part in parts.items()})
    return found  # type: ignore[no-any-return]


def _mended(text: str) -> str:
    whole = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return whole.replace("\x00", "\ufffd")
