"""What Codex asks in the middle of a turn, as questions to people, and their answers for it."""

import json
from collections.abc import Mapping
from typing import Any, Final

from ccweb.host.agent import Answer, Question
from ccweb.host.codex.items import PATCH, SHELL, Item, command_of, diff_of
from ccweb.host.codex.json_lines_rpc import Request
from ccweb_contract.enums import AskKind, PermissionAnswer

Params = Mapping[str, Any]

COMMAND: Final = "item/commandExecution/requestApproval"
FILES: Final = "item/fileChange/requestApproval"
RIGHTS: Final = "item/permissions/requestApproval"
ELICITATION: Final = "mcpServer/elicitation/request"
USER_INPUT: Final = "item/tool/requestUserInput"
ASKS: Final = frozenset({COMMAND, FILES, RIGHTS, ELICITATION, USER_INPUT})

_RIGHTS_TOOL: Final = "request_permissions"
_YES, _NO = "Yes", "No"
_TITLE_CHARS: Final = 200


def question_of(request: Request, item: Item) -> Question | None:
    """Return what a request asks, None where it is nothing that a person could answer.

    Args:
        request: One of `ASKS`.
        item: The item that it is about, as far as it is known.
    """
    p = request.params
    match request.method:
        case "item/commandExecution/requestApproval":
            return _command(request)
        case "item/fileChange/requestApproval":
            return _files(request, item)
        case "item/permissions/requestApproval":
            given = _kept(p, "permissions", "reason", "cwd")
            title = str(p.get("reason") or _RIGHTS_TOOL)
            return _permission(request, tool=_RIGHTS_TOOL, given=given, title=title)
        case "mcpServer/elicitation/request":
            return _elicitation(request)
        case "item/tool/requestUserInput":
            return _asked(request, [_user_question(one) for one in p.get("questions", [])])
        case _:
            return None


def answer_to(request: Request, answer: Answer) -> dict[str, Any]:
    """Return the answer in the form that the request wants."""
    allowed = answer.decision is not PermissionAnswer.DENY
    match request.method:
        case "item/commandExecution/requestApproval" | "item/fileChange/requestApproval":
            return {"decision": "accept" if allowed else "decline"}
        case "item/permissions/requestApproval":
            granted = request.params.get("permissions") or {} if allowed else {}
            return {"permissions": _without_nulls(granted), "scope": "turn"}
        case "item/tool/requestUserInput":
            given = answer.answers or {}
            return {"answers": {key: {"answers": _many(one)} for key, one in given.items()}}
        case _:
            return _elicited(request.params, answer, allowed=allowed)


def declined(request: Request) -> dict[str, Any]:
    """Return the answer where nobody was asked."""
    return answer_to(request, Answer())


def _permission(
    request: Request, *, tool: str, given: Any, title: str, what: str | None = None
) -> Question:
    detail = {"tool": tool, "input": json.dumps(given, ensure_ascii=False), "title": _line(title)}
    if what:
        detail["what"] = what
    return Question(kind=AskKind.PERMISSION, subject=_subject(request), detail=detail)


def _asked(request: Request, questions: list[dict[str, Any]]) -> Question | None:
    if not questions:
        return None
    detail = {"questions": questions}
    return Question(kind=AskKind.QUESTION, subject=_subject(request), detail=detail)


def _subject(request: Request) -> str:
    """Return a name that no other question of the turn has; ids alone begin anew with a process."""
    p = request.params
    place = p.get("itemId") or p.get("turnId") or p.get("threadId")
    return f"{place}/{request.id}"


def _command(request: Request) -> Question:
    p = request.params
    network = p.get("networkApprovalContext") or {}
    command = command_of(p.get("command") or "")
    given = {"command": command, **_kept(p, "cwd", "reason", "additionalPermissions")}
    if network:
        place = f"{network.get('protocol', '')} {network.get('host', '')}".strip()
        given["network"] = place
        return _permission(request, tool=SHELL, given=given, title=place, what=f"network: {place}")
    return _permission(request, tool=SHELL, given=given, title=command, what=f"{SHELL}: {command}")


