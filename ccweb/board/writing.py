"""Boards in the database: writing them, their columns, their tasks and what happens to those."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from sqlalchemy import Connection

from ccweb.board.model import Author, BoardColumn
from ccweb.board.rules import Field
from ccweb.clock import Moment
from ccweb.db.sql import returning, select, text

_ADD_BOARD = returning(
    "id",
    """INSERT INTO board (id, host_id, cwd, created_at) VALUES (:id, :host_id, :cwd, :now)
    ON CONFLICT (host_id, cwd) DO UPDATE SET cwd = excluded.cwd""",
)

_ADD_COLUMN = text("""
    INSERT INTO board_column (id, board_id, rank, title, description, state, version, created_at)
    VALUES (:id, :board_id, :rank, :title, :description, :state, :version, :now)""")

_CHANGE_COLUMN = text("""
    UPDATE board_column SET rank = :rank, title = :title, description = :description,
        state = :state, version = :version
    WHERE id = :id""")

_ADD_TASK = text("""
    INSERT INTO task (id, board_id, column_id, rank, title, text, assignee_kind, assignee_id,
        metadata, version, created_at, updated_at)
    VALUES (:id, :board_id, :columnId, :place, :title, :text, :assignee_kind, :assignee_id,
        :metadata, 1, :now, :now)""")

_CHANGE_TASK = text("""
    UPDATE task SET column_id = coalesce(:columnId, column_id), rank = coalesce(:place, rank),
        title = coalesce(:title, title), text = coalesce(:text, text),
        assignee_kind = coalesce(:assignee_kind, assignee_kind),
        assignee_id = CASE WHEN :assignee_kind IS NULL THEN assignee_id ELSE :assignee_id END,
        metadata = coalesce(:metadata, metadata), version = :version, updated_at = :now
    WHERE id = :id""")

_ADD_LINK = text("""
    INSERT INTO task_link (task_id, kind, ref_id, place) VALUES (:task_id, :kind, :id, :place)""")

_ADD_CHANGE = text("""
    INSERT INTO task_change (task_id, version, author_kind, author_id, fields, created_at)
    VALUES (:task_id, :version, :author_kind, :author_id, :fields, :now)""")

_ADD_COMMENT = text("""
    INSERT INTO task_comment (id, task_id, author_kind, author_id, text, created_at)
    VALUES (:id, :task_id, :author_kind, :author_id, :text, :now)""")

_LAST_COLUMN = select(
    "rank",
    """FROM board_column WHERE board_id = :board_id AND id <> :but AND rank < :below
    ORDER BY rank DESC LIMIT 1""",
)

_LAST_TASK = select(
    "rank",
    """FROM task WHERE column_id = :column_id AND id <> :but AND rank < :below
    ORDER BY rank DESC LIMIT 1""",
)

_ABOVE_ALL = "~"
"""Sorts behind every rank."""


def add_board(c: Connection, m: Moment, new_id: str, *, host_id: str, cwd: str) -> str:
    """Insert the board of a directory unless it has one, and return the id of the one it has."""
    values = {"id": new_id, "host_id": host_id, "cwd": cwd, "now": m.now_ms}
    return str(c.execute(_ADD_BOARD, values).scalar_one())


def add_column(c: Connection, m: Moment, column: BoardColumn) -> None:
    """Insert a column."""
    c.execute(_ADD_COLUMN, _column_values(column) | {"board_id": column.board_id, "now": m.now_ms})


def change_column(c: Connection, column: BoardColumn) -> None:
    """Write a column as it is to be."""
    c.execute(_CHANGE_COLUMN, _column_values(column))


def delete_column(c: Connection, column_id: str) -> None:
    """Delete a column that holds no task."""
    c.execute(text("DELETE FROM board_column WHERE id = :id"), {"id": column_id})


def last_column_rank(
    c: Connection, board_id: str, *, below: str | None = None, but: str = ""
) -> str | None:
    """Return the rank of the last column, or of the last one before `below`, leaving one out."""
    found: str | None = c.execute(
        _LAST_COLUMN, {"board_id": board_id, "below": below or _ABOVE_ALL, "but": but}
    ).scalar_one_or_none()
    return found


def last_rank(
    c: Connection, column_id: str, *, below: str | None = None, but: str = ""
) -> str | None:
    """Return the rank of a column's last task, or of the last one before `below`, less one."""
    found: str | None = c.execute(
        _LAST_TASK, {"column_id": column_id, "below": below or _ABOVE_ALL, "but": but}
    ).scalar_one_or_none()
    return found


def add_task(c: Connection, m: Moment, board_id: str, fields: Mapping[Field, Any]) -> str:
    """Insert a task with every field and return its id."""
    task_id = m.new_id("task")
    c.execute(_ADD_TASK, _values(fields) | {"id": task_id, "board_id": board_id, "now": m.now_ms})
    _add_links(c, task_id, fields[Field.LINKS])
    return task_id


def change_task(
    c: Connection, m: Moment, task_id: str, *, version: int, fields: Mapping[Field, Any]
) -> None:
    """Write what changes about a task, as its new version."""
    c.execute(_CHANGE_TASK, _values(fields) | {"id": task_id, "version": version, "now": m.now_ms})
    if Field.LINKS in fields:
        c.execute(text("DELETE FROM task_link WHERE task_id = :id"), {"id": task_id})
        _add_links(c, task_id, fields[Field.LINKS])


def add_change(
    c: Connection,
    m: Moment,
    task_id: str,
    *,
    version: int,
    author: Author,
    fields: Mapping[Field, Any],
) -> None:
    """Insert a step of a task's history."""
    c.execute(
        _ADD_CHANGE,
        {
            "task_id": task_id,
            "version": version,
            "author_kind": author.kind.value,
            "author_id": author.id,
            "fields": json.dumps(fields, ensure_ascii=False),
            "now": m.now_ms,
        },
    )


def add_comment(c: Connection, m: Moment, task_id: str, body: str, author: Author) -> str:
    """Insert a comment and return its id."""
    comment_id = m.new_id("comment")
    c.execute(
        _ADD_COMMENT,
        {
            "id": comment_id,
            "task_id": task_id,
            "author_kind": author.kind.value,
            "author_id": author.id,
            "text": body,
            "now": m.now_ms,
        },
    )
    return comment_id


def _column_values(column: BoardColumn) -> dict[str, Any]:
    return {
        "id": column.id,
        "rank": column.rank,
        "title": column.title,
        "description": column.description,
        "state": column.state.value,
        "version": column.version,
    }


def _values(fields: Mapping[Field, Any]) -> dict[str, Any]:
    """Return the parameters of a task's row; what is not among the fields is None."""
    assignee = fields.get(Field.ASSIGNEE) or {}
    metadata = fields.get(Field.METADATA)
    return {
        "columnId": fields.get(Field.COLUMN),
        "place": fields.get(Field.PLACE),
        "title": fields.get(Field.TITLE),
        "text": fields.get(Field.TEXT),
        "assignee_kind": assignee.get("kind"),
        "assignee_id": assignee.get("id"),
        "metadata": None if metadata is None else json.dumps(metadata, ensure_ascii=False),
    }


def _add_links(c: Connection, task_id: str, links: Iterable[Mapping[str, str]]) -> None:
    rows = [{**link, "task_id": task_id, "place": place} for place, link in enumerate(links)]
    if rows:
        c.execute(_ADD_LINK, rows)
