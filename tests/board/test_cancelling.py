"""A cancelled task: final for everybody, in every disguise."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from ccweb.board.errors import ColumnInUse, StateWithoutColumn, TaskCancelled
from ccweb.board.model import NOBODY, Author, Link, Task
from ccweb_contract.enums import LinkKind, TaskState
from tests.board.wall import Wall

Attempt = Callable[[Wall, Task, Author], object]

ATTEMPTS: dict[str, Attempt] = {
    "another title": lambda wall, task, who: wall.update(task, title="x", author=who),
    "the same title": lambda wall, task, who: wall.update(task, title=task.title, author=who),
    "another text": lambda wall, task, who: wall.update(task, text="x", author=who),
    "another state": lambda wall, task, who: wall.update(task, state=TaskState.TODO, author=who),
    "its own state": lambda wall, task, who: wall.update(task, state=task.state, author=who),
    "an assignee": lambda wall, task, who: wall.update(task, assignee=NOBODY, author=who),
    "links": lambda wall, task, who: wall.update(task, links=(), author=who),
    "one link": lambda wall, task, who: wall.link(
        task, Link(kind=LinkKind.BLUEPRINT, id="bp_2"), author=who
    ),
    "the link it has": lambda wall, task, who: wall.link(task, task.links[0], author=who),
    "metadata": lambda wall, task, who: wall.update(task, metadata={"a": "2"}, author=who),
    "an old version": lambda wall, task, who: wall.update(
        replace(task, version=1), title="x", author=who
    ),
    "a move away": lambda wall, task, who: wall.move(task, wall.column(TaskState.TODO), author=who),
    "a move within its column": lambda wall, task, who: wall.move(
        task, wall.column(TaskState.CANCELLED), author=who
    ),
    "a move to another column of its state": lambda wall, task, who: wall.move(
        task, wall.columns()[-1], author=who
    ),
    "cancelling it again": lambda wall, task, who: wall.cancel(task, "again", author=who),
    "a comment": lambda wall, task, who: wall.comment(task, author=who),
}
NOTES = {"metadata", "a comment"}


def cancelled(wall: Wall) -> Task:
    """Return a cancelled task that is not the only one, with a second column for such tasks."""
    links = (Link(kind=LinkKind.BLUEPRINT, id="bp_1"),)
    task = wall.cancel(wall.add("given up", links=links, metadata={"a": "1"}))
    wall.cancel(wall.add("given up as well"))
    wall.add_column(TaskState.CANCELLED, title="Given up")
    return task


@pytest.mark.requirement("R-P7, task", "R-U4")
@pytest.mark.parametrize("author", ["person", "agent"])
@pytest.mark.parametrize("attempt", ATTEMPTS.values(), ids=ATTEMPTS)
def test_a_cancelled_task_stays_as_it_is_whoever_tries(
    wall: Wall, attempt: Attempt, author: str
) -> None:
    task = cancelled(wall)
    before = wall.rows()
    with pytest.raises(TaskCancelled) as refused:
        attempt(wall, task, getattr(wall, author))
    assert refused.value.task_id == task.id
    assert wall.rows() == before


@pytest.mark.requirement("R-P7, task")
def test_the_column_of_a_cancelled_task_keeps_its_state_and_stays(wall: Wall) -> None:
    task = cancelled(wall)
    column = wall.column(TaskState.CANCELLED)
    with pytest.raises(ColumnInUse):
        wall.update_column(column, state=TaskState.TODO)
    with pytest.raises(ColumnInUse):
        wall.delete_column(column)
    assert wall.task(task) == task


@pytest.mark.requirement("R-P7, task")
def test_the_settings_may_allow_notes_on_a_cancelled_task(wall: Wall) -> None:
    task = cancelled(wall)
    wall.comment(task, "for the record", notes=True)
    noted = wall.update(task, metadata={"a": "2"}, notes=True)
    assert noted == replace(
        task,
        metadata={"a": "2"},
        comments=1,
        version=task.version + 1,
        updated_at=noted.updated_at,
    )


@pytest.mark.requirement("R-P7, task")
@pytest.mark.parametrize("field", ["title", "text", "state", "links", "assignee"])
def test_notes_are_all_that_the_settings_allow(wall: Wall, field: str) -> None:
    task = cancelled(wall)
    values: dict[str, Any] = {
        "title": "x",
        "text": "x",
        "state": TaskState.TODO,
        "links": (),
        "assignee": NOBODY,
    }
    before = wall.rows()
    with pytest.raises(TaskCancelled):
        wall.update(task, metadata={"a": "2"}, notes=True, **{field: values[field]})
    assert wall.rows() == before


def test_cancelling_goes_to_the_first_cancelled_column_with_the_reason(wall: Wall) -> None:
    wall.add_column(TaskState.CANCELLED, title="Given up")
    task = wall.cancel(wall.add(), reason="no longer wanted", author=wall.agent)
    assert task.column_id == wall.column(TaskState.CANCELLED).id
    assert (task.state, task.version, task.comments) == (TaskState.CANCELLED, 2, 1)
    assert wall.comments(task)[0].text == "no longer wanted"


@pytest.mark.parametrize("reason", ["", "  \n"])
def test_cancelling_without_a_reason_writes_no_comment(wall: Wall, reason: str) -> None:
    assert wall.cancel(wall.add(), reason=reason).comments == 0


def test_cancelling_where_no_column_stands_for_it_changes_nothing(wall: Wall) -> None:
    wall.delete_column(wall.column(TaskState.CANCELLED))
    task = wall.add()
    before = wall.rows()
    with pytest.raises(StateWithoutColumn):
        wall.cancel(task, reason="no longer wanted")
    assert wall.rows() == before


@pytest.mark.parametrize("way", ["update", "move"])
def test_a_task_can_be_cancelled_by_every_way_that_changes_its_state(wall: Wall, way: str) -> None:
    task = wall.add()
    column = wall.column(TaskState.CANCELLED)
    if way == "update":
        changed = wall.update(task, state=TaskState.CANCELLED, author=wall.agent)
    else:
        changed = wall.move(task, column, author=wall.agent)
    assert (changed.state, changed.column_id) == (TaskState.CANCELLED, column.id)
