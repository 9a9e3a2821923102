"""What Codex asks becomes a question to people, and their answer what it wants to hear."""

import json
from typing import Any

import pytest

from ccweb.host.agent import Answer, Question
from ccweb.host.codex.asks import answer_to, declined, question_of
from ccweb.host.codex.json_lines_rpc import Request
from ccweb_contract.enums import AskKind, PermissionAnswer
from tests.fakes.codex_recordings import read

PLACE = {"threadId": "T", "turnId": "U", "itemId": "I"}
ALLOWED = Answer(decision=PermissionAnswer.ALLOW_ONCE)


def asked(method: str, **params: Any) -> Request:
    return Request(id=0, method=method, params={**PLACE, **params})


def recorded(method: str) -> Request:
    [line] = [line for line in read("app", "work") if line["method"] == method]
    return Request(id=line["id"], method=method, params=line["params"])


def form(**properties: Any) -> Request:
    schema = {"type": "object", "properties": properties}
    return asked(
        "mcpServer/elicitation/request",
        serverName="s",
        mode="form",
        message="Which?",
        requestedSchema=schema,
    )


def question(request: Request, **item: Any) -> Question:
    found = question_of(request, item)
    assert found is not None
    return found


@pytest.mark.requirement("R-A2")
def test_a_command_is_shown_without_its_shell_and_can_be_allowed_for_good() -> None:
    request = recorded("item/commandExecution/requestApproval")
    found = question(request)
    assert found.kind is AskKind.PERMISSION
    assert found.subject == "id-5/0"
    assert found.detail["tool"] == "exec_command"
    assert found.detail["title"] == "echo seen; exit 3"
    assert found.detail["what"] == "exec_command: echo seen; exit 3"
    assert json.loads(found.detail["input"]) == {"command": "echo seen; exit 3", "cwd": "/here"}
    assert answer_to(request, ALLOWED) == {"decision": "accept"}
    assert declined(request) == {"decision": "decline"}


@pytest.mark.requirement("R-A2")
def test_an_edit_is_shown_with_its_diff() -> None:
    request = recorded("item/fileChange/requestApproval")
    change = {"path": "a.txt", "kind": {"type": "delete"}, "diff": "gone\n"}
    found = question(request, changes=[change])
    assert found.detail["title"] == "a.txt"
    assert json.loads(found.detail["input"]) == {
        "files": ["a.txt"],
        "diff": "--- a.txt\n+++ /dev/null\n-gone",
    }
    assert answer_to(request, ALLOWED) == {"decision": "accept"}


def test_access_to_a_host_is_asked_as_such() -> None:
    request = asked(
        "item/commandExecution/requestApproval",
        command="curl x",
        networkApprovalContext={"host": "example.org", "protocol": "https"},
    )
    assert question(request).detail["what"] == "network: https example.org"


def test_more_rights_are_granted_for_the_turn_or_not_at_all() -> None:
    rights = {"network": {"enabled": True}, "fileSystem": None}
    request = asked("item/permissions/requestApproval", permissions=rights, reason="To fetch.")
    assert question(request).detail["title"] == "To fetch."
    assert answer_to(request, ALLOWED) == {
        "permissions": {"network": {"enabled": True}},
        "scope": "turn",
    }
    assert declined(request) == {"permissions": {}, "scope": "turn"}


def test_a_tool_of_another_server_is_a_permission() -> None:
    request = asked(
        "mcpServer/elicitation/request",
        serverName="s",
        mode="form",
        message="Allow it?",
        _meta={"codex_approval_kind": "mcp_tool_call", "tool_name": "t", "tool_params": {"a": 1}},
        requestedSchema={"type": "object", "properties": {}},
    )
    found = question(request)
    assert (found.kind, found.detail["what"]) == (AskKind.PERMISSION, "mcp__s__t")
    assert answer_to(request, ALLOWED) == {"action": "accept", "content": {}, "_meta": None}
    assert declined(request) == {"action": "decline", "content": None, "_meta": None}


@pytest.mark.requirement("R-A2")
def test_a_form_of_a_server_is_a_question_a_field_and_answered_in_its_types() -> None:
    request = form(
        name={"type": "string", "title": "Name"},
        size={"type": "integer"},
        price={"type": "number"},
        loud={"type": "boolean", "description": "Loud?"},
        colour={"type": "string", "enum": ["red", "blue"]},
        taste={"type": "string", "oneOf": [{"const": "s", "title": "Sweet"}]},
        many={"type": "array", "items": {"type": "string", "enum": ["a", "b"]}},
        rest={"type": "string"},
    )
    questions = {one["key"]: one for one in question(request).detail["questions"]}
    assert questions["name"] == {"key": "name", "text": "Which?\nName"}
    assert [one["label"] for one in questions["loud"]["options"]] == ["Yes", "No"]
    assert [one["label"] for one in questions["colour"]["options"]] == ["red", "blue"]
    assert questions["taste"]["options"] == [{"label": "s", "description": "Sweet"}]
    assert questions["many"]["multiple"] is True
    given: dict[str, str | list[str]] = {
        "name": "tea",
        "size": "5",
        "price": "much",
        "loud": "Yes",
        "colour": "red",
        "taste": "s",
        "many": ["a", "b"],
        "rest": "",
    }
    assert answer_to(request, Answer(answers=given))["content"] == {
        "name": "tea",
        "size": 5,
        "price": "much",
        "loud": True,
        "colour": "red",
        "taste": "s",
        "many": ["a", "b"],
    }
    assert answer_to(request, Answer())["action"] == "decline"


@pytest.mark.parametrize(("said", "action"), [("Yes", "accept"), ("No", "decline")])
def test_a_form_without_fields_is_a_yes_or_no(said: str, action: str) -> None:
    request = form()
    [only] = question(request).detail["questions"]
    answer = answer_to(request, Answer(answers={only["key"]: said}))
    assert answer["action"] == action


@pytest.mark.parametrize(("said", "action"), [("Yes", "accept"), ("No", "decline")])
def test_an_address_to_open_is_shown(said: str, action: str) -> None:
    request = asked(
        "mcpServer/elicitation/request", mode="url", message="Log in.", url="https://example.org"
    )
    [only] = question(request).detail["questions"]
    assert only["text"] == "Log in.\nhttps://example.org"
    assert answer_to(request, Answer(answers={only["key"]: said}))["action"] == action


def test_codex_own_questions_are_answered_by_their_ids() -> None:
    options = [{"label": "A", "description": "first"}]
    request = asked(
        "item/tool/requestUserInput",
        questions=[
            {"id": "q1", "header": "H", "question": "Which?", "options": options},
            {"id": "q2", "header": "H", "question": "Why?", "options": None},
        ],
    )
    assert question(request).detail["questions"] == [
        {"key": "q1", "text": "Which?", "options": options, "multiple": False},
        {"key": "q2", "text": "Why?"},
    ]
    answer = answer_to(request, Answer(answers={"q1": "A", "q2": "so"}))
    assert answer == {"answers": {"q1": {"answers": ["A"]}, "q2": {"answers": ["so"]}}}
    assert declined(request) == {"answers": {}}


@pytest.mark.parametrize("mode", ["openai/form", "openai/userVerification"])
def test_what_no_page_of_ours_can_show_is_declined(mode: str) -> None:
    request = asked("mcpServer/elicitation/request", mode=mode, message="?", challenge="c")
    assert question_of(request, {}) is None
    assert declined(request)["action"] == "decline"
