"""How values are written in generated Python, JSON and Markdown."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any


def python(value: Any, indent: int = 0) -> str:
    """Return a Python literal, one element a line, so that an added element only adds lines."""
    if isinstance(value, Mapping):
        return _block(
            "{}", (f"{text(k)}: {python(v, indent + 4)}" for k, v in value.items()), indent
        )
    if isinstance(value, list | tuple):
        brackets = "[]" if isinstance(value, list) else "()"
        return _block(brackets, (python(child, indent + 4) for child in value), indent)
    return text(value) if isinstance(value, str) else repr(value)


def _block(brackets: str, elements: Iterator[str], indent: int) -> str:
    inner = "".join(f"{' ' * (indent + 4)}{element},\n" for element in elements)
    return f"{brackets[0]}\n{inner}{' ' * indent}{brackets[1]}" if inner else brackets


def text(value: str) -> str:
    """Return a Python literal of one line; JSON's form of a string is one."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\x7f")


def lines(value: str, indent: int = 0) -> str:
    """Return a Python literal with one line of the source for each line of the text."""
    parts = value.splitlines(keepends=True) or [""]
    return f"\n{' ' * indent}".join(text(part) for part in parts)


def docstring(value: str) -> str:
    """Return a text as the inside of a docstring's line."""
    line = " ".join(value.split()).replace("\\", "\\\\")
    return line.replace('"', '\\"') if '"""' in line or line.endswith('"') else line


def compact_json(value: Any) -> str:
    """Return JSON on one line."""
    return json.dumps(value, ensure_ascii=False)


def pretty_json(value: Any) -> str:
    """Return JSON as the files hold it."""
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"


def cell(value: str) -> str:
    """Return a text for a cell of a Markdown table."""
    return " ".join(value.split()).replace("|", "\\|")


def joined(values: Sequence[str]) -> str:
    """Return names as code, separated by commas."""
    return ", ".join(f"`{value}`" for value in values)
