"""A storm: people write, stop, cancel and decide while hub and host are killed with SIGKILL.

Afterwards the dust settles and the books are balanced: every request ended, each returned reply is
in one continuation or one open ask, no delegation was carried out twice, and nothing runs.
"""

import asyncio
import random
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from sqlalchemy import Connection

from ccweb.clock import moment
from ccweb.conversations import service as conversations
from ccweb.db.engine import Database
from ccweb.db.migrate import migrate
from ccweb.errors import CcwebError
from ccweb.relay import service as relay
from ccweb.relay.model import PendingReply
from ccweb.settings import Settings, load
from ccweb_contract.enums import AgentKind, PermissionMode, ReplyStatus, TurnStatus
from tests.chaos.processes import Processes
from tests.relay.invariants import (
    Seen,
    a_broken_turn_is_answered_at_once,
    each_reply_is_in_one_continuation_or_one_open_ask,
    each_return_is_shown_exactly_once,
    look,
    no_answer_reaches_the_wrong_requester,
    nothing_waits_for_ever,
    the_waits_form_a_tree_in_order_of_creation,
)

TITLES = ("Ada", "Bob", "Cleo", "Dan", "Eve", "Fay", "Gus", "Hal")
_OVER = (ReplyStatus.RETURNED, ReplyStatus.FAILED)
_SETTLE_S = 120.0
_BETWEEN_KILLS_S = (0.5, 2.5)
_COMES_UP = 0.7
"""Share of the killed that are let come up before the next kill, however slow the machine is."""
LIMITS = {
    "CCWEB_LEASE_S": "3",
    "CCWEB_HEARTBEAT_S": "0.5",
    "CCWEB_SWEEP_S": "0",
    "CCWEB_PAIR_LIMIT": "100000",
    "CCWEB_CHAIN_LIMIT": "100000",
    "CCWEB_STOP_GRACE_S": "1",
}


@dataclass(slots=True)
class Result:
    """The books of one storm."""

    seed: int
    seconds: float = 0.0
    requests: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    kills: Counter[str] = field(default_factory=Counter)
    lost: list[str] = field(default_factory=list)
    doubled: list[str] = field(default_factory=list)
    running: list[str] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)

    @property
    def passed(self) -> bool:
        """Tell whether nothing was lost, doubled or left running."""
        return not (self.lost or self.doubled or self.running or self.broken)


@dataclass(slots=True, kw_only=True)
class Storm:
    """One run; the same seed makes the same choices (the moments are the machine's)."""

    folder: Path
    seed: int
    delegations: int
    say: Callable[[str], object] = lambda _: None
    jobs: int = 0

    async def run(self) -> Result:
        """Return the books after everything has come to rest."""
        settings = load(LIMITS, data_dir=self.folder)
        db = Database(settings.database)
        migrate(db)
        result = Result(seed=self.seed)
        began = time.monotonic()
        async with Processes(self.folder, LIMITS) as processes:
            actor = _Actor(self, db, settings, random.Random(self.seed))
            await actor.settle_in(processes)
            await actor.play(processes, result)
            await processes.keep_up()
            await actor.calm_down(result)
        result.seconds = time.monotonic() - began
        _balance(look(db), result)
        db.close()
        return result


