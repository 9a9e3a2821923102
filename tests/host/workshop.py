"""What tests of the host work with: a real database, conversations, and a host on a task."""

import os
import shutil
import tempfile
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TypeVar

import anyio
from sqlalchemy import Connection, text

from ccweb.access import service as access
from ccweb.clock import moment
from ccweb.conversations import hosts, messages, turns
from ccweb.conversations import service as conversations
from ccweb.conversations.model import Conversation, Turn, TurnEnd
from ccweb.db.engine import Database
from ccweb.db.migrate import migrate
from ccweb.db.wakeup import Wakeup
from ccweb.host.agent import Agent, Job, Tell
from ccweb.host.identity import Identity, identity
from ccweb.host.processes import Processes
from ccweb.host.supervisor import Supervisor
from ccweb.relay import service as relay
from ccweb.relay.model import Source
from ccweb.settings import Settings
from ccweb_contract.enums import AgentKind, PermissionMode, ReplyMode, TurnStatus

T = TypeVar("T")

WAIT_S = 20.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Workshop:
    """A data folder with its database; another one on the same folder is another process."""

    s: Settings
    db: Database
    host: Identity

    def again(self) -> "Workshop":
        """Return the workshop of another process."""
        return Workshop(s=self.s, db=Database(self.s.database), host=self.host)

    def conversation(self, title: str = "A", agent: AgentKind = AgentKind.DEMO) -> Conversation:
        """Make a conversation of this host."""
        new = conversations.NewConversation(
            title=title,
            agent=agent,
            cwd=str(self.s.data_dir),
            permission_mode=PermissionMode.ASK,
            host_id=self.host.id,
        )
        with self.db.begin() as c:
            hosts.ensure(c, moment(), self.host.id, self.host.name)
            return conversations.create(c, moment(), new)

    def write(self, conversation: Conversation, content: str) -> str:
        """Queue a person's message and return its turn."""
        with self.db.begin() as c:
            person = access.owner(c, moment())
            return relay.write(
                c,
                moment(),
                self.s,
                person_id=person.id,
                conversation_id=conversation.id,
                content=content,
            ).turn_id

    def request(self, source: Conversation, target: Conversation, content: str) -> str:
        """Send a request from outside a turn and return its id."""
        with self.db.begin() as c:
            sent = relay.send(
                c,
                moment(),
                self.s,
                source=Source(conversation_id=source.id),
                target_id=target.id,
                content=content,
                reply_mode=ReplyMode.RETURN_AND_CONTINUE,
            )
        assert sent.request_id is not None
        return sent.request_id

    def turn(self, turn_id: str) -> Turn:
        """Return a turn as it is now."""
        with self.db.connect() as c:
            turn = turns.get(c, turn_id)
        assert turn is not None
        return turn

    def texts(self, conversation: Conversation) -> list[str]:
        """Return the texts of a conversation, oldest first."""
        with self.db.connect() as c:
            return [message.text for message in messages.page(c, conversation.id)]

    def rows(self, sql: str, **values: object) -> list[tuple[object, ...]]:
        """Return what a query finds."""
        with self.db.connect() as c:
            return [tuple(row) for row in c.execute(text(sql), values)]

    async def until(self, query: Callable[[Connection], T | None]) -> T:
        """Return what a query finds, once it finds something."""
        wakeup = Wakeup(self.db)
        with anyio.fail_after(WAIT_S):
            while not (found := await self.db.read(query)):
                await wakeup.wait(1.0)
        return found

    async def until_ended(self, turn_id: str) -> Turn:
        """Return a turn once it has ended."""

        def ended(c: Connection) -> Turn | None:
            turn = turns.get(c, turn_id)
            return turn if turn and turn.ended_at else None

        return await self.until(ended)

    async def until_running(self, turn_id: str) -> Turn:
        """Return a turn once its agent has begun."""

        def begun(c: Connection) -> Turn | None:
            turn = turns.get(c, turn_id)
            return turn if turn and turn.started_at else None

        return await self.until(begun)

    @asynccontextmanager
    async def hosting(
        self, *agents: Agent, offer: Callable[[Processes], Sequence[Agent]] | None = None
    ) -> AsyncIterator[Supervisor]:
        """Run a host in this process until the block ends, and wait for its clean end."""
        supervisor = Supervisor(self.db, self.s, self.host, offer or (lambda _: agents))
        up = anyio.Event()
        async with anyio.create_task_group() as tasks:

            async def run() -> None:
                await supervisor.run(started=up.set)

            tasks.start_soon(run)
            with anyio.fail_after(WAIT_S):
                await up.wait()
            try:
                yield supervisor
            finally:
                tasks.cancel_scope.cancel()


def a_workshop(data_dir: Path, **settings: float) -> Workshop:
    """Make a workshop whose host is quick to notice things."""
    values: dict[str, float] = {"heartbeat_s": 0.1, "stop_grace_s": 0.3, "sweep_s": 0.0}
    s = Settings(data_dir=data_dir, **(values | settings))  # type: ignore[arg-type]
    shutil.copy(_migrated(), data_dir / "ccweb.db")
    db = Database(s.database)
    return Workshop(s=s, db=db, host=identity(data_dir))


@cache
def _migrated() -> Path:
    """Return a new database; it is made once, because that takes half a second."""
    folder = Path(tempfile.mkdtemp(dir=os.environ["HOME"]))
    db = Database(f"sqlite:///{folder / 'ccweb.db'}")
    migrate(db)
    db.close()
    return folder / "ccweb.db"


class ScriptedAgent:
    """An agent in this process whose turns are test code."""

    kind = AgentKind.DEMO

    def __init__(self, run: Callable[[Job, Tell], object]) -> None:
        self._run = run
        self.jobs: list[Job] = []

    async def run(self, job: Job, tell: Tell) -> TurnEnd:
        self.jobs.append(job)
        end = await self._run(job, tell)  # type: ignore[misc]
        assert isinstance(end, TurnEnd)
        return end

    async def aclose(self) -> None:
        """Keep nothing between turns."""


def done(body: str = "done") -> TurnEnd:
    """Return a good end."""
    return TurnEnd(status=TurnStatus.COMPLETED, text=body)
