"""The task board as a source: a task is a work item, its board the space, its column the state."""

from collections.abc import Callable

from sqlalchemy import Connection

from ccweb.db.sql import select
from ccweb.planning.errors import WorkItemNotFound
from ccweb.planning.model import SpaceId, WorkItem
from ccweb_contract.enums import TaskState, WorkItemSource

_TASK = select(
    "t.id, t.board_id, t.title, t.text, k.state",
    "FROM task t JOIN board_column k ON k.id = t.column_id WHERE t.id = :id",
)


class Board:
    """The task boards of this workspace."""

    def fetching(
        self, c: Connection, work_item_id: str, *, space_id: SpaceId | None, type_key: str | None
    ) -> Callable[[], WorkItem]:
        """Return what gives a task, which is read at once.

        Raises:
            WorkItemNotFound: there is no such task, or not on this board.
        """
        found = _task(c, work_item_id)
        if found is None or (space_id is not None and space_id != found.space_id):
            raise WorkItemNotFound(work_item_id=work_item_id)
        return lambda: found

    def current(self, c: Connection, known: WorkItem) -> WorkItem:
        """Return a task as it is in this transaction."""
        return _task(c, known.id) or known


def _task(c: Connection, task_id: str) -> WorkItem | None:
    row = c.execute(_TASK, {"id": task_id}).one_or_none()
    if row is None:
        return None
    return WorkItem(
        source=WorkItemSource.BOARD,
        space_id=SpaceId(row.board_id),
        id=row.id,
        title=row.title,
        text=row.text,
        state=row.state,
        cancelled=row.state == TaskState.CANCELLED.value,
    )
