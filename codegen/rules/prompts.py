"""Prompts: their parameters, and that the wording in each language fills in all of them."""

import re
from collections.abc import Iterator
from typing import Any

from codegen.languages import LANGUAGES
from codegen.problems import Path, Problem
from codegen.prompt_code import PLACEHOLDER
from codegen.schemas import Draft

_ANY_MARK = re.compile(r"<<[^<>\n]*>>")
_OWN_PARAGRAPH = ("fenced", "items")


def parameters(draft: Draft) -> Iterator[Problem]:
    """Yield each parameter whose type does not fit together."""
    for name, prompt in draft.values["prompts"].items():
        for parameter, about in prompt.get("parameters", {}).items():
            path = ("prompts", name, "parameters", parameter)
            yield from _type(draft, about, path)
            if "whenEmpty" in about and about["type"] in ("id", "integer", "enum"):
                text = f"a parameter of type {about['type']} is never empty"
                yield Problem(rule="never-empty", message=text, path=(*path, "whenEmpty"))


def _type(draft: Draft, about: dict[str, Any], path: Path) -> Iterator[Problem]:
    """Yield what is wrong with the type and what it is of."""
    of, prompts = about.get("of"), draft.values["prompts"]
    if about["type"] == "enum" and of not in draft.values["enums"]:
        yield Problem(rule="unknown-enum", message=f"there is no enum {of!r}", path=path)
    elif about["type"] == "items" and not prompts.get(of, {}).get("item"):
        text = f"there is no prompt {of!r} with item: true"
        yield Problem(rule="unknown-item", message=text, path=path)
    elif of and about["type"] not in ("enum", "items"):
        text = f"a parameter of type {about['type']} is not of anything"
        yield Problem(rule="of-nothing", message=text, path=(*path, "of"))


def wordings(draft: Draft) -> Iterator[Problem]:
    """Yield what each wording does with the parameters."""
    for name, prompt in draft.values["prompts"].items():
        for language in LANGUAGES:
            path = ("prompts", name, "wording", language)
            declared = prompt.get("parameters", {})
            yield from _marks(prompt["wording"][language], declared, path)
            yield from _paragraphs(prompt["wording"][language], declared, path)


def _marks(text: str, declared: dict[str, Any], path: Path) -> Iterator[Problem]:
    """Yield each mark that stands for nothing, and each parameter that is not used."""
    used = set()
    for mark in _ANY_MARK.findall(text):
        match = PLACEHOLDER.fullmatch(mark)
        if match is None or match[1] not in declared:
            message = f"{mark} is not a declared parameter"
            yield Problem(rule="undeclared-parameter", message=message, path=path)
            continue
        used.add(match[1])
        if match[2] and declared[match[1]]["type"] != "enum":
            message = f"{mark}: only the value of an enum has a meaning"
            yield Problem(rule="no-meaning", message=message, path=path)
    for name in declared:
        if name not in used:
            message = f"the parameter {name!r} is declared and not used"
            yield Problem(rule="unused-parameter", message=message, path=path)


def _paragraphs(text: str, declared: dict[str, Any], path: Path) -> Iterator[Problem]:
    """Yield each block that does not stand in a paragraph of its own."""
    paragraphs = text.split("\n\n")
    for name, about in declared.items():
        mark = f"<<{name}>>"
        if about["type"] in _OWN_PARAGRAPH and any(
            mark in paragraph and paragraph != mark for paragraph in paragraphs
        ):
            message = f"{mark} needs a paragraph of its own"
            yield Problem(rule="own-paragraph", message=message, path=path)
        if about["type"] == "items" and text.startswith(mark):
            message = f"{mark} cannot come first; say first what follows"
            yield Problem(rule="items-first", message=message, path=path)