class _Actor:
    """Everybody outside the agents: the person, the scripts, and the killer."""

    def __init__(
        self, storm: Storm, db: Database, settings: Settings, chance: random.Random
    ) -> None:
        self._storm = storm
        self._db = db
        self._s = settings
        self._chance = chance
        self._ids: list[str] = []
        self._person = ""

    async def settle_in(self, processes: Processes) -> None:
        """Create the conversations once a host has made itself known."""
        await processes.keep_up()
        host_id = (self._storm.folder / "host-id").read_text().strip()
        for title in TITLES:
            new = conversations.NewConversation(
                title=title,
                agent=AgentKind.DEMO,
                cwd=str(self._storm.folder),
                permission_mode=PermissionMode.ASK,
                host_id=host_id,
            )
            created = await self._db.write(partial(conversations.create, m=moment(), new=new))
            self._ids.append(created.id)

    async def play(self, processes: Processes, result: Result) -> None:
        """Act until enough has been delegated, while a killer goes about."""
        killer = asyncio.create_task(self._kill_now_and_then(processes, result))
        try:
            await self._act_until_enough(result)
        finally:
            killer.cancel()
            await asyncio.wait([killer])

    async def _act_until_enough(self, result: Result) -> None:
        shown = 0
        while (so_far := len(look(self._db).rows)) < self._storm.delegations:
            await self._act()
            await asyncio.sleep(self._chance.uniform(0.0, 0.1))
            if so_far >= shown + 50:
                shown = so_far
                self._storm.say(f"{so_far} delegations, {sum(result.kills.values())} kills")

    async def _kill_now_and_then(self, processes: Processes, result: Result) -> None:
        while True:
            await asyncio.sleep(self._chance.uniform(*_BETWEEN_KILLS_S))
            name = self._chance.choice(["hub", "host"])
            await processes.kill(name)
            result.kills[name] += 1
            await asyncio.sleep(self._chance.uniform(0.0, 0.3))
            comes_up = self._chance.random() < _COMES_UP
            await processes.keep_up(wait=comes_up)

    async def calm_down(self, result: Result) -> None:
        """Let everything end, pressing Continue where a person must."""
        deadline = time.monotonic() + _SETTLE_S
        while time.monotonic() < deadline:
            seen = look(self._db)
            if not _open(seen) and not _unfinished(seen):
                return
            if not _unfinished(seen):
                for conversation_id in self._ids:
                    await self._go_on(conversation_id)
            await asyncio.sleep(0.1)
        result.broken.append(f"still open after {_SETTLE_S:.0f} s")

    async def _act(self) -> None:
        kind = self._chance.random()
        if kind < 0.75:
            await self._a_person_writes()
        elif kind < 0.85:
            await self._a_request_is_cancelled()
        elif kind < 0.92:
            await self._a_person_stops()
        else:
            await self._go_on(self._chance.choice(self._ids))

    async def _a_person_writes(self) -> None:
        """Write, unless so much is under way that every delegation would find its target busy."""
        if len(_unfinished(look(self._db))) > len(TITLES) // 2:
            return
        one = self._chance.choice(self._ids)
        content = self._directives(depth=self._chance.choice([1, 1, 2, 3]))
        await self._try(
            lambda c: relay.write(
                c, moment(), self._s, person_id="person", conversation_id=one, content=content
            )
        )

    def _directives(self, depth: int) -> str:
        """Return what a demo agent obeys; nested delegations go on in the next conversation."""
        lines = []
        for _ in range(self._chance.choice([1, 1, 2])):
            self._storm.jobs += 1
            inner = [f"job-{self._storm.jobs}.", self._deed()]
            if depth > 1:
                inner.append(self._directives(depth - 1).replace("\n", "\\n"))
            target = self._chance.choice(TITLES)
            lines.append(f"/delegate {target}: " + "\\n".join(inner))
        return "\n".join(lines)

    def _deed(self) -> str:
        return self._chance.choice(
            ["/say good", "/say 好", "/wait 0.3", "/fail on purpose", "/long 20", "/say fine"]
        )

    async def _a_request_is_cancelled(self) -> None:
        waiting = _open(look(self._db))
        if waiting:
            row = self._chance.choice(waiting)
            by_source, interrupt = self._chance.random() < 0.5, self._chance.random() < 0.5
            await self._try(
                lambda c: relay.cancel(
                    c,
                    moment(),
                    self._s,
                    row.request_id,
                    by_source=by_source,
                    interrupt_target=interrupt,
                )
            )

    async def _go_on(self, conversation_id: str) -> None:
        await self._try(lambda c: relay.go_on(c, moment(), self._s, conversation_id))

    async def _a_person_stops(self) -> None:
        one = self._chance.choice(self._ids)
        if self._chance.random() < 0.3:
            await self._try(lambda c: relay.stop_all(c, moment(), self._s, one))
        else:
            await self._try(lambda c: relay.stop(c, moment(), self._s, one))

    async def _try(self, command: Callable[[Connection], object]) -> None:
        with suppress(CcwebError):
            await self._db.write(command)


def _open(seen: Seen) -> list[PendingReply]:
    return [row for row in seen.rows.values() if row.status not in _OVER]


def _unfinished(seen: Seen) -> list[str]:
    return [turn.id for turn in seen.turns.values() if turn.ended_at is None]


def _balance(seen: Seen, result: Result) -> None:
    result.requests = len(seen.rows)
    result.outcomes = Counter(row.outcome.value for row in seen.rows.values() if row.outcome)
    result.lost += [row.request_id for row in _open(seen)]
    result.lost += [row.request_id for row in seen.rows.values() if row.outcome is None]
    jobs = Counter(_job(row.original_request) for row in seen.rows.values())
    result.doubled += [job for job, times in jobs.items() if times > 1]
    result.running += [t.id for t in seen.turns.values() if t.status is TurnStatus.RUNNING]
    for check in (
        nothing_waits_for_ever,
        a_broken_turn_is_answered_at_once,
        the_waits_form_a_tree_in_order_of_creation,
        no_answer_reaches_the_wrong_requester,
        each_return_is_shown_exactly_once,
        partial(each_reply_is_in_one_continuation_or_one_open_ask, deleted=(), dismissed=()),
    ):
        try:
            check(seen)
        except (AssertionError, ValueError) as error:
            result.broken.append(str(error)[:500])


def _job(original_request: str) -> str:
    return original_request.split(".", 1)[0]


def report(result: Result) -> str:
    """Return the figures as lines of text."""
    outcomes = ", ".join(f"{name} {n}" for name, n in sorted(result.outcomes.items()))
    kills = ", ".join(f"{name} {n}" for name, n in sorted(result.kills.items()))
    lines = [
        f"{result.requests} delegations in {result.seconds:.1f} s; killed: {kills or 'none'}",
        f"outcomes: {outcomes}",
        f"{len(result.lost)} lost, {len(result.doubled)} doubled, {len(result.running)} running",
        *(f"BROKEN: {text}" for text in result.broken),
    ]
    return "\n".join(lines)
