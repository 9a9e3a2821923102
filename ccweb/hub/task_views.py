"""What the panel of one task shows: the task, what it is linked to, and what happened to it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from sqlalchemy import Connection

from ccweb.board import store
from ccweb.board.model import Assignee, Board, BoardColumn, Change, Comment, Link, Task
from ccweb.board.rules import Field
from ccweb.db.sql import select, text
from ccweb.hub import board_views
from ccweb.hub.board_views import Who, Work
from ccweb.hub.text import readable
from ccweb.hub.wording import Words
from ccweb.settings import Settings
from ccweb_contract.enums import AssigneeKind, ConversationStatus, LinkKind

_IN_FOLDER: Final = select(
    "id, title",
    """FROM conversation
    WHERE host_id = :host_id AND cwd = :cwd AND deleted_at IS NULL AND archived_at IS NULL
    ORDER BY updated_at DESC LIMIT 100""",
)

_FIRST: Final = select("id", "FROM task WHERE column_id = :id ORDER BY rank LIMIT 1")

_HAS_NEXT: Final = text("SELECT 1 FROM task WHERE column_id = :id AND rank > :rank LIMIT 1")

_TITLE: Final = text("SELECT title FROM conversation WHERE id = :id")

_PERSON: Final = text("SELECT name FROM person WHERE id = :id")

_REQUEST: Final = select(
    "source_conversation_id, target_title", "FROM pending_reply WHERE request_id = :id"
)

_PLANNED = text("""
    SELECT t.title FROM artifact a JOIN work_context w ON w.id = a.context_id
        JOIN task t ON w.source = 'board' AND t.id = w.work_item_id
    WHERE a.id = :id""")
"""The title of what a blueprint plans, where that is a task: everybody sees the boards."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Linked:
    """What a task is linked to, by the name that people know."""

    kind: LinkKind
    id: str
    title: str
    conversation_id: str | None = None
    """Where it can be seen; None when nowhere."""
    status: ConversationStatus | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """One step of a task's history in words."""

    author_name: str
    words: str
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """One task with all that its panel shows."""

    board: Board
    task: Task
    columns: Sequence[BoardColumn]
    assignee: Who
    assignees: Sequence[Who]
    links: Sequence[Linked]
    linkable: Sequence[Who]
    comments: Sequence[Comment]
    changes: Sequence[Told]
    """The latest first."""
    first_id: str | None
    """The first task of its column, None when this is it."""
    has_next: bool
    notes_allowed: bool

    @property
    def column(self) -> BoardColumn:
        """Return the column that it stands in."""
        return next(one for one in self.columns if one.id == self.task.column_id)

    @property
    def title(self) -> str:
        """Return its title as it is read."""
        return readable(self.task.title)


def panel(c: Connection, s: Settings, task_id: str) -> Panel:
    """Return one task with all that its panel shows.

    Raises:
        TaskNotFound: there is none with this id.
    """
    task = store.task(c, task_id)
    board = store.board(c, task.board_id)
    around = _conversations(c, board)
    first = c.execute(_FIRST, {"id": task.column_id}).scalar_one()
    has_next = c.execute(_HAS_NEXT, {"id": task.column_id, "rank": task.rank}).one_or_none()
    assignee = Who(assignee=task.assignee, name=task.assignee_name)
    linked = {link.id for link in task.links}
    return Panel(
        board=board,
        task=task,
        columns=store.columns(c, board.id),
        assignee=assignee,
        assignees=_assignees(c, assignee, around),
        links=list(_links(c, task)),
        linkable=[one for one in around if one.id not in linked],
        comments=store.comments(c, task_id),
        changes=list(_history(c, s, board, task_id)),
        first_id=None if first == task_id else first,
        has_next=has_next is not None,
        notes_allowed=s.notes_on_cancelled,
    )


def _conversations(c: Connection, board: Board) -> list[Who]:
    rows = c.execute(_IN_FOLDER, {"host_id": board.host_id, "cwd": board.cwd})
    return [
        Who(assignee=Assignee(kind=AssigneeKind.CONVERSATION, id=row.id), name=row.title)
        for row in rows
    ]


def _assignees(c: Connection, own: Who, around: Sequence[Who]) -> Sequence[Who]:
    """Return who can be chosen; who has it now stays choosable."""
    found = [*board_views.everybody(c), *around]
    return found if own.value in {one.value for one in found} else [*found, own]


def _links(c: Connection, task: Task) -> Iterator[Linked]:
    at_work = {one.id: one for one in board_views.work(c, [task.id]).get(task.id, ())}
    for link in task.links:
        match link.kind:
            case LinkKind.CONVERSATION:
                yield _conversation(c, link, at_work.get(link.id))
            case LinkKind.REQUEST:
                yield _request(c, link)
            case LinkKind.BLUEPRINT:
                title = c.execute(_PLANNED, {"id": link.id}).scalar_one_or_none()
                yield Linked(kind=link.kind, id=link.id, title=readable(title or link.id))


def _conversation(c: Connection, link: Link, work: Work | None) -> Linked:
    if work is None:
        title = c.execute(_TITLE, {"id": link.id}).scalar_one_or_none()
        return Linked(kind=link.kind, id=link.id, title=title or link.id)
    return Linked(
        kind=link.kind,
        id=link.id,
        title=work.title,
        conversation_id=link.id,
        status=work.status,
    )


def _request(c: Connection, link: Link) -> Linked:
    row = c.execute(_REQUEST, {"id": link.id}).one_or_none()
    if row is None:
        return Linked(kind=link.kind, id=link.id, title=link.id)
    return Linked(
        kind=link.kind,
        id=link.id,
        title=row.target_title,
        conversation_id=row.source_conversation_id,
    )


def _history(c: Connection, s: Settings, board: Board, task_id: str) -> Iterator[Told]:
    names = {column.id: column.title for column in store.columns(c, board.id)}
    for change in reversed(store.changes(c, task_id)):
        words = _words(c, Words(lang=s.lang), change, names)
        yield Told(author_name=change.author_name, words=words, at=change.created_at)


def _words(c: Connection, words: Words, change: Change, columns: Mapping[str, str]) -> str:
    """Return in words what a change changed; the first one made the task."""
    if change.version == 1:
        return words.say("change.created")
    parts = [_part(c, words, Field(name), change.fields, columns) for name in change.fields]
    return words.say("change.and").join(part for part in parts if part)


def _part(
    c: Connection,
    words: Words,
    field: Field,
    fields: Mapping[str, Any],
    columns: Mapping[str, str],
) -> str:
    value = fields[field]
    match field:
        case Field.COLUMN:
            return words.say("change.column", title=columns.get(value, words.say("change.gone")))
        case Field.PLACE:
            return "" if Field.COLUMN in fields else words.say("change.place")
        case Field.TITLE:
            return words.say("change.title", title=readable(value))
        case Field.ASSIGNEE:
            return _given(c, words, value)
        case Field.TEXT | Field.LINKS | Field.METADATA:
            return words.say(f"change.{field.value}")
        case Field.STATE:
            return ""


def _given(c: Connection, words: Words, value: Mapping[str, str]) -> str:
    kind = AssigneeKind(value["kind"])
    if kind is AssigneeKind.NOBODY:
        return words.say("change.to_nobody")
    query = _PERSON if kind is AssigneeKind.PERSON else _TITLE
    name = c.execute(query, {"id": value["id"]}).scalar_one_or_none()
    return words.say("change.assignee", name=name or value["id"])
