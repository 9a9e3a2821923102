"""A flood: many forms are answered at once, by browser, while hub and host are killed.

Whoever answers sends the same answers again until they are acknowledged. Afterwards each
conversation has gone on exactly once, with its own answers and nobody else's.
"""

import asyncio
import random
import time
from collections import Counter
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import httpx2
from sqlalchemy import Connection

from ccweb.access import service as access
from ccweb.asks import store as asks
from ccweb.asks.model import Ask
from ccweb.clock import moment
from ccweb.conversations import service as conversations
from ccweb.conversations.model import Turn
from ccweb.conversations.rules import ENDED_WELL
from ccweb.db.engine import Database
from ccweb.db.migrate import migrate
from ccweb.db.wakeup import Wakeup
from ccweb.relay import service as relay
from ccweb.settings import Settings, load
from ccweb_contract.enums import AgentKind, AskKind, PermissionMode
from tests.chaos.processes import Processes
from tests.chaos.storm import LIMITS
from tests.relay.invariants import (
    Seen,
    each_form_is_worked_on_once_or_in_one_open_ask,
    look,
)

_SETTLE_S = 60.0
_BETWEEN_KILLS = (5, 25)
"""How many forms are answered between two kills; others are under way when one comes."""
_AT_ONCE = 16
_TRY_S = 3.0


@dataclass(slots=True)
class Result:
    """The books of one flood."""

    seed: int
    seconds: float = 0.0
    answered: int = 0
    sent: int = 0
    """Posts that were made; those beyond one a form were lost with a process."""
    kills: Counter[str] = field(default_factory=Counter)
    again: int = 0
    """Continuations that broke under way and that a person let go on."""
    broken: list[str] = field(default_factory=list)

    @property
    def passed(self) -> bool:
        """Tell whether each conversation went on exactly once with its own answers."""
        return not self.broken

    def __str__(self) -> str:
        kills = ", ".join(f"{name} {n}" for name, n in sorted(self.kills.items()))
        lines = [
            f"{self.answered} forms answered in {self.seconds:.1f} s with {self.sent} posts",
            f"killed: {kills or 'none'}; {self.again} continued again",
            *(f"BROKEN: {text}" for text in self.broken),
        ]
        return "\n".join(lines)


@dataclass(slots=True, kw_only=True)
class Flood:
    """One run; the same seed makes the same choices (the moments are the machine's)."""

    folder: Path
    seed: int
    forms: int

    async def run(self) -> Result:
        """Return the books after everything has come to rest."""
        settings = load(LIMITS, data_dir=self.folder)
        db = Database(settings.database)
        migrate(db)
        result = Result(seed=self.seed)
        began = time.monotonic()
        async with Processes(self.folder, LIMITS) as processes:
            await processes.keep_up()
            crowd = _Crowd(db, settings, processes, random.Random(self.seed), result)
            forms = await crowd.ask(self.forms, (self.folder / "host-id").read_text().strip())
            await crowd.answer(forms)
            await processes.keep_up()
            await crowd.calm_down()
        result.seconds = time.monotonic() - began
        _balance(look(db), forms, result)
        db.close()
        return result


