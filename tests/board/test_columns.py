"""Columns: one for each state at first, ordered, versioned, and never lost under their tasks."""

import pytest
from sqlalchemy.exc import IntegrityError

from ccweb.board import service, store, writing
from ccweb.board.errors import BoardNotFound, ColumnInUse, ColumnNotFound, Conflict
from ccweb.board.model import BoardColumn, NewColumn
from ccweb.errors import InvalidParams
from ccweb_contract.enums import Lang, TaskState
from tests.board.wall import CWD, Wall
from tests.relay.world import HOST


def titles(wall: Wall) -> list[str]:
    return [column.title for column in wall.columns()]


@pytest.mark.parametrize(
    ("lang", "expected"),
    [
        (Lang.EN, ["To do", "In progress", "Blocked", "Done", "Cancelled"]),
        (Lang.ZH, ["待办", "进行中", "受阻", "已完成", "已取消"]),
    ],
)
def test_a_board_begins_with_a_column_for_each_state(
    wall: Wall, lang: Lang, expected: list[str]
) -> None:
    with wall.world.tx() as c:
        board = service.board_at(c, wall.world.m, HOST, f"/srv/{lang}", lang=lang)
        columns = store.columns(c, board.id)
    assert [column.title for column in columns] == expected
    assert [column.state for column in columns] == list(TaskState)
    assert board.title == lang.value


def test_a_directory_has_one_board_and_is_told_of_it_once(wall: Wall) -> None:
    told = wall.told()
    with wall.world.tx() as c:
        again = service.board_at(c, wall.world.m, HOST, CWD, lang=Lang.ZH)
        other = service.board_at(c, wall.world.m, HOST, "/", lang=Lang.EN)
    assert again == wall.board
    assert (other.title, wall.told()) == ("/", told + 1)


def test_a_board_that_another_process_was_quicker_to_make_is_taken(wall: Wall) -> None:
    with wall.world.tx() as c:
        added = writing.add_board(c, wall.world.m, "board_late", host_id=HOST, cwd=CWD)
    assert added == wall.board.id


def test_boards_are_listed_with_the_numbers_of_their_tasks(wall: Wall) -> None:
    wall.add()
    wall.add()
    wall.cancel(wall.add())
    with wall.world.tx() as c:
        empty = service.board_at(c, wall.world.m, HOST, "/srv/a", lang=Lang.EN)
    none = dict.fromkeys(TaskState, 0)
    first, second = store.boards(wall.world.db.reader)
    assert (first.board, first.tasks) == (empty, none)
    assert (second.board, second.tasks) == (
        wall.board,
        none | {TaskState.TODO: 2, TaskState.CANCELLED: 1},
    )


def test_a_new_column_is_the_last_or_stands_where_it_is_asked_for(wall: Wall) -> None:
    done = wall.column(TaskState.DONE)
    last = wall.add_column(TaskState.DONE, title="Archive")
    middle = wall.add_column(
        TaskState.IN_PROGRESS, title="Review", description="read", before_column_id=done.id
    )
    assert titles(wall) == [
        "To do",
        "In progress",
        "Blocked",
        "Review",
        "Done",
        "Cancelled",
        "Archive",
    ]
    assert {last, middle} <= set(wall.columns())


@pytest.mark.requirement("R-S4")
@pytest.mark.parametrize("title", ["", "  ", "x" * 10_000])
def test_a_title_that_is_blank_or_too_long_is_refused(wall: Wall, title: str) -> None:
    column = wall.columns()[0]
    before = wall.rows()
    with pytest.raises(InvalidParams):
        wall.add_column(title=title)
    with pytest.raises(InvalidParams):
        wall.update_column(column, title=title)
    assert wall.rows() == before


