"""Sessions made outside ccweb, in the database: which conversation shows which, and how far."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row

from ccweb.clock import Moment, from_ms
from ccweb.conversations import messages
from ccweb.conversations.model import EventKind, Sender
from ccweb.db.sql import text
from ccweb.db.tables.history import Elsewhere
from ccweb_contract.enums import MessageRole, SourceKind, TurnKind, TurnStatus

_OPEN_TURN = text("""
    INSERT INTO turn (id, conversation_id, kind, status, prompt, message_id, chain_id, hop, attempt,
        queued_at, claimed_at, ended_at)
    VALUES (:id, :conversation_id, :kind, :status, :prompt, :message_id, :chain_id, 0, 0,
        :now, :now, :now)""")

_LAST_TURN = text("""
    SELECT id FROM turn WHERE conversation_id = :id AND status = 'completed' AND started_at IS NULL
    AND run_id IS NULL ORDER BY position DESC LIMIT 1""")

_END_TURN = text("UPDATE turn SET ended_at = :now, final_message_id = :message_id WHERE id = :id")

_COLUMNS = "o.conversation_id, o.program, o.session_id, o.path, o.read_bytes, o.elsewhere"


@dataclass(frozen=True, slots=True, kw_only=True)
class OutsideSession:
    """A session of a program that a conversation shows, and goes on with once it is written to."""

    conversation_id: str
    program: str
    session_id: str
    path: str
    read_bytes: int
    """So much of its file is in the conversation's messages."""
    elsewhere: Elsewhere = Elsewhere.CLOSED


def add(c: Connection, outside: OutsideSession) -> None:
    """Note that a conversation shows a session."""
    c.execute(
        text("""INSERT INTO outside_session
            (conversation_id, program, session_id, path, read_bytes, elsewhere)
            VALUES (:conversation_id, :program, :session_id, :path, :read_bytes, :elsewhere)"""),
        {
            "conversation_id": outside.conversation_id,
            "program": outside.program,
            "session_id": outside.session_id,
            "path": outside.path,
            "read_bytes": outside.read_bytes,
            "elsewhere": outside.elsewhere.value,
        },
    )


def get(c: Connection, conversation_id: str) -> OutsideSession | None:
    """Return the session that a conversation was made from, None for all others."""
    row = c.execute(
        text(f"SELECT {_COLUMNS} FROM outside_session o WHERE o.conversation_id = :id"),  # noqa: S608 - columns are ours
        {"id": conversation_id},
    ).one_or_none()
    return None if row is None else _of(row)


def followed(c: Connection, host_id: str) -> list[OutsideSession]:
    """Return the sessions on a host that go on outside: nobody has gone on with them here."""
    rows = c.execute(
        text(f"""SELECT {_COLUMNS} FROM outside_session o
            JOIN conversation k ON k.id = o.conversation_id
            WHERE k.host_id = :host_id AND k.deleted_at IS NULL AND NOT EXISTS (
                SELECT 1 FROM turn t WHERE t.conversation_id = o.conversation_id
                AND t.started_at IS NOT NULL)"""),  # noqa: S608 - columns are ours
        {"host_id": host_id},
    )
    return [_of(row) for row in rows]


def shown(c: Connection, host_id: str) -> dict[str, str]:
    """Return the conversations on a host by the session that each was made from."""
    rows = c.execute(
        text("""SELECT o.session_id, o.conversation_id FROM outside_session o
            JOIN conversation k ON k.id = o.conversation_id
            WHERE k.host_id = :host_id AND k.deleted_at IS NULL ORDER BY k.position"""),
        {"host_id": host_id},
    )
    return {row.session_id: row.conversation_id for row in rows}


