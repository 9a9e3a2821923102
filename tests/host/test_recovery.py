"""Real hosts are killed: what they leave behind is ended before anything goes on."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import psutil
import pytest
from sqlalchemy import Connection, text

from ccweb.asks import store as asks
from ccweb.conversations.model import Conversation
from ccweb.host.claude.agent import ClaudeAgent
from ccweb.settings import variable
from ccweb_contract.enums import AgentKind, AskStatus, Outcome, TurnStatus
from tests.fakes import claude_program
from tests.fakes.cli_agent import CliAgent
from tests.host.claude.test_agent import ASK, INIT
from tests.host.workshop import Workshop

ROOT: Final = Path(__file__).parents[2]
HANGS: Final = "deaf\nchild\nrunaway\nhang\n"


@contextmanager
def a_host_process(
    workshop: Workshop, *, claude: Path = Path("off")
) -> Iterator[subprocess.Popen[str]]:
    """Yield a real host process that claims turns."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.fakes.host_program"],
        cwd=ROOT,
        env={
            **os.environ,
            "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'generated'}",
            variable("data_dir"): str(workshop.s.data_dir),
            variable("heartbeat_s"): "0.1",
            variable("claude_path"): str(claude),
            variable("stop_grace_s"): "0.3",
        },
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    try:
        assert process.stdout.readline() == "up\n"
        yield process
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def a_cli_conversation(workshop: Workshop) -> Conversation:
    """Return a conversation with the fake command-line agent."""
    return workshop.conversation(agent=AgentKind.CODEX)


def marked(mark: str) -> list[psutil.Process]:
    """Return the living processes of a tree."""
    found = []
    for process in psutil.process_iter():
        try:
            inside = process.environ().get("CCWEB_PROCESS") == mark
            if inside and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
        except psutil.Error:
            continue
    return found


def three_are_up(c: Connection) -> str | None:
    """Return the tree's mark once the agent and both its grandchildren run."""
    row = c.execute(text("SELECT id FROM agent_process")).first()
    return str(row.id) if row and len(marked(row.id)) == 3 else None


@pytest.mark.requirement("R-M13", "R-A4", "FC-61", "FC-28")
async def test_the_next_run_ends_what_a_killed_host_had_started(workshop: Workshop) -> None:
    turn_id = workshop.write(a_cli_conversation(workshop), HANGS)
    with a_host_process(workshop) as host:
        mark = await workshop.until(three_are_up)
        host.send_signal(signal.SIGKILL)
        host.wait()
        assert await workshop.until(three_are_up) == mark  # one may just be starting
        async with workshop.hosting(offer=lambda p: [CliAgent(p)]):
            turn = await workshop.until_ended(turn_id)
            left = marked(mark)
    assert turn.status is TurnStatus.LOST
    assert left == []
    assert workshop.rows("SELECT count(*) FROM agent_process WHERE ended_at IS NULL") == [(0,)]


@pytest.mark.requirement("R-M13", "R-A4", "FC-59")
async def test_a_living_host_takes_over_from_a_killed_one(workshop: Workshop) -> None:
    conversation = a_cli_conversation(workshop)
    first = workshop.write(conversation, HANGS)
    with a_host_process(workshop) as host:
        mark = await workshop.until(three_are_up)
        second = workshop.write(conversation, "say on\n")
        async with workshop.hosting(offer=lambda p: [CliAgent(p)]):
            host.send_signal(signal.SIGKILL)
            host.wait()
            ended = [await workshop.until_ended(turn_id) for turn_id in (first, second)]
            left = marked(mark)
    assert [turn.status for turn in ended] == [TurnStatus.LOST, TurnStatus.COMPLETED]
    assert left == []


def counting(folder: Path) -> Path:
    """Return a fake Claude Code that notes each of its runs in its folder."""
    path = folder / "claude-program"
    program = f"{sys.executable} {claude_program.__file__}"
    path.write_text(f'#!/bin/sh\necho run >> "{folder}/runs.txt"\nexec {program} "$@"\n')
    path.chmod(0o755)
    return path


