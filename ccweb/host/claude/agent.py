"""The `claude` agent: Claude Code, one process a turn, in its streaming form both ways."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import anyio
import anyio.lowlevel
import structlog
from anyio.abc import TaskGroup

from ccweb.conversations.model import TurnEnd
from ccweb.errors import TurnOver
from ccweb.host.agent import Job, SessionId, Started, Tell, Took
from ccweb.host.claude import control
from ccweb.host.claude.launch import command, environment_of, mcp_entry
from ccweb.host.claude.lines import Line, Reading, parsed
from ccweb.host.claude.outcome import broken_off, outcome, silent
from ccweb.host.process import CommandMissing, LineTooLong, Process
from ccweb.host.processes import Processes
from ccweb.settings import Settings
from ccweb_contract.enums import AgentKind, TurnFailure, TurnStatus

log = structlog.get_logger()

_SILENT_AT_START_S: Final = 120.0
"""It connects to every MCP server of the person's before it takes the prompt."""
_SILENT_S: Final = 1800.0
"""It says at least every 30 s that a tool still runs; this is for what hangs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Limits:
    """How long the program may say nothing."""

    at_start_s: float
    later_s: float


class ClaudeAgent:
    """Runs turns with Claude Code; nothing is kept between them but its own session."""

    kind: Final = AgentKind.CLAUDE

    def __init__(
        self,
        s: Settings,
        processes: Processes,
        path: Path,
        *,
        silent_at_start_s: float = _SILENT_AT_START_S,
        silent_s: float = _SILENT_S,
    ) -> None:
        self._s = s
        self._processes = processes
        self._path = path
        self._limits = _Limits(at_start_s=silent_at_start_s, later_s=silent_s)

    async def run(self, job: Job, tell: Tell) -> TurnEnd:
        """Run one turn; stopped, it is interrupted first, so that its session stays whole."""
        with mcp_entry(self._s, job) as entry:
            try:
                process = await self._processes.start(
                    job.turn,
                    command(self._path, job, entry, lang=self._s.lang),
                    cwd=job.conversation.cwd,
                    env=environment_of(os.environ),
                )
            except CommandMissing as error:
                failure = TurnFailure.PROGRAM_MISSING
                return TurnEnd(status=TurnStatus.FAILED, failure=failure, error=str(error))
            tell(Started())
            turn = _Turn(process, job, tell, grace_s=self._s.stop_grace_s)
            try:
                end = await turn.run(self._limits)
            finally:
                await self._processes.end(process)
        if end.failure is TurnFailure.SESSION_MISSING:
            tell(SessionId(session_id=""))
        return end

    async def aclose(self) -> None:
        """Keep nothing between turns."""


class _Silent(Exception):
    """The program said nothing for too long."""


class _Turn:
    """One turn with its process: reads what it writes, and answers what it asks."""

    def __init__(self, process: Process, job: Job, tell: Tell, *, grace_s: float) -> None:
        self._process = process
        self._job = job
        self._tell = tell
        self._grace_s = grace_s
        self._reading = Reading()
        self._asked: dict[str, anyio.CancelScope] = {}

    async def run(self, limits: _Limits) -> TurnEnd:
        """Return how the turn ended."""
        try:
            return await self._converse(limits)
        except anyio.get_cancelled_exc_class():
            with anyio.CancelScope(shield=True):
                await self._interrupt()
            raise

    async def _converse(self, limits: _Limits) -> TurnEnd:
        limit_s = limits.at_start_s
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._process.write, control.prompt(self._job.turn.prompt))
            try:
                while (line := await self._next(limit_s)) is not None:
                    self._take(line, tasks)
                    limit_s = limits.later_s if self._reading.begun else limits.at_start_s
            except _Silent:
                return silent(self._reading, after_s=limit_s)
            except LineTooLong as error:
                return broken_off(self._reading, code=None, error_tail=str(error))
            finally:
                tasks.cancel_scope.cancel()
        return outcome(self._reading) if self._reading.is_over() else await self._broken_off()

    async def _next(self, limit_s: float) -> Line | None:
        """Return the next line that is an object, None at the end.

        While people are asked there is no limit.
        """
        while not self._reading.is_over():
            text: str | None = None
            with anyio.move_on_after(limit_s) as scope:
                text = await self._process.line()
            if scope.cancelled_caught:
                if not self._asked:
                    raise _Silent
            elif text is None:
                return None
            elif (line := parsed(text)) is not None:
                return line
        return None

    def _take(self, line: Line, tasks: TaskGroup) -> None:
        match line.get("type"):
            case "control_request":
                scope = self._asked[_id(line)] = anyio.CancelScope()
                tasks.start_soon(self._answer, line, scope)
            case "control_cancel_request" if _id(line) in self._asked:
                self._asked[_id(line)].cancel()
            case _:
                for event in self._reading.take(line):
                    self._tell(event)

    async def _answer(self, line: Line, scope: anyio.CancelScope) -> None:
        """Answer what the program asks, unless it takes it back."""
        try:
            with scope:
                await anyio.lowlevel.checkpoint()  # it may have been taken back already
                given = await self._answer_to(line)
                await self._process.write(given)
        except TurnOver:
            log.warning("asked_after_turn", turn_id=self._job.turn.id)
        finally:
            self._asked.pop(_id(line), None)

    async def _answer_to(self, line: Line) -> str:
        """Return the line that answers; a person may take any time for it."""
        request = control.tool_request(line)
        if request is None:
            return control.unknown(_id(line))
        if request.is_ours:
            return control.response(request.id, control.allowed(request))
        answer = await self._job.ask(control.question(request))
        return control.response(request.id, control.answered(request, answer))

    async def _interrupt(self) -> None:
        """Have the turn interrupted and read what is left of it, for a while."""
        if not self._reading.begun or self._reading.is_over():
            return
        with anyio.move_on_after(self._grace_s):
            await self._process.write(control.interrupt())
            while not self._reading.is_over() and (text := await self._process.line()) is not None:
                for event in self._reading.take(parsed(text) or {}):
                    self._tell(event)
        if self._reading.is_over():
            self._tell(Took(facts=outcome(self._reading).facts))

    async def _broken_off(self) -> TurnEnd:
        with anyio.move_on_after(self._grace_s):
            await self._process.wait()
        tail = await self._process.last_words(self._grace_s)
        return broken_off(self._reading, code=self._process.code, error_tail=tail)


def _id(line: Line) -> str:
    return str(line.get("request_id"))
