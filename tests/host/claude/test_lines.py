"""What Claude Code writes, as recorded from the real program, becomes text, steps and an end."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from ccweb.conversations.model import Step, TurnEnd
from ccweb.host.agent import AgentEvent, SessionId, TextDelta
from ccweb.host.claude.lines import Reading, parsed
from ccweb.host.claude.outcome import broken_off, outcome
from ccweb_contract.enums import StepKind, StepStatus, TurnFailure, TurnStatus

RECORDINGS = Path(__file__).parents[2] / "fakes" / "recordings" / "claude"

COMPLETED, EMPTY, FAILED, INTERRUPTED = (
    TurnStatus.COMPLETED,
    TurnStatus.EMPTY,
    TurnStatus.FAILED,
    TurnStatus.INTERRUPTED,
)
ENDS: dict[str, tuple[TurnStatus, TurnFailure | None, str]] = {
    "work": (COMPLETED, None, "It is made, 完成 🎉."),
    "denied": (COMPLETED, None, "I see."),
    "question": (COMPLETED, None, "Blue it is."),
    "subagent": (COMPLETED, None, "Done."),
    "continued": (COMPLETED, None, "first half, rest"),
    "interrupted": (INTERRUPTED, None, "half "),
    "interrupted_asking": (INTERRUPTED, None, ""),
    "empty": (EMPTY, None, ""),
    "bad_key": (FAILED, TurnFailure.NOT_LOGGED_IN, ""),
    "not_logged_in": (FAILED, TurnFailure.NOT_LOGGED_IN, ""),
    "limit": (FAILED, TurnFailure.RATE_LIMITED, ""),
    "too_long": (FAILED, TurnFailure.CONTEXT_FULL, ""),
    "overloaded": (FAILED, TurnFailure.OVERLOADED, ""),
    "stream_error": (FAILED, TurnFailure.OVERLOADED, ""),
    "refused": (FAILED, TurnFailure.REQUEST_REFUSED, "I cannot"),
    "no_network": (FAILED, TurnFailure.NETWORK_DOWN, ""),
    "no_session": (FAILED, TurnFailure.SESSION_MISSING, ""),
}
ERRORS = {
    "not_logged_in": "Not logged in · Please run /login",
    "overloaded": "API Error: 529 Overloaded",
    "no_network": "API Error: Connection refused",
    "no_session": "No conversation found with session ID",
    "limit": "You've hit your 5-hour limit",
}


def recorded(name: str) -> list[dict[str, Any]]:
    """Return the lines of a recording."""
    return [json.loads(line) for line in (RECORDINGS / f"{name}.jsonl").read_text().splitlines()]


def read(lines: Iterable[dict[str, Any]]) -> tuple[Reading, list[AgentEvent]]:
    """Return what has been read of lines, and what they tell."""
    reading = Reading()
    return reading, [event for line in lines for event in reading.take(line)]


def end_of(name: str) -> TurnEnd:
    """Return the end of a recorded turn."""
    reading, _ = read(recorded(name))
    return outcome(reading)


def steps(events: Iterable[AgentEvent]) -> list[tuple[StepKind, StepStatus, str]]:
    """Return the steps as they were told, with what is most telling of each."""
    return [
        (event.kind, event.status, event.name or event.output)
        for event in events
        if isinstance(event, Step)
    ]


def told_text(events: Iterable[AgentEvent]) -> str:
    """Return the text that a page shows at the end, as it puts it together."""
    text = ""
    for event in events:
        if isinstance(event, TextDelta):
            text += event.text
        elif isinstance(event, Step) and event.kind is StepKind.SAID:
            assert event.output == text
            text = ""
    return text


def piece(text: str) -> dict[str, Any]:
    """Return the line of a piece of text."""
    delta = {"type": "text_delta", "text": text}
    return event_line({"type": "content_block_delta", "index": 0, "delta": delta})


def event_line(event: dict[str, Any]) -> dict[str, Any]:
    """Return a line of the stream."""
    return {"type": "stream_event", "event": event, "parent_tool_use_id": None}


def begin(message_id: str) -> dict[str, Any]:
    """Return the line of a message's begin."""
    return event_line({"type": "message_start", "message": {"id": message_id}})


