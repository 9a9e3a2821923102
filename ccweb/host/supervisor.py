"""The supervisor: one run of a host, from its start to its end, and every turn in it."""

import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Final

import anyio
import structlog
from anyio.abc import TaskGroup
from sqlalchemy import Connection

from ccweb.access import service as access
from ccweb.clock import Moment, moment
from ccweb.conversations import hosts, turns
from ccweb.conversations.hosts import HostRun
from ccweb.conversations.model import Lease, TurnEnd
from ccweb.conversations.rules import ENDED_WELL
from ccweb.db.engine import Database
from ccweb.db.wakeup import Wakeup
from ccweb.host.agent import Agent, AgentEvent, Job
from ccweb.host.agents import Agents
from ccweb.host.asking import Asking
from ccweb.host.claiming import Claims
from ccweb.host.identity import Identity, birth
from ccweb.host.processes import Processes
from ccweb.host.recovery import end_run, recover
from ccweb.host.running import Cut, Running, write_events
from ccweb.ids import new_id
from ccweb.relay import service as relay
from ccweb.settings import Settings

log = structlog.get_logger()

Offer = Callable[[Processes], Sequence[Agent]]
"""Makes the agents that this host offers."""

_GATHER_S: Final = 0.01
"""What agents tell in this time is written together; pages see it within 20 ms."""
_CLAIM_AT_ONCE: Final = 32
_NOTHING_CLAIMED_S: Final = 0.25
"""Rest after a claim that found its turns not claimable yet."""
_HICCUP_S: Final = 0.5
_END_ATTEMPTS: Final = 120


