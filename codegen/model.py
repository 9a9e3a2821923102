"""The contract as values: what the emitters render."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from codegen.languages import Text

Schema = Mapping[str, Any]
"""A JSON Schema. A source schema also has marks: `$at`, the place in the contract where it is
written; `$enum`, the enum that its values come from; `$error`, the code of its violation;
`$deprecated`, why it is no longer listed; `$unlisted`, the values that no list shows; `$ends`,
the last release that takes such a value; `$open`, true when more values may come."""

ParameterKind = Literal["text", "id", "integer", "enum", "fenced", "items"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Deprecation:
    """Why something is no longer listed although it is still taken."""

    since: str
    reason: str
    remove_after: str | None
    """The last release that takes it; None keeps it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Value:
    """One value of an enum."""

    name: str
    meaning: Text
    deprecated: Deprecation | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Enum:
    """A closed set of values."""

    name: str
    description: str
    values: tuple[Value, ...]
    is_open: bool
    """Whether answers publish it as a plain string, because more values may come."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Error:
    """An error code."""

    code: str
    status: int
    meaning: Text
    remedy: Text
    deprecated: Deprecation | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """A header of HTTP that calls may carry besides their arguments."""

    name: str
    description: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Tools that appear on the same surfaces."""

    name: str
    title: Text
    surfaces: tuple[str, ...]
    header: Header | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LegacyDefault:
    """The value that a missing required field gets in a call by an old definition."""

    field: str
    value: Any
    since: str
    remove_after: str | None
    reason: str
    notice: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldAlias:
    """An old name of a field."""

    name: str
    field: str
    since: str
    remove_after: str | None
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """A call and its answer."""

    input: Mapping[str, Any]
    output: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A tool that agents can call."""

    name: str
    group: Group
    title: Text
    summary: Text
    description: str
    input: Schema
    """Source schema of the arguments."""
    output: Schema
    """Source schema of the answer."""
    annotations: Mapping[str, bool]
    """The four hints, by the names that MCP gives them."""
    errors: tuple[str, ...]
    property_errors: Mapping[str, str]
    """Code that a violation of the property gets, by property."""
    field_aliases: tuple[FieldAlias, ...]
    legacy_defaults: tuple[LegacyDefault, ...]
    examples: tuple[Example, ...]
    deprecated: Deprecation | None

    @property
    def pascal(self) -> str:
        """Return the name as the start of class names."""
        return "".join(part.capitalize() for part in self.name.split("_"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Alias:
    """An old tool name that calls may still use and that no list shows."""

    name: str
    tool: str
    fixed: Mapping[str, Any]
    since: str
    remove_after: str | None
    reason: str
    notice: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """A parameter of a prompt."""

    name: str
    kind: ParameterKind
    of: str | None
    """Name of the enum, or of the prompt whose items the list holds."""
    description: str
    when_empty: Text | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """A text that a model reads, with what is filled in at run time."""

    name: str
    is_item: bool
    group: Group
    summary: Text
    parameters: tuple[Parameter, ...]
    wording: Text


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A document with marked blocks."""

    path: str
    """Relative to the contract's folder."""
    language: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Contract:
    """Everything that the emitters need."""

    name: str
    release: str
    """The release of the product that the contract goes out with."""
    package: str
    """Name of the importable package."""
    title: Text
    groups: tuple[Group, ...]
    namespace: str
    namespace_description: str
    composer_prefix: str
    http_path: str
    http_description: str
    common_errors: tuple[str, ...]
    enums: tuple[Enum, ...]
    errors: tuple[Error, ...]
    tools: tuple[Tool, ...]
    aliases: tuple[Alias, ...]
    prompts: tuple[Prompt, ...]
    documents: tuple[Document, ...]
    changelog: str | None
    """Relative to the contract's folder."""
    published: Mapping[str, str]
    """Release by hash of every contract that has been published."""

    def tools_on(self, surface: str) -> tuple[Tool, ...]:
        """Return the tools that a surface shows."""
        return tuple(tool for tool in self.listed_tools if surface in tool.group.surfaces)

    @property
    def listed_tools(self) -> tuple[Tool, ...]:
        """Return the tools that are not deprecated."""
        return tuple(tool for tool in self.tools if tool.deprecated is None)
