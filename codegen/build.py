"""From checked values to the model that the emitters render."""

from typing import Any

from codegen.languages import LANGUAGES
from codegen.model import (
    Alias,
    Contract,
    Document,
    Enum,
    Error,
    Example,
    FieldAlias,
    Group,
    LegacyDefault,
    Parameter,
    Prompt,
    Tool,
    Value,
)
from codegen.schemas import Draft

HINTS = ("readOnly", "destructive", "idempotent", "openWorld")


def contract(draft: Draft, *, package: str | None) -> Contract:
    """Return the model of a contract that has passed every check.

    Args:
        draft: The contract with its texts and schemas in full.
        package: Name of the importable package; None makes it from the contract's name.
    """
    values = draft.values
    groups = {
        name: Group(name=name, title=group["title"], surfaces=tuple(group["surfaces"]))
        for name, group in values["groups"].items()
    }
    build = _Builder(draft, groups)
    return Contract(
        name=values["name"],
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
        errors=tuple(Error(code=code, **error) for code, error in values["errors"].items()),
        tools=tuple(build.tool(name) for name in values["tools"]),
        aliases=tuple(Alias(name=name, **alias) for name, alias in values["aliases"].items()),
        prompts=tuple(build.prompt(name) for name in values["prompts"]),
        documents=tuple(Document(**document) for document in values["documents"]),
    )


class _Builder:
    """Makes each part from its section."""

    def __init__(self, draft: Draft, groups: dict[str, Group]) -> None:
        self._draft = draft
        self._values: dict[str, Any] = draft.values
        self._groups = groups

    def enum(self, name: str) -> Enum:
        enum = self._values["enums"][name]
        values = tuple(Value(name=value, meaning=text) for value, text in enum["values"].items())
        return Enum(name=name, description=enum["description"], values=values)

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
                FieldAlias(name=old, **alias) for old, alias in tool.get("fieldAliases", {}).items()
            ),
            legacy_defaults=tuple(
                LegacyDefault(field=field, **default)
                for field, default in tool.get("legacyDefaults", {}).items()
            ),
            examples=tuple(Example(**example) for example in tool["examples"]),
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
