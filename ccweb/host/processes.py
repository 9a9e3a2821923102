"""The processes of one run of a host: each is recorded before it can do anything."""

from collections.abc import Callable, Coroutine, Mapping, Sequence
from pathlib import Path
from typing import Any

import anyio
import structlog
from anyio.abc import TaskGroup
from sqlalchemy import Connection

from ccweb.clock import moment
from ccweb.conversations import hosts, turns
from ccweb.conversations.hosts import AgentProcess
from ccweb.conversations.model import Turn
from ccweb.db.engine import Database
from ccweb.errors import TurnOver
from ccweb.host.process import Process
from ccweb.ids import new_id

log = structlog.get_logger()


class Processes:
    """Starts agent processes and ends them; what is recorded survives our own death (R-M13)."""

    def __init__(self, db: Database, *, run_id: str, stop_grace_s: float, tasks: TaskGroup) -> None:
        self.db = db
        self._run_id = run_id
        self._grace_s = stop_grace_s
        self._tasks = tasks

    async def start(
        self,
        turn: Turn,
        command: Sequence[str],
        *,
        cwd: Path | str,
        env: Mapping[str, str],
    ) -> Process:
        """Start an agent process for a turn and note its id and birth in the database.

        With that the turn has begun, before the process can do anything: it is never run again.

        Raises:
            CommandMissing: there is no such program or folder.
            TurnOver: the turn is no longer this host's.
        """
        mark = new_id("proc")
        process = await Process.start(command, cwd=cwd, env=env, mark=mark, gated=True)
        try:
            await self._record(turn, process)
        except BaseException:
            with anyio.CancelScope(shield=True):
                await process.end(grace_s=0)
                await self._ended(process)  # it may have been noted all the same
            raise
        self._tasks.start_soon(process.drain_errors)
        await process.open_gate()
        return process

    async def end(self, process: Process) -> None:
        """End a process with its whole tree, and note that it is gone."""
        await process.end(grace_s=self._grace_s)
        await self._ended(process)

    def attend(self, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Do something beside all turns, until this run of the host ends."""
        self._tasks.start_soon(work)

    async def begin(self, turn: Turn) -> None:
        """Note that a turn begins in a process that an earlier turn has started.

        Raises:
            TurnOver: the turn is no longer this host's.
        """
        await self.db.write(lambda c: _begin(c, turn))

    async def _ended(self, process: Process) -> None:
        await self.db.write(lambda c: hosts.end_process(c, moment(), process.mark))

    async def _record(self, turn: Turn, process: Process) -> None:
        row = AgentProcess(
            id=process.mark,
            run_id=self._run_id,
            conversation_id=turn.conversation_id,
            pid=process.born.pid,
            pid_started=process.born.started,
        )

        def write(c: Connection) -> None:
            _begin(c, turn)
            hosts.start_process(c, moment(), row)

        await self.db.write(write)
        log.info("agent_process_started", process_id=process.mark, pid=process.born.pid)


def _begin(c: Connection, turn: Turn) -> None:
    if not turns.begin(c, moment(), turn.lease):
        raise TurnOver(turn_id=turn.id)
