"""A host as one call: its identity, its agents, and its run."""

from collections.abc import Callable, Mapping
from typing import Final

import anyio

from ccweb.db.engine import Database
from ccweb.host.claude_code import ClaudeAgent
from ccweb.host.codex_app import CodexAppAgent
from ccweb.host.codex_exec import CodexExecAgent
from ccweb.host.demo import DemoAgent
from ccweb.host.identity import identity
from ccweb.host.offers import Make, Offering
from ccweb.host.supervisor import Supervisor
from ccweb.settings import Settings
from ccweb_contract.enums import AgentKind

MAKES: Final[Mapping[AgentKind, Make]] = {
    AgentKind.CLAUDE: ClaudeAgent,
    AgentKind.CODEX: CodexExecAgent,
    AgentKind.CODEX_APP: CodexAppAgent,
}
"""The agents that run a program of the machine."""


async def run_host(
    db: Database, s: Settings, *, started: Callable[[], None] = lambda: None
) -> None:
    """Run this machine's agents until cancelled; `started` is called once turns are claimed."""
    host = identity(s.data_dir)
    offering = Offering(db, s, host, MAKES, [DemoAgent(s)])
    supervisor = Supervisor(db, s, host, offering.first)
    async with anyio.create_task_group() as tasks:

        def begin() -> None:
            tasks.start_soon(offering.keep, supervisor)
            started()

        await supervisor.run(started=begin)
