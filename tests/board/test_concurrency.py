"""Many writers at once: threads with connections of their own, and whole processes."""

import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from ccweb.board import service, store
from ccweb.board.errors import ColumnInUse, ColumnNotFound, Conflict
from ccweb.board.model import Task
from ccweb.errors import CcwebError
from ccweb_contract.enums import Lang, TaskState
from tests.board.wall import Wall
from tests.relay.world import HOST

WRITERS = 8


def at_once(*actions: Callable[[], object]) -> list[object]:
    """Do things in threads at the same time and return what each came to."""

    def outcome(action: Callable[[], object]) -> object:
        try:
            return action()
        except CcwebError as error:
            return type(error)

    with ThreadPoolExecutor(len(actions)) as pool:
        return list(pool.map(outcome, actions, timeout=60))


def test_of_concurrent_moves_of_one_task_one_wins_and_the_others_are_told(wall: Wall) -> None:
    task = wall.add()
    columns = wall.columns()[1:4]
    outcomes = at_once(
        *(lambda column=columns[i % 3]: wall.move(task, column) for i in range(WRITERS))
    )
    (won,) = [one for one in outcomes if isinstance(one, Task)]
    assert outcomes.count(Conflict) == WRITERS - 1
    assert wall.task(task) == won
    assert [change.version for change in wall.changes(task)] == [1, 2]


def test_concurrent_moves_to_one_place_give_each_task_a_place_of_its_own(wall: Wall) -> None:
    done = wall.column(TaskState.DONE)
    first = wall.add("first", column_id=done.id)
    tasks = [wall.add(str(number)) for number in range(WRITERS)]
    outcomes = at_once(*(lambda task=task: wall.move(task, done, first) for task in tasks))
    assert all(isinstance(one, Task) for one in outcomes)
    assert sorted(wall.titles(TaskState.DONE)[:-1]) == sorted(task.title for task in tasks)
    assert wall.titles(TaskState.DONE)[-1] == "first"
    assert len({task.rank for task in wall.tasks()}) == WRITERS + 1


def test_a_column_deleted_under_a_task_that_moves_into_it_loses_nothing(wall: Wall) -> None:
    for _ in range(10):
        column, task = wall.add_column(TaskState.BLOCKED), wall.add()
        moved, deleted = at_once(
            lambda: wall.move(task, column),  # noqa: B023 - done before the next turn
            lambda: wall.delete_column(column),  # noqa: B023
        )
        kept = {one.id for one in wall.columns()}
        assert wall.task(task).column_id in kept
        assert (deleted is ColumnInUse) is isinstance(moved, Task)
        assert (moved is ColumnNotFound) is (column.id not in kept)


_PROCESS = """
import sys
from pathlib import Path
from ccweb.board import service
from ccweb.board.model import Author, NewTask
from ccweb.clock import moment
from ccweb.db.engine import Database
from ccweb_contract.enums import Lang, SourceKind

db = Database(sys.argv[1])
author = Author(kind=SourceKind.CONVERSATION, id=sys.argv[3])
for number in range(10):
    with db.begin() as c:
        board = service.board_at(c, moment(), sys.argv[2], "/srv/new", lang=Lang.EN)
        service.create_task(c, moment(), board.id, NewTask(title=str(number)), author=author)
db.close()
"""


@pytest.mark.parametrize("processes", [3])
def test_processes_that_look_at_a_new_board_at_once_share_it(wall: Wall, processes: int) -> None:
    root = Path(__file__).parents[2]
    arguments = [sys.executable, "-c", _PROCESS, wall.world.db.url, HOST, wall.agent.id]
    environment = {"PYTHONPATH": f"{root}:{root / 'generated'}"}
    running = [subprocess.Popen(arguments, env=environment) for _ in range(processes)]
    try:
        assert [process.wait(60) for process in running] == [0] * processes
    finally:
        for process in running:
            process.kill()
            process.wait(10)
    with wall.world.tx() as c:
        board = service.board_at(c, wall.world.m, HOST, "/srv/new", lang=Lang.EN)
        columns, tasks = store.columns(c, board.id), store.tasks(c, board.id)
    assert [column.state for column in columns] == list(TaskState)
    assert len(tasks) == len({task.rank for task in tasks}) == 10 * processes
