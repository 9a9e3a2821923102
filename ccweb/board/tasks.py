"""Commands on tasks: each checks, writes the change and its step in the history, and tells."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from sqlalchemy import Connection

from ccweb.board import references, rules, store, writing
from ccweb.board.columns import column_of
from ccweb.board.errors import NeighbourMoved, StateWithoutColumn
from ccweb.board.model import (
    Author,
    BoardColumn,
    Comment,
    Link,
    NewTask,
    Task,
    TaskChange,
)
from ccweb.board.ordering import between
from ccweb.board.rules import Field
from ccweb.clock import Moment
from ccweb.conversations import messages
from ccweb.conversations.model import EventKind
from ccweb.errors import InvalidParams
from ccweb.settings import Settings
from ccweb_contract.enums import TaskState
from ccweb_contract.tools import ToolName


def create_task(c: Connection, m: Moment, board_id: str, new: NewTask, *, author: Author) -> Task:
    """Put a task at the end of a column and return it.

    Raises:
        BoardNotFound: there is no such board.
        ColumnNotFound: or `StateWithoutColumn`, it has no such column.
        ConversationNotFound: or `RequestNotFound`, what it names does not exist.
        InvalidParams: a text is too long or blank, a person unknown, a link named twice.
    """
    _check_texts(new.title, new.text)
    rules.check_links(new.links)
    store.board(c, board_id)
    column = _column_for(c, board_id, new)
    references.check_links(c, new.links, author)
    new = replace(new, assignee=references.assignee(c, m, new.assignee))
    fields = rules.begun(new, column, between(writing.last_rank(c, column.id), None))
    task_id = writing.add_task(c, m, board_id, fields)
    writing.add_change(c, m, task_id, version=1, author=author, fields=fields)
    _tell(c, m, board_id, task_id)
    return store.task(c, task_id)


def update_task(
    c: Connection, m: Moment, s: Settings, task_id: str, change: TaskChange, *, author: Author
) -> Task:
    """Change a task and return it; a change that changes nothing writes nothing.

    Raises:
        TaskNotFound: there is no such task.
        TaskCancelled: it is final.
        Conflict: somebody has changed it since.
        StateWithoutColumn: no column stands for the state that it was to have.
        ConversationNotFound: or `RequestNotFound`, what it names does not exist.
        InvalidParams: a text is too long or blank, a person unknown, a link named twice.
    """
    _check_texts(change.title, change.text)
    rules.check_links(change.links or ())
    task = store.task(c, task_id)
    added = [one for one in change.links or () if one not in task.links]
    references.check_links(c, added, author)
    if change.assignee is not None and change.assignee != task.assignee:
        change = replace(change, assignee=references.assignee(c, m, change.assignee))
    rules.check_change(task, change, notes_allowed=s.notes_on_cancelled)
    return _write(
        c, m, task, rules.changed(task, change) | _to_state(c, task, change.state), author
    )


def move_task(
    c: Connection,
    m: Moment,
    task_id: str,
    *,
    expected_version: int,
    column_id: str,
    before_task_id: str | None = None,
    author: Author,
) -> Task:
    """Move a task to a column of its board, before another task or to the end, and return it.

    Raises:
        TaskNotFound: there is no such task, or none before which it was to stand.
        TaskCancelled: it is final.
        Conflict: or `NeighbourMoved`, somebody has changed or moved it since.
        ColumnNotFound: its board has no such column.
    """
    task = store.task(c, task_id)
    column = column_of(c, task.board_id, column_id)
    before = None if before_task_id is None else store.task(c, before_task_id)
    rules.check_move(task, expected_version)
    rank = _moved_rank(c, task, column, before)
    return _write(c, m, task, rules.moved(task, column, rank), author)


def cancel_task(
    c: Connection,
    m: Moment,
    task_id: str,
    *,
    expected_version: int,
    reason: str = "",
    author: Author,
) -> Task:
    """Give a task up for good, with a comment that says why, and return it.

    Raises:
        TaskNotFound: there is no such task.
        TaskCancelled: it is cancelled already.
        Conflict: somebody has changed it since.
        StateWithoutColumn: no column stands for what is cancelled.
        InvalidParams: the reason is too long.
    """
    if reason.strip():
        rules.check_text(ToolName.CCWEB_COMMENT_TASK, "text", reason)
    task = store.task(c, task_id)
    rules.check_move(task, expected_version)
    if reason.strip():
        writing.add_comment(c, m, task_id, reason, author)
    return _write(c, m, task, _to_state(c, task, TaskState.CANCELLED), author)


def comment(
    c: Connection, m: Moment, s: Settings, task_id: str, text: str, *, author: Author
) -> Comment:
    """Write a comment on a task and return it; the task keeps its version.

    Raises:
        TaskNotFound: there is no such task.
        TaskCancelled: it is final, and the settings allow no note on it.
        InvalidParams: the text is too long or blank.
    """
    rules.check_text(ToolName.CCWEB_COMMENT_TASK, "text", text)
    task = store.task(c, task_id)
    if not s.notes_on_cancelled:
        rules.check_open(task)
    comment_id = writing.add_comment(c, m, task_id, text, author)
    _tell(c, m, task.board_id, task_id)
    return store.comment(c, comment_id)


def link(
    c: Connection, m: Moment, s: Settings, task_id: str, added: Link, *, author: Author
) -> Task:
    """Link a task, as it is now, to one thing more and return it; it may be linked already.

    Raises:
        TaskNotFound: there is no such task.
        TaskCancelled: it is final.
        ConversationNotFound: or `RequestNotFound`, what it names does not exist.
        InvalidParams: the id is none, or it has as many links as a task can have.
    """
    task = store.task(c, task_id)
    links = task.links if added in task.links else (*task.links, added)
    change = TaskChange(expected_version=task.version, links=links)
    return update_task(c, m, s, task_id, change, author=author)


def _column_for(c: Connection, board_id: str, new: NewTask) -> BoardColumn:
    if new.column_id is None:
        return _first_column(c, board_id, new.state or TaskState.TODO)
    column = column_of(c, board_id, new.column_id)
    if new.state is not None and new.state is not column.state:
        raise InvalidParams(why=f"The column {column.id} stands for `{column.state}`.")
    return column


def _first_column(c: Connection, board_id: str, state: TaskState) -> BoardColumn:
    for column in store.columns(c, board_id):
        if column.state is state:
            return column
    raise StateWithoutColumn(state=state)


def _to_state(c: Connection, task: Task, state: TaskState | None) -> dict[Field, Any]:
    """Return what changes when a task goes to the end of the first column with a state."""
    if state is None or state is task.state:
        return {}
    column = _first_column(c, task.board_id, state)
    return rules.moved(task, column, between(writing.last_rank(c, column.id), None))


def _moved_rank(c: Connection, task: Task, column: BoardColumn, before: Task | None) -> str:
    """Return the rank of a task that moves, its own where it stands there already."""
    following = None if before is None else _rank_in(column, before)
    if before == task:
        return task.rank
    last = writing.last_rank(c, column.id, below=following, but=task.id)
    if column.id == task.column_id and _is_between(last, task.rank, following):
        return task.rank
    return between(last, following)


def _is_between(last: str | None, rank: str, following: str | None) -> bool:
    return (last is None or last < rank) and (following is None or rank < following)


def _rank_in(column: BoardColumn, neighbour: Task) -> str:
    if neighbour.column_id != column.id:
        raise NeighbourMoved(
            task_id=neighbour.id, column_id=neighbour.column_id, current=neighbour.version
        )
    return neighbour.rank


def _write(
    c: Connection, m: Moment, task: Task, fields: Mapping[Field, Any], author: Author
) -> Task:
    if not fields:
        return task
    version = task.version + 1
    writing.change_task(c, m, task.id, version=version, fields=fields)
    writing.add_change(c, m, task.id, version=version, author=author, fields=fields)
    _tell(c, m, task.board_id, task.id)
    return store.task(c, task.id)


def _check_texts(title: str | None, text: str | None) -> None:
    rules.check_text(ToolName.CCWEB_CREATE_TASK, "title", title)
    rules.check_text(ToolName.CCWEB_CREATE_TASK, "text", text)


def _tell(c: Connection, m: Moment, board_id: str, task_id: str) -> None:
    messages.tell(c, m, EventKind.BOARD, [""], data={"boardId": board_id, "taskId": task_id})