def test_a_column_of_no_board_or_before_no_column_is_refused(wall: Wall) -> None:
    new = NewColumn(title="x", state=TaskState.TODO)
    with pytest.raises(BoardNotFound), wall.world.tx() as c:
        service.create_column(c, wall.world.m, "board_x", new)
    with pytest.raises(ColumnNotFound):
        wall.add_column(before_column_id="col_x")


def test_a_column_stands_before_none_of_another_board(wall: Wall) -> None:
    with wall.world.tx() as c:
        other = service.board_at(c, wall.world.m, HOST, "/srv/other", lang=Lang.EN)
        foreign = store.columns(c, other.id)[0]
    with pytest.raises(ColumnNotFound):
        wall.add_column(before_column_id=foreign.id)
    with pytest.raises(ColumnNotFound):
        wall.update_column(wall.columns()[0], before_column_id=foreign.id)


def test_a_column_changes_what_is_given(wall: Wall) -> None:
    column = wall.column(TaskState.BLOCKED)
    changed = wall.update_column(column, title="Waiting", description="why", state=TaskState.TODO)
    assert changed in wall.columns()
    assert (changed.title, changed.description, changed.state, changed.version) == (
        "Waiting",
        "why",
        TaskState.TODO,
        2,
    )


def test_a_column_moves_before_another(wall: Wall) -> None:
    first, second = wall.columns()[:2]
    wall.update_column(wall.column(TaskState.CANCELLED), before_column_id=second.id)
    wall.update_column(first, before_column_id=wall.column(TaskState.DONE).id)
    assert titles(wall) == ["Cancelled", "In progress", "Blocked", "To do", "Done"]


def test_a_column_change_that_changes_nothing_writes_nothing(wall: Wall) -> None:
    first, second = wall.columns()[:2]
    before = wall.rows()
    same = wall.update_column(
        first, title=first.title, state=first.state, before_column_id=second.id
    )
    assert same == first
    assert wall.update_column(first, before_column_id=first.id) == first
    assert wall.rows() == before


def test_a_column_changed_since_is_a_conflict(wall: Wall) -> None:
    column = wall.column(TaskState.BLOCKED)
    wall.update_column(column, title="by another")
    with pytest.raises(Conflict) as refused:
        wall.update_column(column, title="too late")
    assert (refused.value.shown, refused.value.current) == (1, 2)
    with pytest.raises(Conflict):
        wall.delete_column(column)


def test_a_column_that_holds_tasks_keeps_its_state_and_may_change_the_rest(wall: Wall) -> None:
    task = wall.add()
    column = wall.column(TaskState.TODO)
    with pytest.raises(ColumnInUse) as refused:
        wall.update_column(column, state=TaskState.DONE)
    assert (refused.value.column_id, refused.value.tasks) == (column.id, 1)
    assert wall.update_column(column, title="Soon").version == 2
    assert wall.task(task).state is TaskState.TODO


@pytest.mark.requirement("R-S4")
def test_a_column_is_deleted_only_when_it_is_empty(wall: Wall) -> None:
    task = wall.add()
    column = wall.column(TaskState.TODO)
    with pytest.raises(ColumnInUse):
        wall.delete_column(column)
    wall.move(task, wall.column(TaskState.DONE))
    wall.delete_column(column)
    assert column.id not in {kept.id for kept in wall.columns()}
    with pytest.raises(ColumnNotFound):
        wall.move(wall.task(task), column)
    with pytest.raises(ColumnNotFound):
        wall.delete_column(column)


@pytest.mark.requirement("R-S4")
def test_the_database_itself_keeps_a_column_that_holds_tasks(wall: Wall) -> None:
    task = wall.add()
    with pytest.raises(IntegrityError), wall.world.tx() as c:
        writing.delete_column(c, task.column_id)
    assert wall.task(task) == task


def test_every_change_of_a_column_tells_the_feed_once(wall: Wall) -> None:
    told = wall.told()
    column: BoardColumn = wall.add_column()
    column = wall.update_column(column, title="new")
    wall.delete_column(column)
    assert wall.told() == told + 3
