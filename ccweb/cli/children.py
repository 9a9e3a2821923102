"""Hub and host as child processes: each lives and dies by itself, and both end with us."""

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

import anyio
from anyio import TASK_STATUS_IGNORED
from anyio.abc import TaskStatus

from ccweb.host.process import Process
from ccweb.ids import new_id
from ccweb.settings import Settings, variable

_GRACE_S: Final = 20.0
"""A host needs time for the agents that it ends itself."""
_REFUSED: Final = (1, 2)
_FIRST_PAUSE_S: Final = 0.2
_LAST_PAUSE_S: Final = 5.0


class Child:
    """One of our own processes, which is started again whenever it dies."""

    def __init__(self, s: Settings, command: Sequence[str], *, quiet: bool = False) -> None:
        self.name = command[0]
        self._quiet = quiet
        self._command = [sys.executable, "-m", "ccweb.cli", *command, "--until-eof"]
        self._env = {**os.environ, **_variables(s)}

    async def keep(self, *, task_status: TaskStatus[str | None] = TASK_STATUS_IGNORED) -> None:
        """Run until cancelled; `TaskGroup.start` returns the line that it prints once it works.

        That is None when it refuses to start and has said why: then this returns at once.
        """
        pause_s = _FIRST_PAUSE_S
        worked = False

        def ready(line: str) -> None:
            nonlocal worked, pause_s
            pause_s = _FIRST_PAUSE_S
            if not worked:
                worked = True
                task_status.started(line)

        while True:
            code = await self._once(ready)
            if not worked and code in _REFUSED:
                return task_status.started(None)
            print(f"ccweb: the {self.name} ended ({code}); starting it again", file=sys.stderr)
            await anyio.sleep(pause_s)
            pause_s = min(pause_s * 2, _LAST_PAUSE_S)

    async def _once(self, ready: Callable[[str], None]) -> int:
        process = await Process.start(
            self._command,
            cwd=Path.cwd(),
            env=self._env,
            mark=new_id("proc"),
            own_stderr=self._quiet,
        )
        try:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(process.drain_errors)
                if (line := await process.line()) is not None:
                    ready(line)
                while await process.line() is not None:
                    pass
            return await process.wait()
        finally:
            await process.end(grace_s=_GRACE_S)


def _variables(s: Settings) -> Mapping[str, str]:
    return {
        variable("data_dir"): str(s.data_dir),
        variable("host"): s.host,
        variable("port"): str(s.port),
        variable("claude_path"): s.claude_path,
        variable("codex_path"): s.codex_path,
    }
