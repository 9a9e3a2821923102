"""What a board is made of: columns that stand for states, tasks, comments and changes."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from ccweb_contract.enums import AssigneeKind, LinkKind, SourceKind, TaskState


@dataclass(frozen=True, slots=True, kw_only=True)
class Board:
    """The tasks of one directory on one host."""

    id: str
    host_id: str
    cwd: str
    title: str
    """The last part of the directory's path."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedBoard:
    """One line of the list of boards."""

    board: Board
    tasks: Mapping[TaskState, int]
    """How many tasks stand in each state; every state has its number."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardColumn:
    """A column: every task in it has its state."""

    id: str
    board_id: str
    rank: str
    title: str
    description: str
    state: TaskState
    version: int
    tasks: int
    """How many tasks it holds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Assignee:
    """Who is to do a task."""

    kind: AssigneeKind
    id: str | None = None
    """None for nobody; what a caller gives may lack it for the owner."""


NOBODY = Assignee(kind=AssigneeKind.NOBODY)


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """What a task is linked to."""

    kind: LinkKind
    id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Author:
    """Who does something to a task."""

    kind: SourceKind
    id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One thing to do; it has one place, and its state is that of its column."""

    id: str
    position: int
    board_id: str
    column_id: str
    rank: str
    title: str
    text: str
    state: TaskState
    assignee: Assignee
    assignee_name: str
    """Name of the person or title of the conversation; empty for nobody."""
    links: tuple[Link, ...]
    metadata: Mapping[str, str]
    comments: int
    """How many comments it has."""
    version: int
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a task stands on its board."""

    column_rank: str
    rank: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Comment:
    """What somebody wrote about a task."""

    id: str
    task_id: str
    author: Author
    author_name: str
    text: str
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One step in the history of a task; together they explain how it is now."""

    task_id: str
    version: int
    """The version of the task after it; the first one is 1 and has every field."""
    author: Author
    author_name: str
    fields: Mapping[str, Any]
    """The new values of the fields that it changed, by the names of `Field`."""
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class NewTask:
    """What a task begins with."""

    title: str
    text: str = ""
    column_id: str | None = None
    state: TaskState | None = None
    """Without a column, the first one with this state; without either, the first to do."""
    assignee: Assignee = NOBODY
    links: tuple[Link, ...] = ()
    metadata: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskChange:
    """What is to change about a task; None leaves a field as it is."""

    expected_version: int
    title: str | None = None
    text: str | None = None
    state: TaskState | None = None
    """Moves it to the end of the first column with this state, unless it has this state."""
    assignee: Assignee | None = None
    links: tuple[Link, ...] | None = None
    metadata: Mapping[str, str] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NewColumn:
    """What a column begins with."""

    title: str
    state: TaskState
    description: str = ""
    before_column_id: str | None = None
    """None puts it at the end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnChange:
    """What is to change about a column; None leaves a field as it is."""

    expected_version: int
    title: str | None = None
    description: str | None = None
    state: TaskState | None = None
    before_column_id: str | None = None
