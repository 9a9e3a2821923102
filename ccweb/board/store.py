"""Boards in the database: reading them, their columns, their tasks and what happened to those."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import Any, Final

from sqlalchemy import Connection, Row, bindparam

from ccweb.board.errors import BoardNotFound, ColumnNotFound, TaskNotFound
from ccweb.board.model import (
    Assignee,
    Author,
    Board,
    BoardColumn,
    Change,
    Comment,
    Link,
    ListedBoard,
    Place,
    Task,
)
from ccweb.clock import from_ms
from ccweb.db.sql import select
from ccweb_contract.enums import AssigneeKind, LinkKind, SourceKind, TaskState

_BOARD: Final = "id, host_id, cwd"

_BOARD_BY_ID = select(_BOARD, "FROM board WHERE id = :id")

_BOARD_AT = select(_BOARD, "FROM board WHERE host_id = :host_id AND cwd = :cwd")

_BOARDS = select(_BOARD, "FROM board ORDER BY cwd, host_id")

_COUNTS = select(
    "b.board_id, b.state, count(*) AS tasks",
    """FROM board_column b CROSS JOIN task t ON t.column_id = b.id
    GROUP BY b.board_id, b.state""",
)

_COLUMN: Final = """k.id, k.board_id, k.rank, k.title, k.description, k.state, k.version,
    (SELECT count(*) FROM task t WHERE t.column_id = k.id) AS tasks"""

_COLUMN_BY_ID = select(_COLUMN, "FROM board_column k WHERE k.id = :id")

_COLUMNS = select(_COLUMN, "FROM board_column k WHERE k.board_id = :id ORDER BY k.rank")

_TASK: Final = """t.position, t.id, t.board_id, t.column_id, t.rank, t.title, t.text, k.state,
    t.assignee_kind, t.assignee_id, coalesce(p.name, v.title, t.assignee_id, '') AS assignee_name,
    t.metadata, (SELECT count(*) FROM task_comment m WHERE m.task_id = t.id) AS comments,
    t.version, t.created_at, t.updated_at"""

_JOINED: Final = """
    LEFT JOIN person p ON t.assignee_kind = 'person' AND p.id = t.assignee_id
    LEFT JOIN conversation v ON t.assignee_kind = 'conversation' AND v.id = t.assignee_id"""

_TASK_BY_ID = select(
    _TASK,
    f"FROM task t JOIN board_column k ON k.id = t.column_id {_JOINED} WHERE t.id = :id",
)

_TASKS = select(
    _TASK,
    f"""FROM board_column k CROSS JOIN task t ON t.column_id = k.id {_JOINED}
    WHERE k.board_id = :board_id AND (:state IS NULL OR k.state = :state)
        AND (k.rank > :column_rank OR (k.rank = :column_rank AND t.rank > :rank))
    ORDER BY k.rank, t.rank LIMIT :limit""",
)

_LINKED = select(
    _TASK,
    f"""FROM task_link l JOIN task t ON t.id = l.task_id
    JOIN board_column k ON k.id = t.column_id {_JOINED}
    WHERE l.kind = :kind AND l.ref_id = :ref_id ORDER BY t.position""",
)

_LINKS = select(
    "task_id, kind, ref_id", "FROM task_link WHERE task_id IN :ids ORDER BY task_id, place"
).bindparams(bindparam("ids", expanding=True))

_AUTHOR: Final = "coalesce(p.name, v.title, h.author_id) AS author_name"

_AUTHORS: Final = """
    LEFT JOIN person p ON h.author_kind = 'person' AND p.id = h.author_id
    LEFT JOIN conversation v ON h.author_kind = 'conversation' AND v.id = h.author_id"""

_COMMENT: Final = f"h.id, h.task_id, h.author_kind, h.author_id, {_AUTHOR}, h.text, h.created_at"

_COMMENT_BY_ID = select(_COMMENT, f"FROM task_comment h {_AUTHORS} WHERE h.id = :id")

_COMMENTS = select(
    _COMMENT,
    f"FROM task_comment h {_AUTHORS} WHERE h.task_id = :id ORDER BY h.position",
)

_CHANGES = select(
    f"h.task_id, h.version, h.author_kind, h.author_id, {_AUTHOR}, h.fields, h.created_at",
    f"FROM task_change h {_AUTHORS} WHERE h.task_id = :id ORDER BY h.version",
)

_NONE: Final = Place(column_rank="", rank="")
_ALL: Final = 2**62
_AT_ONCE: Final = 1000
"""Ids in one statement; SQLite takes 32,766 parameters."""


def board(c: Connection, board_id: str) -> Board:
    """Return a board.

    Raises:
        BoardNotFound: there is none with this id.
    """
    row = c.execute(_BOARD_BY_ID, {"id": board_id}).one_or_none()
    if row is None:
        raise BoardNotFound(board_id=board_id)
    return _board_of(row)


def board_of(c: Connection, host_id: str, cwd: str) -> Board | None:
    """Return the board of a directory, None before it was first looked at."""
    row = c.execute(_BOARD_AT, {"host_id": host_id, "cwd": cwd}).one_or_none()
    return None if row is None else _board_of(row)


def boards(c: Connection) -> list[ListedBoard]:
    """Return every board with the numbers of its tasks, by directory."""
    counts: dict[str, dict[TaskState, int]] = {}
    for row in c.execute(_COUNTS):
        counts.setdefault(row.board_id, {})[TaskState(row.state)] = row.tasks
    none = dict.fromkeys(TaskState, 0)
    return [
        ListedBoard(board=_board_of(row), tasks=none | counts.get(row.id, {}))
        for row in c.execute(_BOARDS)
    ]


def columns(c: Connection, board_id: str) -> list[BoardColumn]:
    """Return the columns of a board in their order."""
    return [_column_of(row) for row in c.execute(_COLUMNS, {"id": board_id})]


def column(c: Connection, column_id: str) -> BoardColumn:
    """Return a column.

    Raises:
        ColumnNotFound: there is none with this id.
    """
    row = c.execute(_COLUMN_BY_ID, {"id": column_id}).one_or_none()
    if row is None:
        raise ColumnNotFound(column_id=column_id)
    return _column_of(row)


def task(c: Connection, task_id: str) -> Task:
    """Return a task.

    Raises:
        TaskNotFound: there is none with this id.
    """
    row = c.execute(_TASK_BY_ID, {"id": task_id}).one_or_none()
    if row is None:
        raise TaskNotFound(task_id=task_id)
    return _with_links(c, [row])[0]


def tasks(
    c: Connection,
    board_id: str,
    *,
    state: TaskState | None = None,
    query: str = "",
    after: Place | None = None,
    limit: int | None = None,
) -> list[Task]:
    """Return the tasks of a board in its order: column by column, each from the top.

    `query` is part of the title or the text, in any case; `after` leaves out what stands up to
    that place, itself included.
    """
    at = after or _NONE
    most = _ALL if limit is None else limit
    rows = c.execute(
        _TASKS,
        {
            "board_id": board_id,
            "state": state and state.value,
            "column_rank": at.column_rank,
            "rank": at.rank,
            "limit": _ALL if query else most,
        },
    )
    return _with_links(c, _matching(rows, query, most) if query else rows.all())


def linked_to(c: Connection, kind: LinkKind, ref_id: str) -> list[Task]:
    """Return the tasks that are linked to a conversation, a request or a blueprint."""
    rows = c.execute(_LINKED, {"kind": kind.value, "ref_id": ref_id}).all()
    return _with_links(c, rows)


def comment(c: Connection, comment_id: str) -> Comment:
    """Return a comment that has just been written."""
    return _comment_of(c.execute(_COMMENT_BY_ID, {"id": comment_id}).one())


def comments(c: Connection, task_id: str) -> list[Comment]:
    """Return the comments on a task, the oldest first."""
    return [_comment_of(row) for row in c.execute(_COMMENTS, {"id": task_id})]


def changes(c: Connection, task_id: str) -> list[Change]:
    """Return the history of a task, the oldest first."""
    return [_change_of(row) for row in c.execute(_CHANGES, {"id": task_id})]


def _matching(rows: Iterable[Row[Any]], query: str, limit: int) -> list[Row[Any]]:
    """Return the first rows that hold a text; compared here, where case means every script's."""
    wanted = query.casefold()
    found: list[Row[Any]] = []
    for row in rows:
        if len(found) == limit:
            break
        if wanted in row.title.casefold() or wanted in row.text.casefold():
            found.append(row)
    return found


