"""The items of a Codex turn as steps: commands, edits, tool calls, thoughts."""

import json
import shlex
from collections.abc import Iterable, Mapping
from typing import Any, Final

from ccweb.conversations.model import Step
from ccweb_contract.enums import StepKind, StepStatus

Item = Mapping[str, Any]

SHELL: Final = "exec_command"
PATCH: Final = "apply_patch"

_NO_STEPS: Final = frozenset(
    {
        *("userMessage", "hookPrompt", "functionCallOutput", "agentMessage", "agent_message"),
        *("sleep", "error"),
    }
)
_FAILED: Final = frozenset({"failed", "declined"})
_RUNNING: Final = "inprogress"
"""Without the signs and capitals in which the two programs differ."""


def step_of(item: Item, *, key: str, done: bool) -> Step | None:
    """Return the step that an item is, None for what is none.

    Args:
        item: As `app-server` or `exec` writes it; both kinds of names are known.
        key: Of the step.
        done: False when it has only begun.
    """
    kind = str(item.get("type", ""))
    if kind in _NO_STEPS:
        return None
    if kind == "reasoning":
        return _thought(item, key) if done else None
    name, given, output = _parts(kind, item)
    return Step(
        key=key,
        kind=StepKind.TOOL,
        status=_status(item, done=done),
        name=name,
        input=given,
        output=output if done else "",
    )


def diff_of(changes: Iterable[Item]) -> str:
    """Return changes of files as one unified diff; `exec` tells no contents."""
    return "\n".join(_file_diff(change) for change in changes)


def command_of(command: Any) -> str:
    """Return a command without the shell that Codex wraps around it."""
    try:
        words = [str(word) for word in command] if isinstance(command, list) else None
        words = words or shlex.split(str(command))
    except ValueError:
        return str(command)
    if len(words) == 3 and words[1] in ("-lc", "-c"):
        return words[2]
    return shlex.join(words) if isinstance(command, list) else str(command)


def as_json(value: Any) -> str:
    """Return JSON for people to read."""
    return json.dumps(value, ensure_ascii=False)


def _thought(item: Item, key: str) -> Step | None:
    parts = item.get("summary") or item.get("content") or [item.get("text") or ""]
    text = "\n\n".join(str(part) for part in parts)
    if not text:
        return None
    return Step(key=key, kind=StepKind.THINKING, status=StepStatus.DONE, output=text)


def _status(item: Item, *, done: bool) -> StepStatus:
    status = item.get("status")
    if status in _FAILED or item.get("success") is False:
        return StepStatus.FAILED
    return StepStatus.DONE if done and _plain(status) != _RUNNING else StepStatus.RUNNING


def _parts(kind: str, item: Item) -> tuple[str, str, str]:
    """Return the name, the input and the output of a step."""
    match kind:
        case "commandExecution" | "command_execution":
            return SHELL, command_of(item.get("command", "")), _command_output(item)
        case "fileChange" | "file_change":
            changes = item.get("changes") or []
            return PATCH, _change_list(changes), diff_of(changes)
        case "mcpToolCall" | "mcp_tool_call":
            name = f"mcp__{item.get('server')}__{item.get('tool')}"
            return name, as_json(item.get("arguments")), _mcp_output(item)
        case "dynamicToolCall":
            given = as_json(item.get("arguments"))
            return str(item.get("tool")), given, _texts(item.get("contentItems"))
        case "webSearch" | "web_search":
            return "web_search", str(item.get("query", "")), ""
        case "todo_list":
            return "update_plan", "", _todo(item.get("items") or [])
        case "imageView":
            return "view_image", str(item.get("path", "")), ""
        case "contextCompaction":
            return "compact", "", ""
        case _:
            given = str(item.get("prompt") or item.get("tool") or "")
            return kind, given, str(item.get("text") or "")


def _command_output(item: Item) -> str:
    output = str(item.get("aggregatedOutput") or item.get("aggregated_output") or "")
    code = item.get("exitCode", item.get("exit_code"))
    notes = []
    if item.get("status") == "declined":
        notes.append("(declined)")
    if code:
        notes.append(f"(exit code {code})")
    return "\n".join(part for part in (output.rstrip("\n"), *notes) if part)


def _kind(change: Item) -> str:
    kind = change.get("kind")
    return str(kind.get("type") if isinstance(kind, Mapping) else kind)


def _change_list(changes: Iterable[Item]) -> str:
    return "\n".join(f"{_kind(change)} {change.get('path')}" for change in changes)


def _file_diff(change: Item) -> str:
    path, diff = change.get("path"), str(change.get("diff") or "")
    if not diff:
        return f"{_kind(change)} {path}"
    kind = _kind(change)
    old = "/dev/null" if kind == "add" else path
    new = "/dev/null" if kind == "delete" else _moved_to(change) or path
    if kind in ("add", "delete") and not diff.startswith("@@"):
        sign = "+" if kind == "add" else "-"
        diff = "\n".join(sign + line for line in diff.splitlines())
    return f"--- {old}\n+++ {new}\n{diff.rstrip()}"


def _moved_to(change: Item) -> str | None:
    kind = change.get("kind")
    return kind.get("move_path") if isinstance(kind, Mapping) else None


def _mcp_output(item: Item) -> str:
    if error := item.get("error"):
        return str(error.get("message", error) if isinstance(error, Mapping) else error)
    return _texts((item.get("result") or {}).get("content"))


def _texts(blocks: Iterable[Item] | None) -> str:
    return "\n".join(
        str(block["text"]) if "text" in block else f"[{block.get('type')}]"
        for block in blocks or ()
    )


def _todo(items: Iterable[Item]) -> str:
    return "\n".join(f"[{'x' if one.get('completed') else ' '}] {one.get('text')}" for one in items)


def _plain(word: object) -> str:
    return str(word).replace("_", "").lower()
