"""Strategies for whole contracts of the right form, which break no rule."""

from typing import Any

import yaml
from hypothesis import strategies as st

from tests.codegen.random_names import (
    RELEASE,
    Names,
    distinct,
    errors,
    names_of_parts,
    snake_names,
    some,
    texts,
)
from tests.codegen.random_schemas import as_written, words
from tests.codegen.random_tools import tool_aliases, tool_entries

Contract = dict[str, Any]
"""A contract as values: what its tools.yaml says."""

DOCUMENTS = (
    {"path": "../README.md", "language": "en"},
    {"path": "../README.zh.md", "language": "zh"},
)
KINDS = ("text", "id", "integer", "fenced", "enum", "items")
_FIRST_LINE = "# yaml-language-server: $schema=tools.schema.json\n"


class _Dumper(yaml.CSafeDumper):
    """Quotes every text, and writes twice what stands there twice."""

    def ignore_aliases(self, data: Any) -> bool:
        return True

    def quoted(self, text: str) -> yaml.Node:
        return self.represent_scalar("tag:yaml.org,2002:str", text, style='"')


_Dumper.add_representer(str, _Dumper.quoted)


def written(contract: Contract) -> str:
    """Return the text of a contract's tools.yaml."""
    text = yaml.dump(contract, Dumper=_Dumper, allow_unicode=True, sort_keys=False, width=1000)
    return _FIRST_LINE + text


@st.composite
def contracts(draw: st.DrawFn, *, tools: int = 3) -> Contract:
    """Draw a whole contract.

    Args:
        draw: Given by Hypothesis.
        tools: The most tools that it may have.
    """
    names = draw(names_of_parts())
    drawn = {
        name: draw(tool_entries(names)) for name in draw(distinct(snake_names(), low=1, high=tools))
    }
    contract = {
        "name": draw(snake_names()),
        "release": RELEASE,
        "title": draw(texts()),
        "groups": names.groups,
        "dynamic": {"namespace": f"{draw(snake_names())}_ns", "description": draw(words())},
        "composer": {"prefix": draw(words())},
        "http": {"path": draw(st.sampled_from(["/{tool}", "/a/{tool}/b"])), "description": "One."},
        "documents": draw(st.lists(st.sampled_from(DOCUMENTS), unique_by=repr)),
        "commonErrors": draw(some(names.codes)),
        "texts": {name: draw(texts()) for name in draw(distinct(snake_names()))},
        "enums": names.enums,
        "errors": {code: draw(errors()) for code in names.codes},
        "objects": _used(names.objects, drawn),
        "tools": drawn,
        "aliases": draw(tool_aliases(names, drawn)),
        "prompts": draw(_prompts(names)),
    }
    for entry in drawn.values():
        common = contract["commonErrors"]
        entry["errors"] = [code for code in entry["errors"] if code not in common]
    return draw(_with_templates(as_written(contract)))


@st.composite
def _prompts(draw: st.DrawFn, names: Names) -> Any:
    """Draw the notices, an item, and prompts with parameters of every kind."""
    item = f"{draw(snake_names())}_item"
    found = {name: draw(_prompt(names, kinds=(), item=item)) for name in names.notices}
    found |= {item: draw(_prompt(names, kinds=KINDS[:4], item=item)) | {"item": True}}
    for name in draw(distinct(snake_names(), high=2)):
        found[f"{name}_prompt"] = draw(_prompt(names, kinds=KINDS, item=item))
    return found


@st.composite
def _prompt(draw: st.DrawFn, names: Names, kinds: tuple[str, ...], item: str) -> Any:
    """Draw a prompt whose wording uses each of its parameters."""
    usable = [kind for kind in kinds if kind != "enum" or names.enums]
    chosen = draw(st.lists(st.sampled_from(usable), max_size=4)) if usable else []
    parameters = {
        f"{draw(snake_names())}_{i}": draw(_parameter(names, kind, item))
        for i, kind in enumerate(chosen)
    }
    return {
        "group": draw(st.sampled_from([*names.groups])),
        "summary": draw(texts()),
        "parameters": parameters,
        "wording": {language: draw(_wording(parameters)) for language in ("en", "zh")},
    }


@st.composite
def _parameter(draw: st.DrawFn, names: Names, kind: str, item: str) -> Any:
    about: dict[str, Any] = {"type": kind, "description": draw(words())}
    if kind in ("enum", "items"):
        about["of"] = item if kind == "items" else draw(st.sampled_from([*names.enums]))
    if kind in ("text", "fenced", "items") and draw(st.booleans()):
        about["whenEmpty"] = draw(texts())
    return about


@st.composite
def _wording(draw: st.DrawFn, parameters: dict[str, Any]) -> str:
    """Draw a text with a paragraph for each parameter, in any order."""
    paragraphs = [draw(words())]
    for name in draw(st.permutations([*parameters])):
        kind = parameters[name]["type"]
        mark = f"<<{name}.meaning>>" if kind == "enum" and draw(st.booleans()) else f"<<{name}>>"
        alone = kind in ("fenced", "items")
        paragraphs.append(mark if alone else f"{draw(words())} {mark} {draw(words())}")
    return "\n\n".join(paragraphs)


def _used(objects: dict[str, Any], tools: dict[str, Any]) -> dict[str, Any]:
    """Return the objects that the tools lead to."""
    found: set[str] = set()
    waiting: list[Any] = [
        part for tool in tools.values() for part in (tool["input"], tool["output"])
    ]
    while waiting:
        schema = waiting.pop()
        for name in (schema.get("$ref"), schema.get("$extends")):
            if name and name not in found:
                found.add(name)
                waiting.append(objects[name])
        waiting += schema.get("properties", {}).values()
        waiting += [schema["items"]] if "items" in schema else []
    return {name: schema for name, schema in objects.items() if name in found}


@st.composite
def _with_templates(draw: st.DrawFn, contract: Contract) -> Contract:
    """Put a template in some texts that models read."""
    marks = [f"{{{{ tools.{name} }}}}" for name in contract["tools"]]
    marks += [f"{{{{ codes.{name} }}}}" for name in contract["errors"]]
    marks += [f"{{{{ texts.{name} }}}}" for name in contract["texts"]]
    marks += [f"{{{{ aliases.{name} }}}}" for name in contract["aliases"]]
    for name, enum in contract["enums"].items():
        marks += [f"{{{{ explained.{name} }}}}"]
        for section in ("values", "meanings"):
            marks += [f"{{{{ {section}.{name}.{value} }}}}" for value in enum["values"]]
    for tool in contract["tools"].values() if marks else ():
        if draw(st.booleans()):
            tool["description"] += " " + draw(st.sampled_from(marks))
    return contract
