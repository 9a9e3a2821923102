"""The board's rules: which moves are legal, and what a change really changes."""

from datetime import UTC, datetime

import pytest

from ccweb.board import rules
from ccweb.board.errors import Conflict, TaskCancelled
from ccweb.board.model import NOBODY, BoardColumn, Link, Task, TaskChange
from ccweb.board.rules import Field
from ccweb.errors import InvalidParams
from ccweb_contract.enums import LinkKind, TaskState
from ccweb_contract.tools import ToolName

NOW = datetime(2026, 1, 1, tzinfo=UTC)
LINK = Link(kind=LinkKind.BLUEPRINT, id="bp_1")


def a_task(*, state: TaskState = TaskState.TODO) -> Task:
    return Task(
        id="task_1",
        position=1,
        board_id="board_1",
        column_id="col_1",
        rank="n0",
        title="old",
        text="text",
        state=state,
        assignee=NOBODY,
        assignee_name="",
        links=(LINK,),
        metadata={"a": "1", "b": "2"},
        comments=0,
        version=3,
        created_at=NOW,
        updated_at=NOW,
    )


def a_column(state: TaskState, column_id: str = "col_2") -> BoardColumn:
    return BoardColumn(
        id=column_id,
        board_id="board_1",
        rank="n1",
        title="Column",
        description="",
        state=state,
        version=1,
        tasks=0,
    )


@pytest.mark.requirement("R-P7, task")
def test_every_state_leads_to_every_other_and_none_leads_out_of_cancelled() -> None:
    assert {
        TaskState.TODO: frozenset(TaskState),
        TaskState.IN_PROGRESS: frozenset(TaskState),
        TaskState.BLOCKED: frozenset(TaskState),
        TaskState.DONE: frozenset(TaskState),
        TaskState.CANCELLED: frozenset(),
    } == rules.MOVES


@pytest.mark.parametrize("before", TaskState)
@pytest.mark.parametrize("to", TaskState)
def test_a_move_follows_the_table(before: TaskState, to: TaskState) -> None:
    task, column = a_task(state=before), a_column(to)
    if to in rules.MOVES[before]:
        assert rules.moved(task, column, "n0")[Field.COLUMN] == column.id
    else:
        with pytest.raises(TaskCancelled):
            rules.moved(task, column, "n0")


def test_a_move_holds_only_what_it_changes() -> None:
    task = a_task()
    assert rules.moved(task, a_column(TaskState.TODO), "n0") == {Field.COLUMN: "col_2"}
    assert rules.moved(task, a_column(TaskState.TODO, "col_1"), "n1") == {Field.PLACE: "n1"}
    assert rules.moved(task, a_column(TaskState.DONE), "n1") == {
        Field.COLUMN: "col_2",
        Field.PLACE: "n1",
        Field.STATE: "done",
    }


def test_what_stays_the_same_is_no_change() -> None:
    same = TaskChange(
        expected_version=3,
        title="old",
        text="text",
        assignee=NOBODY,
        links=(LINK,),
        metadata={"b": "2", "a": "1"},
    )
    assert rules.changed(a_task(), same) == {}


def test_a_change_holds_the_new_values() -> None:
    change = TaskChange(expected_version=3, title="new", text="", links=(), metadata={})
    assert rules.changed(a_task(), change) == {
        Field.TITLE: "new",
        Field.TEXT: "",
        Field.LINKS: [],
        Field.METADATA: {},
    }


def test_a_conflict_names_both_versions() -> None:
    with pytest.raises(Conflict) as refused:
        rules.check_change(a_task(), TaskChange(expected_version=2), notes_allowed=False)
    assert (refused.value.shown, refused.value.current) == (2, 3)


@pytest.mark.requirement("R-P7, task")
@pytest.mark.parametrize("expected_version", [2, 3])
def test_that_a_task_is_cancelled_counts_before_its_version(expected_version: int) -> None:
    change = TaskChange(expected_version=expected_version, title="new")
    with pytest.raises(TaskCancelled):
        rules.check_change(a_task(state=TaskState.CANCELLED), change, notes_allowed=False)


@pytest.mark.parametrize(
    ("tool", "name", "limit"),
    [
        (ToolName.CCWEB_CREATE_TASK, "title", 200),
        (ToolName.CCWEB_CREATE_TASK, "text", 65536),
        (ToolName.CCWEB_CREATE_COLUMN, "title", 100),
        (ToolName.CCWEB_CREATE_COLUMN, "description", 1000),
        (ToolName.CCWEB_COMMENT_TASK, "text", 16384),
    ],
)
def test_a_text_may_be_as_long_as_the_contract_says(tool: ToolName, name: str, limit: int) -> None:
    rules.check_text(tool, name, "x" * limit)
    with pytest.raises(InvalidParams):
        rules.check_text(tool, name, "x" * (limit + 1))


@pytest.mark.parametrize("blank", ["", " ", "\n\t", "\u2003"])
def test_a_title_is_never_blank_and_a_text_may_be(blank: str) -> None:
    with pytest.raises(InvalidParams):
        rules.check_text(ToolName.CCWEB_CREATE_TASK, "title", blank)
    rules.check_text(ToolName.CCWEB_CREATE_TASK, "text", blank)
