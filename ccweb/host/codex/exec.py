"""The `codex` agent: one `codex exec` a turn, resumed by its own thread id."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import anyio

from ccweb.clock import moment
from ccweb.conversations.model import Conversation, TurnEnd, TurnFacts
from ccweb.host.address import hub_url
from ccweb.host.agent import Job, SessionId, Tell, Took
from ccweb.host.codex import home as codex_home
from ccweb.host.codex.app_server import said_anew
from ccweb.host.codex.exec_events import ExecTurn
from ccweb.host.codex.home import NOTHING_NOTED, SERVER, TOKEN, Noted
from ccweb.host.codex.modes import EXEC_SANDBOX
from ccweb.host.codex.toml_text import inline
from ccweb.host.process import CommandMissing, Process
from ccweb.host.processes import Processes
from ccweb.settings import Settings
from ccweb_contract.enums import AgentKind, TurnFailure, TurnStatus

_LAST_WORDS_S: Final = 1.0


class CodexExecAgent:
    """Runs each turn in a process of its own; what needs a person's approval is refused there."""

    kind: Final = AgentKind.CODEX

    def __init__(
        self, s: Settings, processes: Processes, program: Path | str, *, start_s: float = 60.0
    ) -> None:
        """Make the agent.

        Args:
            s: Settings.
            processes: Of this run of the host.
            program: Codex, by path or name.
            start_s: Seconds in which the program must tell its thread.
        """
        self._processes = processes
        self._s = s
        self._program = program
        self._start_s = start_s
        self._home = codex_home.home_of(s)

    async def run(self, job: Job, tell: Tell) -> TurnEnd:
        """Run one turn; partial text does not exist here, `exec` tells whole messages."""
        thread_id = job.conversation.agent_session
        rollout = self._home.rollout(thread_id, forks=job.forks) if thread_id else None
        if thread_id and rollout is None:
            return session_missing(tell, thread_id)
        turn = ExecTurn(codex_home.noted(rollout).used if rollout else TurnFacts())
        try:
            process = await self._start(job)
        except CommandMissing as missing:
            return not_started(job.conversation, missing)
        try:
            return await self._follow(process, turn, job, tell)
        except anyio.get_cancelled_exc_class():
            with anyio.CancelScope(shield=True):
                await self._interrupt(process)
                tell(Took(facts=turn.took(self._noted(turn.thread_id))))
            raise
        finally:
            await self._processes.end(process)

    async def aclose(self) -> None:
        """Keep nothing between turns."""

    async def _start(self, job: Job) -> Process:
        env = {**self._home.prepare(), TOKEN: job.credential}
        command = [codex_home.native(self._program), *self._arguments(job)]
        return await self._processes.start(job.turn, command, cwd=job.conversation.cwd, env=env)

    def _arguments(self, job: Job) -> list[str]:
        told = said_anew(job.conversation, self._s.lang).get("developerInstructions")
        return arguments(job.conversation, hub_url(self._s), forks=job.forks, told=told)

    async def _follow(self, process: Process, turn: ExecTurn, job: Job, tell: Tell) -> TurnEnd:
        with anyio.move_on_after(self._start_s) as patience:
            await process.write(job.turn.prompt)
            await process.close_input()
            while (line := await process.line()) is not None:
                for event in turn.take(line):
                    tell(event)
                if turn.is_over:  # it has only to end itself
                    patience.deadline = anyio.current_time() + self._s.stop_grace_s
                elif turn.thread_id:
                    patience.deadline = float("inf")
        if patience.cancelled_caught and not turn.is_over:
            return hung(self._start_s)
        with anyio.move_on_after(self._s.stop_grace_s):
            await process.wait()
        error_tail = await process.last_words(_LAST_WORDS_S)
        for event in turn.refusals(error_tail):
            tell(event)
        return turn.end(
            process.code, error_tail, noted=self._noted(turn.thread_id), now=moment().now
        )

    def _noted(self, thread_id: str | None) -> Noted:
        """Return what the thread's file says that the events do not."""
        rollout = self._home.rollout(thread_id) if thread_id else None
        return codex_home.noted(rollout) if rollout else NOTHING_NOTED

    async def _interrupt(self, process: Process) -> None:
        """Let Codex write down how far it has come, before the tree is ended."""
        process.interrupt()
        with anyio.move_on_after(self._s.stop_grace_s):
            await process.wait()


def arguments(
    conversation: Conversation, url: str | None, *, forks: bool = False, told: str | None = None
) -> list[str]:
    """Return the arguments of one turn: no prompt and no secret is among them.

    Args:
        conversation: Whose turn it is.
        url: The hub's address, None while it has none.
        forks: Whether the thread stays as it is, and a copy goes on.
        told: What the model is told at the start of a thread.
    """
    verb = "fork" if forks else "resume"
    resume = [verb, conversation.agent_session] if conversation.agent_session else []
    settings: dict[str, Any] = {
        "approval_policy": "never",
        "sandbox_mode": EXEC_SANDBOX[conversation.permission_mode],
    }
    if conversation.effort:
        settings["model_reasoning_effort"] = conversation.effort
    if told:
        settings["developer_instructions"] = told
    if url:
        settings[f"mcp_servers.{SERVER}"] = codex_home.mcp_entry(url)
    model = ["--model", conversation.model] if conversation.model else []
    options = ["--json", "--skip-git-repo-check", *_configs(settings), *model]
    return ["exec", *resume[:1], *options, *resume[1:], "-"]


def session_missing(tell: Tell, thread_id: str) -> TurnEnd:
    """End a turn whose thread is gone; the next one begins a new thread."""
    tell(SessionId(session_id=""))
    return TurnEnd(
        status=TurnStatus.FAILED,
        failure=TurnFailure.SESSION_MISSING,
        error=f"Codex has no thread {thread_id} any more.",
    )


def not_started(conversation: Conversation, missing: CommandMissing) -> TurnEnd:
    """End a turn whose program or folder is not there."""
    if not Path(conversation.cwd).is_dir():
        error = f"The folder {conversation.cwd} does not exist any more."
        return TurnEnd(status=TurnStatus.FAILED, failure=TurnFailure.OTHER, error=error)
    return TurnEnd(
        status=TurnStatus.FAILED, failure=TurnFailure.PROGRAM_MISSING, error=str(missing)
    )


def hung(start_s: float) -> TurnEnd:
    """End a turn whose program does not speak."""
    return TurnEnd(
        status=TurnStatus.FAILED,
        failure=TurnFailure.PROGRAM_CRASHED,
        error=f"Codex said nothing for {start_s:g} seconds.",
    )


def _configs(settings: Mapping[str, Any]) -> list[str]:
    """Return settings as arguments that go over those of the file."""
    return [
        part for key, value in settings.items() for part in ("--config", f"{key}={inline(value)}")
    ]