class _Crowd:
    """The people at their browsers, and the killer."""

    def __init__(
        self,
        db: Database,
        settings: Settings,
        processes: Processes,
        chance: random.Random,
        result: Result,
    ) -> None:
        self._db = db
        self._s = settings
        self._processes = processes
        self._chance = chance
        self._result = result
        self._gate = asyncio.Semaphore(_AT_ONCE)

    async def ask(self, count: int, host_id: str) -> list[Ask]:
        """Let as many agents ask by form and end their turns."""

        def begin(c: Connection) -> None:
            person = access.owner(c, moment())
            for number in range(count):
                new = conversations.NewConversation(
                    title=f"C{number}",
                    agent=AgentKind.DEMO,
                    cwd=str(self._s.data_dir),
                    permission_mode=PermissionMode.ASK,
                    host_id=host_id,
                )
                created = conversations.create(c, moment(), new)
                relay.write(
                    c,
                    moment(),
                    self._s,
                    person_id=person.id,
                    conversation_id=created.id,
                    content="/form Which? | Yours",
                )

        await self._db.write(begin)
        wakeup = Wakeup(self._db)
        async with asyncio.timeout(_SETTLE_S):
            while _unfinished(look(self._db)):
                await wakeup.wait(0.5)
        return await self._db.read(asks.open_asks)

    async def answer(self, forms: list[Ask]) -> None:
        """Answer all forms at once, while a killer goes about."""
        killer = asyncio.create_task(self._kill_now_and_then())
        origin = f"http://127.0.0.1:{self._processes.port}"
        secret = await self._db.write(self._sign_in)
        headers = {"Origin": origin, "Cookie": f"ccweb-{self._processes.port}={secret}"}
        try:
            async with httpx2.AsyncClient(
                base_url=origin, headers=headers, timeout=_TRY_S, trust_env=False
            ) as browser:
                await asyncio.gather(*(self._answer(browser, form) for form in forms))
        finally:
            killer.cancel()
            await asyncio.wait([killer])

    async def calm_down(self) -> None:
        """Let everything end, pressing Continue where a continuation broke under way."""
        wakeup = Wakeup(self._db)
        deadline = time.monotonic() + _SETTLE_S
        while time.monotonic() < deadline:
            again = [
                one
                for one in await self._db.read(asks.open_asks)
                if one.kind is AskKind.CONTINUE_AGAIN
            ]
            for ask in again:
                await self._db.write(
                    partial(relay.go_on, m=moment(), s=self._s, conversation_id=ask.conversation_id)
                )
            self._result.again += len(again)
            if not again and not _unfinished(look(self._db)):
                return
            await wakeup.wait(0.5)
        self._result.broken.append(f"still open after {_SETTLE_S:.0f} s")

    def _sign_in(self, c: Connection) -> str:
        return access.open_session(c, moment(), self._s, access.owner(c, moment()).id)

    async def _answer(self, browser: httpx2.AsyncClient, form: Ask) -> None:
        """Send the same answers until the hub has said that it has them."""
        async with self._gate, asyncio.timeout(_SETTLE_S):
            while True:
                self._result.sent += 1
                try:
                    answer = await browser.post(
                        f"/asks/{form.id}/answer", json={"answers": {"field_1": _own(form)}}
                    )
                except httpx2.TransportError:
                    await asyncio.sleep(self._chance.uniform(0.05, 0.2))
                    continue
                if answer.status_code == httpx2.codes.OK:
                    self._result.answered += 1
                    return
                self._result.broken.append(f"{form.id}: {answer.text[:200]}")
                return

    async def _kill_now_and_then(self) -> None:
        while True:
            goal = self._result.answered + self._chance.randint(*_BETWEEN_KILLS)
            while self._result.answered < goal:
                await asyncio.sleep(0.002)
            name = self._chance.choice(["hub", "host"])
            await self._processes.kill(name)
            self._result.kills[name] += 1
            await self._processes.keep_up()


def _own(form: Ask) -> str:
    return f"<answer to {form.id}>"


def _unfinished(seen: Seen) -> list[Turn]:
    return [turn for turn in seen.turns.values() if turn.ended_at is None]


def _balance(seen: Seen, forms: list[Ask], result: Result) -> None:
    for form in forms:
        read = [
            turn
            for turn in seen.turns.values()
            if turn.status in ENDED_WELL and _own(form) in turn.prompt
        ]
        if [turn.conversation_id for turn in read] != [form.conversation_id]:
            result.broken.append(f"{form.id} was read in {[turn.id for turn in read]}")
    if len(seen.waiting) or len(seen.asks):
        result.broken.append(f"{len(seen.waiting)} items and {len(seen.asks)} asks are left")
    try:
        each_form_is_worked_on_once_or_in_one_open_ask(seen, deleted=(), dismissed=())
    except AssertionError as error:
        result.broken.append(str(error)[:500])
