"""A real host process that offers the fake command-line agent; it can be killed like any other."""

import sys

import anyio

from ccweb import logs
from ccweb.db.engine import Database
from ccweb.host.identity import identity
from ccweb.host.supervisor import Supervisor
from ccweb.settings import load
from tests.fakes.cli_agent import CliAgent


async def main() -> None:
    """Run until killed; say on standard output that turns are claimed."""
    logs.configure()
    s = load()
    db = Database(s.database)
    supervisor = Supervisor(db, s, identity(s.data_dir), lambda p: [CliAgent(p)])
    await supervisor.run(started=lambda: print("up", flush=True))


if __name__ == "__main__":
    sys.exit(anyio.run(main))
