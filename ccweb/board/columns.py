"""Commands on boards and their columns."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from sqlalchemy import Connection

from ccweb.access.model import Human
from ccweb.board import rules, store, writing
from ccweb.board.errors import ColumnInUse, ColumnNotFound
from ccweb.board.model import Board, BoardColumn, ColumnChange, NewColumn
from ccweb.board.ordering import between
from ccweb.clock import Moment
from ccweb.conversations import messages
from ccweb.conversations.model import EventKind
from ccweb_contract.enums import Lang, TaskState
from ccweb_contract.tools import ToolName

TITLES: Final[Mapping[TaskState, Mapping[Lang, str]]] = {
    TaskState.TODO: {Lang.EN: "To do", Lang.ZH: "待办"},
    TaskState.IN_PROGRESS: {Lang.EN: "In progress", Lang.ZH: "进行中"},
    TaskState.BLOCKED: {Lang.EN: "Blocked", Lang.ZH: "受阻"},
    TaskState.DONE: {Lang.EN: "Done", Lang.ZH: "已完成"},
    TaskState.CANCELLED: {Lang.EN: "Cancelled", Lang.ZH: "已取消"},
}
"""The columns that a board begins with, in their order."""


def board_at(c: Connection, m: Moment, host_id: str, cwd: str, *, lang: Lang) -> Board:
    """Return the board of a directory; the first look makes it, with a column for each state."""
    found = store.board_of(c, host_id, cwd)
    if found is not None:
        return found
    new_id = m.new_id("board")
    board_id = writing.add_board(c, m, new_id, host_id=host_id, cwd=cwd)
    if board_id == new_id:
        for state, titles in TITLES.items():
            _add(c, m, board_id, NewColumn(title=titles[lang], state=state))
        _tell(c, m, board_id)
    return store.board(c, board_id)


def create_column(c: Connection, m: Moment, board_id: str, new: NewColumn) -> BoardColumn:
    """Add a column to a board and return it.

    Raises:
        BoardNotFound: there is no such board.
        ColumnNotFound: the column before which it was to stand is none of this board.
        InvalidParams: a text is too long or blank.
    """
    _check_texts(new.title, new.description)
    store.board(c, board_id)
    added = _add(c, m, board_id, new)
    _tell(c, m, board_id)
    return added


def update_column(c: Connection, m: Moment, column_id: str, change: ColumnChange) -> BoardColumn:
    """Change a column and return it; a change that changes nothing writes nothing.

    Raises:
        ColumnNotFound: there is no such column, or the one before it is none of its board.
        Conflict: somebody has changed it since.
        ColumnInUse: its state was to change while it holds tasks.
        InvalidParams: a text is too long or blank.
    """
    _check_texts(change.title, change.description)
    column = store.column(c, column_id)
    wanted = _wanted(c, column, change)
    rules.check_column_version(column, change.expected_version)
    if wanted == column:
        return column
    if wanted.state is not column.state and column.tasks:
        raise ColumnInUse(column_id=column_id, tasks=column.tasks)
    written = replace(wanted, version=column.version + 1)
    writing.change_column(c, written)
    _tell(c, m, column.board_id)
    return written


def delete_column(
    c: Connection, m: Moment, column_id: str, *, expected_version: int, by: Human
) -> None:
    """Delete a column: `by` is the person who decides that.

    Raises:
        ColumnNotFound: there is no such column.
        Conflict: somebody has changed it since.
        ColumnInUse: it holds tasks.
    """
    column = store.column(c, column_id)
    rules.check_column_version(column, expected_version)
    if column.tasks:
        raise ColumnInUse(column_id=column_id, tasks=column.tasks)
    writing.delete_column(c, column_id)
    _tell(c, m, column.board_id)


def column_of(c: Connection, board_id: str, column_id: str) -> BoardColumn:
    """Return a column of a board.

    Raises:
        ColumnNotFound: this board has none with this id.
    """
    found = store.column(c, column_id)
    if found.board_id != board_id:
        raise ColumnNotFound(column_id=column_id)
    return found


def _add(c: Connection, m: Moment, board_id: str, new: NewColumn) -> BoardColumn:
    column = BoardColumn(
        id=m.new_id("col"),
        board_id=board_id,
        rank=_rank(c, board_id, new.before_column_id),
        title=new.title,
        description=new.description,
        state=new.state,
        version=1,
        tasks=0,
    )
    writing.add_column(c, m, column)
    return column


def _wanted(c: Connection, column: BoardColumn, change: ColumnChange) -> BoardColumn:
    return replace(
        column,
        title=column.title if change.title is None else change.title,
        description=column.description if change.description is None else change.description,
        state=change.state or column.state,
        rank=_moved_rank(c, column, change.before_column_id),
    )


def _moved_rank(c: Connection, column: BoardColumn, before_column_id: str | None) -> str:
    """Return the rank of a column that moves, its own where it stands there already."""
    if before_column_id is None or before_column_id == column.id:
        return column.rank
    following = column_of(c, column.board_id, before_column_id).rank
    last = writing.last_column_rank(c, column.board_id, below=following, but=column.id)
    stands_there = (last or "") < column.rank < following
    return column.rank if stands_there else between(last, following)


def _rank(c: Connection, board_id: str, before_column_id: str | None) -> str:
    following = before_column_id and column_of(c, board_id, before_column_id).rank
    return between(writing.last_column_rank(c, board_id, below=following), following)


def _check_texts(title: str | None, description: str | None) -> None:
    rules.check_text(ToolName.CCWEB_CREATE_COLUMN, "title", title)
    rules.check_text(ToolName.CCWEB_CREATE_COLUMN, "description", description)


def _tell(c: Connection, m: Moment, board_id: str) -> None:
    messages.tell(c, m, EventKind.BOARD, [""], data={"boardId": board_id})