@pytest.mark.requirement("R-M13", "R-A4")
async def test_a_host_that_dies_while_its_agent_asks_leaves_no_question_and_runs_nothing_twice(
    workshop: Workshop, tmp_path: Path
) -> None:
    program = counting(tmp_path)
    source, target = workshop.conversation("A"), workshop.conversation("B", AgentKind.CLAUDE)
    request_id = workshop.request(source, target, f"raw {INIT}\nraw {ASK}\nhang")
    with a_host_process(workshop, claude=program) as host:
        (ask,) = await workshop.until(asks.open_asks)
        [(mark,)] = workshop.rows("SELECT id FROM agent_process")
        host.send_signal(signal.SIGKILL)
        host.wait()
        async with workshop.hosting(offer=lambda p: [ClaudeAgent(workshop.s, p, program)]):
            turn = await workshop.until_ended(str(ask.turn_id))
            left = marked(str(mark))
    replied = "SELECT outcome FROM pending_reply WHERE request_id = :id"
    assert (turn.status, left) == (TurnStatus.LOST, [])
    assert workshop.rows(replied, id=request_id) == [(Outcome.LOST.value,)]
    assert workshop.rows("SELECT status, answer FROM ask WHERE id = :id", id=ask.id) == [
        (AskStatus.DISMISSED.value, None)
    ]
    assert (tmp_path / "runs.txt").read_text() == "run\n"


@pytest.mark.requirement("R-A4", "FC-64")
async def test_a_host_that_is_told_to_end_leaves_no_process_and_no_open_turn(
    workshop: Workshop,
) -> None:
    turn_id = workshop.write(a_cli_conversation(workshop), HANGS)
    async with workshop.hosting(offer=lambda p: [CliAgent(p)]):
        mark = await workshop.until(three_are_up)
    assert marked(mark) == []
    assert workshop.turn(turn_id).status is TurnStatus.LOST


@pytest.mark.requirement("R-M13")
async def test_a_lost_lease_ends_the_whole_tree(workshop: Workshop) -> None:
    turn_id = workshop.write(a_cli_conversation(workshop), "say some\n" + HANGS)
    async with workshop.hosting(offer=lambda p: [CliAgent(p)]):
        mark = await workshop.until(three_are_up)
        with workshop.db.begin() as c:
            c.execute(text("UPDATE turn SET lease_until = 1 WHERE id = :id"), {"id": turn_id})
            c.execute(text("UPDATE turn SET status = 'lost', ended_at = 1, lease_until = NULL"))
        await workshop.until(lambda c: c.execute(text("SELECT 1 FROM message WHERE late")).first())
        left = marked(mark)
    assert left == []


@pytest.mark.requirement("R-A6", "R-A1")
async def test_a_command_line_agent_fits_the_protocol(workshop: Workshop) -> None:
    conversation = a_cli_conversation(workshop)
    good = workshop.write(conversation, "bytes 你好\nsay , world\n")
    bad = workshop.write(conversation, "say partial\nstderr 5\nexit 7\n")
    async with workshop.hosting(offer=lambda p: [CliAgent(p)]):
        ended = [await workshop.until_ended(turn_id) for turn_id in (good, bad)]
    assert [turn.status for turn in ended] == [TurnStatus.COMPLETED, TurnStatus.FAILED]
    assert ended[1].error == "it ended with 7: eeeee\n"
    assert workshop.texts(conversation)[2:] == ["你好, world", "partial"]
    sessions = workshop.rows("SELECT agent_session FROM conversation")
    assert str(sessions[0][0]).startswith("session-")


@pytest.mark.requirement("R-M9", "FC-13")
async def test_twenty_megabytes_of_output_are_kept_whole(workshop: Workshop) -> None:
    conversation = a_cli_conversation(workshop)
    turn_id = workshop.write(conversation, "big 20000000\n")
    async with workshop.hosting(offer=lambda p: [CliAgent(p)]):
        await workshop.until_ended(turn_id)
    assert workshop.texts(conversation)[-1] == "好" * (20_000_000 // 60_000 * 20_000)
