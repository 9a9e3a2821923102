"""Codex as an agent of a host, where the program breaks, hangs, or is cut in a call."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import psutil
import pytest
from sqlalchemy import text

from ccweb.access import service as access
from ccweb.clock import moment
from ccweb.conversations.model import Conversation, Turn
from ccweb.host.agent import Agent, Job
from ccweb.host.codex.app import CodexAppAgent
from ccweb.host.codex.exec import CodexExecAgent
from ccweb.host.processes import Processes
from ccweb.relay import service as relay
from ccweb_contract.enums import AgentKind, TurnFailure, TurnStatus
from tests.fakes.codex_program import install
from tests.host.workshop import Workshop, a_workshop

KINDS: dict[AgentKind, Callable[..., Agent]] = {
    AgentKind.CODEX: CodexExecAgent,
    AgentKind.CODEX_APP: CodexAppAgent,
}
START_S = 10.0
SESSIONS = "SELECT 1 FROM conversation WHERE agent_session IS NOT NULL"

both = pytest.mark.parametrize("kind", KINDS)


@asynccontextmanager
async def hosting(
    workshop: Workshop, program: Path | str, *, start_s: float = START_S
) -> AsyncIterator[None]:
    """Run a host with both agents."""

    def offer(processes: Processes) -> list[Agent]:
        return [make(workshop.s, processes, program, start_s=start_s) for make in KINDS.values()]

    async with workshop.hosting(offer=offer):
        yield


def pids(workshop: Workshop, *, open_only: bool = True) -> list[int]:
    """Return the processes of agents that are noted."""
    ended = "WHERE ended_at IS NULL" if open_only else ""
    return [int(str(pid)) for (pid,) in workshop.rows(f"SELECT pid FROM agent_process {ended}")]


def written(workshop: Workshop, sql: str, **values: str) -> None:
    with workshop.db.begin() as c:
        c.execute(text(sql), values)


def lives(pid: int) -> bool:
    """Tell whether a process runs; one that waits to be reaped does not."""
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


async def ran(workshop: Workshop, talk: Conversation, prompt: str) -> Turn:
    return await workshop.until_ended(workshop.write(talk, prompt))


@both
@pytest.mark.requirement("R-A6")
async def test_a_character_that_is_split_between_two_reads_survives(
    workshop: Workshop, tmp_path: Path, kind: AgentKind
) -> None:
    async with hosting(workshop, install(tmp_path)):
        talk = workshop.conversation(agent=kind)
        await ran(workshop, talk, "say 你好，世界🎉")
    assert workshop.texts(talk)[-1] == "你好，世界🎉"


@both
@pytest.mark.requirement("R-A5")
async def test_a_program_and_a_folder_may_have_any_name(
    workshop: Workshop, tmp_path: Path, kind: AgentKind
) -> None:
    folder = tmp_path / "my 程序 $HOME 'x'"
    folder.mkdir()
    talk = workshop.conversation(agent=kind)
    written(workshop, "UPDATE conversation SET cwd = :cwd", cwd=str(folder))
    async with hosting(workshop, install(folder)):
        turn = await ran(workshop, talk, "say hello")
    assert (turn.status, workshop.texts(talk)[-1]) == (TurnStatus.COMPLETED, "hello")


@both
@pytest.mark.requirement("R-A5")
async def test_a_program_that_is_not_there_is_named(workshop: Workshop, kind: AgentKind) -> None:
    async with hosting(workshop, "/nowhere/codex"):
        turn = await ran(workshop, workshop.conversation(agent=kind), "say x")
    assert (turn.status, turn.failure) == (TurnStatus.FAILED, TurnFailure.PROGRAM_MISSING)
    assert "/nowhere/codex" in str(turn.error)


@both
@pytest.mark.requirement("R-A5")
async def test_a_folder_that_is_gone_is_named(
    workshop: Workshop, tmp_path: Path, kind: AgentKind
) -> None:
    talk = workshop.conversation(agent=kind)
    gone = tmp_path / "gone"
    written(workshop, "UPDATE conversation SET cwd = :cwd", cwd=str(gone))
    async with hosting(workshop, install(tmp_path)):
        turn = await ran(workshop, talk, "say x")
    assert (turn.failure, str(gone) in str(turn.error)) == (TurnFailure.OTHER, True)


@both
@pytest.mark.requirement("R-A5")
@pytest.mark.parametrize(
    ("manner", "failure"),
    [("old", TurnFailure.PROGRAM_TOO_OLD), ("silent", TurnFailure.PROGRAM_CRASHED)],
)
async def test_a_program_that_cannot_begin_is_said_and_leaves_nothing(
    workshop: Workshop, tmp_path: Path, kind: AgentKind, manner: str, failure: TurnFailure
) -> None:
    async with hosting(workshop, install(tmp_path, manner), start_s=1.0):
        turn = await ran(workshop, workshop.conversation(agent=kind), "say x")
        assert pids(workshop) == []
    assert (turn.status, turn.failure) == (TurnStatus.FAILED, failure)
    assert not any(lives(pid) for pid in pids(workshop, open_only=False))


@both
@pytest.mark.requirement("R-A5")
async def test_a_crash_in_the_middle_is_told_in_the_programs_words(
    workshop: Workshop, tmp_path: Path, kind: AgentKind
) -> None:
    async with hosting(workshop, install(tmp_path)):
        turn = await ran(workshop, workshop.conversation(agent=kind), "crash")
        assert pids(workshop) == []
    assert turn.failure is TurnFailure.PROGRAM_CRASHED
    assert turn.error == "Codex ended with 7 in the middle of the turn: Error: out of luck"


@both
@pytest.mark.requirement("R-A6")
async def test_a_line_over_the_limit_ends_the_turn(
    workshop: Workshop, tmp_path: Path, kind: AgentKind
) -> None:
    async with hosting(workshop, install(tmp_path)):
        turn = await ran(workshop, workshop.conversation(agent=kind), "line")
        assert pids(workshop) == []
    assert turn.status is TurnStatus.FAILED
    assert "line" in str(turn.error)


@both
@pytest.mark.requirement("R-A6")
async def test_lines_that_mean_nothing_are_passed_over(
    workshop: Workshop, tmp_path: Path, kind: AgentKind
) -> None:
    async with hosting(workshop, install(tmp_path)):
        talk = workshop.conversation(agent=kind)
        turn = await ran(workshop, talk, "noise Here I am.")
    assert (turn.status, turn.error) == (TurnStatus.COMPLETED, None)
    assert workshop.texts(talk)[-1] == "Here I am."


@pytest.mark.requirement("R-A4")
@pytest.mark.parametrize("word", ["held", "stays"])
async def test_a_turn_that_is_completed_waits_for_nobody(
    workshop: Workshop, tmp_path: Path, word: str
) -> None:
    async with hosting(workshop, install(tmp_path)):
        talk = workshop.conversation(agent=AgentKind.CODEX)
        turn = await ran(workshop, talk, f"{word} Here I am.")
        assert pids(workshop) == []
    assert turn.status is TurnStatus.COMPLETED
    assert workshop.texts(talk)[-1] == "Here I am."


@both
@pytest.mark.requirement("R-A4")
async def test_a_stop_ends_the_whole_tree_of_a_program_that_does_not_obey(
    workshop: Workshop, tmp_path: Path, kind: AgentKind
) -> None:
    async with hosting(workshop, install(tmp_path)):
        talk = workshop.conversation(agent=kind)
        turn_id = workshop.write(talk, "child")
        told = Path(talk.cwd, "child.txt")
        await workshop.until(lambda _: (told.exists() and told.read_text()) or None)
        stop(workshop, talk)
        turn = await workshop.until_ended(turn_id)
    assert turn.status is TurnStatus.INTERRUPTED
    assert not lives(int(told.read_text()))


def stop(workshop: Workshop, talk: Conversation) -> None:
    with workshop.db.begin() as c:
        relay.stop(c, moment(), workshop.s, talk.id)


class SlowTools(CodexAppAgent):
    """The agent with tools that take until a test lets them go on."""

    def __init__(self, *given: Any, **more: Any) -> None:
        super().__init__(*given, **more)
        self.called, self.may_answer = anyio.Event(), anyio.Event()

    async def call_tool(self, job: Job, params: Any) -> dict[str, Any]:
        self.called.set()
        await self.may_answer.wait()
        return await super().call_tool(job, params)


@asynccontextmanager
async def with_slow_tools(workshop: Workshop, program: Path) -> AsyncIterator[SlowTools]:
    made: list[SlowTools] = []

    def offer(processes: Processes) -> list[Agent]:
        made.append(SlowTools(workshop.s, processes, program, start_s=START_S))
        return list(made)

    async with workshop.hosting(offer=offer):
        yield made[0]


@pytest.mark.requirement("R-A2", "R-D5")
async def test_the_first_request_of_a_program_has_the_number_zero_and_is_answered(
    workshop: Workshop, tmp_path: Path
) -> None:
    async with hosting(workshop, install(tmp_path)):
        talk = workshop.conversation(agent=AgentKind.CODEX_APP)
        turn = await ran(workshop, talk, "call nothing_of_ours")
    assert turn.status is TurnStatus.COMPLETED
    assert '"error_code": "unknown_tool"' in workshop.texts(talk)[-1]


@pytest.mark.requirement("R-A2", "R-M11")
async def test_a_call_that_is_cut_by_an_interrupt_is_dropped_and_the_process_goes_on(
    workshop: Workshop, tmp_path: Path
) -> None:
    async with with_slow_tools(workshop, install(tmp_path)) as agent:
        talk = workshop.conversation(agent=AgentKind.CODEX_APP)
        turn_id = workshop.write(talk, "call ccweb_list_conversations")
        with anyio.fail_after(START_S):
            await agent.called.wait()
        stop(workshop, talk)
        turn = await workshop.until_ended(turn_id)
        before = pids(workshop)
        agent.may_answer.set()
        after = await ran(workshop, talk, "say Going on.")
        assert pids(workshop) == before
    assert turn.status is TurnStatus.INTERRUPTED
    assert (after.status, workshop.texts(talk)[-1]) == (TurnStatus.COMPLETED, "Going on.")


@pytest.mark.requirement("R-A4")
async def test_a_program_that_takes_no_interrupt_is_ended(
    workshop: Workshop, tmp_path: Path
) -> None:
    async with hosting(workshop, install(tmp_path)):
        talk = workshop.conversation(agent=AgentKind.CODEX_APP)
        turn_id = workshop.write(talk, "deaf")
        await workshop.until(lambda _: workshop.rows(SESSIONS) or None)
        stop(workshop, talk)
        turn = await workshop.until_ended(turn_id)
        await workshop.until(lambda _: not pids(workshop) or None)
    assert turn.status is TurnStatus.INTERRUPTED


def revoke(workshop: Workshop, _: Conversation) -> None:
    with workshop.db.begin() as c:
        [run_id] = [row[0] for row in workshop.rows("SELECT id FROM host_run")]
        access.revoke_run(c, moment(), str(run_id))


def delete(workshop: Workshop, talk: Conversation) -> None:
    with workshop.db.begin() as c:
        relay.delete(c, moment(), workshop.s, talk.id)


@pytest.mark.requirement("R-A4", "R-D6")
@pytest.mark.parametrize("end", [revoke, delete])
async def test_a_warm_process_ends_with_its_credential_or_its_conversation(
    workshop: Workshop, tmp_path: Path, end: Callable[[Workshop, Conversation], None]
) -> None:
    async with hosting(workshop, install(tmp_path)):
        talk = workshop.conversation(agent=AgentKind.CODEX_APP)
        await ran(workshop, talk, "say kept warm")
        [pid] = pids(workshop)
        end(workshop, talk)
        await workshop.until(lambda _: not pids(workshop) or None)
    assert not lives(pid)


@pytest.mark.requirement("R-A4")
async def test_an_idle_process_ends_after_its_time(tmp_path: Path) -> None:
    workshop = a_workshop(tmp_path, agent_idle_s=0.2)
    async with hosting(workshop, install(tmp_path)):
        await ran(workshop, workshop.conversation(agent=AgentKind.CODEX_APP), "say x")
        await workshop.until(lambda _: not pids(workshop) or None)
    workshop.db.close()


@pytest.mark.requirement("R-A4")
async def test_the_end_of_a_host_ends_what_it_kept_warm(workshop: Workshop, tmp_path: Path) -> None:
    async with hosting(workshop, install(tmp_path)):
        await ran(workshop, workshop.conversation(agent=AgentKind.CODEX_APP), "say x")
        [pid] = pids(workshop)
        assert lives(pid)
    assert not lives(pid)
    assert pids(workshop) == []


@pytest.mark.requirement("R-S2")
async def test_another_mode_gets_another_process(workshop: Workshop, tmp_path: Path) -> None:
    async with hosting(workshop, install(tmp_path)):
        talk = workshop.conversation(agent=AgentKind.CODEX_APP)
        await ran(workshop, talk, "say x")
        [pid] = pids(workshop)
        written(workshop, "UPDATE conversation SET permission_mode = 'plan'")
        turn = await ran(workshop, talk, "say y")
    assert turn.failure is TurnFailure.SESSION_MISSING  # the fake keeps no threads
    assert not lives(pid)
