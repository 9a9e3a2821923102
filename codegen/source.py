"""A YAML file read strictly: its plain values, and the line on which each of them stands."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path as FilePath
from typing import Any

import yaml

from codegen.problems import ContractError, Path, Problem

_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_CONSTANTS = {"true": True, "false": False, "null": None}
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
"""What Python, JSON or a terminal cannot show; new lines and tabs are texts."""
_INTEGER = re.compile(r"-?(0|[1-9][0-9]*)")
_FLOAT = re.compile(r"-?(0|[1-9][0-9]*)\.[0-9]+")
_TRAP = re.compile(
    r"""(?ix) y|n|yes|no|on|off|true|false|null|~       # booleans and nulls in other spellings
    | [-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?      # sexagesimal: 1:30 is 90
    | [0-9]{4}-[0-9]{1,2}-[0-9]{1,2}([Tt\x20].*)?       # dates and times
    | [-+]?0x[0-9a-f_]+ | [-+]?0b[01_]+ | [-+]?0o?[0-9_]+
    | [-+]?[0-9][0-9_]*(\.[0-9_]*)?(e[-+]?[0-9]+)? | [-+]?\.[0-9_]+ | [-+]?\.(inf|nan) """,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """The values of a YAML file and their lines."""

    file: str
    """Name of the file as messages give it."""
    values: Any
    lines: dict[Path, int]

    def line_of(self, path: Path) -> int:
        """Return the line of a value, or of the nearest value around it."""
        while path and path not in self.lines:
            path = path[:-1]
        return self.lines.get(path, 1)

    def refuse(self, problems: Iterable[Problem]) -> None:
        """Do nothing when there are no problems.

        Raises:
            ContractError: there are some.
        """
        found = {(p.line or self.line_of(p.path), p.rule, p.message) for p in problems}
        if found:
            raise ContractError(
                f"{self.file}:{n}: {rule}: {text}" for n, rule, text in sorted(found)
            )


def read(file: FilePath, *, shown_as: str) -> Source:
    """Return the values of a YAML file.

    Raises:
        ContractError: the file cannot be read, is no YAML or uses a form that is refused.
    """
    try:
        node = yaml.compose(file.read_text(encoding="utf-8"), Loader=_Loader)
    except (OSError, UnicodeDecodeError) as error:
        raise ContractError([f"{shown_as}:1: unreadable: {error}"]) from error
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = mark.line + 1 if mark else 1
        text = getattr(error, "problem", None) or "it holds more than one document"
        raise ContractError([f"{shown_as}:{line}: no-yaml: {text}"]) from error
    return _Reader(shown_as).read(node)


class _Reader:
    """Turns composed nodes into plain values."""

    def __init__(self, file: str) -> None:
        self._file = file
        self._lines: dict[Path, int] = {}
        self._problems: list[Problem] = []
        self._seen: set[int] = set()

    def read(self, node: Any) -> Source:
        values = self._value(node, ()) if node is not None else None
        source = Source(file=self._file, values=values, lines=self._lines)
        source.refuse(self._problems)
        return source

    def _refuse(self, node: Any, rule: str, message: str) -> None:
        line = node.start_mark.line + 1
        self._problems.append(Problem(rule=rule, message=message, line=line))

    def _value(self, node: Any, path: Path) -> Any:
        self._lines.setdefault(path, node.start_mark.line + 1)
        if id(node) in self._seen:
            self._refuse(node, "no-anchors", "a YAML alias is not allowed; use $ref or texts")
            return None
        self._seen.add(id(node))
        if isinstance(node, yaml.MappingNode):
            return dict(self._items(node, path))
        if isinstance(node, yaml.SequenceNode):
            return [self._value(child, (*path, i)) for i, child in enumerate(node.value)]
        return self._scalar(node)

    def _items(self, node: Any, path: Path) -> Iterator[tuple[str, Any]]:
        first_line: dict[str, int] = {}
        for key_node, value_node in node.value:
            key, line = key_node.value, key_node.start_mark.line + 1
            if not isinstance(key_node, yaml.ScalarNode) or not isinstance(
                self._scalar(key_node), str
            ):
                self._refuse(key_node, "key-is-text", f"the key {key!r} must be text; quote it")
            elif key in first_line:
                text = f"the key {key!r} stands here already on line {first_line[key]}"
                self._refuse(key_node, "duplicate-key", text)
            else:
                first_line[key] = self._lines[(*path, key)] = line
                yield key, self._value(value_node, (*path, key))

    def _scalar(self, node: Any) -> Any:
        text = node.value
        if _CONTROL.search(text):
            self._refuse(node, "control-character", "control characters cannot stand in a text")
        if node.tag.startswith("!"):
            self._refuse(node, "no-tags", f"the YAML tag {node.tag} is not allowed")
        if node.style in ("'", '"', "|", ">"):
            return text
        return self._plain(node, text)

    def _plain(self, node: Any, text: str) -> Any:
        if text in _CONSTANTS:
            return _CONSTANTS[text]
        if _INTEGER.fullmatch(text):
            return int(text)
        if _FLOAT.fullmatch(text):
            return float(text)
        if not text:
            self._refuse(node, "no-empty-value", "a value is missing; write it, or null")
        elif text == "<<":
            self._refuse(node, "no-merge-keys", "a YAML merge key is not allowed; use $extends")
        elif _TRAP.fullmatch(text):
            self._refuse(node, "ambiguous-value", f"{text} means different things; quote it")
        return text