def whole(message_id: str, *blocks: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Return the line of whole blocks."""
    message = {"id": message_id, "model": "m", "content": list(blocks)}
    return {"type": "assistant", "message": message, "parent_tool_use_id": None, **more}


def text_block(text: str) -> dict[str, Any]:
    """Return a block of text."""
    return {"type": "text", "text": text}


@pytest.mark.requirement("R-A2")
@pytest.mark.parametrize("name", ENDS)
def test_a_recorded_turn_comes_to_its_end(name: str) -> None:
    end = end_of(name)
    assert (end.status, end.failure, end.text) == ENDS[name]
    assert (end.error is not None) == (end.status is TurnStatus.FAILED)
    assert (end.error or "").startswith(ERRORS.get(name, ""))


def test_every_recording_is_read() -> None:
    assert {path.stem for path in RECORDINGS.iterdir()} == {*ENDS, "command", "dropped"}


@pytest.mark.requirement("R-A2")
@pytest.mark.parametrize("name", ENDS)
def test_what_a_page_puts_together_is_the_text_of_the_end(name: str) -> None:
    reading, events = read(recorded(name))
    assert told_text(events) == outcome(reading).text


@pytest.mark.requirement("R-A2")
def test_work_is_told_in_steps() -> None:
    _, events = read(recorded("work"))
    session = recorded("work")[0]["session_id"]
    assert [event for event in events if isinstance(event, SessionId)] == [
        SessionId(session_id=session)
    ]
    assert steps(events) == [
        (StepKind.THINKING, StepStatus.DONE, "I should look first."),
        (StepKind.SAID, StepStatus.DONE, "让我看看 🎉."),
        (StepKind.TOOL, StepStatus.RUNNING, "Bash"),
        (StepKind.TOOL, StepStatus.DONE, "(Bash completed with no output)"),
        (StepKind.SAID, StepStatus.DONE, "I make it."),
        (StepKind.TOOL, StepStatus.RUNNING, "Bash"),
        (StepKind.TOOL, StepStatus.DONE, "(Bash completed with no output)"),
    ]


@pytest.mark.requirement("R-A2")
def test_a_subagents_tools_are_steps_and_its_texts_are_not() -> None:
    _, events = read(recorded("subagent"))
    kinds = [(kind, name) for kind, _, name in steps(events) if kind is not StepKind.TOOL]
    tools = [event.name for event in events if isinstance(event, Step) and event.name]
    assert kinds == [(StepKind.SAID, "I delegate.")]
    assert tools == ["Task", "Bash"]


@pytest.mark.requirement("R-A2")
def test_what_a_tool_is_given_and_answers_is_kept() -> None:
    _, events = read(recorded("work"))
    [given, answered, *_] = [e for e in events if isinstance(e, Step) and e.kind is StepKind.TOOL]
    assert json.loads(given.input) == {"command": "ls", "description": "look"}
    assert (answered.key, answered.input) == (given.key, "")


@pytest.mark.requirement("R-A2")
def test_facts_are_counted_with_the_cache() -> None:
    facts = end_of("work").facts
    assert (facts.input_tokens, facts.cached_tokens, facts.output_tokens) == (300, 0, 30)
    assert facts.cost_microusd
    assert facts.model
    assert end_of("not_logged_in").facts.cost_microusd is None


@pytest.mark.requirement("R-A2")
def test_the_reset_of_a_limit_is_known() -> None:
    [info] = [
        line["rate_limit_info"] for line in recorded("limit") if line["type"] == "rate_limit_event"
    ]
    retry_at = end_of("limit").retry_at
    assert retry_at is not None
    assert retry_at.timestamp() == info["resetsAt"]


@pytest.mark.requirement("R-A2")
def test_what_a_command_of_the_program_prints_is_its_text() -> None:
    end = end_of("command")
    assert end.status is TurnStatus.COMPLETED
    assert end.text.startswith("Estimated cost:")


@pytest.mark.requirement("R-A2")
def test_what_a_command_prints_in_the_persons_name_is_its_text() -> None:
    content = "<local-command-stdout>Compacted </local-command-stdout>"
    line = {"type": "user", "message": {"role": "user", "content": content}, "isReplay": True}
    reading, events = read([line, {"type": "result", "subtype": "success", "is_error": False}])
    assert (outcome(reading).text, told_text(events)) == ("Compacted", "Compacted")


@pytest.mark.requirement("R-A2")
def test_a_text_that_is_begun_anew_is_not_doubled() -> None:
    lines = [begin("m1"), piece("one "), begin("m2"), piece("one "), piece("two")]
    reading, events = read([*lines, whole("m2", text_block("one two"))])
    assert (reading.text, told_text(events)) == ("one two", "one two")
    assert steps(events) == [(StepKind.SAID, StepStatus.FAILED, "one ")]


@pytest.mark.requirement("R-A2")
def test_an_answer_that_comes_whole_instead_is_not_doubled() -> None:
    lines = [begin("m1"), piece("one "), whole("m2", text_block("one two"))]
    reading, events = read(lines)
    assert (reading.text, told_text(events)) == ("one two", "one two")


@pytest.mark.requirement("R-A2")
def test_what_the_pieces_lack_is_told_with_the_whole() -> None:
    reading, events = read([begin("m1"), piece("one "), whole("m1", text_block("one two"))])
    assert [event.text for event in events if isinstance(event, TextDelta)] == ["one ", "two"]
    assert reading.text == "one two"


@pytest.mark.requirement("R-A2")
def test_a_text_after_another_answer_is_a_text_of_its_own() -> None:
    first = [begin("m1"), piece("done"), whole("m1", text_block("done"))]
    second = [begin("m2"), piece("checked"), whole("m2", text_block("checked"))]
    reading, events = read(first + second)
    assert reading.text == "checked"
    assert steps(events) == [(StepKind.SAID, StepStatus.DONE, "done")]


@pytest.mark.requirement("R-A2")
def test_a_text_stays_the_last_one_when_only_a_thought_follows() -> None:
    thought = {"type": "thinking", "thinking": "hm"}
    reading, _ = read([begin("m1"), piece("done"), whole("m1", text_block("done"), thought)])
    assert reading.text == "done"


@pytest.mark.requirement("R-A2", "R-A6", "R-M9")
def test_twenty_thousand_pieces_come_in_order_and_whole() -> None:
    pieces = [f"{number} 好\n" for number in range(20_000)]
    lines = [begin("m1"), *map(piece, pieces), whole("m1", text_block("".join(pieces)))]
    reading, events = read(lines)
    assert reading.text == told_text(events) == "".join(pieces)
    assert steps(events) == []


@pytest.mark.requirement("R-A2")
@pytest.mark.parametrize(
    "line", ["", "warning: deprecated", "[1, 2]", "null", '"text"', '{"type": ', "[" * 100_000]
)
def test_a_line_that_is_no_object_is_none(line: str) -> None:
    assert parsed(line) is None


@pytest.mark.requirement("R-A2")
@pytest.mark.parametrize(
    "line",
    [
        {},
        {"type": None},
        {"type": "novelty", "event": 3},
        {"type": "stream_event", "event": "text"},
        {"type": "stream_event", "event": {"type": "message_start"}},
        {"type": "stream_event", "event": {"type": "content_block_delta", "delta": None}},
        {"type": "assistant"},
        {"type": "assistant", "message": {"content": 7}},
        {"type": "assistant", "message": {"content": ["x", {"type": "novelty"}, {"type": 4}]}},
        {"type": "user", "message": {"content": "[Request interrupted by user]"}},
        {"type": "system", "subtype": "novelty"},
        {"type": "rate_limit_event", "rate_limit_info": {"status": "rejected"}},
    ],
)
def test_what_is_not_known_tells_nothing(line: dict[str, Any]) -> None:
    reading, events = read([line])
    assert (events, reading.text, reading.is_over()) == ([], "", False)


@pytest.mark.requirement("R-A2")
def test_an_answer_with_blocks_and_pictures_is_read() -> None:
    content = [{"type": "text", "text": "a"}, {"type": "image", "source": {}}]
    block = {"type": "tool_result", "tool_use_id": "t", "content": content, "is_error": True}
    _, [step] = read([{"type": "user", "message": {"content": [block]}}])
    assert isinstance(step, Step)
    assert (step.key, step.status, step.output) == ("t", StepStatus.FAILED, "a\n[image]")


@pytest.mark.requirement("R-A2")
@pytest.mark.parametrize(
    ("result", "failure"),
    [
        ({"api_error_status": 503}, TurnFailure.OVERLOADED),
        ({"api_error_status": 400}, TurnFailure.REQUEST_REFUSED),
        ({"api_error_status": 413}, TurnFailure.CONTEXT_FULL),
        ({"subtype": "error_max_turns"}, TurnFailure.OTHER),
        (
            {"subtype": "error_during_execution", "errors": ["[ede_diagnostic] x"]},
            TurnFailure.OTHER,
        ),
        ({}, TurnFailure.OTHER),
    ],
)
def test_a_result_that_is_an_error_says_why(result: dict[str, Any], failure: TurnFailure) -> None:
    reading, _ = read([{"type": "result", "is_error": True, **result}])
    end = outcome(reading)
    assert (end.status, end.failure) == (TurnStatus.FAILED, failure)
    assert end.error
    assert "ede_diagnostic" not in end.error


@pytest.mark.requirement("R-A5")
@pytest.mark.parametrize(
    ("code", "tail", "failure"),
    [
        (1, "error: unknown option '--include-partial-messages'", TurnFailure.PROGRAM_TOO_OLD),
        (126, "exec: Exec format error", TurnFailure.PROGRAM_MISSING),
        (-11, "", TurnFailure.PROGRAM_CRASHED),
        (1, "--dangerously-skip-permissions cannot be used", TurnFailure.PROGRAM_CRASHED),
        (None, "", TurnFailure.PROGRAM_CRASHED),
    ],
)
def test_a_program_that_ends_without_a_result_says_why(
    code: int | None, tail: str, failure: TurnFailure
) -> None:
    end = broken_off(Reading(), code=code, error_tail=tail)
    assert (end.status, end.failure) == (TurnStatus.FAILED, failure)
    assert tail in (end.error or "")


@pytest.mark.requirement("R-A2")
def test_an_answer_that_was_cut_by_the_network_is_no_success() -> None:
    end = end_of("dropped")
    assert (end.status, end.failure) == (TurnStatus.FAILED, TurnFailure.NETWORK_DOWN)


@pytest.mark.requirement("R-A2")
def test_attempts_at_the_model_are_one_step_that_goes_on() -> None:
    retry = {"type": "system", "subtype": "api_retry", "max_retries": 10, "error": "overloaded"}
    _, events = read([{**retry, "attempt": n, "error_status": 529} for n in (1, 2)])
    [first, second] = [event for event in events if isinstance(event, Step)]
    assert first.key == second.key
    assert second.output == "529 overloaded: attempt 2 of 10 follows."


@pytest.mark.requirement("R-A2")
def test_a_context_that_is_made_smaller_is_told() -> None:
    sizes = {"pre_tokens": 180000, "post_tokens": 9000}
    line = {"type": "system", "subtype": "compact_boundary", "uuid": "u", "compact_metadata": sizes}
    _, [step] = read([line])
    assert isinstance(step, Step)
    assert (step.name, step.output) == ("compact", "180000 → 9000 tokens")
