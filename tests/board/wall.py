"""A board to play with: the real commands on a real SQLite file, by a person and by an agent."""

import tempfile
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Any

from sqlalchemy import text

from ccweb.access import service as access
from ccweb.access.model import Human
from ccweb.board import service, store
from ccweb.board.model import (
    Author,
    Board,
    BoardColumn,
    Change,
    ColumnChange,
    Comment,
    Link,
    NewColumn,
    NewTask,
    Task,
    TaskChange,
)
from ccweb.db.engine import Database
from ccweb.settings import Settings
from ccweb_contract.enums import Lang, SourceKind, TaskState
from tests.relay.world import HOST, World, a_world

CWD = "/srv/shop"
_TEMPLATE: list["Wall"] = []


@dataclass
class Wall:
    """One board with its five columns; what a test does not name is done by the person."""

    world: World
    board: Board
    person: Author
    agent: Author

    # --- doing --------------------------------------------------------------------------------

    def add(self, title: str = "a task", *, author: Author | None = None, **new: Any) -> Task:
        with self.world.tx() as c:
            return service.create_task(
                c,
                self.world.m,
                self.board.id,
                NewTask(title=title, **new),
                author=author or self.person,
            )

    def update(
        self, task: Task, *, author: Author | None = None, notes: bool = False, **change: Any
    ) -> Task:
        given = {"expected_version": task.version} | change
        allowing = replace(self.world.settings, notes_on_cancelled=notes)
        with self.world.tx() as c:
            return service.update_task(
                c,
                self.world.m,
                allowing,
                task.id,
                TaskChange(**given),
                author=author or self.person,
            )

    def move(
        self,
        task: Task,
        column: BoardColumn,
        before: Task | None = None,
        *,
        author: Author | None = None,
    ) -> Task:
        with self.world.tx() as c:
            return service.move_task(
                c,
                self.world.m,
                task.id,
                expected_version=task.version,
                column_id=column.id,
                before_task_id=None if before is None else before.id,
                author=author or self.person,
            )

    def cancel(self, task: Task, reason: str = "", *, author: Author | None = None) -> Task:
        with self.world.tx() as c:
            return service.cancel_task(
                c,
                self.world.m,
                task.id,
                expected_version=task.version,
                reason=reason,
                author=author or self.person,
            )

    def comment(
        self, task: Task, body: str = "hm", *, author: Author | None = None, notes: bool = False
    ) -> Comment:
        allowing = replace(self.world.settings, notes_on_cancelled=notes)
        with self.world.tx() as c:
            return service.comment(
                c, self.world.m, allowing, task.id, body, author=author or self.person
            )

    def link(self, task: Task, link: Link, *, author: Author | None = None) -> Task:
        s = self.world.settings
        with self.world.tx() as c:
            return service.link(c, self.world.m, s, task.id, link, author=author or self.person)

    def add_column(
        self, state: TaskState = TaskState.TODO, title: str = "Column", **new: Any
    ) -> BoardColumn:
        with self.world.tx() as c:
            given = NewColumn(title=title, state=state, **new)
            return service.create_column(c, self.world.m, self.board.id, given)

    def update_column(self, column: BoardColumn, **change: Any) -> BoardColumn:
        given = {"expected_version": column.version} | change
        with self.world.tx() as c:
            return service.update_column(c, self.world.m, column.id, ColumnChange(**given))

    def delete_column(self, column: BoardColumn) -> None:
        with self.world.tx() as c:
            service.delete_column(
                c,
                self.world.m,
                column.id,
                expected_version=column.version,
                by=Human(person_id=self.person.id),
            )

    # --- looking ------------------------------------------------------------------------------

    def column(self, state: TaskState) -> BoardColumn:
        """Return the first column with a state."""
        return next(column for column in self.columns() if column.state is state)

    def columns(self) -> list[BoardColumn]:
        return store.columns(self.world.db.reader, self.board.id)

    def task(self, task: Task) -> Task:
        return store.task(self.world.db.reader, task.id)

    def tasks(self, **wanted: Any) -> list[Task]:
        return store.tasks(self.world.db.reader, self.board.id, **wanted)

    def titles(self, state: TaskState) -> list[str]:
        """Return the titles of the first column with a state, from the top."""
        column = self.column(state)
        return [task.title for task in self.tasks() if task.column_id == column.id]

    def comments(self, task: Task) -> list[Comment]:
        return store.comments(self.world.db.reader, task.id)

    def changes(self, task: Task) -> list[Change]:
        return store.changes(self.world.db.reader, task.id)

    def told(self) -> int:
        """Return how many lines of the feed are about boards."""
        rows = self.world.db.reader.execute(
            text("SELECT count(*) FROM event WHERE kind = 'board' AND conversation_id = ''")
        )
        return int(rows.scalar_one())

    def rows(self) -> list[tuple[Any, ...]]:
        """Return what is stored of boards, to show that nothing was changed."""
        tables = ("board", "board_column", "task", "task_link", "task_comment", "task_change")
        found = [
            (table, *row)
            for table in (*tables, "event")
            for row in self.world.db.reader.exec_driver_sql(f"SELECT * FROM {table}")
        ]
        return sorted(found, key=repr)


def a_wall(path: Path) -> Wall:
    """Return an empty board in a new database: a copy, which takes no migration."""
    if not _TEMPLATE:
        _TEMPLATE.append(on_a_wall(a_world(Path(tempfile.mkdtemp()))))
    model = _TEMPLATE[0]
    with model.world.db.connect() as c:
        c.execute(text("VACUUM INTO :path"), {"path": str(path / "ccweb.db")})
    world = World(
        db=Database(f"sqlite:///{path / 'ccweb.db'}"),
        settings=Settings(data_dir=path),
        now=model.world.now,
        ids=count(100),
    )
    return replace(model, world=world)


def on_a_wall(world: World) -> Wall:
    """Return a board of a world, its owner and one of its conversations."""
    conversation_id = world.conversation("Builder")
    with world.tx() as c:
        owner_id = access.owner(c, world.m).id
        board = service.board_at(c, world.m, HOST, CWD, lang=Lang.EN)
    return Wall(
        world=world,
        board=board,
        person=Author(kind=SourceKind.PERSON, id=owner_id),
        agent=Author(kind=SourceKind.CONVERSATION, id=conversation_id),
    )
