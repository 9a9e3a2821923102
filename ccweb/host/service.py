"""A host as one call: its identity, its agents, and its run."""

from collections.abc import Callable, Sequence

from ccweb.db.engine import Database
from ccweb.host.agent import Agent
from ccweb.host.demo import DemoAgent
from ccweb.host.identity import identity
from ccweb.host.processes import Processes
from ccweb.host.supervisor import Supervisor
from ccweb.settings import Settings


async def run_host(
    db: Database, s: Settings, *, started: Callable[[], None] = lambda: None
) -> None:
    """Run this machine's agents until cancelled; `started` is called once turns are claimed."""

    def offer(_: Processes) -> Sequence[Agent]:
        return [DemoAgent(s)]

    await Supervisor(db, s, identity(s.data_dir), offer).run(started=started)