def own_sessions(c: Connection, host_id: str) -> set[str]:
    """Return the sessions on a host that are conversations' own: begun here, or gone on with.

    One that was opened is not while its conversation is there to be shown in its place, nor when
    that was deleted before it went on.
    """
    rows = c.execute(
        text("""SELECT k.agent_session FROM conversation k
            WHERE k.host_id = :host_id AND k.agent_session IS NOT NULL AND NOT EXISTS (
                SELECT 1 FROM outside_session o
                WHERE o.conversation_id = k.id AND o.session_id = k.agent_session
                AND (k.deleted_at IS NULL OR NOT EXISTS (
                    SELECT 1 FROM turn t WHERE t.conversation_id = k.id
                    AND t.started_at IS NOT NULL)))"""),
        {"host_id": host_id},
    )
    return {row.agent_session for row in rows}


def is_continued(c: Connection, conversation_id: str) -> bool:
    """Tell whether an agent has begun a turn in a conversation."""
    row = c.execute(
        text("""SELECT 1 FROM turn WHERE conversation_id = :id
            AND started_at IS NOT NULL LIMIT 1"""),
        {"id": conversation_id},
    ).first()
    return row is not None


def person_of(c: Connection, conversation_id: str) -> str:
    """Return the person in whose name the first message of a conversation stands, else ''."""
    row = c.execute(
        text("""SELECT source_id FROM message WHERE conversation_id = :id
            AND source_kind = 'person' ORDER BY position LIMIT 1"""),
        {"id": conversation_id},
    ).first()
    return row.source_id if row else ""


def last_said_at(c: Connection, conversation_id: str) -> datetime:
    """Return the time of the last text of a session that a conversation shows."""
    last = c.execute(
        text("SELECT max(ended_at) FROM turn WHERE conversation_id = :id"),
        {"id": conversation_id},
    ).scalar_one()
    return from_ms(last or 0)


def say(
    c: Connection,
    m: Moment,
    conversation_id: str,
    role: MessageRole,
    said: str,
    *,
    person_id: str,
) -> None:
    """Write what was said in a session: a person's words open a turn, an agent's belong to it.

    Such a turn never began here, so it keeps nobody from following the session.
    """
    if role is MessageRole.USER:
        sender = Sender(kind=SourceKind.PERSON, id=person_id) if person_id else None
        message_id = messages.add(c, m, conversation_id, role, said, sender=sender)
        c.execute(
            _OPEN_TURN,
            {
                "id": m.new_id("turn"),
                "conversation_id": conversation_id,
                "kind": TurnKind.PERSON.value,
                "status": TurnStatus.COMPLETED.value,
                "prompt": said,
                "message_id": message_id,
                "chain_id": m.new_id("chain"),
                "now": m.now_ms,
            },
        )
    else:
        row = c.execute(_LAST_TURN, {"id": conversation_id}).first()
        turn_id = row.id if row else None
        message_id = messages.add(c, m, conversation_id, role, said, turn_id=turn_id)
        c.execute(_END_TURN, {"id": turn_id, "message_id": message_id, "now": m.now_ms})


def advance(c: Connection, m: Moment, outside: OutsideSession, *, read_bytes: int) -> bool:
    """Note how far the file has been read; False when another has read on meanwhile."""
    result = c.execute(
        text("""UPDATE outside_session SET read_bytes = :read, elsewhere = :elsewhere
            WHERE conversation_id = :id AND read_bytes = :before"""),
        {
            "id": outside.conversation_id,
            "read": read_bytes,
            "before": outside.read_bytes,
            "elsewhere": outside.elsewhere.value,
        },
    )
    tell(c, m, [outside.conversation_id])
    return result.rowcount == 1


def tell(c: Connection, m: Moment, conversation_ids: Iterable[str]) -> None:
    """Tell open pages that a conversation stands otherwise."""
    messages.tell(c, m, EventKind.CONVERSATION, conversation_ids)


def _of(row: Row[Any]) -> OutsideSession:
    return OutsideSession(
        conversation_id=row.conversation_id,
        program=row.program,
        session_id=row.session_id,
        path=row.path,
        read_bytes=row.read_bytes,
        elsewhere=Elsewhere(row.elsewhere),
    )
