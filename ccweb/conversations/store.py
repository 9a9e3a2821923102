"""Conversations in the database."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, bindparam

from ccweb.clock import from_ms, maybe_from_ms, to_ms
from ccweb.conversations.model import Conversation, Standing
from ccweb.db.sql import select, text
from ccweb_contract.enums import AgentKind, PermissionMode

_COLUMNS = """id, title, agent, model, effort, cwd, permission_mode, host_id, agent_session,
    created_at, updated_at, held_at, archived_at, deleted_at"""

_INSERT = text(f"""
    INSERT INTO conversation ({_COLUMNS})
    VALUES (:id, :title, :agent, :model, :effort, :cwd, :permission_mode, :host_id, :agent_session,
        :created_at, :updated_at, :held_at, :archived_at, :deleted_at)""")  # noqa: S608 - columns are ours

_BY_IDS = select(
    _COLUMNS, "FROM conversation WHERE id IN :ids AND deleted_at IS NULL ORDER BY id"
).bindparams(bindparam("ids", expanding=True))

_BY_ID = select(_COLUMNS, "FROM conversation WHERE id = :id AND deleted_at IS NULL")

_STANDING = select(
    """held_at, EXISTS (SELECT 1 FROM turn t
        WHERE t.conversation_id = k.id AND t.ended_at IS NULL) AS busy""",
    "FROM conversation k WHERE k.id = :id AND k.deleted_at IS NULL",
)


def add(c: Connection, conversation: Conversation) -> None:
    """Insert a conversation."""
    c.execute(
        _INSERT,
        {
            "id": conversation.id,
            "title": conversation.title,
            "agent": conversation.agent.value,
            "model": conversation.model,
            "effort": conversation.effort,
            "cwd": conversation.cwd,
            "permission_mode": conversation.permission_mode.value,
            "host_id": conversation.host_id,
            "agent_session": conversation.agent_session,
            "created_at": to_ms(conversation.created_at),
            "updated_at": to_ms(conversation.updated_at),
            "held_at": None,
            "archived_at": None,
            "deleted_at": None,
        },
    )


def get(c: Connection, conversation_id: str) -> Conversation | None:
    """Return a conversation that is not deleted, else None."""
    row = c.execute(_BY_ID, {"id": conversation_id}).one_or_none()
    return None if row is None else conversation_of(row)


def get_many(c: Connection, ids: Iterable[str]) -> dict[str, Conversation]:
    """Return the conversations of these ids that are not deleted, by id."""
    rows = c.execute(_BY_IDS, {"ids": sorted(set(ids))})
    return {row.id: conversation_of(row) for row in rows}


def standing(c: Connection, conversation_id: str) -> Standing | None:
    """Return what decides about delivery, None for a conversation that is gone."""
    row = c.execute(_STANDING, {"id": conversation_id}).one_or_none()
    return None if row is None else Standing(held=row.held_at is not None, busy=bool(row.busy))


def set_title(c: Connection, conversation_id: str, title: str, now: datetime) -> None:
    """Rename a conversation."""
    c.execute(
        text("UPDATE conversation SET title = :title, updated_at = :now WHERE id = :id"),
        {"id": conversation_id, "title": title, "now": to_ms(now)},
    )


def set_choice(
    c: Connection,
    conversation_id: str,
    *,
    model: str | None,
    effort: str | None,
    permission_mode: PermissionMode,
) -> None:
    """Set with what the agent runs from its next turn on."""
    c.execute(
        text("""UPDATE conversation SET model = :model, effort = :effort,
            permission_mode = :mode WHERE id = :id"""),
        {"id": conversation_id, "model": model, "effort": effort, "mode": permission_mode.value},
    )


def set_held(c: Connection, conversation_id: str, held_at: datetime | None) -> None:
    """Hold or release the automatic continuations of a conversation."""
    c.execute(
        text("UPDATE conversation SET held_at = :held_at WHERE id = :id"),
        {"id": conversation_id, "held_at": None if held_at is None else to_ms(held_at)},
    )


def set_archived(c: Connection, conversation_id: str, archived_at: datetime | None) -> None:
    """Put a conversation away, or bring it back."""
    c.execute(
        text("UPDATE conversation SET archived_at = :archived_at WHERE id = :id"),
        {"id": conversation_id, "archived_at": None if archived_at is None else to_ms(archived_at)},
    )


def set_deleted(c: Connection, conversation_id: str, deleted_at: datetime) -> None:
    """Mark a conversation as deleted; its rows stay for the other side of its requests."""
    c.execute(
        text("UPDATE conversation SET deleted_at = :deleted_at WHERE id = :id"),
        {"id": conversation_id, "deleted_at": to_ms(deleted_at)},
    )


def set_agent_session(c: Connection, conversation_id: str, agent_session: str) -> None:
    """Remember the session id by which the agent's own CLI resumes."""
    c.execute(
        text("UPDATE conversation SET agent_session = :session WHERE id = :id"),
        {"id": conversation_id, "session": agent_session},
    )


def touch(c: Connection, conversation_id: str, now: datetime) -> None:
    """Note that something happened in a conversation."""
    c.execute(
        text("UPDATE conversation SET updated_at = :now WHERE id = :id"),
        {"id": conversation_id, "now": to_ms(now)},
    )


def conversation_of(row: Row[Any]) -> Conversation:
    """Return the conversation that a row holds."""
    return Conversation(
        id=row.id,
        title=row.title,
        agent=AgentKind(row.agent),
        model=row.model,
        effort=row.effort,
        cwd=row.cwd,
        permission_mode=PermissionMode(row.permission_mode),
        host_id=row.host_id,
        agent_session=row.agent_session,
        created_at=from_ms(row.created_at),
        updated_at=from_ms(row.updated_at),
        held_at=maybe_from_ms(row.held_at),
        archived_at=maybe_from_ms(row.archived_at),
        deleted_at=maybe_from_ms(row.deleted_at),
    )
