"""From checked values to the model that the emitters render."""

from collections.abc import Mapping
from typing import Any

from codegen.languages import LANGUAGES
from codegen.model import (
    Alias,
    Contract,
    Deprecation,
    Document,
    Enum,
    Error,
    Example,
    FieldAlias,
    Group,
    Header,
    LegacyDefault,
    Parameter,
    Prompt,
    Tool,
    Value,
)
from codegen.schemas import Draft

HINTS = ("readOnly", "destructive", "idempotent", "openWorld")


def contract(draft: Draft, *, package: str | None, published: Mapping[str, str]) -> Contract:
    """Return the model of a contract that has passed every check.

    Args:
        draft: The contract with its texts and schemas in full.
        package: Name of the importable package; None makes it from the contract's name.
        published: Release by hash of every contract that has been published.
    """
    values = draft.values
    groups = {
        name: Group(
            name=name,
            title=group["title"],
            surfaces=tuple(group["surfaces"]),
            header=Header(**group["header"]) if "header" in group else None,
        )
        for name, group in values["groups"].items()
    }
    build = _Builder(draft, groups)
    return Contract(
        name=values["name"],
        release=values["release"],
        package=package or f"{values['name']}_contract",
        title=values["title"],
        groups=tuple(groups.values()),
        namespace=values["dynamic"]["namespace"],
        namespace_description=values["dynamic"]["description"],
        composer_prefix=values["composer"]["prefix"],
        http_path=values["http"]["path"],
        http_description=values["http"]["description"],
        common_errors=tuple(values["commonErrors"]),
        enums=tuple(build.enum(name) for name in values["enums"]),
        errors=tuple(build.error(code) for code in values["errors"]),
        tools=tuple(build.tool(name) for name in values["tools"]),
        aliases=tuple(Alias(name=n, **_old(alias)) for n, alias in values["aliases"].items()),
        prompts=tuple(build.prompt(name) for name in values["prompts"]),
        documents=tuple(Document(**document) for document in values["documents"]),
        changelog=values.get("changelog"),
        published=published,
    )


def _old(values: dict[str, Any]) -> dict[str, Any]:
    """Return what the contract says of something old, by the names of the model."""
    kept = {key: value for key, value in values.items() if key != "removeAfter"}
    return {**kept, "remove_after": values.get("removeAfter")}


def deprecation(part: Mapping[str, Any], key: str = "deprecated") -> Deprecation | None:
    """Return why a part is deprecated, None when it is not."""
    return Deprecation(**_old(part[key])) if key in part else None


class _Builder:
    """Makes each part from its section."""

    def __init__(self, draft: Draft, groups: dict[str, Group]) -> None:
        self._draft = draft
        self._values: dict[str, Any] = draft.values
        self._groups = groups

    def enum(self, name: str) -> Enum:
        enum = self._values["enums"][name]
        unlisted = enum.get("deprecated", {})
        return Enum(
            name=name,
            description=enum["description"],
            values=tuple(
                Value(name=value, meaning=text, deprecated=deprecation(unlisted, value))
                for value, text in enum["values"].items()
            ),
            is_open=enum.get("open", False),
        )

    def error(self, code: str) -> Error:
        error = self._values["errors"][code]
        return Error(
            code=code,
            status=error["status"],
            meaning=error["meaning"],
            remedy=error["remedy"],
            deprecated=deprecation(error),
        )

    def tool(self, name: str) -> Tool:
        tool = self._values["tools"][name]
        own = {*self._values["commonErrors"], *tool["errors"]}
        arguments = self._draft.inputs[name]
        return Tool(
            name=name,
            group=self._groups[tool["group"]],
            title=tool["title"],
            summary=tool["summary"],
            description=tool["description"],
            input=arguments,
            output=self._draft.outputs[name],
            annotations={f"{hint}Hint": tool["annotations"][hint] for hint in HINTS},
            errors=tuple(code for code in self._values["errors"] if code in own),
            property_errors={
                field: schema["$error"]
                for field, schema in arguments["properties"].items()
                if "$error" in schema
            },
            field_aliases=tuple(
                FieldAlias(name=old, **_old(alias))
                for old, alias in tool.get("fieldAliases", {}).items()
            ),
            legacy_defaults=tuple(
                LegacyDefault(field=field, **_old(default))
                for field, default in tool.get("legacyDefaults", {}).items()
            ),
            examples=tuple(Example(**example) for example in tool["examples"]),
            deprecated=deprecation(tool),
        )

    def prompt(self, name: str) -> Prompt:
        prompt = self._values["prompts"][name]
        return Prompt(
            name=name,
            is_item=prompt.get("item", False),
            group=self._groups[prompt["group"]],
            summary=prompt["summary"],
            wording={language: prompt["wording"][language] for language in LANGUAGES},
            parameters=tuple(
                Parameter(
                    name=parameter,
                    kind=about["type"],
                    of=about.get("of"),
                    description=about["description"],
                    when_empty=about.get("whenEmpty"),
                )
                for parameter, about in prompt.get("parameters", {}).items()
            ),
        )
