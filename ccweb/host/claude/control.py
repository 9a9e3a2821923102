"""How Claude Code asks people, and is answered: its control requests as questions and back."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from ccweb.host.agent import Answer, Question
from ccweb.host.claude.lines import Line
from ccweb.host.claude.notices import SERVER
from ccweb_contract.enums import AskKind, PermissionAnswer

_QUESTIONS: Final = "AskUserQuestion"
"""The tool with which the program asks people something."""
_OURS: Final = f"mcp__{SERVER}__"
_DENIED: Final = "Not allowed by the person."
_DECLINED: Final = "The person declined to answer."
_TELLING: Final = ("command", "file_path", "notebook_path", "url", "pattern", "query", "skill")
"""Of an input, what says in one line what a tool is about to do."""
_TITLE_CHARACTERS: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolRequest:
    """The program asks whether it may use a tool."""

    id: str
    tool: str
    """As the program calls it."""
    name: str
    """As people read it."""
    input: Mapping[str, Any]
    use_id: str
    server: Mapping[str, Any]
    suggestions: Sequence[Line]
    """What the program would remember to ask no more."""

    @property
    def is_ours(self) -> bool:
        """Tell whether the tool is one of the hub's: these check for themselves who may call."""
        return self.tool.startswith(_OURS) and self.server.get("source", "dynamic") == "dynamic"

    @property
    def is_question(self) -> bool:
        """Tell whether it is a question to a person, and no permission."""
        return self.tool == _QUESTIONS and isinstance(self.input.get("questions"), list)


def tool_request(line: Line) -> ToolRequest | None:
    """Return what a control request asks for, None where it is no tool."""
    asked = line.get("request")
    if not isinstance(asked, dict) or asked.get("subtype") != "can_use_tool":
        return None
    tool = str(asked.get("tool_name"))
    return ToolRequest(
        id=str(line.get("request_id")),
        tool=tool,
        name=str(asked.get("display_name") or tool),
        input=_mapping(asked.get("input")),
        use_id=str(asked.get("tool_use_id") or line.get("request_id")),
        server=_mapping(asked.get("mcp_server")),
        suggestions=_mappings(asked.get("permission_suggestions")),
    )


def question(request: ToolRequest) -> Question:
    """Return what a person is asked."""
    if request.is_question:
        asked = [_asked(key, one) for key, one in _numbered(request)]
        return Question(kind=AskKind.QUESTION, subject=request.use_id, detail={"questions": asked})
    detail = {"tool": request.tool, "title": _title(request), "input": dict(request.input)}
    if what := _what(request.suggestions):
        detail["what"] = what
    return Question(kind=AskKind.PERMISSION, subject=request.use_id, detail=detail)


def answered(request: ToolRequest, answer: Answer) -> dict[str, Any]:
    """Return a person's answer as the program takes it."""
    if request.is_question:
        return _answers(request, answer)
    match answer.decision:
        case PermissionAnswer.DENY:
            return _denied(answer.note or _DENIED)
        case PermissionAnswer.ALLOW_ONCE:
            return allowed(request)
        case PermissionAnswer.ALLOW_IN_CONVERSATION:
            return {**allowed(request), "updatedPermissions": _remembered(request.suggestions)}


def allowed(request: ToolRequest) -> dict[str, Any]:
    """Return that a tool may be used as asked."""
    return {"behavior": "allow", "updatedInput": dict(request.input)}


# --- what is written to the program -----------------------------------------------------------


def prompt(text: str) -> str:
    """Return the line that gives a prompt."""
    message = {"role": "user", "content": text}
    return _line({"type": "user", "message": message, "parent_tool_use_id": None, "session_id": ""})


def interrupt() -> str:
    """Return the line that interrupts a turn."""
    asked = {"subtype": "interrupt"}
    return _line({"type": "control_request", "request_id": "interrupt", "request": asked})


def response(request_id: str, given: Mapping[str, Any]) -> str:
    """Return the line that answers a request."""
    return _responding({"subtype": "success", "request_id": request_id, "response": dict(given)})


def unknown(request_id: str) -> str:
    """Return the line that refuses a request of a kind that we do not know."""
    return _responding({"subtype": "error", "request_id": request_id, "error": "unsupported"})


def _responding(body: Mapping[str, Any]) -> str:
    return _line({"type": "control_response", "response": body})


def _line(value: Mapping[str, Any]) -> str:
    return json.dumps(value) + "\n"


# --- permissions -------------------------------------------------------------------------------


def _title(request: ToolRequest) -> str:
    telling = (request.input.get(name) for name in _TELLING)
    said = next((value for value in telling if isinstance(value, str)), "")
    title = " ".join(f"{request.name}: {said}".split()) if said else request.name
    return title if len(title) <= _TITLE_CHARACTERS else f"{title[:_TITLE_CHARACTERS]}…"


def _what(suggestions: Sequence[Line]) -> str:
    """Return what can be allowed for the whole conversation, in the program's own words."""
    rules = [_rule(rule) for one in suggestions for rule in _mappings(one.get("rules"))]
    modes = [str(one.get("mode")) for one in suggestions if one.get("type") == "setMode"]
    places = [str(place) for one in suggestions for place in _listed(one.get("directories"))]
    named = ", ".join(rules or modes or ["*"] * bool(places))
    return f"{named} ({', '.join(places)})" if places else named


def _rule(rule: Line) -> str:
    content = rule.get("ruleContent")
    return f"{rule.get('toolName')}({content})" if content else str(rule.get("toolName"))


def _remembered(suggestions: Sequence[Line]) -> list[dict[str, Any]]:
    """Return what the program may remember while it runs, and never in a file of the person's.

    Whoever allows one edit has not allowed every mode that comes with it: ccweb remembers the edit.
    """
    kept = (one for one in suggestions if one.get("type") in ("addRules", "addDirectories"))
    return [{**one, "destination": "session"} for one in kept]


# --- questions ---------------------------------------------------------------------------------


def _numbered(request: ToolRequest) -> Iterator[tuple[str, Line]]:
    asked = _mappings(request.input.get("questions"))
    return ((str(number), one) for number, one in enumerate(asked, start=1))


def _asked(key: str, one: Line) -> dict[str, Any]:
    options = [
        {"label": str(option.get("label")), "description": str(option.get("description", ""))}
        for option in _mappings(one.get("options"))
    ]
    text = str(one.get("question"))
    return {"key": key, "text": text, "options": options, "multiple": bool(one.get("multiSelect"))}


def _answers(request: ToolRequest, answer: Answer) -> dict[str, Any]:
    if answer.answers is None:
        return _denied(answer.note or _DECLINED)
    given = {str(one.get("question")): _said(answer, key) for key, one in _numbered(request)}
    return {"behavior": "allow", "updatedInput": {**request.input, "answers": given}}


def _said(answer: Answer, key: str) -> str:
    given = (answer.answers or {}).get(key, "")
    return given if isinstance(given, str) else ", ".join(given)


def _denied(message: str) -> dict[str, Any]:
    return {"behavior": "deny", "message": message}


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _mappings(value: Any) -> list[Line]:
    return [one for one in _listed(value) if isinstance(one, dict)]


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
