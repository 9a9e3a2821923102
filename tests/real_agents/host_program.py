"""A real host that offers every agent of the command line; it can be killed like any other."""

import os
import sys
from importlib import import_module
from pathlib import Path

import anyio

from ccweb import logs
from ccweb.db.engine import Database
from ccweb.host.agent import Agent
from ccweb.host.demo import DemoAgent
from ccweb.host.identity import identity
from ccweb.host.processes import Processes
from ccweb.host.supervisor import Supervisor
from ccweb.settings import Settings, load

AGENTS = (
    ("ccweb.host.claude_code", "ClaudeAgent", "CCWEB_CLAUDE_PATH"),
    ("ccweb.host.codex_exec", "CodexExecAgent", "CCWEB_CODEX_PATH"),
    ("ccweb.host.codex_app", "CodexAppAgent", "CCWEB_CODEX_PATH"),
)


def _offer(s: Settings, processes: Processes) -> list[Agent]:
    agents: list[Agent] = [DemoAgent(s)]
    for module, name, path in AGENTS:
        if (Path(__file__).parents[2] / f"{module.replace('.', '/')}.py").exists():
            agents.append(
                getattr(import_module(module), name)(s, processes, Path(os.environ[path]))
            )
    return agents


async def main() -> None:
    """Run until killed; say on standard output that turns are claimed."""
    logs.configure()
    s = load()
    db = Database(s.database)
    supervisor = Supervisor(db, s, identity(s.data_dir), lambda p: _offer(s, p))
    await supervisor.run(started=lambda: print("up", flush=True))


if __name__ == "__main__":
    sys.exit(anyio.run(main))
