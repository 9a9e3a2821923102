"""`ccweb host`: this process runs the agents of this machine."""

import argparse

import anyio

from ccweb import logs
from ccweb.cli.lifetime import call_at_end
from ccweb.cli.opening import database, settings_of
from ccweb.db.engine import Database
from ccweb.host.identity import identity
from ccweb.host.service import run_host
from ccweb.settings import Settings


def run(arguments: argparse.Namespace) -> int:
    """Run until a signal; print the host's id once it claims turns."""
    logs.configure()
    s = settings_of(arguments)
    with database(s) as db:
        anyio.run(_run, db, s, arguments.until_eof)
    return 0


async def _run(db: Database, s: Settings, until_eof: bool) -> None:
    async def tell_end() -> None:
        await call_at_end(tasks.cancel_scope.cancel, until_eof=until_eof)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(tell_end)
        await run_host(db, s, started=lambda: print(identity(s.data_dir).id, flush=True))
