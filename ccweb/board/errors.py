"""Refusals of a board: what is not there, what has changed, and what is final."""

from dataclasses import dataclass
from typing import ClassVar

from ccweb.errors import CcwebError
from ccweb_contract.enums import TaskState
from ccweb_contract.errors import ErrorCode


@dataclass(eq=False)
class BoardNotFound(CcwebError):
    """The board does not exist."""

    code: ClassVar = ErrorCode.BOARD_NOT_FOUND
    board_id: str

    @property
    def detail(self) -> str:
        return f"There is no board {self.board_id!r}."


@dataclass(eq=False)
class ColumnNotFound(CcwebError):
    """The board has no such column."""

    code: ClassVar = ErrorCode.COLUMN_NOT_FOUND
    column_id: str

    @property
    def detail(self) -> str:
        return f"The board has no column {self.column_id!r}."


@dataclass(eq=False)
class StateWithoutColumn(CcwebError):
    """No column of the board stands for this state."""

    code: ClassVar = ErrorCode.COLUMN_NOT_FOUND
    state: TaskState

    @property
    def detail(self) -> str:
        return f"The board has no column for the state `{self.state}`."


@dataclass(eq=False)
class TaskNotFound(CcwebError):
    """The task does not exist on that board."""

    code: ClassVar = ErrorCode.TASK_NOT_FOUND
    task_id: str

    @property
    def detail(self) -> str:
        return f"There is no task {self.task_id!r}."


@dataclass(eq=False)
class Conflict(CcwebError):
    """It has changed since the caller read it."""

    code: ClassVar = ErrorCode.CONFLICT
    what: str
    """As the sentence begins: `The task task_9`."""
    shown: int
    """The version that the caller has read."""
    current: int

    @property
    def detail(self) -> str:
        return f"{self.what} is at version {self.current} now; you have read {self.shown}."


@dataclass(eq=False)
class NeighbourMoved(CcwebError):
    """The task before which another was to stand is in that column no longer."""

    code: ClassVar = ErrorCode.CONFLICT
    task_id: str
    column_id: str
    """Where it stands now."""
    current: int

    @property
    def detail(self) -> str:
        return (
            f"The task {self.task_id} stands in the column {self.column_id} now, "
            f"at version {self.current}."
        )


@dataclass(eq=False)
class NotAsked(CcwebError):
    """A person would cancel a task by a column that their page shows in another state."""

    code: ClassVar = ErrorCode.CONFLICT
    column_id: str

    @property
    def detail(self) -> str:
        return f"The column {self.column_id} stands for what is cancelled now; nobody was asked."


@dataclass(eq=False)
class TaskCancelled(CcwebError):
    """The task is cancelled, which is final."""

    code: ClassVar = ErrorCode.TASK_CANCELLED
    task_id: str

    @property
    def detail(self) -> str:
        return f"The task {self.task_id} is cancelled; nobody changes or moves it any more."


@dataclass(eq=False)
class ColumnInUse(CcwebError):
    """The column holds tasks."""

    code: ClassVar = ErrorCode.COLUMN_IN_USE
    column_id: str
    tasks: int

    @property
    def detail(self) -> str:
        return f"The column {self.column_id} holds {self.tasks} tasks."
