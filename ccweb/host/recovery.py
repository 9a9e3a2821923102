"""Recovery: what an earlier run of this host left behind is ended before anything goes on."""

import structlog
from sqlalchemy import Connection

from ccweb.access import service as access
from ccweb.clock import Moment, moment
from ccweb.conversations import hosts, turns
from ccweb.conversations.hosts import HostRun
from ccweb.db.engine import Database
from ccweb.host.identity import Birth, is_alive
from ccweb.host.tree import end_tree
from ccweb.relay import service as relay
from ccweb.settings import Settings

log = structlog.get_logger()


async def recover(db: Database, s: Settings, *, host_id: str, run_id: str) -> None:
    """End every dead run of this host: first its processes, then its turns as lost (R-M13).

    Until a run is ended its conversations are not claimed, so no two agents work in one.
    """
    open_runs = await db.read(lambda c: hosts.open_runs(c, host_id))
    for run in open_runs:
        if run.id != run_id and not is_alive(Birth(pid=run.pid, started=run.pid_started)):
            await _end_processes(db, s, run)
            await db.write(lambda c, run=run: end_run(c, moment(), s, run.id))  # type: ignore[misc]
            log.info("host_run_recovered", run_id=run.id)


def end_run(c: Connection, m: Moment, s: Settings, run_id: str) -> None:
    """End a run whose processes are gone: its turns are lost, its credentials open nothing."""
    relay.lose_turns(c, m, s, turns.running_of(c, [run_id]))
    access.revoke_run(c, m, run_id)
    hosts.end_run(c, m, run_id)


async def _end_processes(db: Database, s: Settings, run: HostRun) -> None:
    for process in await db.read(lambda c: hosts.open_processes(c, run.id)):
        born = Birth(pid=process.pid, started=process.pid_started)
        await end_tree(born, process.id, grace_s=s.stop_grace_s)
