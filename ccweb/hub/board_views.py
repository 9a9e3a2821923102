"""What a board's page shows: its columns with the first cards of each, and who has them in hand."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Connection, Row, bindparam

from ccweb.access import store as people
from ccweb.board import store
from ccweb.board.model import NOBODY, Assignee, Board, BoardColumn
from ccweb.db.sql import select
from ccweb.errors import InvalidParams
from ccweb.hub import text, views
from ccweb_contract.enums import (
    AskStatus,
    AssigneeKind,
    ConversationStatus,
    LinkKind,
    TaskState,
    TurnStatus,
)

FIRST: Final = 50
"""Cards of a column that a page shows at first."""
MOST: Final = 2000
"""Cards of a column that a page can show at once; the filter finds the others."""
_ALL: Final = 2**62

_CARDS: Final = select(
    """t.id, t.title, t.text, t.version, t.assignee_kind, t.assignee_id,
    coalesce(p.name, v.title, t.assignee_id, '') AS assignee_name,
    (SELECT count(*) FROM task_comment m WHERE m.task_id = t.id) AS comments""",
    """FROM task t
    LEFT JOIN person p ON t.assignee_kind = 'person' AND p.id = t.assignee_id
    LEFT JOIN conversation v ON t.assignee_kind = 'conversation' AND v.id = t.assignee_id
    WHERE t.column_id = :column_id
        AND (:kind = '' OR (t.assignee_kind = :kind AND coalesce(t.assignee_id, '') = :assignee))
    ORDER BY t.rank LIMIT :limit""",
)

_WORK: Final = select(
    """l.task_id, k.id, k.title,
    EXISTS (SELECT 1 FROM ask a
        WHERE a.conversation_id = k.id AND a.status = :open) AS asked,
    (SELECT max(CASE u.status WHEN :running THEN 2 ELSE 1 END) FROM turn u
        WHERE u.conversation_id = k.id AND u.ended_at IS NULL) AS activity""",
    """FROM task_link l JOIN conversation k ON k.id = l.ref_id
    WHERE l.kind = :conversation AND l.task_id IN :ids AND k.deleted_at IS NULL
    ORDER BY l.task_id, l.place""",
).bindparams(bindparam("ids", expanding=True))

_ASSIGNED: Final = select(
    "a.assignee_kind, a.assignee_id, coalesce(p.name, v.title, a.assignee_id) AS name",
    """FROM (SELECT DISTINCT assignee_kind, assignee_id FROM task WHERE board_id = :id) a
    LEFT JOIN person p ON a.assignee_kind = 'person' AND p.id = a.assignee_id
    LEFT JOIN conversation v ON a.assignee_kind = 'conversation' AND v.id = a.assignee_id
    ORDER BY name""",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What a person looks for on a board."""

    query: str = ""
    state: TaskState | None = None
    assignee: str = ""
    """As `Who.value` says it, '' for anybody."""

    @property
    def narrows(self) -> bool:
        """Tell whether some tasks may be left out."""
        return bool(self.query or self.state or self.assignee)


