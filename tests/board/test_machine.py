"""Random orders of everything that can happen to a board, on a real database.

One place for each task and unique ranks, cancelled stays, versions only grow, and the history of a
task explains how it is now.
"""

import shutil
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from ccweb.board import rules
from ccweb.board.model import NOBODY, Assignee, Author, BoardColumn, Link, Task
from ccweb.board.rules import Field
from ccweb.errors import CcwebError
from ccweb_contract.enums import AssigneeKind, LinkKind, TaskState
from tests.board.wall import a_wall

pytestmark = pytest.mark.long

TITLES = st.text("ab <\u200b\u202e", min_size=1, max_size=5)
STATES = st.none() | st.sampled_from(TaskState)
LINKS = st.lists(st.sampled_from(["bp_1", "bp_2", "bp_3"]), unique=True).map(
    lambda ids: tuple(Link(kind=LinkKind.BLUEPRINT, id=one) for one in ids)
)
METADATA = st.dictionaries(st.sampled_from("xyz"), st.text(max_size=2), max_size=2)
ASSIGNEES = st.sampled_from([NOBODY, Assignee(kind=AssigneeKind.PERSON)])


class BoardInAnyOrder(RuleBasedStateMachine):
    """A person and an agent at one board; each may hold a version that is too old."""

    @initialize()
    def begin(self) -> None:
        self.folder = Path(tempfile.mkdtemp())
        self.wall = a_wall(self.folder)
        self.seen: dict[str, Task] = {}

    def teardown(self) -> None:
        if hasattr(self, "wall"):
            self.wall.world.db.close()
            shutil.rmtree(self.folder)

    # --- what can happen ----------------------------------------------------------------------

    @rule(title=TITLES, state=STATES, links=LINKS, metadata=METADATA, who=st.booleans())
    def somebody_adds_a_task(self, who: bool, **new: Any) -> None:
        self.attempt(lambda: self.wall.add(**new, author=self.author(who)))

    @precondition(lambda self: self.seen)
    @rule(data=st.data(), who=st.booleans(), late=st.booleans())
    def somebody_changes_a_task(self, data: st.DataObject, who: bool, late: bool) -> None:
        task = self.a_task(data, late=late)
        change = data.draw(
            st.fixed_dictionaries(
                {},
                optional={
                    "title": TITLES,
                    "text": TITLES,
                    "state": STATES,
                    "links": LINKS,
                    "metadata": METADATA,
                    "assignee": ASSIGNEES,
                },
            )
        )
        notes = data.draw(st.booleans())
        self.attempt(lambda: self.wall.update(task, author=self.author(who), notes=notes, **change))

    @precondition(lambda self: self.seen)
    @rule(data=st.data(), who=st.booleans(), late=st.booleans())
    def somebody_moves_a_task(self, data: st.DataObject, who: bool, late: bool) -> None:
        task, column = self.a_task(data, late=late), self.a_column(data)
        there = [other for other in self.wall.tasks() if other.column_id == column.id]
        before = data.draw(st.none() | st.sampled_from(there)) if there else None
        self.attempt(lambda: self.wall.move(task, column, before, author=self.author(who)))

    @precondition(lambda self: self.seen)
    @rule(data=st.data(), reason=st.sampled_from(["", "no"]))
    def somebody_gives_a_task_up(self, data: st.DataObject, reason: str) -> None:
        task = self.a_task(data, late=False)
        self.attempt(lambda: self.wall.cancel(task, reason))

    @precondition(lambda self: self.seen)
    @rule(data=st.data(), notes=st.booleans())
    def somebody_comments_and_links(self, data: st.DataObject, notes: bool) -> None:
        task = self.a_task(data, late=False)
        self.attempt(lambda: self.wall.comment(task, notes=notes))
        self.attempt(lambda: self.wall.link(task, Link(kind=LinkKind.BLUEPRINT, id="bp_9")))

    @rule(data=st.data(), state=st.sampled_from(TaskState), change=st.booleans())
    def somebody_works_on_columns(
        self, data: st.DataObject, state: TaskState, change: bool
    ) -> None:
        column = self.a_column(data)
        if change:
            before = self.a_column(data)
            self.attempt(
                lambda: self.wall.update_column(column, state=state, before_column_id=before.id)
            )
        elif len(self.wall.columns()) > 3 and data.draw(st.booleans()):
            self.attempt(lambda: self.wall.delete_column(column))
        else:
            self.attempt(lambda: self.wall.add_column(state, before_column_id=column.id))

    # --- what always holds --------------------------------------------------------------------

    @invariant()
    def everything_holds(self) -> None:
        if not hasattr(self, "wall"):
            return
        columns = {column.id: column for column in self.wall.columns()}
        tasks = {task.id: task for task in self.wall.tasks()}
        assert self.seen.keys() <= tasks.keys(), "A task was lost."
        self.each_task_has_one_place(tasks, columns)
        for task in tasks.values():
            self.its_history_explains_it(task)
            if (earlier := self.seen.get(task.id)) is not None:
                self.it_only_goes_on(earlier, task)
        self.seen = tasks

    def each_task_has_one_place(
        self, tasks: dict[str, Task], columns: dict[str, BoardColumn]
    ) -> None:
        places = {(task.column_id, task.rank) for task in tasks.values()}
        assert len(places) == len(tasks)
        assert len({column.rank for column in columns.values()}) == len(columns)
        for column in columns.values():
            inside = [task for task in tasks.values() if task.column_id == column.id]
            assert len(inside) == column.tasks
            assert [task.rank for task in inside] == sorted(task.rank for task in inside)
            assert {task.state for task in inside} <= {column.state}

    def its_history_explains_it(self, task: Task) -> None:
        changes = self.wall.changes(task)
        assert [change.version for change in changes] == list(range(1, task.version + 1))
        replayed: dict[str, Any] = {}
        for change in changes:
            assert change.fields, "A change changed nothing."
            replayed |= change.fields
        assert replayed == {
            Field.TITLE: task.title,
            Field.TEXT: task.text,
            Field.COLUMN: task.column_id,
            Field.PLACE: task.rank,
            Field.STATE: task.state.value,
            Field.ASSIGNEE: rules.assignee_value(task.assignee),
            Field.LINKS: rules.links_value(task.links),
            Field.METADATA: task.metadata,
        }
        assert changes[-1].created_at == task.updated_at

    def it_only_goes_on(self, earlier: Task, task: Task) -> None:
        assert task.version >= earlier.version
        assert task.comments >= earlier.comments
        if task.version == earlier.version:
            assert task.updated_at == earlier.updated_at
        if earlier.state is TaskState.CANCELLED:
            assert fixed(task) == fixed(earlier)

    # --- choosing -----------------------------------------------------------------------------

    def attempt(self, action: Callable[[], object]) -> None:
        """Do something that may be refused, and then changes nothing."""
        before = self.wall.rows()
        try:
            action()
        except CcwebError:
            assert self.wall.rows() == before

    def author(self, who: bool) -> Author:
        return self.wall.person if who else self.wall.agent

    def a_task(self, data: st.DataObject, *, late: bool) -> Task:
        """Return a task as somebody has read it, now or one version ago."""
        task = self.seen[data.draw(st.sampled_from(sorted(self.seen)))]
        read = max(1, task.version - 1) if late else task.version
        return replace(task, version=read)

    def a_column(self, data: st.DataObject) -> BoardColumn:
        return data.draw(st.sampled_from(self.wall.columns()))


def fixed(task: Task) -> tuple[object, ...]:
    """Return what of a cancelled task nothing changes, whatever the settings allow."""
    return (
        task.column_id,
        task.rank,
        task.state,
        task.title,
        task.text,
        task.assignee,
        task.links,
    )


TestBoardInAnyOrder = BoardInAnyOrder.TestCase
TestBoardInAnyOrder.settings = settings(
    max_examples=25,
    stateful_step_count=30,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    print_blob=True,
)
TestBoardInAnyOrder = pytest.mark.requirement("R-P7, task", "R-U4")(TestBoardInAnyOrder)
