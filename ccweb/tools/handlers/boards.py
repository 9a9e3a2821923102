"""Boards: reading them, and what callers do to their columns and tasks."""

import re
from collections.abc import Sequence
from typing import Any, Final

from ccweb.board import service, store
from ccweb.board.errors import TaskNotFound
from ccweb.board.model import (
    Assignee,
    Author,
    Board,
    BoardColumn,
    Change,
    ColumnChange,
    Comment,
    Link,
    NewColumn,
    NewTask,
    Place,
    Task,
    TaskChange,
)
from ccweb.clock import iso
from ccweb.errors import InvalidParams
from ccweb.tools import folders
from ccweb.tools.answer import Result
from ccweb.tools.context import Context
from ccweb_contract import models as wire
from ccweb_contract.enums import AssigneeKind, SourceKind

_PLACE: Final = re.compile(r"([0-9a-z]+)\.([0-9a-z]+)")
_LONGEST_CURSOR: Final = 512


def get_board(x: Context, given: wire.CcwebGetBoardInput) -> Result:
    """Read a board page by page, or one task in full; the first look at a board makes it."""
    x.check_turn()
    if given.task_id is not None:
        return _with_task(x, given, given.task_id)
    board = _board(x, given.board_id, given.cwd)
    columns = store.columns(x.c, board.id)
    found = store.tasks(
        x.c,
        board.id,
        state=given.state,
        query=given.query or "",
        after=_place(x, given.cursor),
        limit=given.limit + 1,
    )
    page = found[: given.limit]
    result = _page(board, columns, page)
    return result if page == found else result | {"nextCursor": _cursor(page[-1], columns)}


def create_column(x: Context, given: wire.CcwebCreateColumnInput) -> Result:
    """Add a column to a board."""
    x.check_turn()
    new = NewColumn(
        title=given.title,
        description=given.description or "",
        state=given.state,
        before_column_id=given.before_column_id,
    )
    board = _board(x, given.board_id, given.cwd)
    return _column(service.create_column(x.c, x.m, board.id, new))


def update_column(x: Context, given: wire.CcwebUpdateColumnInput) -> Result:
    """Change a column."""
    x.check_turn()
    change = ColumnChange(
        expected_version=given.expected_version,
        title=given.title,
        description=given.description,
        state=given.state,
        before_column_id=given.before_column_id,
    )
    return _column(service.update_column(x.c, x.m, given.column_id, change))


def create_task(x: Context, given: wire.CcwebCreateTaskInput) -> Result:
    """Put a task on a board."""
    x.check_turn()
    new = NewTask(
        title=given.title,
        text=given.text or "",
        column_id=given.column_id,
        state=given.state,
        assignee=_given_assignee(given.assignee) or Assignee(kind=AssigneeKind.NOBODY),
        links=_given_links(given.links) or (),
        metadata=_given_metadata(given.metadata) or {},
    )
    board = _board(x, given.board_id, given.cwd)
    return _task(service.create_task(x.c, x.m, board.id, new, author=_author(x)))


def update_task(x: Context, given: wire.CcwebUpdateTaskInput) -> Result:
    """Change a task."""
    x.check_turn()
    change = TaskChange(
        expected_version=given.expected_version,
        title=given.title,
        text=given.text,
        state=given.state,
        assignee=_given_assignee(given.assignee),
        links=_given_links(given.links),
        metadata=_given_metadata(given.metadata),
    )
    return _task(service.update_task(x.c, x.m, x.s, given.task_id, change, author=_author(x)))


def move_task(x: Context, given: wire.CcwebMoveTaskInput) -> Result:
    """Move a task."""
    x.check_turn()
    moved = service.move_task(
        x.c,
        x.m,
        given.task_id,
        expected_version=given.expected_version,
        column_id=given.column_id,
        before_task_id=given.before_task_id,
        author=_author(x),
    )
    return _task(moved)


def comment_task(x: Context, given: wire.CcwebCommentTaskInput) -> Result:
    """Write a comment on a task."""
    x.check_turn()
    written = service.comment(x.c, x.m, x.s, given.task_id, given.text, author=_author(x))
    return {"taskId": written.task_id, "comment": _comment(written)}


# --- what is given ------------------------------------------------------------------------------


def _author(x: Context) -> Author:
    if x.conversation_id is not None:
        return Author(kind=SourceKind.CONVERSATION, id=x.conversation_id)
    return Author(kind=SourceKind.PERSON, id=x.person_id)


def _board(x: Context, board_id: str | None, cwd: str | None) -> Board:
    """Return the board that a call names; without a name it is that of the own directory."""
    if board_id is not None:
        if cwd is not None:
            raise InvalidParams(why="Give `boardId` or `cwd`, not both.")
        return store.board(x.c, board_id)
    caller = x.conversation()
    if cwd is not None:
        folder, host_id = folders.named(x, cwd), caller.host_id if caller else x.host_id
    elif caller is not None:
        folder, host_id = caller.cwd, caller.host_id
    else:
        raise InvalidParams(why="A person has no directory: give `boardId` or `cwd`.")
    return service.board_at(x.c, x.m, host_id, folder, lang=x.s.lang)


