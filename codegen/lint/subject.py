"""A contract as lint reads it: wordings where they are written, arguments as lists show them."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from codegen.languages import LANGUAGES
from codegen.model import Schema
from codegen.problems import Path
from codegen.schemas import Draft

BREAK = r"\n(?=\s*(?:\n|[-*#|]|\d+\.|$))"
"""The end of a paragraph or of an item of a list; other line ends only wrap a long line."""
_REFERENCE = re.compile(r"\{\{\s*(?P<kind>\w+)\.(?P<name>\w+(?:\.\w+)*)\s*\}\}")
_SHARED = ("texts", "meanings", "explained")
_WORD = re.compile(r"[a-zA-Z0-9_]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """A text where it is written; what it shares with others stands at the place of that."""

    path: Path
    language: str
    text: str
    for_models: bool
    """False for what only people read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Property:
    """A property of arguments or of an answer, where it is written."""

    path: Path
    name: str
    schema: Schema

    @property
    def description(self) -> str:
        """Return what a model reads about it."""
        return str(self.schema["description"])

    @property
    def values(self) -> list[str]:
        """Return the values that lists show, of one element when there are many; or none."""
        schema = self.schema
        while "items" in schema:
            schema = schema["items"]
        unlisted = schema.get("$unlisted", ())
        return [value for value in schema.get("enum", ()) if value not in unlisted]


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """A contract before and after its texts are filled in."""

    written: dict[str, Any]
    draft: Draft

    @property
    def values(self) -> dict[str, Any]:
        """Return the contract with its texts filled in."""
        return self.draft.values

    def wordings(self) -> Iterator[Wording]:
        """Yield every text that models or people read."""
        for path, text in _strings(self.written, ()):
            reader = _reader(path)
            if reader:
                language = str(path[-1]) if path[-1] in LANGUAGES else LANGUAGES[0]
                own = _REFERENCE.sub(_own, text)
                yield Wording(path=path, language=language, text=own, for_models=reader == "model")

    def tools(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield the name and the values of each tool that a list shows."""
        for name, tool in self.values["tools"].items():
            if "deprecated" not in tool:
                yield name, tool

    def surfaces(self, tool: str) -> frozenset[str]:
        """Return the surfaces on which a tool is listed."""
        values = self.values["tools"][tool]
        listed = self.values["groups"][values["group"]]["surfaces"]
        return frozenset(() if "deprecated" in values else listed)

    def arguments(self) -> Iterator[tuple[str, Property]]:
        """Yield each argument with its tool, those inside others as well."""
        for tool, _ in self.tools():
            for argument in properties(self.draft.inputs[tool]):
                yield tool, argument


def named(names: Iterable[str], text: str) -> list[str]:
    """Return those of the names that stand in a text as a word of their own."""
    words = set(_WORD.findall(text))
    return [name for name in names if name in words]


def properties(schema: Schema) -> Iterator[Property]:
    """Yield the properties of a schema that lists show, outer ones first."""
    for name, child in schema.get("properties", {}).items():
        if "$deprecated" not in child:
            is_here = child["$at"][-2:] == ("properties", name)
            path = child["$at"] if is_here else (*schema["$at"], "properties", name)
            yield Property(path=path, name=name, schema=child)
            yield from properties(child)
    if "items" in schema:
        yield from properties(schema["items"])


def _own(reference: re.Match[str]) -> str:
    """Return the name that a template puts there; nothing for a wording that stands elsewhere."""
    return "\n\n" if reference["kind"] in _SHARED else reference["name"].rsplit(".")[-1]


def _strings(value: Any, path: Path) -> Iterator[tuple[Path, str]]:
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, dict | list):
        for key, child in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _strings(child, (*path, key))


def _reader(path: Path) -> str | None:
    """Return who reads the text at a place; None for what is no text or only developers read."""
    match path:
        case ("dynamic", "description") | ("texts", _, _) | ("tools", _, "description"):
            return "model"
        case ("enums", _, "values", _, _) | ("errors", _, "meaning" | "remedy", _):
            return "model"
        case ("prompts", _, "wording", _) | ("prompts", _, "parameters", _, "whenEmpty", _):
            return "model"
        case ("tools", _, "input" | "output", *_, "description"):
            return "model"
        case ("objects", _, *_, "description"):
            return "model"
        case ("title", _) | ("http", "description") | ("groups", _, "title", _):
            return "person"
        case ("tools", _, "title" | "summary", _) | ("prompts", _, "summary", _):
            return "person"
        case _:
            return None
