"""The agents' programs run bare: what a turn costs where nothing of ccweb is between."""

import json
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol
from uuid import uuid4

import anyio
import anyio.abc
from anyio.streams.buffered import BufferedByteReceiveStream

from ccweb_contract.enums import AgentKind
from tests.real_agents.machine import Machine

LINE_BYTES = 1 << 26
CLAUDE_OPTIONS = (
    *("-p", "--input-format", "stream-json", "--output-format", "stream-json"),
    *("--verbose", "--include-partial-messages"),
)
CODEX_OPTIONS = ("--json", "--skip-git-repo-check")


@dataclass(frozen=True, slots=True, kw_only=True)
class Took:
    """How long a bare turn took."""

    seconds: float
    first_text_at: float | None
    """When the program told the first piece of text, by the clock that all processes share."""


class Bare(Protocol):
    """A conversation with a bare program."""

    async def turn(self, prompt: str) -> Took:
        """Run one turn."""
        ...


@dataclass
class Claude:
    """Claude Code, one process a turn."""

    machine: Machine
    cwd: Path
    session: str = ""

    async def turn(self, prompt: str) -> Took:
        """Run one turn in a new process, to the end of that process."""
        began = time.monotonic()
        which = ("--resume", self.session) if self.session else ("--session-id", str(uuid4()))
        self.session = which[1]
        program = self.machine.environ["CCWEB_CLAUDE_PATH"]
        said = {"type": "user", "message": {"role": "user", "content": prompt}}
        text_at = None
        async with _running([program, *CLAUDE_OPTIONS, *which], self.machine, self.cwd) as process:
            await _write(process, said)
            async for line in _lines(process):
                if text_at is None and line.get("event", {}).get("type") == "content_block_delta":
                    text_at = time.monotonic()
                if line["type"] == "result":
                    assert process.stdin is not None
                    await process.stdin.aclose()
        return Took(seconds=time.monotonic() - began, first_text_at=text_at)


@dataclass
class CodexExec:
    """`codex exec`, one process a turn."""

    machine: Machine
    cwd: Path
    thread: str = ""

    async def turn(self, prompt: str) -> Took:
        """Run one turn in a new process, to the end of that process."""
        began = time.monotonic()
        which = ("resume", self.thread) if self.thread else ()
        command = [self.machine.environ["CCWEB_CODEX_PATH"], "exec", *CODEX_OPTIONS]
        command[2:2] = which[:1]
        async with _running([*command, *which[1:], "-"], self.machine, self.cwd) as process:
            assert process.stdin is not None
            await process.stdin.send(prompt.encode())
            await process.stdin.aclose()
            async for line in _lines(process):
                self.thread = line.get("thread_id", self.thread)
        return Took(seconds=time.monotonic() - began, first_text_at=None)


@dataclass
class CodexApp:
    """`codex app-server`, kept warm from turn to turn."""

    process: anyio.abc.Process
    lines: AsyncIterator[dict[str, Any]]
    cwd: Path
    thread: str = ""
    number: int = 0

    async def turn(self, prompt: str) -> Took:
        """Run one turn, to the line that ends it."""
        if not self.thread:
            await self._ask("initialize", clientInfo={"name": "bare", "version": "0"})
            await _write(self.process, {"method": "initialized"})
            started = await self._ask("thread/start", cwd=str(self.cwd), approvalPolicy="never")
            self.thread = started["thread"]["id"]
        began, text_at = time.monotonic(), None
        await self._ask(
            "turn/start", threadId=self.thread, input=[{"type": "text", "text": prompt}]
        )
        async for line in self.lines:
            if text_at is None and line.get("method") == "item/agentMessage/delta":
                text_at = time.monotonic()
            if line.get("method") == "turn/completed":
                break
        return Took(seconds=time.monotonic() - began, first_text_at=text_at)

    async def _ask(self, method: str, **params: Any) -> dict[str, Any]:
        self.number += 1
        await _write(self.process, {"id": self.number, "method": method, "params": params})
        async for line in self.lines:
            if line.get("id") == self.number and "method" not in line:
                result: dict[str, Any] = line["result"]
                return result
        raise EOFError


@asynccontextmanager
async def bare(kind: AgentKind, machine: Machine) -> AsyncIterator[Bare]:
    """Begin a conversation with a bare program."""
    cwd = machine.folder(f"bare-{uuid4().hex[:8]}")
    match kind:
        case AgentKind.CLAUDE:
            yield Claude(machine, cwd)
        case AgentKind.CODEX:
            yield CodexExec(machine, cwd)
        case _:
            command = [machine.environ["CCWEB_CODEX_PATH"], "app-server"]
            async with _running(command, machine, cwd) as process:
                yield CodexApp(process, _lines(process), cwd)
                assert process.stdin is not None
                await process.stdin.aclose()


@asynccontextmanager
async def _running(
    command: list[str], machine: Machine, cwd: Path
) -> AsyncIterator[anyio.abc.Process]:
    process = await anyio.open_process(
        command, env=machine.environ, cwd=cwd, stderr=-3, start_new_session=True
    )
    try:
        yield process
        assert await process.wait() == 0, command
    finally:
        if process.returncode is None:
            process.kill()
        with anyio.CancelScope(shield=True):
            await process.aclose()


async def _write(process: anyio.abc.Process, message: dict[str, Any]) -> None:
    assert process.stdin is not None
    await process.stdin.send(json.dumps(message, ensure_ascii=False).encode() + b"\n")


async def _lines(process: anyio.abc.Process) -> AsyncIterator[dict[str, Any]]:
    assert process.stdout is not None
    stream = BufferedByteReceiveStream(process.stdout)
    try:
        while True:
            yield json.loads(await stream.receive_until(b"\n", LINE_BYTES))
    except (anyio.EndOfStream, anyio.IncompleteRead):
        return