def _given_assignee(
    given: wire.CcwebCreateTaskInputAssignee | wire.CcwebUpdateTaskInputAssignee | None,
) -> Assignee | None:
    return None if given is None else Assignee(kind=given.kind, id=given.id)


def _given_links(
    given: Sequence[wire.CcwebCreateTaskInputLink | wire.CcwebUpdateTaskInputLink] | None,
) -> tuple[Link, ...] | None:
    return None if given is None else tuple(Link(kind=one.kind, id=one.id) for one in given)


def _given_metadata(
    given: Sequence[wire.CcwebCreateTaskInputMetadatum | wire.CcwebUpdateTaskInputMetadatum] | None,
) -> dict[str, str] | None:
    if given is None:
        return None
    named = {entry.name: entry.value for entry in given}
    if len(named) < len(given):
        raise InvalidParams(why="`metadata` must hold each name once.")
    return named


def _place(x: Context, cursor: str | None) -> Place | None:
    """Return the place behind which a page begins: what came or went before it shifts nothing."""
    if cursor is None:
        return None
    place = _PLACE.fullmatch(cursor)
    if place is not None:
        return Place(column_rank=place[1], rank=place[2])
    try:
        last = store.task(x.c, cursor)
    except TaskNotFound as error:
        raise InvalidParams(why="`cursor` must be the `nextCursor` of an earlier page.") from error
    return Place(column_rank=store.column(x.c, last.column_id).rank, rank=last.rank)


def _cursor(last: Task, columns: Sequence[BoardColumn]) -> str:
    """Return the place of a page's last task, or its id where the place is too long to be given."""
    column_rank = next(column.rank for column in columns if column.id == last.column_id)
    place = f"{column_rank}.{last.rank}"
    return place if len(place) <= _LONGEST_CURSOR else last.id


# --- what is shown ------------------------------------------------------------------------------


def _with_task(x: Context, given: wire.CcwebGetBoardInput, task_id: str) -> Result:
    task = store.task(x.c, task_id)
    named = given.board_id is not None or given.cwd is not None
    if named and _board(x, given.board_id, given.cwd).id != task.board_id:
        raise TaskNotFound(task_id=task_id)
    board = store.board(x.c, task.board_id)
    history = {
        "allComments": [_comment(one) for one in store.comments(x.c, task.id)],
        "changes": [_change(one) for one in store.changes(x.c, task.id)],
    }
    return _page(board, store.columns(x.c, board.id), []) | {"task": _task(task) | history}


def _page(board: Board, columns: Sequence[BoardColumn], tasks: Sequence[Task]) -> dict[str, Any]:
    return {
        "board": {"boardId": board.id, "title": board.title, "cwd": board.cwd},
        "columns": [_column(column) for column in columns],
        "tasks": [_summary(task) for task in tasks],
    }


def _column(column: BoardColumn) -> dict[str, Any]:
    return {
        "columnId": column.id,
        "boardId": column.board_id,
        "title": column.title,
        "description": column.description,
        "state": column.state.value,
        "tasks": column.tasks,
        "version": column.version,
    }


def _summary(task: Task) -> dict[str, Any]:
    return {
        "taskId": task.id,
        "boardId": task.board_id,
        "columnId": task.column_id,
        "title": task.title,
        "state": task.state.value,
        "assignee": _assignee(task),
        "comments": task.comments,
        "version": task.version,
        "updatedAt": iso(task.updated_at),
    }


def _task(task: Task) -> dict[str, Any]:
    return _summary(task) | {
        "text": task.text,
        "links": [{"kind": link.kind.value, "id": link.id} for link in task.links],
        "metadata": [{"name": name, "value": value} for name, value in task.metadata.items()],
        "createdAt": iso(task.created_at),
    }


def _assignee(task: Task) -> dict[str, Any]:
    if task.assignee.id is None:
        return {"kind": task.assignee.kind.value}
    kind = task.assignee.kind.value
    return {"kind": kind, "id": task.assignee.id, "name": task.assignee_name}


def _comment(comment: Comment) -> dict[str, Any]:
    return {
        "commentId": comment.id,
        "author": _shown_author(comment.author, comment.author_name),
        "text": comment.text,
        "createdAt": iso(comment.created_at),
    }


def _change(change: Change) -> dict[str, Any]:
    return {
        "version": change.version,
        "author": _shown_author(change.author, change.author_name),
        "fields": list(change.fields),
        "createdAt": iso(change.created_at),
    }


def _shown_author(author: Author, name: str) -> dict[str, str]:
    return {"kind": author.kind.value, "id": author.id, "name": name}
