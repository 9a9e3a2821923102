"""Names that clients, Python or the generated package already use."""

import keyword
import re
from collections.abc import Iterator

from codegen.problems import Path, Problem
from codegen.prompt_code import pascal
from codegen.schemas import Draft

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

_WORD_START = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_PACKAGE_NAMES = frozenset(
    {
        "Alias",
        "ComposerItem",
        "ErrorCode",
        "Lang",
        "Mapping",
        "NewType",
        "Notice",
        "Sequence",
        "StrEnum",
        "Surface",
        "Tool",
        "ToolGroup",
        "ToolName",
    }
)


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
        if keyword.iskeyword(name) or name == "re":
            yield _reserved(f"{name!r} cannot be the name of a prompt", ("prompts", name))
        for parameter in prompt.get("parameters", {}):
            if keyword.iskeyword(parameter) or parameter == "lang":
                path = ("prompts", name, "parameters", parameter)
                yield _reserved(f"{parameter!r} cannot be the name of a parameter", path)


def _reserved(message: str, path: Path) -> Problem:
    return Problem(rule="reserved-name", message=message, path=path)


def colliding_names(draft: Draft) -> Iterator[Problem]:
    """Yield each name that would become the same class or attribute as one before it."""
    yield from _collisions(("tools",), [(name, pascal(name)) for name in draft.values["tools"]])
    classes = [(name, name) for name in draft.values["enums"]]
    items = [
        (name, pascal(name))
        for name, prompt in draft.values["prompts"].items()
        if prompt.get("item")
    ]
    yield from _collisions(("prompts",), classes + items)
    for name, prompt in draft.values["prompts"].items():
        declared = prompt.get("parameters", {})
        filled = [(parameter, parameter) for parameter in declared]
        filled += [(p, f"{p}_meaning") for p, about in declared.items() if about["type"] == "enum"]
        yield from _collisions(("prompts", name, "parameters"), filled)
    for path, schema in draft.schemas():
        fields = [(name, snake(name)) for name in schema["properties"]]
        yield from _collisions((*path, "properties"), fields)


def _collisions(path: Path, names: list[tuple[str, str]]) -> Iterator[Problem]:
    """Yield a problem for each name whose Python form has been seen."""
    seen: dict[str, str] = {}
    for name, python_name in names:
        if python_name in seen:
            text = f"{name!r} and {seen[python_name]!r} are both {python_name} in Python"
            yield Problem(rule="name-collision", message=text, path=(*path, name))
        seen[python_name] = name


def snake(name: str) -> str:
    """Return a field's name as the name of an attribute."""
    return _WORD_START.sub("_", name).lower()
