"""The agent that runs Claude Code, with a program that says what the real one said, or worse."""

import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import psutil
import pytest

from ccweb.asks import service as answering
from ccweb.asks import store as asks
from ccweb.clock import moment
from ccweb.conversations import steps
from ccweb.conversations.model import Step, Turn
from ccweb.host.agent import Agent
from ccweb.host.claude.agent import ClaudeAgent
from ccweb.host.processes import Processes
from ccweb.relay import service as relay
from ccweb_contract.enums import (
    AgentKind,
    AskKind,
    PermissionAnswer,
    StepKind,
    TurnFailure,
    TurnStatus,
)
from tests.fakes import claude_program
from tests.host.workshop import Workshop

PROGRAM = Path(claude_program.__file__)
INIT = '{"type": "system", "subtype": "init", "session_id": "s1", "model": "m"}'
ASK = (
    '{"type": "control_request", "request_id": "r1", "request": {"subtype": "can_use_tool",'
    ' "tool_name": "Bash", "input": {"command": "rm x"}}}'
)
CANCEL = '{"type": "control_cancel_request", "request_id": "r1"}'
DONE = '{"type": "result", "is_error": false}'


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """Return the fake program as one that can be started."""
    path = tmp_path / "claude-program"
    path.write_text(f'#!/bin/sh\nexec {sys.executable} {PROGRAM} "$@"\n')
    path.chmod(0o755)
    return path


def offering(
    workshop: Workshop, program: Path, **options: float
) -> Callable[[Processes], Sequence[Agent]]:
    """Return what makes the agent."""
    return lambda processes: [ClaudeAgent(workshop.s, processes, program, **options)]


async def a_turn(workshop: Workshop, program: Path, *lines: str, **options: float) -> Turn:
    """Return a turn once it has ended."""
    talk = workshop.conversation(agent=AgentKind.CLAUDE)
    async with workshop.hosting(offer=offering(workshop, program, **options)):
        turn = await workshop.until_ended(workshop.write(talk, "\n".join(lines)))
    assert running() == []
    return turn


def running() -> list[psutil.Process]:
    """Return the fake programs that run and are ours."""
    return [
        process
        for process in psutil.Process().children(recursive=True)
        if process.status() != psutil.STATUS_ZOMBIE and str(PROGRAM) in process.cmdline()
    ]


def stored(workshop: Workshop, turn: Turn) -> list[Step]:
    """Return the steps of a turn."""
    with workshop.db.connect() as c:
        return [one.step for one in steps.of_turns(c, [turn.id])]


def final(workshop: Workshop, turn: Turn) -> str:
    """Return the final text of a turn."""
    [(text,)] = workshop.rows("SELECT text FROM message WHERE id = :id", id=turn.final_message_id)
    return str(text)


@pytest.mark.requirement("R-A2", "R-A6", "FC-77")
async def test_a_recorded_turn_that_comes_byte_by_byte_is_whole(
    workshop: Workshop, program: Path
) -> None:
    turn = await a_turn(workshop, program, "slowly subagent")
    assert turn.status is TurnStatus.COMPLETED
    assert final(workshop, turn) == "Done."
    said = [step.output for step in stored(workshop, turn) if step.kind is StepKind.SAID]
    assert said == ["I delegate."]
    assert turn.facts.model
    assert turn.stop_reason == "end_turn"


@pytest.mark.requirement("R-A2")
async def test_a_permission_waits_for_a_person_and_the_answer_is_told(
    workshop: Workshop, program: Path
) -> None:
    talk = workshop.conversation(agent=AgentKind.CLAUDE)
    async with workshop.hosting(offer=offering(workshop, program)):
        turn_id = workshop.write(talk, "replay work")
        ask = await workshop.until(lambda c: next(iter(asks.open_asks(c, talk.id)), None))
        assert (ask.kind, ask.turn_id) == (AskKind.PERMISSION, turn_id)
        assert ask.detail["title"] == "Bash: touch made"
        with workshop.db.begin() as c:
            given = {"decision": PermissionAnswer.ALLOW_ONCE.value}
            answering.answer(c, moment(), ask.id, given, person_id="p")
        turn = await workshop.until_ended(turn_id)
    assert turn.status is TurnStatus.COMPLETED
    assert workshop.texts(talk)[-1] == "It is made, 完成 🎉."


@pytest.mark.requirement("R-A2")
async def test_a_question_that_the_program_takes_back_is_closed(
    workshop: Workshop, program: Path, tmp_path: Path
) -> None:
    os.mkfifo(tmp_path / "gate")
    talk = workshop.conversation(agent=AgentKind.CLAUDE)
    lines = [f"raw {INIT}", f"raw {ASK}", f"gate {tmp_path / 'gate'}", f"raw {CANCEL}", "hang"]
    async with workshop.hosting(offer=offering(workshop, program)):
        turn_id = workshop.write(talk, "\n".join(lines))
        await workshop.until(lambda c: asks.open_asks(c, talk.id))
        (tmp_path / "gate").write_text("open")
        await workshop.until(lambda c: not asks.open_asks(c, talk.id))
        assert workshop.turn(turn_id).status is TurnStatus.RUNNING


