"""What is old: since when, for how long it is still taken, and who may hold it for ever."""

from collections.abc import Iterator
from typing import Any

from codegen.model import Schema
from codegen.problems import Path, Problem
from codegen.schemas import Draft, parts

_Declared = tuple[Path, dict[str, Any]]
"""Where something old is declared, and what is declared of it."""


def release_number(release: str) -> tuple[int, ...]:
    """Return a release as numbers that can be compared."""
    return tuple(int(part) for part in release.split("."))


def releases(draft: Draft) -> Iterator[Problem]:
    """Yield each release that cannot be meant."""
    now = draft.values["release"]
    for path, old in _declared(draft):
        if release_number(old["since"]) > release_number(now):
            text = f"{old['since']} comes after the contract's release {now}"
            yield Problem(rule="future-release", message=text, path=(*path, "since"))
        last = old.get("removeAfter")
        if last and release_number(last) < release_number(old["since"]):
            text = f"{last} comes before {old['since']}, since when it is old"
            yield Problem(rule="removed-before-old", message=text, path=(*path, "removeAfter"))


def held_for_ever(draft: Draft) -> Iterator[Problem]:
    """Yield each end that is set to something that a stored Codex thread may still call."""
    for path, old in _calls_on_dynamic(draft):
        if "removeAfter" in old:
            text = "Codex App threads keep their tools for ever and may still call this"
            yield Problem(rule="held-for-ever", message=text, path=(*path, "removeAfter"))


def deprecated_fields(draft: Draft) -> Iterator[Problem]:
    """Yield each required argument that no list would show."""
    for path, schema in draft.schemas():
        for part in parts(schema) if path[-1] == "input" else ():
            for name in part.get("required", ()):
                field = part["properties"].get(name, {})
                if "$deprecated" in field:
                    text = f"{name!r} is required, so lists must show it"
                    place = (*field["$at"], "$deprecated")
                    yield Problem(rule="deprecated-required", message=text, path=place)


def deprecated_values(draft: Draft) -> Iterator[Problem]:
    """Yield what is wrong with the values of enums that no list shows any more."""
    for name, enum in draft.values["enums"].items():
        path = ("enums", name, "deprecated")
        old = enum.get("deprecated", {})
        for value in old:
            if value not in enum["values"]:
                text = f"{name} has no value {value!r}"
                yield Problem(rule="unknown-value", message=text, path=(*path, value))
        if not enum["values"].keys() - old.keys():
            text = f"{name} has no other value left that lists could show"
            yield Problem(rule="no-value-left", message=text, path=path)
    for _, schema in draft.schemas():
        yield from _unlisted_defaults(schema)


def _unlisted_defaults(schema: Schema) -> Iterator[Problem]:
    for part in parts(schema):
        if part.get("default") in part.get("$unlisted", ()):
            text = f"no list shows the value {part['default']!r}"
            path = (*part["$at"], "default")
            yield Problem(rule="unlisted-default", message=text, path=path)


def _declared(draft: Draft) -> Iterator[_Declared]:
    """Yield everything old."""
    values = draft.values
    for name, alias in values["aliases"].items():
        yield ("aliases", name), alias
    for section in ("tools", "errors"):
        for name, part in values[section].items():
            if "deprecated" in part:
                yield (section, name, "deprecated"), part["deprecated"]
    for name, enum in values["enums"].items():
        for value, old in enum.get("deprecated", {}).items():
            yield ("enums", name, "deprecated", value), old
    for name, tool in values["tools"].items():
        yield from _old_arguments(name, tool)
        for schema in (draft.inputs[name], draft.outputs[name]):
            yield from _marked(schema)


def _old_arguments(name: str, tool: dict[str, Any]) -> Iterator[_Declared]:
    """Yield a tool's old names of fields and its legacy defaults."""
    for key in ("fieldAliases", "legacyDefaults"):
        for field, old in tool.get(key, {}).items():
            yield ("tools", name, key, field), old


def _marked(schema: Schema) -> Iterator[_Declared]:
    """Yield each deprecated property."""
    for part in parts(schema):
        if "$deprecated" in part:
            yield (*part["$at"], "$deprecated"), part["$deprecated"]


def _calls_on_dynamic(draft: Draft) -> Iterator[_Declared]:
    """Yield everything old that a call of a dynamic tool may use."""
    values = draft.values
    names = {
        name
        for name, tool in values["tools"].items()
        if "dynamic" in values["groups"].get(tool["group"], {}).get("surfaces", ())
    }
    for name, alias in values["aliases"].items():
        if alias["tool"] in names:
            yield ("aliases", name), alias
    for name in sorted(names):
        tool = values["tools"][name]
        yield from _old_arguments(name, tool)
        yield from _marked(draft.inputs[name])
        yield from _old_values(draft, draft.inputs[name])
        if "deprecated" in tool:
            yield ("tools", name, "deprecated"), tool["deprecated"]


def _old_values(draft: Draft, schema: Schema) -> Iterator[_Declared]:
    """Yield each deprecated value that an argument may have."""
    for part in parts(schema):
        for value in part.get("$unlisted", ()):
            path = ("enums", part["$enum"], "deprecated", value)
            yield path, draft.values["enums"][part["$enum"]]["deprecated"][value]