def _files(request: Request, item: Item) -> Question:
    changes = item.get("changes") or []
    paths = [str(change.get("path")) for change in changes]
    given = {"files": paths, "diff": diff_of(changes), **_kept(request.params, "reason")}
    return _permission(request, tool=PATCH, given=given, title=", ".join(paths), what=PATCH)


def _elicitation(request: Request) -> Question | None:
    p = request.params
    meta, message = p.get("_meta") or {}, str(p.get("message") or p.get("title") or "")
    if meta.get("codex_approval_kind") == "mcp_tool_call":
        tool = f"mcp__{p.get('serverName')}__{meta.get('tool_name')}"
        given = meta.get("tool_params") or {}
        return _permission(request, tool=tool, given=given, title=message, what=tool)
    if p.get("mode") == "url":
        text = f"{message}\n{p.get('url')}"
        return _asked(request, [{"key": "url", "text": text, "options": _options([_YES, _NO])}])
    schema = p.get("requestedSchema") or {}
    properties = schema.get("properties") or {}
    needed_first = sorted(properties, key=lambda key: key not in (schema.get("required") or ()))
    questions = [_form_question(message, key, properties[key]) for key in needed_first]
    if not questions and p.get("mode") == "form":
        questions = [{"key": "", "text": message, "options": _options([_YES, _NO])}]
    return _asked(request, questions)


def _form_question(message: str, key: str, part: Params) -> dict[str, Any]:
    """Return a field of a form; the choices are those of its own schema or of its parts'."""
    label = str(part.get("description") or part.get("title") or key)
    question: dict[str, Any] = {"key": key, "text": f"{message}\n{label}".strip()}
    choices = _choices(part)
    if choices:
        question["options"] = choices
        question["multiple"] = part.get("type") == "array"
    return question


def _choices(part: Params) -> list[dict[str, str]]:
    if part.get("type") == "boolean":
        return _options([_YES, _NO])
    part = part.get("items") or part
    named = part.get("oneOf") or part.get("anyOf") or []
    if named:
        return [
            {"label": str(one.get("const")), "description": str(one.get("title", ""))}
            for one in named
        ]
    return _options([str(one) for one in part.get("enum") or []])


def _user_question(asked: Params) -> dict[str, Any]:
    question: dict[str, Any] = {"key": str(asked["id"]), "text": str(asked["question"])}
    if options := asked.get("options"):
        question["options"] = [
            {"label": str(one["label"]), "description": str(one.get("description", ""))}
            for one in options
        ]
        question["multiple"] = False
    return question


def _elicited(p: Params, answer: Answer, *, allowed: bool) -> dict[str, Any]:
    """Return the answer to an elicitation: of a tool's approval, of an address, or of a form."""
    meta = p.get("_meta") or {}
    if meta.get("codex_approval_kind") == "mcp_tool_call":
        return _elicitation_answer({} if allowed else None)
    given = answer.answers
    if given is None or given.get("url") == _NO or given.get("") == _NO:
        return _elicitation_answer(None)
    properties = (p.get("requestedSchema") or {}).get("properties") or {}
    content = {
        key: _typed(properties[key], value)
        for key, value in given.items()
        if key in properties and value not in ("", [])
    }
    return _elicitation_answer(content)


def _elicitation_answer(content: Params | None) -> dict[str, Any]:
    action = "decline" if content is None else "accept"
    return {"action": action, "content": content, "_meta": None}


def _typed(part: Params, value: str | list[str]) -> Any:
    """Return an answer as its schema wants it; one of the wrong form is left to the server."""
    if part.get("type") == "array":
        return _many(value)
    text = ", ".join(_many(value))
    try:
        match part.get("type"):
            case "boolean":
                return text == _YES
            case "integer":
                return int(text)
            case "number":
                return float(text)
            case _:
                return text
    except ValueError:
        return text


def _many(value: str | list[str]) -> list[str]:
    return value if isinstance(value, list) else [value]


def _options(labels: list[str]) -> list[dict[str, str]]:
    return [{"label": label, "description": ""} for label in labels]


def _kept(p: Params, *names: str) -> dict[str, Any]:
    return {name: p[name] for name in names if p.get(name) is not None}


def _without_nulls(granted: Params) -> dict[str, Any]:
    return {name: value for name, value in granted.items() if value is not None}


def _line(text: str) -> str:
    return " ".join(text.split())[:_TITLE_CHARS]
