"""The contract's texts, which are Jinja2 templates over the contract itself."""

from collections.abc import Iterator
from typing import Any

from jinja2 import (
    Environment,
    StrictUndefined,
    TemplateError,
    TemplateSyntaxError,
    select_autoescape,
)

from codegen.languages import LANGUAGES
from codegen.problems import Path, Problem

Context = dict[str, dict[str, Any]]
"""What a template may name, for one language."""
_MARKS = ("{{", "{%", "{#")


def rendered(values: dict[str, Any]) -> tuple[dict[str, Any], list[Problem]]:
    """Return the same tree with every text filled in, and what could not be filled in."""
    renderer = _Renderer(values)
    renderer.fill_context()
    return renderer.tree(values, ()), renderer.problems


class _Environment(Environment):
    """Reads names as parts of the contract: `tools.items` is a tool, never a method of Python."""

    def getattr(self, obj: Any, attribute: str) -> Any:
        if isinstance(obj, dict) and attribute in obj:
            return obj[attribute]
        return self.undefined(obj=obj, name=attribute)

    def getitem(self, obj: Any, argument: Any) -> Any:
        return self.getattr(obj, argument)


class _Renderer:
    """Fills templates in; the context grows in the order of the sections."""

    def __init__(self, values: dict[str, Any]) -> None:
        self.problems: list[Problem] = []
        self._values = values
        self._environment = _Environment(
            undefined=StrictUndefined, autoescape=select_autoescape((), default_for_string=False)
        )
        self._contexts = {language: _names(values) for language in LANGUAGES}

    def fill_context(self) -> None:
        """Render the texts and meanings that other texts may name."""
        for name, text in self._values.get("texts", {}).items():
            for language, context in self._contexts.items():
                context["texts"][name] = self._text(text[language], ("texts", name, language))
        for name, value, meaning in _meanings(self._values):
            path = ("enums", name, "values", value)
            for language, context in self._contexts.items():
                filled = self._text(meaning[language], (*path, language))
                context["meanings"].setdefault(name, {})[value] = filled
        for context in self._contexts.values():
            context["explained"] = {
                name: " ".join(
                    f"`{value}`: {meaning}"
                    for value, meaning in meanings.items()
                    if value not in self._values["enums"][name].get("deprecated", {})
                )
                for name, meanings in context["meanings"].items()
            }

    def tree(self, value: Any, path: Path) -> Any:
        """Return a part of the contract with its texts filled in."""
        if isinstance(value, dict):
            return {key: self.tree(child, (*path, key)) for key, child in value.items()}
        if isinstance(value, list):
            return [self.tree(child, (*path, i)) for i, child in enumerate(value)]
        return self._text(value, path) if isinstance(value, str) else value

    def _text(self, text: str, path: Path) -> str:
        text = text.strip("\n")
        if not any(mark in text for mark in _MARKS):
            return text
        language = path[-1] if path and path[-1] in LANGUAGES else LANGUAGES[0]
        try:
            template = self._environment.from_string(text)
            return template.render(self._contexts[str(language)])
        except TemplateSyntaxError as error:
            self.problems.append(Problem(rule="no-template", message=str(error), path=path))
        except TemplateError as error:
            self.problems.append(Problem(rule="unknown-reference", message=str(error), path=path))
        return text


def _names(values: dict[str, Any]) -> Context:
    """Return what a template may name before any text is rendered."""
    return {
        "tools": {name: name for name in values.get("tools", {})},
        "aliases": {name: name for name in values.get("aliases", {})},
        "codes": {name: name for name in values.get("errors", {})},
        "values": {
            name: {value: value for value in enum["values"]}
            for name, enum in values.get("enums", {}).items()
        },
        "texts": {},
        "meanings": {},
    }


def _meanings(values: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, str]]]:
    """Yield enum, value and meaning."""
    for name, enum in values.get("enums", {}).items():
        for value, meaning in enum["values"].items():
            yield name, value, meaning
