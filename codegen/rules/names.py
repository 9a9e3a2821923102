"""Names that clients, Python or the generated package already use."""

import builtins
import keyword
import re
from collections.abc import Iterator
from typing import Any

from codegen.problems import Path, Problem
from codegen.prompt_code import pascal
from codegen.schemas import Draft, parts

CODEX_NAMES = frozenset(
    {
        "api_tool",
        "browser",
        "computer",
        "container",
        "file_search",
        "functions",
        "image_gen",
        "mcp",
        "multi_tool_use",
        "python",
        "python_user_visible",
        "submodel_delegator",
        "terminal",
        "tool_search",
        "web",
    }
)
"""Names that Codex keeps for itself; it refuses the thread that brings one of them."""

Names = list[tuple[Path, str]]
"""Where each name stands, and what it becomes in Python."""
_WORD_START = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_PACKAGE_NAMES = frozenset(
    {
        *("Alias", "ComposerItem", "ErrorCode", "Lang", "Mapping", "NewType", "Notice", "Sequence"),
        *("StrEnum", "Surface", "Tool", "ToolGroup", "ToolName", "EXPLANATIONS", "MEANINGS"),
        *("REMEDIES", "TOOLS", "ALIASES", "Callable"),
        *("Annotated", "Any", "AnyUrl", "AwareDatetime", "BaseModel", "ConfigDict", "Field"),
        *("RootModel", "UUID"),
        *("Object", "None", "True", "False"),
    }
)
"""What the modules of the package import or define, and what their languages keep."""
_TYPES = frozenset({"bool", "dict", "float", "int", "list", "set", "str"})
"""A field of such a name would make the models of all tools call the type by another name."""


def names_of_codex(draft: Draft) -> Iterator[Problem]:
    """Yield each name that Codex keeps for itself."""
    namespace = draft.values["dynamic"]["namespace"]
    places: list[tuple[str, Path]] = [(namespace, ("dynamic", "namespace"))]
    for section in ("tools", "aliases"):
        places += [(name, (section, name)) for name in draft.values[section]]
    for name, path in places:
        if name in CODEX_NAMES or name.startswith("mcp__"):
            yield _reserved(f"Codex keeps the name {name!r} for itself", path)


def names_of_output(draft: Draft) -> Iterator[Problem]:
    """Yield each name that is taken in the generated package or among the snapshots."""
    if "openapi" in draft.values["tools"]:
        yield _reserved("openapi.json is the snapshot of all endpoints", ("tools", "openapi"))
    for name in draft.values["enums"]:
        if name in _PACKAGE_NAMES:
            yield _reserved(f"the package has a class {name!r} already", ("enums", name))
    for name, prompt in draft.values["prompts"].items():
        if not _can_be_function(name) or (prompt.get("item") and pascal(name) in _PACKAGE_NAMES):
            yield _reserved(f"{name!r} cannot be the name of a prompt", ("prompts", name))
        for parameter in prompt.get("parameters", {}):
            if keyword.iskeyword(parameter) or parameter == "lang":
                path = ("prompts", name, "parameters", parameter)
                yield _reserved(f"{parameter!r} cannot be the name of a parameter", path)


def _can_be_function(name: str) -> bool:
    return not (keyword.iskeyword(name) or name == "re" or name in dir(builtins))


def names_of_types(draft: Draft) -> Iterator[Problem]:
    """Yield each field whose name is one that the generated models give to a type."""
    for _, schema in draft.schemas():
        for part in parts(schema):
            for name in sorted(part.get("properties", {}).keys() & _TYPES):
                path = (*part["$at"], "properties", name)
                yield _reserved(f"Python calls a type {name!r}; it cannot be a field", path)


def _reserved(message: str, path: Path) -> Problem:
    return Problem(rule="reserved-name", message=message, path=path)


def colliding_names(draft: Draft) -> Iterator[Problem]:
    """Yield each name that would become the same class or attribute as one before it."""
    prompts = draft.values["prompts"]
    tools: Names = [(("tools", name), pascal(name)) for name in draft.values["tools"]]
    classes: Names = [(("enums", name), name) for name in draft.values["enums"]]
    classes += [(("prompts", name), pascal(name)) for name in prompts if prompts[name].get("item")]
    yield from _collisions(tools)
    yield from _collisions(classes)
    for name, prompt in prompts.items():
        yield from _collisions(_filled_in(prompt, ("prompts", name, "parameters")))
    for _, schema in draft.schemas():
        for part in parts(schema):
            names = part.get("properties", {})
            yield from _collisions([((*part["$at"], "properties", n), snake(n)) for n in names])


def _filled_in(prompt: dict[str, Any], path: Path) -> Names:
    """Return what a prompt's format string is given: its parameters and the meanings of enums."""
    declared = prompt.get("parameters", {})
    enums = [name for name, about in declared.items() if about["type"] == "enum"]
    names: Names = [((*path, name), name) for name in declared]
    return names + [((*path, name), f"{name}_meaning") for name in enums]


def _collisions(names: Names) -> Iterator[Problem]:
    """Yield a problem for each name whose Python form has been seen."""
    seen: dict[str, str | int] = {}
    for path, python_name in names:
        if python_name in seen:
            text = f"{path[-1]!r} and {seen[python_name]!r} are both {python_name} in Python"
            yield Problem(rule="name-collision", message=text, path=path)
        seen[python_name] = path[-1]


def snake(name: str) -> str:
    """Return a field's name as the name of an attribute."""
    return _WORD_START.sub("_", name).lower()
