"""The events of `codex exec` become what a turn tells and how it ends."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from ccweb.conversations.model import Step, TurnEnd, TurnFacts
from ccweb.host.agent import AgentEvent, SessionId, Started, TextDelta
from ccweb.host.codex.exec_events import ExecTurn
from ccweb.host.codex.home import NOTHING_NOTED, Noted
from ccweb_contract.enums import StepKind, StepStatus, TurnFailure, TurnStatus
from tests.fakes.codex_recordings import read

NOW = datetime(2026, 11, 30, tzinfo=UTC)
DONE, FAILED, RUNNING = StepStatus.DONE, StepStatus.FAILED, StepStatus.RUNNING


def played(
    name: str, *, used: TurnFacts | None = None, noted: Noted = NOTHING_NOTED
) -> tuple[list[AgentEvent], TurnEnd]:
    """Return what a recording tells, and its end."""
    *lines, last = read("exec", name)
    turn = ExecTurn(used or TurnFacts())
    told = [event for line in lines for event in turn.take(json.dumps(line))]
    told += turn.refusals(last["stderr"])
    return told, turn.end(last["code"], last["stderr"], noted=noted, now=NOW)


def tool(key: str, status: StepStatus, name: str, given: str, output: str = "") -> Step:
    return Step(key=key, kind=StepKind.TOOL, status=status, name=name, input=given, output=output)


@pytest.mark.requirement("R-A2")
def test_a_turn_tells_its_thoughts_texts_commands_and_edits_in_their_order() -> None:
    told, end = played("work")
    look, edit = "echo seen; exit 3", "add /here/new.txt\nupdate /here/old.txt"
    assert told == [
        Started(),
        SessionId(session_id="id-0"),
        Step(key="item_0", kind=StepKind.THINKING, status=DONE, output="I look first."),
        TextDelta(text="Let me look."),
        Step(key="item_1", kind=StepKind.SAID, status=DONE, output="Let me look."),
        tool("item_2", RUNNING, "exec_command", look),
        tool("item_2", FAILED, "exec_command", look, "seen\n(exit code 3)"),
        tool("item_3", RUNNING, "apply_patch", edit),
        tool("item_3", DONE, "apply_patch", edit, edit),
        TextDelta(text="All done: 好。"),
    ]
    assert (end.status, end.text) == (TurnStatus.COMPLETED, "All done: 好。")


@pytest.mark.requirement("R-A2")
def test_tokens_are_those_of_the_turn() -> None:
    before = TurnFacts(input_tokens=2000, cached_tokens=1000, output_tokens=100)
    noted = Noted(used=TurnFacts(model="gpt"), limits={}, error={})
    _, end = played("work", used=before, noted=noted)
    assert end.facts == TurnFacts(
        model="gpt", input_tokens=1000, cached_tokens=500, output_tokens=500
    )


def test_a_count_that_began_anew_is_taken_as_it_is() -> None:
    _, end = played("work", used=TurnFacts(input_tokens=9000, output_tokens=1))
    assert (end.facts.input_tokens, end.facts.output_tokens) == (3000, 599)


@pytest.mark.requirement("R-A2")
def test_what_was_refused_because_nobody_could_be_asked_is_a_failed_step() -> None:
    told, end = played("refused")
    [refused] = [event for event in told if isinstance(event, Step)]
    assert (refused.name, refused.status) == ("approval", FAILED)
    assert refused.output.startswith("approval policy is Never; reject command")
    assert end.text == "Refused."


@pytest.mark.requirement("R-A2")
def test_a_try_that_failed_is_told_and_over_once_something_comes() -> None:
    turn = ExecTurn(TurnFacts())
    [retry] = turn.take('{"type": "error", "message": "Reconnecting... 2/5 (slow down (please))"}')
    assert retry == tool("retry", RUNNING, "retry", "Reconnecting... 2/5", "slow down (please)")
    item = {"id": "1", "type": "agent_message", "text": "well"}
    told = turn.take(json.dumps({"type": "item.completed", "item": item}))
    done = tool("retry", DONE, "retry", "Reconnecting... 2/5", "slow down (please)")
    assert told == [done, TextDelta(text="well")]


@pytest.mark.requirement("R-A2")
@pytest.mark.parametrize(
    ("name", "failure"),
    [
        ("no-login", TurnFailure.NOT_LOGGED_IN),
        ("limit", TurnFailure.RATE_LIMITED),
        ("dropped", TurnFailure.NETWORK_DOWN),
    ],
)
def test_failures_are_known_by_their_words(name: str, failure: TurnFailure) -> None:
    _, end = played(name)
    assert (end.status, end.failure, end.text) == (TurnStatus.FAILED, failure, "")
    assert end.error


def test_the_code_in_the_threads_file_goes_before_the_words() -> None:
    said = read("exec", "limit")[-2]["error"]["message"]
    limits = {"primary": {"used_percent": 100.0, "resets_at": 1900000000}, "secondary": None}
    error = {"message": said, "codex_error_info": "context_window_exceeded"}
    _, end = played("limit", noted=Noted(used=TurnFacts(), limits=limits, error=error))
    assert (end.failure, end.retry_at) == (TurnFailure.CONTEXT_FULL, None)
    _, end = played("limit", noted=Noted(used=TurnFacts(), limits=limits, error={}))
    assert end.retry_at == datetime.fromtimestamp(1900000000, UTC)


@pytest.mark.parametrize(
    ("code", "stderr", "failure"),
    [
        (2, "error: unexpected argument '--json' found", TurnFailure.PROGRAM_TOO_OLD),
        (1, "Error: thread/resume failed: no rollout found", TurnFailure.SESSION_MISSING),
        (101, "thread 'main' panicked at src/main.rs", TurnFailure.PROGRAM_CRASHED),
        (-9, "", TurnFailure.PROGRAM_CRASHED),
        (0, "", TurnFailure.PROGRAM_CRASHED),
    ],
)
def test_an_end_without_a_closing_event_is_explained_by_the_programs_last_words(
    code: int, stderr: str, failure: TurnFailure
) -> None:
    end = ExecTurn(TurnFacts()).end(code, stderr, noted=NOTHING_NOTED, now=NOW)
    assert (end.status, end.failure) == (TurnStatus.FAILED, failure)
    assert stderr in str(end.error)


@pytest.mark.parametrize("line", ["", "not JSON", "[]", "1", '{"type": "news"}', "{}"])
def test_lines_of_another_kind_tell_nothing(line: str) -> None:
    assert ExecTurn(TurnFacts()).take(line) == []


def test_a_plan_and_calls_of_tools_are_steps() -> None:
    turn = ExecTurn(TurnFacts())
    items: list[dict[str, Any]] = [
        {"id": "1", "type": "todo_list", "items": [{"text": "a", "completed": True}]},
        {
            "id": "2",
            "type": "mcp_tool_call",
            "server": "s",
            "tool": "t",
            "arguments": {"a": "好"},
            "result": {"content": [{"type": "text", "text": "x"}, {"type": "image"}]},
            "status": "completed",
        },
        {
            "id": "3",
            "type": "mcp_tool_call",
            "server": "s",
            "tool": "t",
            "arguments": {},
            "error": {"message": "no"},
            "status": "failed",
        },
        {"id": "4", "type": "web_search", "query": "q"},
        {"id": "5", "type": "error", "message": "Model metadata not found."},
        {"id": "6", "type": "something_new", "text": "t"},
    ]
    told = [
        event
        for item in items
        for event in turn.take(json.dumps({"type": "item.completed", "item": item}))
    ]
    assert told == [
        tool("1", DONE, "update_plan", "", "[x] a"),
        tool("2", DONE, "mcp__s__t", '{"a": "好"}', "x\n[image]"),
        tool("3", FAILED, "mcp__s__t", "{}", "no"),
        tool("4", DONE, "web_search", "q"),
        tool("6", DONE, "something_new", "", "t"),
    ]
