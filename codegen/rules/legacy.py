"""Old names and old calls: every one of them leads to something that exists."""

from collections.abc import Iterator
from typing import Any

from codegen.problems import Path, Problem
from codegen.rules.schemas import violations
from codegen.schemas import Draft


def tool_aliases(draft: Draft) -> Iterator[Problem]:
    """Yield what is wrong with old tool names."""
    tools = draft.values["tools"]
    for name, alias in draft.values["aliases"].items():
        path = ("aliases", name)
        if name in tools:
            text = f"{name!r} is a tool; it cannot be an alias as well"
            yield Problem(rule="name-taken", message=text, path=path)
        if alias["tool"] not in tools:
            text = f"there is no tool {alias['tool']!r}"
            yield Problem(rule="alias-to-nothing", message=text, path=(*path, "tool"))
        else:
            yield from _fixed(draft, alias, path)
        yield from _notice(draft, alias["notice"], (*path, "notice"))


def _fixed(draft: Draft, alias: dict[str, Any], path: Path) -> Iterator[Problem]:
    properties = draft.inputs[alias["tool"]]["properties"]
    for field, value in alias["fixed"].items():
        place = (*path, "fixed", field)
        if field in properties:
            yield from violations(properties[field], value, place)
        else:
            yield _no_field(alias["tool"], field, place)


def _no_field(tool: str, field: str, path: Path) -> Problem:
    text = f"the tool {tool!r} has no field {field!r}"
    return Problem(rule="alias-to-nothing", message=text, path=path)


def _notice(draft: Draft, prompt: str, path: Path) -> Iterator[Problem]:
    """Yield why a prompt cannot be the notice of an old call."""
    if prompt not in draft.values["prompts"]:
        text = f"there is no prompt {prompt!r}"
        yield Problem(rule="unknown-prompt", message=text, path=path)
    elif draft.values["prompts"][prompt].get("parameters"):
        text = f"the prompt {prompt!r} has parameters; a notice has none"
        yield Problem(rule="notice-with-parameters", message=text, path=path)


def field_aliases(draft: Draft) -> Iterator[Problem]:
    """Yield what is wrong with old names of fields."""
    for name, tool in draft.values["tools"].items():
        properties = draft.inputs[name]["properties"]
        for old, alias in tool.get("fieldAliases", {}).items():
            path = ("tools", name, "fieldAliases", old)
            if old in properties:
                text = f"{old!r} is a field; it cannot be an alias as well"
                yield Problem(rule="name-taken", message=text, path=path)
            if alias["field"] not in properties:
                yield _no_field(name, alias["field"], (*path, "field"))


def legacy_defaults(draft: Draft) -> Iterator[Problem]:
    """Yield what is wrong with the values of fields that old calls leave out."""
    for name, tool in draft.values["tools"].items():
        schema = draft.inputs[name]
        for field, default in tool.get("legacyDefaults", {}).items():
            path = ("tools", name, "legacyDefaults", field)
            if field not in schema["properties"]:
                yield _no_field(name, field, path)
                continue
            if field not in schema.get("required", ()):
                text = f"{field!r} is not required, so every call may leave it out"
                yield Problem(rule="default-without-need", message=text, path=path)
            yield from violations(schema["properties"][field], default["value"], (*path, "value"))
            yield from _notice(draft, default["notice"], (*path, "notice"))
