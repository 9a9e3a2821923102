"""Lists of tasks: in the board's order, filtered, page by page, by index."""

import re

import pytest
from sqlalchemy import Executable

from ccweb.board import store, writing
from ccweb.board.errors import BoardNotFound
from ccweb.board.model import Link, Place
from ccweb_contract.enums import LinkKind, TaskState
from tests.board.wall import Wall


def titles(wall: Wall, **wanted: object) -> list[str]:
    return [task.title for task in wall.tasks(**wanted)]


def test_tasks_stand_column_by_column_each_from_the_top(wall: Wall) -> None:
    for state in (TaskState.DONE, TaskState.TODO, TaskState.BLOCKED):
        wall.add(f"{state} 1", state=state)
        wall.add(f"{state} 2", state=state)
    assert titles(wall) == ["todo 1", "todo 2", "blocked 1", "blocked 2", "done 1", "done 2"]
    wall.update_column(wall.column(TaskState.DONE), before_column_id=wall.column(TaskState.TODO).id)
    assert titles(wall, limit=3) == ["done 1", "done 2", "todo 1"]


def test_tasks_are_filtered_by_state_and_text(wall: Wall) -> None:
    wall.add("Straße", text="plain")
    wall.add("other", text="ΣΊΣΥΦΟΣ")
    wall.add("finished", state=TaskState.DONE)
    assert titles(wall, state=TaskState.DONE) == ["finished"]
    assert titles(wall, query="STRASSE") == ["Straße"]
    assert titles(wall, query="σίσυφος") == ["other"]
    assert titles(wall, query="nothing") == []
    assert titles(wall, query="t", limit=2) == ["Straße", "other"]


def test_a_query_holds_no_pattern(wall: Wall) -> None:
    wall.add("100 % done_")
    wall.add("100 x doney")
    assert titles(wall, query="%") == ["100 % done_"]
    assert titles(wall, query="done_") == ["100 % done_"]


def test_a_page_begins_behind_a_place_whatever_stands_there_now(wall: Wall) -> None:
    tasks = [wall.add(str(number)) for number in range(4)]
    column = wall.column(TaskState.TODO)
    place = Place(column_rank=column.rank, rank=tasks[1].rank)
    wall.move(tasks[1], wall.column(TaskState.DONE))
    assert titles(wall, after=place, limit=2) == ["2", "3"]


def test_links_and_comments_belong_to_their_task(wall: Wall) -> None:
    links = tuple(Link(kind=LinkKind.BLUEPRINT, id=f"bp_{i}") for i in (2, 1, 3))
    first, second = wall.add(links=links), wall.add()
    wall.comment(second)
    listed = wall.tasks()
    assert [task.links for task in listed] == [links, ()]
    assert [task.comments for task in listed] == [0, 1]
    assert listed == [wall.task(first), wall.task(second)]


def test_a_board_that_does_not_exist_is_said_so(wall: Wall) -> None:
    with pytest.raises(BoardNotFound):
        store.board(wall.world.db.reader, "board_x")
    assert store.board(wall.world.db.reader, wall.board.id) == wall.board


@pytest.mark.parametrize(
    "statement", ["_TASKS", "_TASK_BY_ID", "_COLUMNS", "_COMMENTS", "_CHANGES"]
)
def test_a_board_is_read_by_its_indexes_alone(wall: Wall, statement: str) -> None:
    plan = planned(wall, getattr(store, statement))
    assert plan
    assert [step for step in plan if "TEMP B-TREE" in step] == []
    assert [step for step in plan if step.startswith("SCAN") and step[5] in "tkmhl"] == []


@pytest.mark.parametrize("statement", ["_LAST_TASK", "_LAST_COLUMN"])
def test_the_neighbour_of_a_place_is_found_by_an_index_alone(wall: Wall, statement: str) -> None:
    (step,) = planned(wall, getattr(writing, statement))
    assert step.startswith("SEARCH")
    assert "rank<?" in step


def planned(wall: Wall, statement: Executable) -> list[str]:
    """Return how SQLite would carry a statement out."""
    sql = re.sub(r":\w+", "'x'", str(statement))
    rows = wall.world.db.reader.exec_driver_sql(f"EXPLAIN QUERY PLAN {sql}")
    return [str(row[3]) for row in rows]
