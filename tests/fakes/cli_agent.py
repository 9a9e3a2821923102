"""An agent that runs the fake command-line program, one process a turn, as `codex exec` would."""

import json
import os
import sys
from pathlib import Path
from typing import Final

import anyio

from ccweb.conversations.model import TurnEnd
from ccweb.host.agent import Job, SessionId, Started, Tell, TextDelta
from ccweb.host.process import Process, environment
from ccweb.host.processes import Processes
from ccweb_contract.enums import AgentKind, TurnStatus

PROGRAM: Final = Path(__file__).with_name("cli_program.py")


class CliAgent:
    """Gives the prompt to a process and takes its lines as events."""

    kind: Final = AgentKind.CODEX

    def __init__(self, processes: Processes) -> None:
        self._processes = processes
        self.pids: list[int] = []
        """Every process and grandchild that told its id."""
        self.told_ids = anyio.Event()

    async def run(self, job: Job, tell: Tell) -> TurnEnd:
        process = await self._processes.start(
            job.turn,
            [sys.executable, str(PROGRAM)],
            cwd=job.conversation.cwd,
            env=environment(os.environ, {"CCWEB_TOKEN": job.credential}),
        )
        try:
            await process.write(job.turn.prompt)
            await process.close_input()
            text = await self._follow(process, tell)
            code = await process.wait()
        finally:
            await self._processes.end(process)
        if code != 0:
            error = f"it ended with {code}: {process.error_tail[-200:]}"
            return TurnEnd(status=TurnStatus.FAILED, text=text, error=error)
        status = TurnStatus.COMPLETED if text else TurnStatus.EMPTY
        return TurnEnd(status=status, text=text)

    async def aclose(self) -> None:
        """Keep nothing between turns."""

    async def _follow(self, process: Process, tell: Tell) -> str:
        parts = []
        while (line := await process.line()) is not None:
            event = json.loads(line)
            if "pid" in event:
                tell(Started())
                tell(SessionId(session_id=f"session-{event['pid']}"))
                self.pids.append(event["pid"])
            elif "child" in event:
                self.pids.append(event["child"])
                self.told_ids.set()
            else:
                tell(TextDelta(text=event["say"]))
                parts.append(event["say"])
        return "".join(parts)
