"""A call of a tool as people read it: its name, one line, and its parts as code, diff or text."""

import difflib
import json
import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any, Final

BRIEF_CHARACTERS: Final = 2000
"""How much of an input is enough to say it in one line."""
_BRIEF: Final = 160
_COMPARED_PAIRS: Final = 4_000_000
"""Above so many pairs of lines, a diff says all old lines and then all new ones."""
_TELLING: Final = (
    "command",
    "file_path",
    "notebook_path",
    "pattern",
    "query",
    "url",
    "path",
    "description",
    "prompt",
    "title",
    "content",
    "text",
)
"""The fields that say most about a call, the most telling first."""
_ICONS: Final = {
    "bash": "terminal",
    "shell": "terminal",
    "exec": "terminal",
    "command": "terminal",
    "edit": "edit",
    "write": "edit",
    "patch": "edit",
    "file_change": "edit",
    "read": "file",
    "search": "search",
    "grep": "search",
    "glob": "search",
    "fetch": "globe",
}
_FIELD: Final = re.compile(r'"(\w+)"\s*:\s*"((?:[^"\\]|\\.)*)')
_SERVER: Final = re.compile(r"mcp__(.+?)__(.+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One part of what a tool is given."""

    label: str
    """What it is: a file, or ''."""
    language: str
    """How it is coloured; 'markdown' is rendered, '' is plain text."""
    text: str

    @property
    def lines(self) -> list[str]:
        """Return its lines."""
        return self.text.splitlines()


def readable_name(name: str) -> str:
    """Return a tool's name with its server before it."""
    found = _SERVER.fullmatch(name)
    return f"{found[1]} · {found[2].removeprefix(f'{found[1]}_')}" if found else name


def icon(name: str) -> str:
    """Return the name of the icon that fits a tool."""
    return next((icon for word, icon in _ICONS.items() if word in name.lower()), "tool")


def brief(given: str) -> str:
    """Return one line for an input, which may be cut: a command, a file, else its beginning."""
    texts = dict(reversed(_FIELD.findall(given))) if _is_json(given) else {}
    telling = next((_unquoted(texts[name]) for name in _TELLING if texts.get(name)), given)
    words = " ".join(telling[: _BRIEF * 4].split())
    return words if len(words) <= _BRIEF else f"{words[:_BRIEF].rstrip()}…"


def is_diff(text: str) -> bool:
    """Tell whether a text is a unified diff."""
    return text.startswith(("--- ", "diff --git ", "@@ "))


def parts(given: Any) -> list[Part]:
    """Return an input in parts: what people know best first, then the rest as JSON."""
    value = _parsed(given)
    if isinstance(value, Mapping):
        left = dict(value)
        known = list(_known(left))
        return known + _rest(left)
    return [_plain(value if isinstance(value, str) else _json(value))] if value else []


def _known(left: dict[str, Any]) -> Iterator[Part]:
    """Yield the parts that have a form of their own and take them out of `left`."""
    for name in ("description", "reason"):
        if isinstance(left.get(name), str):
            yield _plain(left.pop(name))
    if isinstance(left.get("plan"), str):
        yield Part(label="", language="markdown", text=left.pop("plan"))
    if isinstance(left.get("command"), str | list):
        place = left.pop("cwd") if isinstance(left.get("cwd"), str) else ""
        yield Part(label=place, language="bash", text=_command(left.pop("command")))
    yield from _edits(left)
    yield from _content(left)
    if isinstance(left.get("diff"), str):
        files = left.pop("files", [])
        label = ", ".join(map(str, files)) if isinstance(files, list) else str(files)
        yield Part(label=label, language="diff", text=left.pop("diff"))
    if isinstance(left.get("changes"), list | dict):
        yield from _changes(left.pop("changes"))


def _edits(left: dict[str, Any]) -> Iterator[Part]:
    """Yield the replacements in a file as diffs."""
    edits = left.get("edits", [left])
    if not isinstance(edits, list) or not edits or not all(_is_edit(edit) for edit in edits):
        return
    path = _path(left, take=True)
    for edit in left.pop("edits", [left]):
        inside = edit if edit is left else dict(edit)
        text = _diff(inside.pop("old_string"), inside.pop("new_string"))
        yield Part(label=path, language="diff", text=text)
        if inside.get("replace_all") is False:
            del inside["replace_all"]
        if edit is not left:
            yield from _rest(inside)


def _content(left: dict[str, Any]) -> Iterator[Part]:
    """Yield the new content of a file."""
    for name in ("content", "new_source"):
        if isinstance(left.get(name), str) and (path := _path(left, take=True)):
            suffix = PurePath(path).suffix.removeprefix(".")
            yield Part(label=path, language=suffix, text=left.pop(name))


def _changes(changes: Any) -> Iterator[Part]:
    """Yield changes of files, each with its own diff or content."""
    listed = (
        [{"path": path, **_of(change)} for path, change in changes.items()]
        if isinstance(changes, dict)
        else [_of(change) for change in changes]
    )
    for change in listed:
        text = change.get("diff") or change.get("unified_diff") or change.get("content") or ""
        yield Part(label=_change(change), language="diff", text=str(text))


def _change(change: Mapping[str, Any]) -> str:
    """Return what happens to a file: what, which, and where it goes to."""
    kind = change.get("kind") or change.get("type") or ""
    told = kind if isinstance(kind, dict) else {**change, "type": kind}
    goes = told.get("move_path")
    words = [told.get("type", ""), change.get("path", ""), f"→ {goes}" if goes else ""]
    return " ".join(str(word) for word in words if word)


def _rest(left: dict[str, Any]) -> list[Part]:
    """Return what has no form of its own and says something; a lone text is shown as it is."""
    left = {name: value for name, value in left.items() if value is not None and value != ""}
    texts = [value for value in left.values() if isinstance(value, str)]
    if len(left) == 1 and len(texts) == 1:
        return [_plain(texts[0])]
    return [Part(label="", language="json", text=_json(left))] if left else []


def _diff(old: str, new: str) -> str:
    before, after = old.splitlines(), new.splitlines()
    if len(before) * len(after) > _COMPARED_PAIRS:
        return "\n".join([*(f"-{line}" for line in before), *(f"+{line}" for line in after)])
    compared = list(difflib.unified_diff(before, after, lineterm="", n=3))[2:]
    hunks = [line for line in compared if line.startswith("@@")]
    if len(hunks) == 1:  # its numbers count from the text that is replaced, not from the file
        compared = compared[1:]
    return "\n".join(compared)


def _path(left: dict[str, Any], *, take: bool = False) -> str:
    for name in ("file_path", "notebook_path", "path"):
        if isinstance(left.get(name), str):
            return str(left.pop(name) if take else left[name])
    return ""


def _is_edit(edit: Any) -> bool:
    return isinstance(edit, dict) and all(
        isinstance(edit.get(name), str) for name in ("old_string", "new_string")
    )


def _command(command: str | list[Any]) -> str:
    return command if isinstance(command, str) else shlex.join(map(str, command))


def _plain(text: str) -> Part:
    return Part(label="", language="", text=text)


def _of(change: Any) -> dict[str, Any]:
    return change if isinstance(change, dict) else {"content": _json(change)}


def _is_json(given: str) -> bool:
    return given.lstrip()[:1] in ("{", "[")


def _parsed(given: Any) -> Any:
    if isinstance(given, str) and _is_json(given):
        try:
            return json.loads(given)
        except (ValueError, RecursionError):
            return given
    return given


def _unquoted(quoted: str) -> str:
    """Return a text as it stands in JSON, whose end may be cut in the middle of an escape."""
    try:
        return str(json.loads(f'"{quoted}"'))
    except ValueError:
        return quoted


def _json(value: Any) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, indent=2)
    except RecursionError:
        return "…"
