"""A real host process that offers fake programs as agents; it can be killed like any other."""

import sys
from pathlib import Path

import anyio

from ccweb import logs
from ccweb.db.engine import Database
from ccweb.host.agent import Agent
from ccweb.host.claude.agent import ClaudeAgent
from ccweb.host.identity import identity
from ccweb.host.processes import Processes
from ccweb.host.supervisor import Supervisor
from ccweb.settings import load
from tests.fakes.cli_agent import CliAgent


async def main() -> None:
    """Run until killed; say on standard output that turns are claimed."""
    logs.configure()
    s = load()
    db = Database(s.database)

    def offer(processes: Processes) -> list[Agent]:
        return [CliAgent(processes), ClaudeAgent(s, processes, Path(s.claude_path))]

    supervisor = Supervisor(db, s, identity(s.data_dir), offer)
    await supervisor.run(started=lambda: print("up", flush=True))


if __name__ == "__main__":
    sys.exit(anyio.run(main))
