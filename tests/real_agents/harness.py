"""A workspace with real agents: hub and host as processes, and people as test code."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from sqlalchemy import Connection, text

from ccweb.access import service as access
from ccweb.asks import service as answering
from ccweb.asks import store as asks
from ccweb.asks.model import Ask
from ccweb.clock import moment
from ccweb.conversations import hosts, steps, store
from ccweb.conversations import service as conversations
from ccweb.conversations.model import Conversation, StoredStep, Turn
from ccweb.db.engine import Database
from ccweb.host.identity import identity
from ccweb.relay import service as relay
from ccweb.settings import load
from ccweb_contract.enums import AgentKind, PermissionMode
from tests.fakes.model import RunningModel
from tests.fakes.model_script import Step, script
from tests.host.workshop import Workshop
from tests.real_agents.machine import Machine
from tests.real_agents.servers import Servers, until_none_lives

TOLD = text("SELECT 1 FROM event WHERE turn_id = :id AND kind = 'delta'")
UNSETTLED = text("""
    SELECT conversation_id FROM turn WHERE ended_at IS NULL
    UNION SELECT source_conversation_id FROM pending_reply WHERE status IN ('waiting', 'ready')
    UNION SELECT target_conversation_id FROM pending_reply WHERE status IN ('waiting', 'ready')""")


@dataclass(frozen=True, slots=True, kw_only=True)
class Workspace(Workshop):
    """A data folder that a real hub and a real host serve.

    `write`, `turn`, `texts`, `rows`, `until`, `until_ended` and `until_running` are the workshop's.
    """

    machine: Machine
    servers: Servers

    @property
    def model(self) -> RunningModel:
        """The model that all agents speak to."""
        return self.machine.model

    async def until_looked(self) -> None:
        """Return once the host has looked at every program: nothing else of them runs then."""

        def looked(c: Connection) -> bool:
            host = hosts.get(c, self.host.id)
            return host is not None and {one.agent for one in host.offers} == set(AgentKind)

        await self.until(looked)

    def talk(
        self,
        agent: AgentKind,
        *,
        mode: PermissionMode = PermissionMode.ASK,
        model: str | None = None,
        effort: str | None = None,
    ) -> Conversation:
        """Make a conversation with an agent, in a folder of its own."""
        title = f"{agent.value}-{uuid4().hex[:8]}"
        new = conversations.NewConversation(
            title=title,
            agent=agent,
            cwd=str(self.machine.folder(title)),
            permission_mode=mode,
            host_id=self.host.id,
            model=model,
            effort=effort,
        )
        with self.db.begin() as c:
            hosts.ensure(c, moment(), self.host.id, self.host.name)
            return conversations.create(c, moment(), new)

    def conversation_now(self, conversation: Conversation) -> Conversation:
        """Return a conversation as it is now."""
        with self.db.connect() as c:
            return conversations.existing(c, conversation.id)

    def say(self, conversation: Conversation, *answers: Step, before: str = "") -> str:
        """Write to an agent whose model then answers like this, and return the turn."""
        return self.write(conversation, f"{before} {script(*answers)}".strip())

    async def run(self, conversation: Conversation, *answers: Step, before: str = "") -> Turn:
        """Write to an agent, and return the turn once it has ended."""
        return await self.until_ended(self.say(conversation, *answers, before=before))

    def give_session(self, conversation: Conversation, session_id: str) -> None:
        """Let a conversation go on with a session that its agent's program began elsewhere."""
        with self.db.begin() as c:
            store.set_agent_session(c, conversation.id, session_id)

    async def until_told(self, turn_id: str) -> None:
        """Return once pages have been told some of a turn's text."""
        await self.until(lambda c: c.execute(TOLD, {"id": turn_id}).first())

    async def until_settled(self, *talks: Conversation) -> None:
        """Return once nothing runs in these conversations and nothing will be returned to them."""
        ids = {talk.id for talk in talks}

        def settled(c: Connection) -> bool:
            return ids.isdisjoint(row[0] for row in c.execute(UNSETTLED))

        await self.until(settled)

    async def until_asked(self, conversation: Conversation) -> Ask:
        """Return what an agent asks people, once it does."""

        def asked(c: Connection) -> Ask | None:
            return next(iter(asks.open_asks(c, conversation.id)), None)

        return await self.until(asked)

    def answer(self, ask: Ask, **given: Any) -> None:
        """Answer what an agent asks, as a person does (`decision`, `note`, `answers`)."""
        with self.db.begin() as c:
            person = access.owner(c, moment())
            answering.answer(c, moment(), ask.id, given, person_id=person.id)

    def stop(self, conversation: Conversation) -> None:
        """Press Stop."""
        with self.db.begin() as c:
            relay.stop(c, moment(), self.s, conversation.id)

    def steps(self, turn_id: str) -> list[StoredStep]:
        """Return what an agent did in a turn."""
        with self.db.connect() as c:
            return steps.of_turns(c, [turn_id])


@asynccontextmanager
async def a_workspace(machine: Machine) -> AsyncIterator[Workspace]:
    """Run hub and host until the context is left, and see that nothing of theirs is left then."""
    servers = Servers(machine.home, machine.environ)
    s = load(machine.environ)
    try:
        await servers.start("hub")
        await servers.start("host")
        db = Database(s.database)
        try:
            workspace = Workspace(
                s=s, db=db, host=identity(s.data_dir), machine=machine, servers=servers
            )
            await workspace.until_looked()
            yield workspace
        finally:
            db.close()
    finally:
        await servers.close()
    await until_none_lives(machine.home)