@pytest.mark.requirement("R-A2")
async def test_a_question_that_is_taken_back_at_once_is_never_open(
    workshop: Workshop, program: Path
) -> None:
    turn = await a_turn(workshop, program, "raws " + "|".join((INIT, ASK, CANCEL, DONE)))
    assert turn.status is TurnStatus.EMPTY
    assert workshop.rows("SELECT status FROM ask") == []


@pytest.mark.requirement("R-A2")
async def test_what_is_no_line_of_the_program_is_left_out(
    workshop: Workshop, program: Path
) -> None:
    noise = ["raw (node) warning", "raw [1]", "raw", 'raw {"type": "novelty"}', "stderr 3000000"]
    turn = await a_turn(workshop, program, *noise, "replay empty", "raw late")
    assert (turn.status, turn.error) == (TurnStatus.EMPTY, None)


BAD_FACTS = (
    '{"type": "result", "is_error": false, "model_usage_since_last_result": {"m": '
    '{"costUSD": %s, "inputTokens": %s}}}'
)


@pytest.mark.requirement("R-A6")
@pytest.mark.parametrize("number", ["NaN", "Infinity", "1e400", "1" + "0" * 30, "-1"])
async def test_numbers_that_are_none_cost_no_answer(
    workshop: Workshop, program: Path, number: str
) -> None:
    text = (
        '{"type": "assistant", "message": {"id": "m", "content": [{"type": "text", "text": "hi"}]}}'
    )
    lines = (INIT, text, BAD_FACTS % (number, number))
    turn = await a_turn(workshop, program, *(f"raw {line}" for line in lines))
    assert (turn.status, final(workshop, turn)) == (TurnStatus.COMPLETED, "hi")


@pytest.mark.requirement("R-A6")
async def test_a_reset_that_is_no_time_keeps_the_failure_its_name(
    workshop: Workshop, program: Path
) -> None:
    limit = (
        '{"type": "rate_limit_event", "rate_limit_info": {"status": "rejected", "resetsAt": 1e15}}'
    )
    end = '{"type": "result", "is_error": true, "api_error_status": 429, "errors": ["limit"]}'
    turn = await a_turn(workshop, program, *(f"raw {line}" for line in (INIT, limit, end)))
    assert (turn.failure, turn.retry_at) == (TurnFailure.RATE_LIMITED, None)


@pytest.mark.requirement("R-A6")
async def test_a_permission_with_odd_suggestions_is_asked_all_the_same(
    workshop: Workshop, program: Path
) -> None:
    odd = '"permission_suggestions": [{"type": "setMode"}, {"directories": 7, "rules": 7}, 7],'
    asked = ASK.replace('"tool_name"', f'{odd} "tool_name"')
    talk = workshop.conversation(agent=AgentKind.CLAUDE)
    async with workshop.hosting(offer=offering(workshop, program)):
        workshop.write(talk, f"raw {INIT}\nraw {asked}\nhang")
        (ask,) = await workshop.until(asks.open_asks)
    assert ask.detail["title"] == "Bash: rm x"


@pytest.mark.requirement("R-A6")
async def test_a_question_that_comes_twice_breaks_nothing(
    workshop: Workshop, program: Path
) -> None:
    turn = await a_turn(workshop, program, f"raw {INIT}", f"raws {ASK}|{ASK}|{CANCEL}|{DONE}")
    assert turn.status is TurnStatus.EMPTY


@pytest.mark.requirement("R-A6", "R-M9")
async def test_an_answer_of_twenty_megabytes_is_whole(workshop: Workshop, program: Path) -> None:
    turn = await a_turn(workshop, program, f"raw {INIT}", "answer 20000001")
    assert final(workshop, turn) == "好" * 6_666_667


@pytest.mark.requirement("R-A6")
async def test_a_line_over_the_limit_fails_the_turn_and_says_so(
    workshop: Workshop, program: Path
) -> None:
    turn = await a_turn(workshop, program, f"line {33 * 1024 * 1024}", "hang")
    assert (turn.status, turn.failure) == (TurnStatus.FAILED, TurnFailure.PROGRAM_CRASHED)
    assert "33554432" in (turn.error or "")


@pytest.mark.requirement("R-A4", "R-A5")
async def test_a_program_that_crashes_fails_its_turn_with_its_last_words(
    workshop: Workshop, program: Path
) -> None:
    turn = await a_turn(workshop, program, f"raw {INIT}", "stderr 20", "exit 7")
    assert (turn.status, turn.failure) == (TurnStatus.FAILED, TurnFailure.PROGRAM_CRASHED)
    assert turn.error == f"It ended without a result (exit code 7): {'e' * 20}"


