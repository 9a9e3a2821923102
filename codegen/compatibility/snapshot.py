"""What threads hold of a contract: every name that they may call, and every text that they read.

Schemas stand here as shapes: what a call may send and what an answer may hold, with no words. All
words stand in `texts`, so that a change of wording and a change of form are two findings.
"""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from codegen.languages import LANGUAGES
from codegen.model import Alias, Contract, Deprecation, Prompt, Schema, Tool
from codegen.schemas import accepted, published, published_output

Shape = Mapping[str, Any]
"""A JSON Schema without words. What is not named is refused in a call, and allowed in an answer.
An empty one takes any value."""
_KEPT = (
    "type",
    "enum",
    "format",
    "pattern",
    "minLength",
    "maxLength",
    "minimum",
    "maximum",
    "minItems",
    "maxItems",
    "uniqueItems",
    "default",
    "required",
)
LEFT_OUT = "?"
"""Ends the place of a call that leaves an argument out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Definition:
    """What one name that calls may use stands for."""

    tool: str
    """The tool that is called: the name itself, unless the name is an alias."""
    fixed: Mapping[str, Any]
    """Arguments that a call by this name always has."""
    doors: tuple[str, ...]
    """Surfaces through which it may be called."""
    listed: tuple[str, ...]
    """Surfaces that show it."""
    input: Shape
    """What a call by this name may send; what it requires may come under an old name as well."""
    output: Shape
    legacy: Mapping[str, Any]
    """What a required argument stands for in a call that leaves it out."""
    renamed: Mapping[str, str]
    """Present name of an argument by its old one."""
    annotations: Mapping[str, bool]
    errors: tuple[str, ...]
    field_errors: Mapping[str, str]
    ends: Mapping[str, str]
    """The last release that takes something old, by its place; `""` is the name itself, and
    `input.a?` a call without `a`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Code:
    """An error code as clients know it."""

    status: int
    ends: str | None
    """The last release that has it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """A contract as threads hold it."""

    release: str
    hashes: Mapping[str, str]
    """Release by hash of every contract that had been published."""
    changelog: tuple[str, ...]
    """Lines about the contract that stood in the changelog."""
    addresses: Mapping[str, str]
    """Under which names clients reach the tools."""
    errors: Mapping[str, Code]
    definitions: Mapping[str, Definition]
    texts: Mapping[str, str]
    """What models read, by place: `section.NAME.part`."""


def snapshot(contract: Contract, *, changelog: tuple[str, ...] = ()) -> Snapshot:
    """Return what a thread that loads the contract now will hold."""
    tools = {tool.name: tool for tool in contract.tools}
    return Snapshot(
        release=contract.release,
        hashes=contract.published,
        changelog=changelog,
        addresses={
            "server": contract.name,
            "namespace": contract.namespace,
            "path": contract.http_path,
        },
        errors={e.code: Code(status=e.status, ends=_end(e.deprecated)) for e in contract.errors},
        definitions={
            **{tool.name: _tool(tool) for tool in contract.tools},
            **{alias.name: _alias(alias, tools[alias.tool]) for alias in contract.aliases},
        },
        texts=dict(_texts(contract)),
    )


def to_values(held: Snapshot) -> dict[str, Any]:
    """Return a snapshot as plain values for JSON."""
    return asdict(held)


def from_values(values: Mapping[str, Any]) -> Snapshot:
    """Return the snapshot that plain values stand for.

    Raises:
        KeyError, TypeError: they are no snapshot.
    """
    names, codes = values["definitions"].items(), values["errors"].items()
    return Snapshot(
        **{
            **values,
            "changelog": tuple(values["changelog"]),
            "errors": {code: Code(**error) for code, error in codes},
            "definitions": {name: _definition(one) for name, one in names},
        }
    )


def _definition(values: Mapping[str, Any]) -> Definition:
    lists = {key: tuple(values[key]) for key in ("doors", "listed", "errors")}
    return Definition(**{**values, **lists})


def _tool(tool: Tool) -> Definition:
    legacy = {default.field: default.value for default in tool.legacy_defaults}
    required = [name for name in tool.input.get("required", ()) if name not in legacy]
    return Definition(
        tool=tool.name,
        fixed={},
        doors=tool.group.surfaces,
        listed=() if tool.deprecated else tool.group.surfaces,
        input={**shape(accepted(tool)), **({"required": required} if required else {})},
        output=shape(published_output(tool)),
        legacy=legacy,
        renamed={alias.name: alias.field for alias in tool.field_aliases},
        annotations=tool.annotations,
        errors=tool.errors,
        field_errors=tool.property_errors,
        ends=dict(_ends(tool)),
    )


def _alias(alias: Alias, tool: Tool) -> Definition:
    """Return what an old name stands for; a call by it may send anything for what is fixed."""
    own = _tool(tool)
    fixed = {*alias.fixed, *(old for old, name in own.renamed.items() if name in alias.fixed)}
    properties = {n: {} if n in fixed else s for n, s in own.input["properties"].items()}
    required = [name for name in own.input.get("required", ()) if name not in alias.fixed]
    ends = {place: release for place, release in own.ends.items() if place}
    return replace(
        own,
        fixed=alias.fixed,
        listed=(),
        input={**own.input, "properties": properties, "required": required},
        legacy={name: value for name, value in own.legacy.items() if name not in alias.fixed},
        ends={**ends, "": alias.remove_after} if alias.remove_after else ends,
    )


def shape(schema: Schema) -> dict[str, Any]:
    """Return a schema without its words."""
    kept = {key: schema[key] for key in _KEPT if key in schema}
    if "properties" in schema:
        kept["properties"] = {name: shape(child) for name, child in schema["properties"].items()}
    if "items" in schema:
        kept["items"] = shape(schema["items"])
    return kept


def _end(old: Deprecation | None) -> str | None:
    return old.remove_after if old else None


def _ends(tool: Tool) -> Iterator[tuple[str, str]]:
    """Yield the place of everything old that will go, and the last release that takes it."""
    if end := _end(tool.deprecated):
        yield "", end
    for alias in tool.field_aliases:
        if alias.remove_after:
            yield f"input.{alias.name}", alias.remove_after
    for default in tool.legacy_defaults:
        if default.remove_after:
            yield f"input.{default.field}{LEFT_OUT}", default.remove_after
    yield from _marked(tool.input, "input")
    yield from _marked(tool.output, "output")


def _marked(schema: Schema, place: str) -> Iterator[tuple[str, str]]:
    """Yield the same of a source schema's marks."""
    if end := schema.get("$deprecated", {}).get("removeAfter"):
        yield place, end
    for value, end in schema.get("$ends", {}).items():
        yield f"{place}={value}", end
    for name, child in schema.get("properties", {}).items():
        yield from _marked(child, f"{place}.{name}")
    if "items" in schema:
        yield from _marked(schema["items"], f"{place}[]")


