"""Names in texts: each is one that whoever reads the text can use."""

import re
from collections.abc import Iterator

from codegen.languages import LANGUAGES
from codegen.lint.rule import Fault, Level, Rule
from codegen.lint.subject import Subject, named, properties
from codegen.problems import Path
from codegen.schemas import parts

_SPAN = re.compile(r"`([^`\n]+)`")
_IDENTIFIER = re.compile(r"(?<![\w./<-])[a-z][a-z0-9]*(?:_[a-z0-9]+|[A-Z][a-z0-9]*)+(?![\w/-])")
_FOR_MODELS = ("mcp", "dynamic")


def old_names(subject: Subject) -> Iterator[Fault]:
    """Yield each text that names an old tool, unless it tells a caller of the old name so."""
    deprecated = [name for name, tool in subject.values["tools"].items() if "deprecated" in tool]
    old = [*subject.values["aliases"], *deprecated]
    notices = set(_notices(subject))
    for wording in subject.wordings():
        is_own = wording.path[0] == "tools" and wording.path[1] in deprecated
        if is_own or (wording.path[0] == "prompts" and wording.path[1] in notices):
            continue
        for name in named(old, wording.text):
            text = f"{name!r} is an old name, which no list shows; name the tool that is called now"
            yield Fault(path=wording.path, message=text)


def _notices(subject: Subject) -> Iterator[str]:
    """Yield each prompt that tells the caller of something old what has changed."""
    for alias in subject.values["aliases"].values():
        yield alias["notice"]
    for tool in subject.values["tools"].values():
        for default in tool.get("legacyDefaults", {}).values():
            yield default["notice"]


def unknown_names(subject: Subject) -> Iterator[Fault]:
    """Yield each name in backticks that the contract does not have."""
    known = _known_names(subject)
    for wording in subject.wordings():
        for span in _SPAN.findall(wording.text):
            for name in _IDENTIFIER.findall(span):
                if name not in known:
                    text = f"`{name}` is no tool, argument, part of an answer, value or error code"
                    yield Fault(path=wording.path, message=text)


def _known_names(subject: Subject) -> set[str]:
    values = subject.values
    known = {*values["tools"], *values["aliases"], *values["errors"], *values["groups"]}
    for enum in values["enums"].values():
        known.update(enum["values"])
    for _, schema in subject.draft.schemas():
        for part in parts(schema):
            known.update(part.get("properties", ()))
    return known


def absent_tools(subject: Subject) -> Iterator[Fault]:
    """Yield each text on a surface that names a tool which is not there."""
    tools = {name: subject.surfaces(name) for name, _ in subject.tools()}
    for path, text, shown_on in _shown(subject):
        for name in named(tools, text):
            missing = [s for s in _FOR_MODELS if s in shown_on and s not in tools[name]]
            if missing:
                where = " and ".join(missing)
                message = f"it is read on {where}, where there is no {name!r}"
                yield Fault(path=path, message=message)


def _shown(subject: Subject) -> Iterator[tuple[Path, str, frozenset[str]]]:
    """Yield place and text of what models read, and the surfaces on which they read it."""
    values = subject.values
    yield ("dynamic", "description"), values["dynamic"]["description"], frozenset({"dynamic"})
    for name, tool in subject.tools():
        surfaces = subject.surfaces(name)
        yield ("tools", name, "description"), tool["description"], surfaces
        for schema in (subject.draft.inputs[name], subject.draft.outputs[name]):
            for part in properties(schema):
                yield part.path, part.description, surfaces
    for code, error in values["errors"].items():
        for key in ("meaning", "remedy"):
            for language in LANGUAGES:
                yield ("errors", code, key, language), error[key][language], _seen(subject, code)
    for name, prompt in values["prompts"].items():
        for language in LANGUAGES:
            path = ("prompts", name, "wording", language)
            surfaces = frozenset(values["groups"][prompt["group"]]["surfaces"])
            yield path, prompt["wording"][language], surfaces


def _seen(subject: Subject, code: str) -> frozenset[str]:
    """Return the surfaces on which a call can be refused with a code."""
    is_common = code in subject.values["commonErrors"]
    return frozenset().union(
        *(subject.surfaces(n) for n, tool in subject.tools() if is_common or code in tool["errors"])
    )


RULES = (
    Rule(
        id="old-name",
        level=Level.ERROR,
        asks="Only the notice for callers of an alias or a deprecated tool names it.",
        why="A model that reads the name calls it, though no list shows it (openai/codex#24808).",
        bad="""\
errors:
  note_not_found:
    remedy:
      en: Take the id from `{{ aliases.search_note }}`.
""",
        good="""\
errors:
  note_not_found:
    remedy:
      en: Take the id from `{{ tools.find_note }}`.
""",
        check=old_names,
    ),
    Rule(
        id="unknown-name",
        level=Level.ERROR,
        asks="A name in backticks, in camelCase or snake_case, is one that the contract has.",
        why="After a field has got a new name, models use the old one that a text still has.",
        bad="""\
tools:
  pin_note:
    description: Pin the note `note_id` to the desk.
""",
        good="""\
tools:
  pin_note:
    description: Pin the note `noteId` to the desk.
""",
        check=unknown_names,
    ),
    Rule(
        id="absent-tool",
        level=Level.ERROR,
        asks="A text on a surface that models use names no tool that is not there.",
        why="A model that is sent to a tool which it has not got gives up (openai/codex#25990).",
        bad="""\
tools:
  find_note:
    description: Find a note. Then use `{{ tools.pin_note }}`.
""",
        good="""\
tools:
  find_note:
    description: Find a note. Then use `{{ tools.start_review }}`.
""",
        check=absent_tools,
    ),
)
