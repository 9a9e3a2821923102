"""Processes: nothing of their output is lost, and nothing of their tree is left."""

import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import psutil
import pytest

from ccweb.host.process import CommandMissing, Lines, LineTooLong, Process, environment
from ccweb.ids import new_id
from tests.fakes.cli_agent import PROGRAM

GRACE_S = 0.3
WAIT_S = 20.0


@asynccontextmanager
async def a_process(script: str, *, gated: bool = False) -> AsyncIterator[Process]:
    """Yield the fake program at work on a script, with its standard error drained."""
    process = await Process.start(
        [sys.executable, str(PROGRAM)],
        cwd=Path.cwd(),
        env=environment(os.environ, {}),
        mark=new_id("proc"),
        gated=gated,
    )
    try:
        with anyio.fail_after(WAIT_S):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(process.drain_errors)
                if gated:
                    await process.open_gate()
                await process.write(script)
                await process.close_input()
                yield process
                await process.end(grace_s=GRACE_S)
    finally:
        await process.end(grace_s=0)


async def lines_of(process: Process) -> list[str]:
    """Return all that is left of its output."""
    lines = []
    while (line := await process.line()) is not None:
        lines.append(line)
    return lines


async def told_id(process: Process, key: str) -> psutil.Process:
    """Return the process whose id it tells next."""
    line = await process.line()
    assert line is not None
    assert f'"{key}"' in line
    return psutil.Process(int(line.split(": ")[1].rstrip("}")))


def is_gone(process: psutil.Process) -> bool:
    """Tell whether a process does nothing any more."""
    try:
        return not process.is_running() or process.status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


@pytest.mark.requirement("R-A6", "FC-77")
def test_characters_split_between_reads_survive_byte_by_byte() -> None:
    text = "héllo 你好 🎉\r\nzweite Zeile\n\nlast"
    lines = Lines()
    found = [line for byte in text.encode() for line in lines.feed(bytes([byte]))]
    assert [*found, *lines.finish()] == ["héllo 你好 🎉", "zweite Zeile", "", "last"]


@pytest.mark.requirement("R-A6")
def test_a_line_over_the_limit_is_refused_and_one_at_the_limit_is_not() -> None:
    assert Lines(8).feed(b"12345678\n") == ["12345678"]
    with pytest.raises(LineTooLong):
        Lines(8).feed(b"123456789")


@pytest.mark.requirement("R-A6", "FC-77")
async def test_output_that_comes_byte_by_byte_arrives_whole() -> None:
    async with a_process("bytes 你好，世界 🎉\n") as process:
        lines = await lines_of(process)
    assert lines[1:] == ['{"say": "你好，世界 🎉"}']


@pytest.mark.requirement("R-A6", "R-M9")
async def test_twenty_megabytes_arrive_whole_in_one_line_and_in_many() -> None:
    async with a_process(f"big 20000000\nline {20 * 1024 * 1024}\n") as process:
        lines = await lines_of(process)
    assert len(lines) == 1 + 20_000_000 // 60_000 + 1
    assert len(lines[-1]) == 20 * 1024 * 1024


@pytest.mark.requirement("R-A6")
async def test_a_flood_on_standard_error_blocks_nothing_and_its_tail_is_kept() -> None:
    async with a_process("stderr 3000000\nsay done\nexit 3\n") as process:
        lines = await lines_of(process)
        code = await process.wait()
    assert (lines[-1], code) == ('{"say": "done"}', 3)
    assert set(process.error_tail) == {"e", "\n"}
    assert len(process.error_tail) == 64 * 1024


@pytest.mark.requirement("R-A6")
async def test_a_prompt_of_megabytes_goes_in_by_standard_input() -> None:
    script = "say " + "好" * 1_000_000 + "\n"
    async with a_process(script) as process:
        lines = await lines_of(process)
    assert len(lines[-1]) > 1_000_000


@pytest.mark.requirement("R-A4")
async def test_a_process_that_ignores_sigterm_is_killed() -> None:
    async with a_process("deaf\nsay ready\nhang\n") as process:
        child = await told_id(process, "pid")
        await process.line()
        await process.end(grace_s=GRACE_S)
    assert is_gone(child)
    assert process.code == -9


