"""The rules of a board: which moves are legal, whose version counts, and what a change changes."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from enum import StrEnum
from typing import Any, Final

from ccweb.board.errors import Conflict, TaskCancelled
from ccweb.board.model import Assignee, BoardColumn, Link, NewTask, Task, TaskChange
from ccweb.errors import InvalidParams
from ccweb_contract.enums import TaskState
from ccweb_contract.tools import TOOLS, ToolName


class Field(StrEnum):
    """A part of a task that its history follows, as doors and pages name it."""

    TITLE = "title"
    TEXT = "text"
    COLUMN = "columnId"
    PLACE = "place"
    """The rank within the column."""
    STATE = "state"
    ASSIGNEE = "assignee"
    LINKS = "links"
    METADATA = "metadata"


MOVES: Final[Mapping[TaskState, frozenset[TaskState]]] = {
    state: frozenset() if state is TaskState.CANCELLED else frozenset(TaskState)
    for state in TaskState
}
"""To which states a task may move from each; a move within its state counts too."""

_LINKS: Final = TOOLS[ToolName.CCWEB_CREATE_TASK].input_schema["properties"]["links"]
_LONGEST_ID: Final[int] = _LINKS["items"]["properties"]["id"]["maxLength"]

_LIMITS: Final = {
    (tool, name): spec["maxLength"]
    for tool in (
        ToolName.CCWEB_CREATE_TASK,
        ToolName.CCWEB_CREATE_COLUMN,
        ToolName.CCWEB_COMMENT_TASK,
    )
    for name, spec in TOOLS[tool].input_schema["properties"].items()
    if "maxLength" in spec
}


def check_open(task: Task) -> None:
    """Check that a task may still be changed.

    Raises:
        TaskCancelled: it is cancelled.
    """
    if not MOVES[task.state]:
        raise TaskCancelled(task_id=task.id)


def check_change(task: Task, change: TaskChange, *, notes_allowed: bool) -> None:
    """Check that a task may be changed: by its state first, then by the version that was read.

    Raises:
        TaskCancelled: it is cancelled, and more than the metadata would change or no note is
            allowed.
        Conflict: somebody has changed it since.
    """
    only_metadata = change == TaskChange(
        expected_version=change.expected_version, metadata=change.metadata
    )
    if not (notes_allowed and only_metadata):
        check_open(task)
    _check_task_version(task, change.expected_version)


def check_move(task: Task, expected_version: int) -> None:
    """Check that a task may be moved: by its state first, then by the version that was read.

    Raises:
        TaskCancelled: it is cancelled.
        Conflict: somebody has changed it since.
    """
    check_open(task)
    _check_task_version(task, expected_version)


def check_column_version(column: BoardColumn, expected_version: int) -> None:
    """Check that a caller has read the present version of a column.

    Raises:
        Conflict: somebody has changed it since.
    """
    _check_version(f"The column {column.id}", shown=expected_version, current=column.version)


def check_text(tool: ToolName, name: str, value: str | None) -> None:
    """Check a text against what the contract allows where it is first given.

    Raises:
        InvalidParams: it is too long, or blank where it must not be.
    """
    if value is None:
        return
    limit = _LIMITS[tool, name]
    if len(value) > limit:
        raise InvalidParams(why=f"`{name}` must have at most {limit} characters.")
    if not value.strip() and "minLength" in TOOLS[tool].input_schema["properties"][name]:
        raise InvalidParams(why=f"`{name}` must hold more than white space.")


def check_links(links: Iterable[Link]) -> None:
    """Check a list of links in itself.

    Raises:
        InvalidParams: one stands in it twice or has an id that is none, or there are too many.
    """
    given = list(links)
    if not all(0 < len(link.id) <= _LONGEST_ID for link in given):
        raise InvalidParams(why=f"The `id` of a link must have 1 to {_LONGEST_ID} characters.")
    if len(set(given)) < len(given):
        raise InvalidParams(why="`links` must hold each link once.")
    if len(given) > _LINKS["maxItems"]:
        raise InvalidParams(why=f"`links` must have at most {_LINKS['maxItems']} entries.")


def begun(new: NewTask, column: BoardColumn, rank: str) -> dict[Field, Any]:
    """Return what the first step of a task's history holds: every field."""
    return {
        Field.TITLE: new.title,
        Field.TEXT: new.text,
        Field.COLUMN: column.id,
        Field.PLACE: rank,
        Field.STATE: column.state.value,
        Field.ASSIGNEE: assignee_value(new.assignee),
        Field.LINKS: links_value(new.links),
        Field.METADATA: dict(new.metadata),
    }


def changed(task: Task, change: TaskChange) -> dict[Field, Any]:
    """Return the new values of what a change really changes, its place aside."""
    given = {
        Field.TITLE: (task.title, change.title),
        Field.TEXT: (task.text, change.text),
        Field.ASSIGNEE: (
            assignee_value(task.assignee),
            change.assignee and assignee_value(change.assignee),
        ),
        Field.LINKS: (
            links_value(task.links),
            None if change.links is None else links_value(change.links),
        ),
        Field.METADATA: (
            dict(task.metadata),
            None if change.metadata is None else dict(change.metadata),
        ),
    }
    return {name: new for name, (old, new) in given.items() if new is not None and new != old}


def moved(task: Task, column: BoardColumn, rank: str) -> dict[Field, Any]:
    """Return the new values of what a move changes.

    Raises:
        TaskCancelled: the state of the task allows no such move.
    """
    if column.state not in MOVES[task.state]:
        raise TaskCancelled(task_id=task.id)
    given = {
        Field.COLUMN: (task.column_id, column.id),
        Field.PLACE: (task.rank, rank),
        Field.STATE: (task.state.value, column.state.value),
    }
    return {name: new for name, (old, new) in given.items() if new != old}


def assignee_value(assignee: Assignee) -> dict[str, str]:
    """Return an assignee as the history keeps it."""
    return {name: str(value) for name, value in asdict(assignee).items() if value is not None}


def links_value(links: Iterable[Link]) -> list[dict[str, str]]:
    """Return links as the history keeps them."""
    return [{"kind": link.kind.value, "id": link.id} for link in links]


def _check_task_version(task: Task, expected_version: int) -> None:
    _check_version(f"The task {task.id}", shown=expected_version, current=task.version)


def _check_version(what: str, *, shown: int, current: int) -> None:
    if shown != current:
        raise Conflict(what=what, shown=shown, current=current)
