"""Contexts: each work item that was fetched, once, as it was when it was fetched last."""

from typing import Any, Final

from sqlalchemy import Connection, Row

from ccweb.clock import Moment, from_ms
from ccweb.db.sql import returning, select
from ccweb.planning.errors import ContextNotFound
from ccweb.planning.model import Context, SpaceId, WorkItem
from ccweb_contract.enums import TaskState, WorkItemSource

OF_BLUEPRINT: Final = """JOIN work_context w ON w.id = a.context_id
    LEFT JOIN task t ON w.source = 'board' AND t.id = w.work_item_id
    LEFT JOIN board_column k ON k.id = t.column_id"""
"""Leads from a blueprint `a` to its work item as it was fetched, and to a task as it is now."""

CANCELLED: Final = f"coalesce(k.state = '{TaskState.CANCELLED}', w.cancelled)"
"""Tells of a work item so joined whether everything about it is read-only (R-P7)."""

_COLUMNS: Final = (
    "id, source, space_id, work_item_id, title, text, state, cancelled, url, type, fetched_at"
)

_KEEP = returning(
    _COLUMNS,
    """INSERT INTO work_context (id, source, space_id, work_item_id, title, text, state, cancelled,
        url, type, fetched_at)
    VALUES (:id, :source, :space_id, :work_item_id, :title, :text, :state, :cancelled,
        :url, :type, :fetched_at)
    ON CONFLICT (source, space_id, work_item_id) DO UPDATE SET title = excluded.title,
        text = excluded.text, state = excluded.state, cancelled = excluded.cancelled,
        url = excluded.url, type = excluded.type, fetched_at = excluded.fetched_at""",
)

_ONE = select(_COLUMNS, "FROM work_context WHERE id = :id")


def keep(c: Connection, m: Moment, item: WorkItem) -> Context:
    """Insert or refresh the context of a work item and return it."""
    given = {
        "id": m.new_id("context"),
        "source": item.source.value,
        "space_id": item.space_id,
        "work_item_id": item.id,
        "title": item.title,
        "text": item.text,
        "state": item.state,
        "cancelled": item.cancelled,
        "url": item.url,
        "type": item.type,
        "fetched_at": m.now_ms,
    }
    return _context_of(c.execute(_KEEP, given).one())


def get(c: Connection, context_id: str) -> Context:
    """Return a context by its id.

    Raises:
        ContextNotFound: there is none.
    """
    row = c.execute(_ONE, {"id": context_id}).one_or_none()
    if row is None:
        raise ContextNotFound(context_id=context_id)
    return _context_of(row)


def _context_of(row: Row[Any]) -> Context:
    item = WorkItem(
        source=WorkItemSource(row.source),
        space_id=SpaceId(row.space_id),
        id=row.work_item_id,
        title=row.title,
        text=row.text,
        state=row.state,
        cancelled=bool(row.cancelled),
        url=row.url,
        type=row.type,
    )
    return Context(id=row.id, item=item, fetched_at=from_ms(row.fetched_at))
