"""The task board as a source: live, with the board as the space."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import text

from ccweb.planning.errors import ContextNotFound, WorkItemNotFound
from ccweb.planning.model import SpaceId, WorkItem
from ccweb.planning.projects import contexts
from ccweb.planning.sources import source as sources
from ccweb.planning.sources.source import Wanted
from ccweb_contract.enums import TaskState, WorkItemSource
from tests.relay.world import HOST
from tests.tools.desk import Desk, a_desk

BOARD = SpaceId("board_1")
TASK = "task_1"


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    """Return a desk with one board, a column for each state, and one task to do."""
    desk = a_desk(tmp_path)
    with desk.tx() as c:
        c.execute(
            text("INSERT INTO board (id, host_id, cwd, created_at) VALUES (:id, :host, '/x', 1)"),
            {"id": BOARD, "host": HOST},
        )
        for rank, state in enumerate(TaskState):
            c.execute(
                text("""INSERT INTO board_column
                    (id, board_id, rank, title, description, state, version, created_at)
                    VALUES (:id, :board, :rank, :state, '', :state, 1, 1)"""),
                {"id": f"column_{state}", "board": BOARD, "rank": str(rank), "state": state.value},
            )
        c.execute(
            text("""INSERT INTO task (id, board_id, column_id, rank, title, text, assignee_kind,
                metadata, version, created_at, updated_at)
                VALUES (:id, :board, 'column_todo', '1', '礼品卡', 'Take them.', 'nobody',
                '{}', 1, 1, 1)"""),
            {"id": TASK, "board": BOARD},
        )
    yield desk
    desk.db.close()


def fetched(desk: Desk, task_id: str = TASK, space_id: SpaceId | None = None) -> WorkItem:
    wanted = Wanted(source=WorkItemSource.BOARD, id=task_id, space_id=space_id)
    with desk.db.connect() as c:
        return sources.fetching(c, desk.settings, wanted)()


def move(desk: Desk, state: TaskState) -> None:
    with desk.tx() as c:
        c.execute(text("UPDATE task SET column_id = :id"), {"id": f"column_{state}"})


@pytest.mark.requirement("R-P2")
def test_a_task_is_a_work_item_whose_space_is_its_board(desk: Desk) -> None:
    expected = WorkItem(
        source=WorkItemSource.BOARD,
        space_id=BOARD,
        id=TASK,
        title="礼品卡",
        text="Take them.",
        state=TaskState.TODO.value,
        cancelled=False,
    )
    assert fetched(desk) == fetched(desk, space_id=BOARD) == expected


def test_a_task_that_is_not_there_or_on_another_board_is_not_found(desk: Desk) -> None:
    for task_id, space_id in (("task_2", None), (TASK, SpaceId("board_2")), ("", None)):
        with pytest.raises(WorkItemNotFound) as refused:
            fetched(desk, task_id, space_id)
        assert refused.value.work_item_id == task_id


@pytest.mark.requirement("R-P7")
@pytest.mark.parametrize("state", list(TaskState))
def test_the_state_of_a_task_is_read_live_and_only_one_is_cancelled(
    desk: Desk, state: TaskState
) -> None:
    with desk.tx() as c:
        context = contexts.keep(c, desk.m, fetched(desk))
    move(desk, state)
    with desk.db.connect() as c:
        now = sources.current(c, desk.settings, contexts.get(c, context.id))
    assert (now.state, now.cancelled) == (state.value, state is TaskState.CANCELLED)


@pytest.mark.requirement("R-P2")
def test_a_work_item_has_one_context_that_each_fetch_refreshes(desk: Desk) -> None:
    with desk.tx() as c:
        first = contexts.keep(c, desk.m, fetched(desk))
    move(desk, TaskState.BLOCKED)
    with desk.tx() as c:
        again = contexts.keep(c, desk.m, fetched(desk))
        assert contexts.get(c, first.id) == again
        with pytest.raises(ContextNotFound):
            contexts.get(c, "context_none")
    assert (again.id, again.item.state) == (first.id, TaskState.BLOCKED.value)
    assert again.fetched_at > first.fetched_at
    with desk.db.connect() as c:
        assert sources.refetching(c, desk.settings, again.item)() == again.item
