"""A host as one call: its identity, its agents, and its run."""

from collections.abc import Callable, Mapping
from typing import Final

import anyio

from ccweb.conversations.errands import ErrandKind
from ccweb.db.engine import Database
from ccweb.host.claude.agent import ClaudeAgent
from ccweb.host.codex.app import CodexAppAgent
from ccweb.host.codex.exec import CodexExecAgent
from ccweb.host.demo import DemoAgent
from ccweb.host.errands import Errands
from ccweb.host.history.continuing import Continuing
from ccweb.host.history.following import History
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


_FOLLOW_S: Final = 1.0
"""What is said in a session outside is shown here so soon."""
_ERRANDS_S: Final = 0.2
"""A page waits so much longer at most; looking at each commit would slow every delegation."""


async def run_host(
    db: Database, s: Settings, *, started: Callable[[], None] = lambda: None
) -> None:
    """Run this machine's agents until cancelled; `started` is called once turns are claimed."""
    host = identity(s.data_dir)
    history = History(db, host.id, lambda: supervisor.agents.able)
    makes = {kind: _continuing(make, history) for kind, make in MAKES.items()}
    offering = Offering(db, s, host, makes, [DemoAgent(s)])
    supervisor = Supervisor(db, s, host, offering.first)
    errands = Errands(
        db,
        host.id,
        {ErrandKind.LIST_SESSIONS: history.listed, ErrandKind.OPEN_SESSION: history.open},
    )
    async with anyio.create_task_group() as tasks:

        def begin() -> None:
            tasks.start_soon(offering.keep, supervisor)
            tasks.start_soon(supervisor.repeat, history.follow, _FOLLOW_S)
            tasks.start_soon(supervisor.repeat, errands.do_next, _ERRANDS_S)
            started()

        await supervisor.run(started=begin)


def _continuing(make: Make, history: History) -> Make:
    return lambda s, processes, path: Continuing(make(s, processes, path), history, s.lang)
