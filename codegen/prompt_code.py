"""Prompts as Python code: format strings, annotations and expressions."""

import re
from dataclasses import dataclass

from codegen.languages import LANGUAGES, Text
from codegen.model import Contract, Parameter, Prompt

PLACEHOLDER = re.compile(r"<<([a-z][a-z0-9_]*)(\.meaning)?>>")


@dataclass(frozen=True, slots=True, kw_only=True)
class TypedParameter:
    """A parameter with its Python annotation."""

    name: str
    description: str
    annotation: str
    when_empty: Text | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptCode:
    """What the template of the prompts' module needs for one prompt."""

    name: str
    pascal: str
    is_item: bool
    summary: Text
    formats: Text
    """Texts for `str.format`, or plain texts when there is no parameter."""
    parameters: tuple[TypedParameter, ...]
    arguments: tuple[tuple[str, str], ...]
    """Name and expression of each argument of `format`."""

    @property
    def returns(self) -> str:
        """Return the annotation of the result."""
        return self.pascal if self.is_item else "str"

    @property
    def opening(self) -> str:
        """Return what stands before the expression of the result."""
        return f"{self.pascal}(" if self.is_item else ""

    @property
    def closing(self) -> str:
        """Return what stands after it."""
        return ")" if self.is_item else ""


def prompt_codes(contract: Contract) -> tuple[PromptCode, ...]:
    """Return the code of each prompt."""
    return tuple(_code(prompt) for prompt in contract.prompts)


def enums_of(contract: Contract) -> list[str]:
    """Return the enums that the prompts' module imports, sorted."""
    used = {p.of for prompt in contract.prompts for p in prompt.parameters if p.kind == "enum"}
    explained = {"EXPLANATIONS"} if used else set()
    return sorted({"Lang", *explained, *(name for name in used if name)})


def pascal(name: str) -> str:
    """Return a name in snake case as the name of a class."""
    return "".join(part.capitalize() for part in name.split("_"))


def _code(prompt: Prompt) -> PromptCode:
    return PromptCode(
        name=prompt.name,
        pascal=pascal(prompt.name),
        is_item=prompt.is_item,
        summary=prompt.summary,
        formats={language: _format(prompt, language) for language in LANGUAGES},
        parameters=tuple(
            TypedParameter(
                name=parameter.name,
                description=parameter.description,
                annotation=_annotation(parameter),
                when_empty=parameter.when_empty,
            )
            for parameter in prompt.parameters
        ),
        arguments=tuple(
            pair for parameter in prompt.parameters for pair in _arguments(prompt, parameter)
        ),
    )


def _format(prompt: Prompt, language: str) -> str:
    """Return a wording for `str.format`; a list brings its own empty lines, or none."""
    text = prompt.wording[language]
    if not prompt.parameters:
        return text
    text = text.replace("{", "{{").replace("}", "}}")
    for parameter in prompt.parameters:
        if parameter.kind == "items":
            text = re.sub(rf"\n*<<{parameter.name}>>", f"<<{parameter.name}>>", text)
    return PLACEHOLDER.sub(lambda m: f"{{{m[1]}{'_meaning' if m[2] else ''}}}", text)


def _annotation(parameter: Parameter) -> str:
    match parameter.kind:
        case "integer":
            return "int"
        case "enum":
            return str(parameter.of)
        case "items":
            return f"Sequence[{pascal(str(parameter.of))}]"
        case "text" | "id" | "fenced":
            return "str | None" if parameter.when_empty else "str"


def _arguments(prompt: Prompt, parameter: Parameter) -> list[tuple[str, str]]:
    """Return what a parameter gives to `format`: its value, and its meaning where it is used."""
    name = parameter.name
    empty = f", _{prompt.name.upper()}_NO_{name.upper()}[lang]" if parameter.when_empty else ""
    match parameter.kind:
        case "integer":
            return [(name, name)]
        case "enum":
            meaning = f"EXPLANATIONS[{parameter.of}][{name}][lang]"
            used = any(f"<<{name}.meaning>>" in text for text in prompt.wording.values())
            return [(name, f"{name}.value"), *([(f"{name}_meaning", meaning)] if used else [])]
        case "items":
            return [(name, f"_paragraphs({name}{empty})")]
        case "fenced":
            return [(name, f"_fenced({name}{empty})")]
        case "text" | "id":
            return [(name, f"_line({name}{empty})")]