def _texts(contract: Contract) -> Iterator[tuple[str, str]]:
    """Yield every text that models read, by place; of a notice, the prompt that it is."""
    yield f"dynamic.{contract.namespace}.description", contract.namespace_description
    for tool in contract.tools:
        place = f"tools.{tool.name}"
        yield f"{place}.title", tool.title[LANGUAGES[0]]
        yield f"{place}.description", tool.description
        yield from _described(published(tool), f"{place}.input")
        yield from _described(published_output(tool), f"{place}.output")
        for default in tool.legacy_defaults:
            yield f"{place}.input.{default.field}{LEFT_OUT}.notice", default.notice
    for alias in contract.aliases:
        yield f"tools.{alias.name}.notice", alias.notice
    for language in LANGUAGES:
        for prompt in contract.prompts:
            yield from _prompted(contract, prompt, language)
        for error in contract.errors:
            yield f"errors.{error.code}.remedy.{language}", error.remedy[language]


def _prompted(contract: Contract, prompt: Prompt, language: str) -> Iterator[tuple[str, str]]:
    """Yield a prompt's wording and all that is set into it that the contract words as well."""
    place = f"prompts.{prompt.name}"
    yield f"{place}.{language}", prompt.wording[language]
    enums = {enum.name: enum.values for enum in contract.enums}
    for one in prompt.parameters:
        if one.when_empty:
            yield f"{place}.{one.name}.whenEmpty.{language}", one.when_empty[language]
        if f"<<{one.name}.meaning>>" in prompt.wording[language]:
            for value in enums[str(one.of)]:
                yield f"{place}.{one.name}={value.name}.{language}", value.meaning[language]


def _described(schema: Schema, place: str) -> Iterator[tuple[str, str]]:
    """Yield the description, which may be none, of a schema and of all that it holds."""
    yield place, schema.get("description", "")
    for name, child in schema.get("properties", {}).items():
        yield from _described(child, f"{place}.{name}")
    if "items" in schema:
        yield from _described(schema["items"], f"{place}[]")