class Supervisor:
    """Claims turns while there is room, runs each in a task, and writes how it ended."""

    def __init__(self, db: Database, s: Settings, host: Identity, offer: Offer) -> None:
        self.run_id = new_id("run")
        self._db = db
        self._s = s
        self._host = host
        self._offer = offer
        self.agents = Agents(())
        self._running: dict[Lease, Running] = {}
        self._in: dict[str, Running] = {}
        """The last turn of each conversation that is not quite over here."""
        self._asking = Asking(db)
        self._claims = Claims(s, self._asking, host_id=host.id, run_id=self.run_id)
        self._untold: dict[Running, None] = {}
        self._told = anyio.Event()
        self._claim_again_at = 0.0
        self._sweep_at = 0.0
        self._strays: set[str] = set()

    async def run(self, *, started: Callable[[], None] = lambda: None) -> None:
        """Work until cancelled; then end every agent and leave nothing open."""
        try:
            await self._recover()
            await self._db.write(lambda c: self._start(c, moment()))
            async with anyio.create_task_group() as tasks:
                self._open(tasks)
                await self.attempt(self._beat)
                tasks.start_soon(self.repeat, self._beat, self._s.heartbeat_s)
                tasks.start_soon(self.repeat, self._recover, self._s.heartbeat_s)
                tasks.start_soon(self.repeat, self._flush, 0.0)
                started()
                await self._follow(tasks)
        finally:
            with anyio.CancelScope(shield=True):
                await self._close()

    # --- the run ------------------------------------------------------------------------------

    def _start(self, c: Connection, m: Moment) -> None:
        born = birth()
        run = HostRun(id=self.run_id, host_id=self._host.id, pid=born.pid, pid_started=born.started)
        hosts.ensure(c, m, self._host.id, self._host.name)
        hosts.start_run(c, m, run)
        log.info("host_run_started", run_id=run.id, host_id=run.host_id)

    def _open(self, tasks: TaskGroup) -> None:
        processes = Processes(
            self._db, run_id=self.run_id, stop_grace_s=self._s.stop_grace_s, tasks=tasks
        )
        self.agents = Agents(self._offer(processes))

    async def _close(self) -> None:
        await self.agents.aclose()
        await self._db.write(lambda c: end_run(c, moment(), self._s, self.run_id))
        log.info("host_run_ended", run_id=self.run_id)

    async def _recover(self) -> None:
        """Clear up after dead runs; it may take their processes' grace, so it has its own task."""
        await recover(self._db, self._s, host_id=self._host.id, run_id=self.run_id)

    async def repeat(self, step: Callable[[], Awaitable[None]], pause_s: float) -> None:
        """Repeat a step; what goes wrong in one is logged and tried again in the next."""
        while True:
            await anyio.sleep(pause_s)
            await self.attempt(step)

    async def attempt(self, step: Callable[[], Awaitable[None]]) -> None:
        """Take a step; what goes wrong in it is logged and ends nothing."""
        try:
            await step()
        except Exception:
            log.exception("host_step_failed")
            await anyio.sleep(_HICCUP_S)

    # --- signs of life ------------------------------------------------------------------------

    async def _beat(self) -> None:
        """Renew every lease, notice those that are gone, and end what has no host any more."""
        known = list(self._running.values())
        alive = await self._db.write(lambda c: self._sign(c, moment()))
        lost = [r for r in known if r.lease.turn_id not in alive and not r.ending]
        await self._lose(lost)
        await self._end_strays(alive - {r.lease.turn_id for r in known})

    def _sign(self, c: Connection, m: Moment) -> set[str]:
        hosts.seen(c, m, self._host.id, self.agents.able)
        alive = turns.renew(c, m, run_id=self.run_id, lease_s=self._s.lease_s)
        relay.reap(c, m, self._s)
        if self._s.sweep_s and time.monotonic() >= self._sweep_at:
            self._sweep_at = time.monotonic() + self._s.sweep_s
            relay.sweep(c, m, self._s)
        return alive

    async def _lose(self, lost: Sequence[Running]) -> None:
        """End the trees of turns that are no longer ours; their credentials open nothing more."""
        for running in lost:
            log.warning("lease_lost", turn_id=running.lease.turn_id)
            running.cut(Cut.LEASE_LOST)
            self._claims.forget_secret(running.job)
        if lost:
            secrets = [running.job.credential for running in lost]
            await self._db.write(lambda c: _revoke(c, moment(), secrets))

    async def _end_strays(self, strays: set[str]) -> None:
        """Lose turns that the database twice counted as ours while nothing here runs them."""
        twice, self._strays = strays & self._strays, strays
        if twice:
            log.error("stray_turns_lost", turn_ids=sorted(twice))
            await self._db.write(lambda c: self._lose_turns(c, moment(), twice))

    def _lose_turns(self, c: Connection, m: Moment, turn_ids: set[str]) -> None:
        ours = turns.running_of(c, [self.run_id])
        relay.lose_turns(c, m, self._s, [turn for turn in ours if turn.id in turn_ids])

    # --- claiming -----------------------------------------------------------------------------

    async def _follow(self, tasks: TaskGroup) -> None:
        """Look at each commit of any process for what there is to claim or to stop."""
        wakeup = Wakeup(self._db)
        while True:
            await self.attempt(lambda: self._look(tasks))
            await wakeup.wait(self._patience_s())

    def _patience_s(self) -> float:
        rest = self._claim_again_at - time.monotonic()
        return rest if rest > 0 else self._s.heartbeat_s

    async def _look(self, tasks: TaskGroup) -> None:
        await self._asking.look()
        if self._running:
            stops = set(await self._db.read(lambda c: turns.stops_requested(c, self.run_id)))
            for running in self._running.values():
                if running.lease.turn_id in stops:
                    running.cut(Cut.STOPPED)
        room = self._s.max_turns - len(self._running)
        if room > 0 and await self._may_claim():
            await self._claim(tasks, min(room, _CLAIM_AT_ONCE))

    async def _may_claim(self) -> bool:
        if time.monotonic() < self._claim_again_at:
            return False
        return await self._db.read(self._claims.may_find_one)

    async def _claim(self, tasks: TaskGroup, limit: int) -> None:
        unfinished = frozenset(self._in)
        jobs = await self._db.write(
            lambda c: self._claims.take(c, moment(), limit=limit, unfinished=unfinished)
        )
        if not jobs:
            self._claim_again_at = time.monotonic() + _NOTHING_CLAIMED_S
        for job in jobs:
            self._begin(tasks, job)

    # --- one turn -----------------------------------------------------------------------------

    def _begin(self, tasks: TaskGroup, job: Job) -> None:
        running = Running(job, self._flush_soon)
        before = self._in.get(running.conversation_id)
        self._claims.keep_secret(job)
        self._running[running.lease] = self._in[running.conversation_id] = running
        tasks.start_soon(self._run_turn, tasks, running, before)

    async def _run_turn(self, tasks: TaskGroup, running: Running, before: Running | None) -> None:
        """Run one turn, after the one before it in its conversation is over, and write its end."""
        next_jobs: list[Job] = []
        try:
            if before is not None:
                before.cut(Cut.LEASE_LOST)
                await before.done.wait()
            end = await running.run(self.agents.get(running.job.conversation.agent))
            running.ending = True
            with anyio.CancelScope(shield=True):
                next_jobs = await self._write_end(running, end)
        finally:
            del self._running[running.lease]
            if self._in[running.conversation_id] is running:
                del self._in[running.conversation_id]
            running.done.set()
        for job in next_jobs:
            self._begin(tasks, job)

    async def _write_end(self, running: Running, end: TurnEnd) -> list[Job]:
        """Write the end, however often it takes, and return what was claimed with it."""
        alone = len(self._running) == 1 and end.status in ENDED_WELL
        limit = min(_CLAIM_AT_ONCE, self._s.max_turns) if alone else 0
        for _ in range(_END_ATTEMPTS):
            try:
                return await self._db.write(
                    lambda c, limit=limit: self._end(c, moment(), running, end, claim=limit)  # type: ignore[misc]
                )
            except Exception:
                log.exception("turn_end_not_written", turn_id=running.lease.turn_id)
                await anyio.sleep(_HICCUP_S)
                limit = 0
        return []

    def _end(
        self, c: Connection, m: Moment, running: Running, end: TurnEnd, *, claim: int
    ) -> list[Job]:
        """Write the end, and claim what follows from it: a lone delegation saves a commit.

        That the agent had begun matters where the turn could be run again.
        """
        left = running.untold_steps
        if left or running.session_id or (running.began and end.status not in ENDED_WELL):
            write_events(c, m, running, left)
        relay.turn_ended(c, m, self._s, running.lease, end)
        return self._claims.take(c, m, limit=claim, unfinished=()) if claim else []

    # --- what agents tell -----------------------------------------------------------------------

    def _flush_soon(self, running: Running) -> None:
        self._untold[running] = None
        self._told.set()

    async def _flush(self) -> None:
        """Write what all agents have told, together; the next events gather meanwhile."""
        await self._told.wait()
        await anyio.sleep(_GATHER_S)
        self._told = anyio.Event()
        batch = [(r, r.take()) for r in self._untold if not r.ending]
        self._untold.clear()
        if not batch:
            return
        try:
            mine = await self._db.write(lambda c: _write_all(c, moment(), batch))
        except Exception:
            for running, events in batch:
                running.put_back(events)
                self._flush_soon(running)
            raise
        await self._lose(
            [r for (r, _), ok in zip(batch, mine, strict=True) if not (ok or r.ending)]
        )


def _write_all(
    c: Connection, m: Moment, batch: Iterable[tuple[Running, Sequence[AgentEvent]]]
) -> list[bool]:
    return [write_events(c, m, running, events) for running, events in batch]


def _revoke(c: Connection, m: Moment, secrets: Iterable[str]) -> None:
    for secret in secrets:
        access.revoke(c, m, secret)
