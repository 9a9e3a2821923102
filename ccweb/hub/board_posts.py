"""What a person does on a board: small posts, each one transaction on a column or a task."""

from typing import Any, TypeVar

from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from ccweb.access import service as access
from ccweb.board import service, store
from ccweb.board.errors import NotAsked
from ccweb.board.model import Author, ColumnChange, Link, NewColumn, NewTask, Task, TaskChange
from ccweb.clock import moment
from ccweb.errors import InvalidParams
from ccweb.hub import starting
from ccweb.hub.board_views import named_assignee
from ccweb.hub.posts import body, do, done, field, named, person, settings
from ccweb_contract.enums import LinkKind, SourceKind, TaskState

_Given = dict[str, Any]
_Value = TypeVar("_Value", TaskState, LinkKind)


def routes() -> list[Route]:
    """Return one route an action."""
    of_column = {"": edit_column, "/place": place_column, "/delete": delete_column}
    of_task = {
        "": edit,
        "/move": move,
        "/cancel": cancel,
        "/comment": comment,
        "/link": link,
        "/unlink": unlink,
        "/start": starting.start,
    }
    return [
        Route("/boards/{board_id}/columns", add_column, methods=["POST"]),
        Route("/boards/{board_id}/tasks", add, methods=["POST"]),
        *(
            Route(f"/columns/{{column_id}}{path}", do_, methods=["POST"])
            for path, do_ in of_column.items()
        ),
        *(
            Route(f"/tasks/{{task_id}}{path}", do_, methods=["POST"])
            for path, do_ in of_task.items()
        ),
    ]


async def add_column(request: Request) -> Response:
    """Add a column at the end of a board."""
    given = await body(request)
    new = NewColumn(
        title=field(given, "title", str).strip(),
        description=field(given, "description", str, "").strip(),
        state=_member(given, "state", TaskState),
    )
    board_id = named(request, "board_id")
    await do(request, lambda c: service.create_column(c, moment(), board_id, new))
    return done()


async def edit_column(request: Request) -> Response:
    """Give a column another title, description or state; what is not sent stays."""
    given = await body(request)
    change = ColumnChange(
        expected_version=field(given, "expectedVersion", int),
        title=_text(given, "title"),
        description=_text(given, "description"),
        state=_member(given, "state", TaskState) if "state" in given else None,
    )
    await _change_column(request, change)
    return done()


async def place_column(request: Request) -> Response:
    """Move a column before another."""
    given = await body(request)
    change = ColumnChange(
        expected_version=field(given, "expectedVersion", int),
        before_column_id=field(given, "beforeColumnId", str),
    )
    await _change_column(request, change)
    return done()


async def delete_column(request: Request) -> Response:
    """Delete a column that holds no task."""
    version, by = field(await body(request), "expectedVersion", int), access.human(person(request))
    column_id = named(request, "column_id")
    await do(
        request,
        lambda c: service.delete_column(c, moment(), column_id, expected_version=version, by=by),
    )
    return done()


async def add(request: Request) -> Response:
    """Put a task at the end of a column."""
    given = await body(request)
    new = NewTask(title=field(given, "title", str).strip(), column_id=field(given, "columnId", str))
    board_id, author = named(request, "board_id"), _author(request)

    def put(c: Connection) -> Task:
        made = service.create_task(c, moment(), board_id, new, author=author)
        return _not_unasked(made)

    return _told(await do(request, put))


async def edit(request: Request) -> Response:
    """Change what a task says or who is to do it; what is not sent stays."""
    given = await body(request)
    change = TaskChange(
        expected_version=field(given, "expectedVersion", int),
        title=_text(given, "title"),
        text=field(given, "text", str) if "text" in given else None,
        assignee=named_assignee(field(given, "assignee", str)) if "assignee" in given else None,
    )
    return _told(await _change(request, change))


async def move(request: Request) -> Response:
    """Move a task to a column, before another task or to the end."""
    given = await body(request)
    version, column_id = field(given, "expectedVersion", int), field(given, "columnId", str)
    before, author = field(given, "beforeTaskId", str, "") or None, _author(request)

    def put(c: Connection) -> Task:
        moved = service.move_task(
            c,
            moment(),
            _task_id(request),
            expected_version=version,
            column_id=column_id,
            before_task_id=before,
            author=author,
        )
        return _not_unasked(moved)

    return _told(await do(request, put))


async def cancel(request: Request) -> Response:
    """Give a task up for good, with a comment that says why."""
    given = await body(request)
    version, reason = field(given, "expectedVersion", int), field(given, "reason", str, "")
    author = _author(request)
    given_up = await do(
        request,
        lambda c: service.cancel_task(
            c,
            moment(),
            _task_id(request),
            expected_version=version,
            reason=reason,
            author=author,
        ),
    )
    return _told(given_up)


async def comment(request: Request) -> Response:
    """Write a comment on a task."""
    written = field(await body(request), "text", str)
    s, author = settings(request), _author(request)
    await do(
        request,
        lambda c: service.comment(c, moment(), s, _task_id(request), written, author=author),
    )
    return done()


async def link(request: Request) -> Response:
    """Link a task to one thing more."""
    added, s, author = _link(await body(request)), settings(request), _author(request)
    linked = await do(
        request, lambda c: service.link(c, moment(), s, _task_id(request), added, author=author)
    )
    return _told(linked)


async def unlink(request: Request) -> Response:
    """Take one of its links from a task."""
    given = await body(request)
    removed, version = _link(given), field(given, "expectedVersion", int)
    s, author = settings(request), _author(request)

    def take_away(c: Connection) -> Task:
        task = store.task(c, _task_id(request))
        left = tuple(one for one in task.links if one != removed)
        change = TaskChange(expected_version=version, links=left)
        return service.update_task(c, moment(), s, task.id, change, author=author)

    return _told(await do(request, take_away))


async def _change(request: Request, change: TaskChange) -> Any:
    s, author = settings(request), _author(request)
    return await do(
        request,
        lambda c: service.update_task(c, moment(), s, _task_id(request), change, author=author),
    )


async def _change_column(request: Request, change: ColumnChange) -> None:
    column_id = named(request, "column_id")
    await do(request, lambda c: service.update_column(c, moment(), column_id, change))


def _not_unasked(task: Task) -> Task:
    """Return a task; the page asks before it cancels one, which only `cancel` does.

    Raises:
        NotAsked: its column has come to stand for what is cancelled; nothing is written.
    """
    if task.state is TaskState.CANCELLED:
        raise NotAsked(column_id=task.column_id)
    return task


def _author(request: Request) -> Author:
    return Author(kind=SourceKind.PERSON, id=person(request).person_id)


def _task_id(request: Request) -> str:
    return named(request, "task_id")


def _told(task: Task) -> Response:
    """Return what the page needs for the next change of the same task."""
    return JSONResponse({"taskId": task.id, "version": task.version})


def _text(given: _Given, name: str) -> str | None:
    return field(given, name, str).strip() if name in given else None


def _link(given: _Given) -> Link:
    return Link(kind=_member(given, "kind", LinkKind), id=field(given, "id", str))


def _member(given: _Given, name: str, kind: type[_Value]) -> _Value:
    value = field(given, name, str)
    if value not in set(kind):
        raise InvalidParams(why=f"`{name}` must be one of {', '.join(kind)}.")
    return kind(value)