@pytest.mark.requirement("R-A4")
@pytest.mark.parametrize("kind", ["child", "runaway"])
async def test_a_grandchild_ends_with_the_tree_even_in_a_session_of_its_own(kind: str) -> None:
    async with a_process(f"{kind}\nhang\n") as process:
        root = await told_id(process, "pid")
        grandchild = await told_id(process, "child")
        await process.end(grace_s=GRACE_S)
    assert is_gone(root)
    assert is_gone(grandchild)


@pytest.mark.requirement("R-A4")
async def test_a_grandchild_whose_parent_has_ended_is_found_all_the_same() -> None:
    async with a_process("runaway\nexit 0\n") as process:
        await told_id(process, "pid")
        grandchild = await told_id(process, "child")
        await process.wait()
        assert not is_gone(grandchild)
        await process.end(grace_s=GRACE_S)
    assert is_gone(grandchild)


@pytest.mark.requirement("R-A4")
async def test_ending_is_not_given_up_when_its_caller_is_cancelled() -> None:
    async with a_process("deaf\nsay ready\nhang\n") as process:
        child = await told_id(process, "pid")
        await process.line()
        with anyio.CancelScope() as scope:
            scope.cancel()
            await process.end(grace_s=GRACE_S)
    assert is_gone(child)


@pytest.mark.requirement("R-M13")
async def test_a_gated_process_does_nothing_before_its_gate_opens() -> None:
    process = await Process.start(
        [sys.executable, str(PROGRAM)],
        cwd=Path.cwd(),
        env=environment(os.environ, {}),
        mark=new_id("proc"),
        gated=True,
    )
    await process.close_input()
    with anyio.fail_after(WAIT_S):
        assert await process.line() is None
        assert await process.wait() == 125
    await process.end(grace_s=0)


@pytest.mark.requirement("R-M13")
async def test_a_process_keeps_its_id_and_birth_when_its_gate_opens() -> None:
    async with a_process("hang\n", gated=True) as process:
        child = await told_id(process, "pid")
        assert child.pid == process.born.pid
        assert child.create_time() == process.born.started


@pytest.mark.requirement("R-A5")
async def test_a_missing_program_is_named() -> None:
    with pytest.raises(CommandMissing, match="no-such-agent"):
        await Process.start(["no-such-agent"], cwd=Path.cwd(), env={}, mark=new_id("proc"))


@pytest.mark.requirement("R-A5")
async def test_a_file_that_is_no_program_is_named(tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    broken.write_bytes(b"\x7fELF")
    broken.chmod(0o755)
    with pytest.raises(CommandMissing, match="broken"):
        await Process.start([str(broken)], cwd=Path.cwd(), env={}, mark=new_id("proc"))


def test_an_agent_gets_only_what_is_allowed_of_our_environment() -> None:
    ours = {"PATH": "/bin", "LC_ALL": "C", "CCWEB_TOKEN": "secret", "AWS_SECRET": "x"}
    assert environment(ours, {"EXTRA": "1"}) == {
        "PYTHONUTF8": "1",
        "PATH": "/bin",
        "LC_ALL": "C",
        "EXTRA": "1",
    }


@pytest.mark.requirement("R-A4")
async def test_a_process_whose_output_nobody_reads_leaves_no_pipe_open() -> None:
    before = psutil.Process().num_fds()
    async with a_process("big 3000000\nhang\n") as process:
        await process.line()
    assert psutil.Process().num_fds() == before


async def test_an_interrupt_reaches_a_program_that_waits() -> None:
    async with a_process("deaf\nhang") as process:
        await process.line()
        while process.code is None:  # one that comes just before it pauses does not wake it
            process.interrupt()
            with anyio.move_on_after(0.2):
                await process.wait()
        assert process.code != 0
        process.interrupt()


async def test_its_last_words_are_all_that_it_wrote_before_its_end() -> None:
    async with a_process("stderr 70000\nexit 3") as process:
        await process.wait()
        assert (await process.last_words(WAIT_S)).endswith("eee\n")


async def test_last_words_are_not_waited_for_longer_than_asked() -> None:
    async with a_process("stderr 10\nhang") as process:
        await process.line()
        assert "Traceback" not in await process.last_words(0.05)