def _with_links(c: Connection, rows: Sequence[Row[Any]]) -> list[Task]:
    links: dict[str, list[Link]] = {}
    for row in _links(c, [row.id for row in rows]):
        links.setdefault(row.task_id, []).append(Link(kind=LinkKind(row.kind), id=row.ref_id))
    return [_task_of(row, links) for row in rows]


def _links(c: Connection, task_ids: Sequence[str]) -> Iterator[Row[Any]]:
    for start in range(0, len(task_ids), _AT_ONCE):
        yield from c.execute(_LINKS, {"ids": task_ids[start : start + _AT_ONCE]})


def _board_of(row: Row[Any]) -> Board:
    return Board(
        id=row.id, host_id=row.host_id, cwd=row.cwd, title=PurePath(row.cwd).name or row.cwd
    )


def _column_of(row: Row[Any]) -> BoardColumn:
    return BoardColumn(
        id=row.id,
        board_id=row.board_id,
        rank=row.rank,
        title=row.title,
        description=row.description,
        state=TaskState(row.state),
        version=row.version,
        tasks=row.tasks,
    )


def _task_of(row: Row[Any], links: Mapping[str, Sequence[Link]]) -> Task:
    return Task(
        id=row.id,
        position=row.position,
        board_id=row.board_id,
        column_id=row.column_id,
        rank=row.rank,
        title=row.title,
        text=row.text,
        state=TaskState(row.state),
        assignee=Assignee(kind=AssigneeKind(row.assignee_kind), id=row.assignee_id),
        assignee_name=row.assignee_name,
        links=tuple(links.get(row.id, ())),
        metadata=json.loads(row.metadata),
        comments=row.comments,
        version=row.version,
        created_at=from_ms(row.created_at),
        updated_at=from_ms(row.updated_at),
    )


def _comment_of(row: Row[Any]) -> Comment:
    return Comment(
        id=row.id,
        task_id=row.task_id,
        author=Author(kind=SourceKind(row.author_kind), id=row.author_id),
        author_name=row.author_name,
        text=row.text,
        created_at=from_ms(row.created_at),
    )


def _change_of(row: Row[Any]) -> Change:
    return Change(
        task_id=row.task_id,
        version=row.version,
        author=Author(kind=SourceKind(row.author_kind), id=row.author_id),
        author_name=row.author_name,
        fields=json.loads(row.fields),
        created_at=from_ms(row.created_at),
    )
