"""One tool in full: its fields, its errors, the texts that name it, and its old calls."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from codegen.explanation.changes import Changes
from codegen.explanation.fields import fields
from codegen.explanation.old_calls import OldCall, old_calls
from codegen.explanation.places import Place, Sight, places, sights
from codegen.languages import LANGUAGES, Text
from codegen.literals import compact_json
from codegen.model import Contract, Deprecation, Schema, Tool
from codegen.schemas import accepted, parts, produced, published, published_output

_LIMITS = frozenset(
    {
        *("default", "minItems", "maxItems", "uniqueItems", "minLength", "maxLength"),
        *("pattern", "format", "minimum", "maximum"),
    }
)
"""Keywords that narrow a value, and its default."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """An argument or a part of the answer, on both sides."""

    name: str
    """With the names around it: `cards[].colour`."""
    shown: str | None
    """What lists say of it; None when they do not show it."""
    taken: str
    """What a call may send or an answer of this contract has."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """An error code with which a call may be refused."""

    status: int
    code: str
    fields: tuple[str, ...]
    """Arguments whose violation gets it."""
    is_common: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """All that becomes of a tool."""

    name: str
    title: Text
    group: str
    contract: str
    release: str
    """The release that the contract goes out with."""
    deprecated: Deprecation | None
    sights: tuple[Sight, ...]
    arguments: tuple[Field, ...]
    answer: tuple[Field, ...]
    refusals: tuple[Refusal, ...]
    named_in: tuple[str, ...]
    """Prompts and other texts that name it, by their place in the contract."""
    old_calls: tuple[OldCall, ...]
    changes: Changes | None
    """Since the contract was published last; None before that."""
    places: tuple[Place, ...]


def explained(contract: Contract, tool: Tool, changes: Changes | None) -> Explanation:
    """Return all that becomes of a tool."""
    return Explanation(
        name=tool.name,
        title=tool.title,
        group=tool.group.name,
        contract=contract.name,
        release=contract.release,
        deprecated=tool.deprecated,
        sights=sights(contract, tool),
        arguments=tuple(_fields(published(tool), accepted(tool))),
        answer=tuple(_fields(published_output(tool), produced(tool))),
        refusals=tuple(_refusals(contract, tool)),
        named_in=tuple(_naming(contract, tool.name)),
        old_calls=old_calls(contract, tool),
        changes=changes,
        places=places(contract, tool),
    )


def _fields(shown: Schema, taken: Schema) -> Iterator[Field]:
    """Yield each property of either schema, those inside objects and arrays too."""
    listed = _said(shown)
    for name, text in _said(taken).items():
        yield Field(name=name, shown=listed.get(name), taken=text)


def _said(schema: Schema) -> dict[str, str]:
    """Return the form of each field by its name."""
    return {
        name: f"{_form(child)}, {'required' if is_required else 'optional'}"
        for name, child, is_required in fields(schema)
    }


def _form(schema: Schema) -> str:
    """Return what values a schema takes, in a few words."""
    if "enum" in schema:
        said = " | ".join(schema["enum"])
    elif "items" in schema:
        said = f"array of {_form(schema['items'])}"
    else:
        said = str(schema["type"])
    limits = [f"{key} {compact_json(value)}" for key, value in schema.items() if key in _LIMITS]
    return ", ".join([said, *limits])


def _refusals(contract: Contract, tool: Tool) -> Iterator[Refusal]:
    for error in sorted(contract.errors, key=lambda error: error.status):
        if error.code in tool.errors:
            fields = [name for name, code in tool.property_errors.items() if code == error.code]
            yield Refusal(
                status=error.status,
                code=error.code,
                fields=tuple(fields),
                is_common=error.code in contract.common_errors,
            )


def _naming(contract: Contract, name: str) -> Iterator[str]:
    """Yield where a text names a tool: prompts, other tools, errors, meanings."""
    word = re.compile(rf"(?<![a-z0-9_]){re.escape(name)}(?![a-z0-9_])")
    for place, texts in _texts(contract, name):
        if any(word.search(text) for text in texts):
            yield place


def _texts(contract: Contract, name: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the place and the wordings of each text that is not the tool's own."""
    for prompt in contract.prompts:
        yield f"prompts.{prompt.name}", [prompt.wording[language] for language in LANGUAGES]
    for tool in contract.tools:
        if tool.name != name:
            said = [part["description"] for part in _described(tool)]
            yield f"tools.{tool.name}", [tool.description, *tool.summary.values(), *said]
    for error in contract.errors:
        yield f"errors.{error.code}", [*error.meaning.values(), *error.remedy.values()]
    for enum in contract.enums:
        for value in enum.values:
            yield f"enums.{enum.name}.{value.name}", [*value.meaning.values()]
    yield "dynamic.description", [contract.namespace_description]
    yield "http.description", [contract.http_description]


def _described(tool: Tool) -> Iterator[Schema]:
    for schema in (tool.input, tool.output):
        yield from (part for part in parts(schema) if "description" in part)
