"""The agents' programs run bare: what a turn costs where ccweb does not run it.

They can be given the tools of a hub, which they load for themselves at their own cost.
"""

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

from ccweb.tools.dynamic import dynamic_tools
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Tools:
    """A hub whose tools a program loads."""

    url: str
    token: str

    @property
    def headers(self) -> dict[str, str]:
        """Return what opens the hub."""
        return {"Authorization": f"Bearer {self.token}"}

    @property
    def for_claude(self) -> tuple[str, ...]:
        """Return the options that enter it in Claude Code."""
        entry = {"type": "http", "url": self.url, "headers": self.headers, "alwaysLoad": True}
        return "--mcp-config", json.dumps({"mcpServers": {"ccweb": entry}})

    @property
    def for_codex(self) -> tuple[str, ...]:
        """Return the options that enter it in `codex exec`."""
        entry = f'{{url="{self.url}",http_headers={{Authorization="Bearer {self.token}"}}}}'
        return "-c", f"mcp_servers.ccweb={entry}"

    @property
    def for_thread(self) -> dict[str, Any]:
        """Return the parameters that give it to a thread of Codex."""
        entry = {"url": self.url, "http_headers": self.headers}
        return {"config": {"mcp_servers.ccweb": entry}, "dynamicTools": dynamic_tools()}


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
    tools: Tools | None
    session: str = ""

    async def turn(self, prompt: str) -> Took:
        """Run one turn in a new process, to the end of that process."""
        began = time.monotonic()
        which = ("--resume", self.session) if self.session else ("--session-id", str(uuid4()))
        self.session = which[1]
        tools = self.tools.for_claude if self.tools else ()
        command = [self.machine.environ["CCWEB_CLAUDE_PATH"], *CLAUDE_OPTIONS, *which, *tools]
        said = {"type": "user", "message": {"role": "user", "content": prompt}}
        text_at = None
        async with _running(command, self.machine, self.cwd) as process:
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
    tools: Tools | None
    thread: str = ""

    async def turn(self, prompt: str) -> Took:
        """Run one turn in a new process, to the end of that process."""
        began = time.monotonic()
        which = ("resume", self.thread) if self.thread else ()
        tools = self.tools.for_codex if self.tools else ()
        command = [self.machine.environ["CCWEB_CODEX_PATH"], "exec", *which[:1], *CODEX_OPTIONS]
        async with _running([*command, *tools, *which[1:], "-"], self.machine, self.cwd) as process:
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
    tools: Tools | None
    thread: str = ""
    number: int = 0

    async def turn(self, prompt: str) -> Took:
        """Run one turn, to the line that ends it."""
        if not self.thread:
            await self._start()
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

    async def _start(self) -> None:
        able = {"experimentalApi": True}
        await self._ask(
            "initialize", clientInfo={"name": "bare", "version": "0"}, capabilities=able
        )
        await _write(self.process, {"method": "initialized"})
        tools = self.tools.for_thread if self.tools else {}
        started = await self._ask("thread/start", cwd=str(self.cwd), **tools)
        self.thread = started["thread"]["id"]

    async def _ask(self, method: str, **params: Any) -> dict[str, Any]:
        self.number += 1
        await _write(self.process, {"id": self.number, "method": method, "params": params})
        async for line in self.lines:
            if line.get("id") == self.number and "method" not in line:
                result: dict[str, Any] = line["result"]
                return result
        raise EOFError


@asynccontextmanager
async def bare(
    kind: AgentKind, machine: Machine, tools: Tools | None = None
) -> AsyncIterator[Bare]:
    """Begin a conversation with a bare program."""
    cwd = machine.folder(f"bare-{uuid4().hex[:8]}")
    match kind:
        case AgentKind.CLAUDE:
            yield Claude(machine, cwd, tools)
        case AgentKind.CODEX:
            yield CodexExec(machine, cwd, tools)
        case _:
            command = [machine.environ["CCWEB_CODEX_PATH"], "app-server"]
            async with _running(command, machine, cwd) as process:
                yield CodexApp(process, _lines(process), cwd, tools)
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
