"""What the page's frame shows: the list of conversations, what needs a person, one head."""

from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import PurePath
from typing import Any, Final

from sqlalchemy import Connection, Row

from ccweb.clock import from_ms
from ccweb.conversations import outside
from ccweb.conversations.model import OPEN_TURNS
from ccweb.db.sql import text
from ccweb.db.tables.history import Elsewhere
from ccweb.errors import ConversationNotFound
from ccweb_contract.enums import (
    AgentKind,
    AskStatus,
    ConversationStatus,
    InboxKind,
    MessageRole,
    PermissionMode,
    ReplyStatus,
    TurnStatus,
)

LISTED: Final = 200
"""How many conversations the list shows at once; search finds the others."""

_STATES: Final = {
    "open": AskStatus.OPEN.value,
    "reply": InboxKind.REPLY.value,
    "assistant": MessageRole.ASSISTANT.value,
    "waiting": ReplyStatus.WAITING.value,
    "running": TurnStatus.RUNNING.value,
}

_ROWS: Final = """
    SELECT k.id, k.title, k.agent, k.model, k.effort, k.cwd, k.permission_mode, k.created_at,
        k.updated_at, k.held_at, k.archived_at, h.name AS host,
        (SELECT max(CASE t.status WHEN :running THEN 2 ELSE 1 END) FROM turn t
            WHERE t.conversation_id = k.id AND t.ended_at IS NULL) AS activity,
        (SELECT min(coalesce(t.claimed_at, t.queued_at)) FROM turn t
            WHERE t.conversation_id = k.id AND t.ended_at IS NULL) AS busy_since,
        EXISTS (SELECT 1 FROM ask a
            WHERE a.conversation_id = k.id AND a.status = :open) AS asked,
        (SELECT count(*) FROM inbox_item i WHERE i.conversation_id = k.id
            AND i.delivered_at IS NULL AND i.kind = :reply) AS ready,
        (SELECT count(*) FROM pending_reply p WHERE p.source_conversation_id = k.id
            AND p.status = :waiting) AS waiting,
        coalesce((SELECT m.position FROM message m WHERE m.conversation_id = k.id
            AND m.role = :assistant ORDER BY m.position DESC LIMIT 1), 0)
            > coalesce(r.position, 0) AS unread
    FROM conversation k
    JOIN host h ON h.id = k.host_id
    LEFT JOIN reading r ON r.conversation_id = k.id AND r.person_id = :person_id
    WHERE k.deleted_at IS NULL"""

_LIST = text(f"""{_ROWS}
    AND (k.archived_at IS NOT NULL) = :archived
    AND (:pattern = '' OR k.title LIKE :pattern ESCAPE '!' OR k.cwd LIKE :pattern ESCAPE '!')
    ORDER BY k.updated_at DESC, k.position DESC LIMIT :limit""")

_ONE = text(f"{_ROWS} AND k.id = :id")

_READ = text("""
    INSERT INTO reading (person_id, conversation_id, position)
    VALUES (:person_id, :id, :position)
    ON CONFLICT (person_id, conversation_id) DO UPDATE
    SET position = CASE WHEN reading.position < :position THEN :position
        ELSE reading.position END""")

_COST = text("SELECT sum(t.cost_microusd) FROM turn t WHERE t.conversation_id = :id")

_FOLDERS = text("""
    SELECT cwd FROM conversation WHERE deleted_at IS NULL
    GROUP BY cwd ORDER BY max(updated_at) DESC LIMIT 12""")


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """A conversation as a person sees it in the list and over its messages."""

    id: str
    title: str
    agent: AgentKind
    model: str | None
    cwd: str
    host: str
    permission_mode: PermissionMode
    status: ConversationStatus
    created_at: datetime
    updated_at: datetime
    busy_since: datetime | None
    held: bool
    archived: bool
    unread: bool
    """The agent has written something that this person has not seen."""
    ready: int
    """Replies that have come back and are not brought in yet."""
    waiting: int
    """Requests of its own that nobody has answered yet."""
    effort: str | None = None
    cost_microusd: int | None = None
    """What its turns have cost, as far as their agents said so; only for the one that is open."""
    outside: Elsewhere | None = None
    """Who has the session open that it shows; None for its own, and once it has gone on here."""

    @property
    def folder(self) -> str:
        """Return the last part of its folder."""
        return PurePath(self.cwd).name or self.cwd

    @property
    def busy(self) -> bool:
        """Tell whether a turn runs or is queued."""
        return self.busy_since is not None


def listed(c: Connection, person_id: str, *, query: str = "", archived: bool = False) -> list[Seen]:
    """Return the conversations that a person finds, what changed last first, in one query."""
    rows = c.execute(
        _LIST,
        _STATES
        | {
            "person_id": person_id,
            "archived": archived,
            "pattern": _pattern(query),
            "limit": LISTED,
        },
    )
    return [_seen(row) for row in rows]


def one(c: Connection, person_id: str, conversation_id: str) -> Seen:
    """Return one conversation.

    Raises:
        ConversationNotFound: there is none with this id.
    """
    row = c.execute(_ONE, _STATES | {"person_id": person_id, "id": conversation_id}).one_or_none()
    if row is None:
        raise ConversationNotFound(conversation_id=conversation_id)
    cost = c.execute(_COST, {"id": conversation_id}).scalar_one()
    return replace(_seen(row), cost_microusd=cost, outside=_outside(c, conversation_id))


def _outside(c: Connection, conversation_id: str) -> Elsewhere | None:
    session = outside.get(c, conversation_id)
    if session is None or outside.is_continued(c, conversation_id):
        return None
    return session.elsewhere


def mark_read(c: Connection, person_id: str, conversation_id: str, position: int) -> None:
    """Remember up to which message a person has seen a conversation."""
    c.execute(_READ, {"person_id": person_id, "id": conversation_id, "position": position})


def folders(c: Connection) -> list[str]:
    """Return the folders that conversations work in, the latest first."""
    return [row.cwd for row in c.execute(_FOLDERS)]


def conversation_of_turn(c: Connection, turn_id: str) -> str | None:
    """Return the conversation that a turn belongs to, None when there is no such turn."""
    return c.execute(
        text("SELECT conversation_id FROM turn WHERE id = :id"), {"id": turn_id}
    ).scalar_one_or_none()


def _pattern(query: str) -> str:
    if not query.strip():
        return ""
    escaped = query.strip().replace("!", "!!").replace("%", "!%").replace("_", "!_")
    return f"%{escaped}%"


def _seen(row: Row[Any]) -> Seen:
    return Seen(
        id=row.id,
        title=row.title,
        agent=AgentKind(row.agent),
        model=row.model,
        effort=row.effort,
        cwd=row.cwd,
        host=row.host,
        permission_mode=PermissionMode(row.permission_mode),
        status=status_of(asked=bool(row.asked), activity=row.activity),
        created_at=from_ms(row.created_at),
        updated_at=from_ms(row.updated_at),
        busy_since=None if row.busy_since is None else from_ms(row.busy_since),
        held=row.held_at is not None,
        archived=row.archived_at is not None,
        unread=bool(row.unread),
        ready=row.ready,
        waiting=row.waiting,
    )


def status_of(*, asked: bool, activity: int | None) -> ConversationStatus:
    """Return the state, always from rows: a turn that has ended cannot keep it busy (FC-58)."""
    if asked:
        return ConversationStatus.NEEDS_YOU
    if activity is None:
        return ConversationStatus.IDLE
    return ConversationStatus.RUNNING if activity == len(OPEN_TURNS) else ConversationStatus.QUEUED
