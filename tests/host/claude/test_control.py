"""What Claude Code asks is put to people in their words, and answered in its own."""

import json
from typing import Any

import pytest

from ccweb.host.agent import Answer
from ccweb.host.claude import control
from ccweb.host.claude.control import ToolRequest
from ccweb_contract.enums import AskKind, PermissionAnswer

ALLOW_ALWAYS = Answer(decision=PermissionAnswer.ALLOW_IN_CONVERSATION)
RULE = {
    "type": "addRules",
    "rules": [{"toolName": "Bash", "ruleContent": "npm test *"}],
    "behavior": "allow",
    "destination": "localSettings",
}
FOLDER = {"type": "addDirectories", "directories": ["/data"], "destination": "session"}
MODE = {"type": "setMode", "mode": "acceptEdits", "destination": "session"}


def a_request(tool: str = "Bash", given: Any = None, **more: Any) -> ToolRequest:
    """Return a request to use a tool, as the program writes it."""
    asked = {"subtype": "can_use_tool", "tool_name": tool, "input": given or {}, **more}
    line = {"type": "control_request", "request_id": "r1", "request": asked}
    request = control.tool_request(line)
    assert request is not None
    return request


@pytest.mark.requirement("R-A2")
def test_a_permission_says_what_is_about_to_be_done() -> None:
    given = {"command": "npm test\n  --all", "description": "Run the tests"}
    asked = control.question(
        a_request(given=given, tool_use_id="t1", permission_suggestions=[RULE, MODE])
    )
    assert (asked.kind, asked.subject) == (AskKind.PERMISSION, "t1")
    assert asked.detail == {
        "tool": "Bash",
        "title": "Bash: npm test --all",
        "input": given,
        "what": "Bash(npm test *)",
    }


@pytest.mark.requirement("R-A2")
@pytest.mark.parametrize(
    ("suggestions", "what"),
    [
        ([], None),
        ([RULE], "Bash(npm test *)"),
        ([RULE, FOLDER], "Bash(npm test *) (/data)"),
        ([MODE], "acceptEdits"),
        ([MODE, FOLDER], "acceptEdits (/data)"),
        ([FOLDER], "* (/data)"),
        ([{**RULE, "rules": [{"toolName": "mcp__mine__x"}]}], "mcp__mine__x"),
        ("novelty", None),
        ([{"type": "novelty"}], None),
    ],
)
def test_what_can_be_allowed_for_a_conversation_names_rule_and_folder(
    suggestions: Any, what: str | None
) -> None:
    asked = control.question(a_request(permission_suggestions=suggestions))
    assert asked.detail.get("what") == what


@pytest.mark.requirement("R-A2")
def test_a_title_is_one_line_and_not_endless() -> None:
    title = control.question(a_request(given={"command": "x" * 5000})).detail["title"]
    assert title == f"Bash: {'x' * 194}…"
    assert control.question(a_request("ExitPlanMode")).detail["title"] == "ExitPlanMode"


@pytest.mark.requirement("R-A2")
def test_what_is_allowed_for_the_conversation_is_kept_in_no_file_of_the_persons() -> None:
    request = a_request(given={"command": "npm test"}, permission_suggestions=[RULE, MODE, FOLDER])
    assert control.answered(request, ALLOW_ALWAYS) == {
        "behavior": "allow",
        "updatedInput": {"command": "npm test"},
        "updatedPermissions": [{**RULE, "destination": "session"}, FOLDER],
    }


@pytest.mark.requirement("R-A2")
@pytest.mark.parametrize(
    ("answer", "given"),
    [
        (
            Answer(decision=PermissionAnswer.ALLOW_ONCE),
            {"behavior": "allow", "updatedInput": {"command": "ls"}},
        ),
        (Answer(note="Not now."), {"behavior": "deny", "message": "Not now."}),
        (Answer(), {"behavior": "deny", "message": "Not allowed by the person."}),
    ],
)
def test_a_permission_is_given_once_or_denied(answer: Answer, given: dict[str, Any]) -> None:
    assert control.answered(a_request(given={"command": "ls"}), answer) == given


def a_question(**more: Any) -> ToolRequest:
    """Return a request that is a question."""
    asked = {"question": "Which?", "options": [{"label": "A"}, {"label": "B"}], **more}
    return a_request("AskUserQuestion", {"questions": [asked], "metadata": 1})


@pytest.mark.requirement("R-A2")
def test_a_question_has_its_choices() -> None:
    assert control.question(a_question(multiSelect=True)).detail == {
        "questions": [
            {
                "key": "1",
                "text": "Which?",
                "multiple": True,
                "options": [
                    {"label": "A", "description": ""},
                    {"label": "B", "description": ""},
                ],
            }
        ]
    }


@pytest.mark.requirement("R-A2")
@pytest.mark.parametrize(("given", "said"), [("B", "B"), (["A", "B"], "A, B")])
def test_an_answer_goes_back_under_the_question(given: str | list[str], said: str) -> None:
    answered = control.answered(a_question(), Answer(answers={"1": given}))
    assert answered["behavior"] == "allow"
    assert answered["updatedInput"]["answers"] == {"Which?": said}
    assert answered["updatedInput"]["metadata"] == 1


@pytest.mark.requirement("R-A2")
def test_a_question_that_is_declined_is_denied() -> None:
    declined = {"behavior": "deny", "message": "The person declined to answer."}
    assert control.answered(a_question(), Answer()) == declined


@pytest.mark.requirement("R-A2")
@pytest.mark.parametrize(
    ("tool", "server", "ours"),
    [
        ("mcp__ccweb__x", {"name": "ccweb", "source": "dynamic"}, True),
        ("mcp__ccweb__x", {"name": "ccweb", "source": "project"}, False),
        ("mcp__ccwebs__x", {"name": "ccwebs", "source": "dynamic"}, False),
        ("Bash", {}, False),
    ],
)
def test_only_the_hubs_own_tools_need_no_permission(
    tool: str, server: dict[str, str], ours: bool
) -> None:
    assert a_request(tool, mcp_server=server).is_ours is ours


@pytest.mark.requirement("R-A2")
def test_another_request_is_no_request_to_use_a_tool() -> None:
    assert control.tool_request({"request_id": "1", "request": {"subtype": "novelty"}}) is None
    assert control.tool_request({"request_id": "1"}) is None


@pytest.mark.requirement("R-A6")
def test_what_is_written_is_one_line_each() -> None:
    text = 'two\nlines "quoted" 你好 \ud800'
    for line in (
        control.prompt(text),
        control.interrupt(),
        control.response("r1", {"message": text}),
        control.unknown("r1"),
    ):
        assert line.count("\n") == 1
        assert line.isascii()
        assert json.loads(line)
    assert json.loads(control.prompt(text))["message"]["content"] == text
