"""The processes of one run of a host: each is recorded before it can do anything."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import structlog
from anyio.abc import TaskGroup

from ccweb.clock import moment
from ccweb.conversations import hosts
from ccweb.conversations.hosts import AgentProcess
from ccweb.db.engine import Database
from ccweb.host.process import Process
from ccweb.ids import new_id

log = structlog.get_logger()


class Processes:
    """Starts agent processes and ends them; what is recorded survives our own death (R-M13)."""

    def __init__(self, db: Database, *, run_id: str, stop_grace_s: float, tasks: TaskGroup) -> None:
        self._db = db
        self._run_id = run_id
        self._grace_s = stop_grace_s
        self._tasks = tasks

    async def start(
        self,
        conversation_id: str,
        command: Sequence[str],
        *,
        cwd: Path | str,
        env: Mapping[str, str],
    ) -> Process:
        """Start an agent process of a conversation and note its id and birth in the database.

        Raises:
            CommandMissing: there is no such program or folder.
        """
        mark = new_id("proc")
        process = await Process.start(command, cwd=cwd, env=env, mark=mark, gated=True)
        try:
            await self._record(conversation_id, process)
        except BaseException:
            await process.end(grace_s=0)
            raise
        self._tasks.start_soon(process.drain_errors)
        await process.open_gate()
        return process

    async def end(self, process: Process) -> None:
        """End a process with its whole tree, and note that it is gone."""
        await process.end(grace_s=self._grace_s)
        await self._db.write(lambda c: hosts.end_process(c, moment(), process.mark))

    async def _record(self, conversation_id: str, process: Process) -> None:
        row = AgentProcess(
            id=process.mark,
            run_id=self._run_id,
            conversation_id=conversation_id,
            pid=process.born.pid,
            pid_started=process.born.started,
        )
        await self._db.write(lambda c: hosts.start_process(c, moment(), row))
        log.info("agent_process_started", process_id=process.mark, pid=process.born.pid)