@dataclass(frozen=True, slots=True, kw_only=True)
class Who:
    """Somebody who can do a task."""

    assignee: Assignee
    name: str
    """Empty for nobody."""

    @property
    def kind(self) -> AssigneeKind:
        """Return whether it is a person or a conversation."""
        return self.assignee.kind

    @property
    def id(self) -> str | None:
        """Return the id of the person or conversation."""
        return self.assignee.id

    @property
    def value(self) -> str:
        """Return it as forms and addresses name it."""
        return f"{self.kind.value}:{self.id}" if self.id else self.kind.value


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """A conversation that works on a task."""

    id: str
    title: str
    status: ConversationStatus


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """A task as its column shows it."""

    id: str
    title: str
    state: TaskState
    version: int
    assignee: Who
    comments: int
    conversations: Sequence[Work]


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A column with as many of its cards as are asked for."""

    column: BoardColumn
    left: BoardColumn | None
    right: BoardColumn | None
    found: int
    """How many of its tasks are what is looked for."""
    cards: Sequence[Card]
    next_task_id: str | None
    """The first task that is not shown."""

    @property
    def more(self) -> int:
        """Return how many could be shown further."""
        return self.found - len(self.cards)


def columns(
    c: Connection, board: Board, wanted: Wanted, limits: Mapping[str, int]
) -> Sequence[Shown]:
    """Return the columns of a board that can hold what is looked for, with their first cards."""
    every = store.columns(c, board.id)
    return [
        _shown(c, every, place, wanted, limits.get(column.id, FIRST))
        for place, column in enumerate(every)
        if wanted.state in (None, column.state)
    ]


def assigned(c: Connection, board_id: str) -> Sequence[Who]:
    """Return who can be looked for on a board: nobody, every person, and who has a task there."""
    found = [
        Who(assignee=Assignee(kind=AssigneeKind(row.assignee_kind), id=row.assignee_id), name=name)
        for row in c.execute(_ASSIGNED, {"id": board_id})
        if (name := row.name)
    ]
    known = everybody(c)
    return [*known, *(who for who in found if who.value not in {one.value for one in known})]


def everybody(c: Connection) -> list[Who]:
    """Return nobody and every person."""
    persons = [
        Who(assignee=Assignee(kind=AssigneeKind.PERSON, id=person.id), name=person.name)
        for person in people.people(c)
    ]
    return [Who(assignee=NOBODY, name=""), *persons]


def named_assignee(value: str) -> Assignee:
    """Return whom a form or an address names.

    Raises:
        InvalidParams: it names nothing of the kind.
    """
    kind, _, assignee_id = value.partition(":")
    if kind not in set(AssigneeKind):
        raise InvalidParams(why="`assignee` must name nobody, a person or a conversation.")
    return Assignee(kind=AssigneeKind(kind), id=assignee_id or None)


def work(c: Connection, task_ids: Sequence[str]) -> Mapping[str, Sequence[Work]]:
    """Return the conversations that work on tasks, by task, with what they are doing."""
    values = {
        "open": AskStatus.OPEN.value,
        "running": TurnStatus.RUNNING.value,
        "conversation": LinkKind.CONVERSATION.value,
        "ids": list(task_ids),
    }
    found: dict[str, list[Work]] = {}
    for row in c.execute(_WORK, values):
        status = views.status_of(asked=bool(row.asked), activity=row.activity)
        found.setdefault(row.task_id, []).append(Work(id=row.id, title=row.title, status=status))
    return found


def _shown(
    c: Connection, every: Sequence[BoardColumn], place: int, wanted: Wanted, limit: int
) -> Shown:
    column = every[place]
    rows = _rows(c, column, wanted, limit + 1)
    found = column.tasks if not (wanted.query or wanted.assignee) else len(rows)
    shown = rows[:limit]
    at_work = work(c, [row.id for row in shown]) if shown else {}
    return Shown(
        column=column,
        left=every[place - 1] if place else None,
        right=every[place + 1] if place + 1 < len(every) else None,
        found=found,
        cards=[_card(row, column.state, at_work.get(row.id, ())) for row in shown],
        next_task_id=rows[limit].id if len(rows) > limit else None,
    )


def _rows(c: Connection, column: BoardColumn, wanted: Wanted, limit: int) -> list[Row[Any]]:
    """Return the rows of a column: its first ones, or all that are looked for."""
    who = named_assignee(wanted.assignee) if wanted.assignee else None
    narrows = bool(wanted.query or who)
    rows = c.execute(
        _CARDS,
        {
            "column_id": column.id,
            "kind": who.kind.value if who else "",
            "assignee": (who.id if who else None) or "",
            "limit": _ALL if narrows else limit,
        },
    )
    if not wanted.query:
        return list(rows)
    query = wanted.query.casefold()
    return [row for row in rows if query in row.title.casefold() or query in row.text.casefold()]


def _card(row: Row[Any], state: TaskState, conversations: Sequence[Work]) -> Card:
    assignee = Assignee(kind=AssigneeKind(row.assignee_kind), id=row.assignee_id)
    return Card(
        id=row.id,
        title=text.readable(row.title),
        state=state,
        version=row.version,
        assignee=Who(assignee=assignee, name=row.assignee_name),
        comments=row.comments,
        conversations=conversations,
    )
