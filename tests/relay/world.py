"""A small world to play in: the real commands on a real SQLite file, with a clock that is set."""

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any

from sqlalchemy import Connection

from ccweb.asks import forms
from ccweb.asks import store as asks
from ccweb.asks.model import Ask
from ccweb.clock import Moment
from ccweb.conversations import hosts, inbox, messages, turns
from ccweb.conversations import service as conversations
from ccweb.conversations import store as conversation_store
from ccweb.conversations.hosts import HostRun
from ccweb.conversations.model import InboxItem, Message, Turn, TurnEnd
from ccweb.db.engine import Database
from ccweb.db.migrate import migrate
from ccweb.relay import service as relay
from ccweb.relay import store
from ccweb.relay.model import PendingReply, Sent, Source
from ccweb.settings import Settings
from ccweb_contract.enums import (
    AgentKind,
    FieldType,
    FormStatus,
    Lang,
    PermissionMode,
    ReplyMode,
    TurnStatus,
)

HOST = "host_1"
RUN = "run_1"
PERSON = "person_1"
FIELDS = ({"name": "colour", "label": "Which colour?", "type": FieldType.TEXT.value},)
"""The fields of a form that asks for one thing, which need not be answered."""
START = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass
class World:
    """Conversations, one host run and a person; every command moves the clock by a second."""

    db: Database
    settings: Settings
    now: datetime = START
    ids: Iterator[int] = field(default_factory=lambda: count(1))

    @property
    def m(self) -> Moment:
        self.now += timedelta(seconds=1)
        return Moment(now=self.now, new_id=lambda prefix: f"{prefix}_{next(self.ids)}")

    @contextmanager
    def tx(self) -> Iterator[Connection]:
        with self.db.begin() as c:
            yield c

    def conversation(self, title: str, agent: AgentKind = AgentKind.DEMO) -> str:
        new = conversations.NewConversation(
            title=title,
            agent=agent,
            cwd="/srv/project",
            permission_mode=PermissionMode.ASK,
            host_id=HOST,
        )
        with self.tx() as c:
            return conversations.create(c, self.m, new).id

    def write(
        self, conversation_id: str, content: str = "please", *, key: str | None = None
    ) -> str:
        with self.tx() as c:
            written = relay.write(
                c,
                self.m,
                self.settings,
                person_id=PERSON,
                conversation_id=conversation_id,
                content=content,
                key=key,
            )
        return written.turn_id

    def claim(self, limit: int = 100) -> list[Turn]:
        with self.tx() as c:
            return turns.claim(c, self.m, host_id=HOST, run_id=RUN, lease_s=1e6, limit=limit)

    def claim_in(self, conversation_id: str) -> Turn:
        """Claim everything that can be claimed and return this conversation's running turn."""
        self.claim()
        running = [t for t in self.open_turns(conversation_id) if t.status is TurnStatus.RUNNING]
        assert len(running) == 1, f"{conversation_id} has no running turn"
        return running[0]

    def started(self, conversation_id: str, content: str = "please") -> Turn:
        """Let a person write and the host claim the turn."""
        self.write(conversation_id, content)
        return self.claim_in(conversation_id)

    def send(
        self,
        source: Turn | str,
        target_id: str,
        content: str = "do it",
        reply_mode: ReplyMode = ReplyMode.RETURN_AND_CONTINUE,
    ) -> Sent:
        who = (
            Source(conversation_id=source)
            if isinstance(source, str)
            else Source(conversation_id=source.conversation_id, lease=source.lease)
        )
        with self.tx() as c:
            return relay.send(
                c,
                self.m,
                self.settings,
                source=who,
                target_id=target_id,
                content=content,
                reply_mode=reply_mode,
            )

    def request(self, source: Turn | str, target_id: str, content: str = "do it") -> str:
        """Send a request and return its id."""
        request_id = self.send(source, target_id, content).request_id
        assert request_id is not None
        return request_id

    def end(
        self,
        turn: Turn,
        text: str = "done",
        status: TurnStatus = TurnStatus.COMPLETED,
        error: str | None = None,
    ) -> bool:
        if status is TurnStatus.EMPTY:
            text = ""
        with self.tx() as c:
            end = TurnEnd(status=status, text=text, error=error)
            return relay.turn_ended(c, self.m, self.settings, turn.lease, end)

    def form(self, source: Turn | str, *fields: Mapping[str, Any], title: str = "Cards") -> Ask:
        """Let a turn, or a conversation outside one, ask for a form; without fields a small one."""
        who = (
            Source(conversation_id=source)
            if isinstance(source, str)
            else Source(conversation_id=source.conversation_id, lease=source.lease)
        )
        with self.tx() as c:
            given = {"title": title, "fields": list(fields or FIELDS)}
            return asks.get(c, relay.request_form(c, self.m, who, given))

    def answer(
        self, ask: Ask, answers: Any = None, *, note: str = "", person_id: str = PERSON
    ) -> Ask:
        """Let a person answer a form, or decline it; return it as it is then."""
        given = {"answers": answers, "note": note}
        with self.tx() as c:
            relay.answer(c, self.m, self.settings, ask.id, given, person_id=person_id)
            return asks.get(c, ask.id)

    def begin(self, turn: Turn) -> None:
        with self.tx() as c:
            turns.begin(c, self.m, turn.lease)

    def lose(self, turn: Turn) -> None:
        with self.tx() as c:
            relay.lose_turns(c, self.m, self.settings, [turn])

    def cancel(self, request_id: str, *, by_source: bool, interrupt: bool = False) -> PendingReply:
        with self.tx() as c:
            return relay.cancel(
                c,
                self.m,
                self.settings,
                request_id,
                by_source=by_source,
                interrupt_target=interrupt,
            )

    def stop(self, conversation_id: str) -> None:
        with self.tx() as c:
            relay.stop(c, self.m, self.settings, conversation_id)

    def stop_all(self, conversation_id: str) -> None:
        with self.tx() as c:
            relay.stop_all(c, self.m, self.settings, conversation_id)

    def go_on(self, conversation_id: str) -> None:
        with self.tx() as c:
            relay.go_on(c, self.m, self.settings, conversation_id)

    def resume(self, ask: Ask) -> None:
        with self.tx() as c:
            relay.resume(c, self.m, self.settings, ask.id, person_id=PERSON)

    def dismiss(self, ask: Ask) -> None:
        with self.tx() as c:
            relay.dismiss(c, self.m, self.settings, ask.id, person_id=PERSON)

    def delete(self, conversation_id: str) -> None:
        with self.tx() as c:
            relay.delete(c, self.m, self.settings, conversation_id)

    def ask(self, ask_id: str) -> Ask:
        c = self.db.reader
        return asks.get(c, ask_id)

    def form_status(self, ask: Ask) -> FormStatus:
        return forms.status_of(self.ask(ask.id))

    def take_back(self, turn_id: str) -> None:
        with self.tx() as c:
            relay.take_back(c, self.m, self.settings, turn_id)

    def reap(self) -> None:
        with self.tx() as c:
            relay.reap(c, self.m, self.settings)

    # --- looking ------------------------------------------------------------------------------

    def reply(self, request_id: str) -> PendingReply:
        c = self.db.reader
        row = store.get(c, request_id)
        assert row is not None
        return row

    def turn(self, turn_id: str) -> Turn:
        c = self.db.reader
        turn = turns.get(c, turn_id)
        assert turn is not None
        return turn

    def open_turns(self, conversation_id: str) -> list[Turn]:
        c = self.db.reader
        return turns.open_turns(c, conversation_id)

    def messages(self, conversation_id: str) -> list[Message]:
        c = self.db.reader
        return messages.page(c, conversation_id, limit=1000)

    def asks(self, conversation_id: str | None = None) -> list[Ask]:
        c = self.db.reader
        return asks.open_asks(c, conversation_id)

    def inbox(self, conversation_id: str) -> list[InboxItem]:
        c = self.db.reader
        return inbox.waiting(c, conversation_id)

    def carried(self, turn: Turn) -> list[str]:
        c = self.db.reader
        return [item.ref_id for item in inbox.carried_by(c, turn.id)]

    def held(self, conversation_id: str) -> bool:
        c = self.db.reader
        conversation = conversation_store.get(c, conversation_id)
        assert conversation is not None
        return conversation.held_at is not None


@cache
def _migrated() -> bytes:
    """Return the file of a new database: writing it is a hundred times as fast as migrating."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "ccweb.db"
        db = Database(f"sqlite:///{file}")
        migrate(db)
        db.close()
        return file.read_bytes()


def a_world(path: Path, **limits: Any) -> World:
    """Return a new world in a database file, with one host whose run lives."""
    file = path / "ccweb.db"
    file.write_bytes(_migrated())
    db = Database(f"sqlite:///{file}")
    settings = Settings(data_dir=path, lang=Lang.EN, **limits)
    world = World(db=db, settings=settings)
    with world.tx() as c:
        hosts.ensure(c, world.m, HOST, "machine")
        hosts.seen(c, world.m, HOST, [AgentKind.DEMO])
        hosts.start_run(c, world.m, HostRun(id=RUN, host_id=HOST, pid=1, pid_started=1.0))
    return world