@pytest.mark.requirement("R-A4")
async def test_a_program_that_never_begins_is_ended(workshop: Workshop, program: Path) -> None:
    turn = await a_turn(workshop, program, "deaf", "child", "hang", silent_at_start_s=0.5)
    assert (turn.status, turn.failure) == (TurnStatus.FAILED, TurnFailure.PROGRAM_CRASHED)


@pytest.mark.requirement("R-A4", "R-M4")
async def test_a_program_that_falls_silent_is_ended_unless_it_waits_for_a_person(
    workshop: Workshop, program: Path
) -> None:
    asking, hanging = (workshop.conversation(agent=AgentKind.CLAUDE) for _ in range(2))
    async with workshop.hosting(offer=offering(workshop, program, silent_s=0.5)):
        asked = workshop.write(asking, f"raw {INIT}\nraw {ASK}\nhang")
        await workshop.until(lambda c: asks.open_asks(c, asking.id))
        silent = await workshop.until_ended(workshop.write(hanging, f"raw {INIT}\nhang"))
        assert workshop.turn(asked).status is TurnStatus.RUNNING
    assert (silent.failure, silent.error) == (
        TurnFailure.PROGRAM_CRASHED,
        "It said nothing for 0.5 s and was ended.",
    )


@pytest.mark.requirement("R-A4", "R-A6")
async def test_a_program_that_never_reads_a_long_prompt_is_ended(
    workshop: Workshop, program: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDE_FAKE_DEAF", "1")
    turn = await a_turn(workshop, program, "say " + "x" * 250_000, silent_at_start_s=0.5)
    assert (turn.status, turn.failure) == (TurnStatus.FAILED, TurnFailure.PROGRAM_CRASHED)


@pytest.mark.requirement("R-A5")
@pytest.mark.parametrize("how", ["missing", "no program", "a folder", "not executable"])
async def test_a_program_that_cannot_be_started_is_missing(
    workshop: Workshop, tmp_path: Path, how: str
) -> None:
    path = tmp_path / "claude-program"
    if how == "a folder":
        path.mkdir()
    elif how != "missing":
        path.write_bytes(b"\x7fELF nonsense")
        path.chmod(0o755 if how == "no program" else 0o644)
    turn = await a_turn(workshop, path, "say hi")
    assert (turn.status, turn.failure) == (TurnStatus.FAILED, TurnFailure.PROGRAM_MISSING)
    assert "claude-program" in (turn.error or "")


@pytest.mark.requirement("R-A5")
async def test_a_program_that_does_not_know_our_options_is_too_old(
    workshop: Workshop, tmp_path: Path
) -> None:
    path = tmp_path / "claude-program"
    path.write_text("#!/bin/sh\necho \"error: unknown option '--effort'\" >&2\nexit 1\n")
    path.chmod(0o755)
    turn = await a_turn(workshop, path, "say hi")
    assert (turn.status, turn.failure) == (TurnStatus.FAILED, TurnFailure.PROGRAM_TOO_OLD)


@pytest.mark.requirement("R-A4", "R-M11")
async def test_a_program_that_heeds_no_interrupt_is_killed_with_its_children(
    workshop: Workshop, program: Path
) -> None:
    talk = workshop.conversation(agent=AgentKind.CLAUDE)
    script = "\n".join([f"raw {INIT}", "deaf", "runaway", "hang"])
    async with workshop.hosting(offer=offering(workshop, program)):
        turn_id = workshop.write(talk, script)
        await workshop.until(
            lambda c: c.exec_driver_sql(
                "SELECT 1 FROM conversation WHERE agent_session = 's1'"
            ).first()
        )
        with workshop.db.begin() as c:
            relay.stop(c, moment(), workshop.s, talk.id)
        turn = await workshop.until_ended(turn_id)
    assert turn.status is TurnStatus.INTERRUPTED
    assert running() == []


@pytest.mark.requirement("R-A2")
async def test_a_session_that_is_gone_is_begun_anew_in_the_next_turn(
    workshop: Workshop, program: Path
) -> None:
    talk = workshop.conversation(agent=AgentKind.CLAUDE)
    async with workshop.hosting(offer=offering(workshop, program)):
        await workshop.until_ended(workshop.write(talk, f"raw {INIT}\nraw {DONE}"))
        sessions = [workshop.rows("SELECT agent_session FROM conversation")]
        turn = await workshop.until_ended(workshop.write(talk, "replay no_session"))
        sessions.append(workshop.rows("SELECT agent_session FROM conversation"))
    assert turn.failure is TurnFailure.SESSION_MISSING
    assert sessions == [[("s1",)], [("",)]]
