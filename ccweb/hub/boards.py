"""Task boards: the list of them, one board, one task over it, and the parts that follow changes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any, Final

from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from ccweb.board import service, store
from ccweb.board.errors import BoardNotFound, TaskNotFound
from ccweb.board.model import Board
from ccweb.clock import moment
from ccweb.conversations.service import existing
from ccweb.db.sql import select
from ccweb.errors import ConversationNotFound
from ccweb.hub import board_posts, board_views, choices, events, rendering, task_views
from ccweb.hub.board_views import Wanted
from ccweb.hub.parts import html, seat
from ccweb.settings import Settings
from ccweb_contract.enums import AssigneeKind, Lang, LinkKind, TaskState
from ccweb_contract.errors import HTTP_STATUS, ErrorCode

_ENUMS: Final = {"TaskState": TaskState, "AssigneeKind": AssigneeKind, "LinkKind": LinkKind}
_QUERY_LENGTH: Final = 200

_WITHOUT_BOARD: Final = select(
    "k.cwd, k.host_id, max(k.id) AS conversation_id",
    """FROM conversation k
    WHERE k.deleted_at IS NULL AND NOT EXISTS (
        SELECT 1 FROM board b WHERE b.host_id = k.host_id AND b.cwd = k.cwd)
    GROUP BY k.cwd, k.host_id ORDER BY k.cwd""",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Folder:
    """A folder of conversations whose board nobody has looked at yet."""

    cwd: str
    conversation_id: str
    """One that works there."""

    @property
    def title(self) -> str:
        """Return the last part of its path."""
        return PurePath(self.cwd).name or self.cwd


def routes() -> list[Route]:
    """Return the pages, their parts, and one route for each thing that a person does there."""
    return [
        Route("/boards", listed, methods=["GET"]),
        Route("/boards/of/{conversation_id}", board_of, methods=["GET"]),
        Route("/boards/{board_id}", page, methods=["GET"]),
        Route("/boards/{board_id}/tasks/{task_id}", page, methods=["GET"]),
        Route("/parts/boards/{board_id}", columns, methods=["GET"]),
        Route("/parts/tasks/{task_id}", task, methods=["GET"]),
        *board_posts.routes(),
    ]


async def listed(request: Request) -> Response:
    """Show every board, and the folders whose board can be opened."""
    db, s, _ = seat(request)

    def gather(c: Connection) -> str:
        return rendering.page(
            "boards.html", s.lang, boards=store.boards(c), folders=_without_board(c)
        )

    return html(await db.read(gather))


async def board_of(request: Request) -> Response:
    """Lead to the board of a conversation's folder; the first look makes it."""
    db, s, _ = seat(request)

    def find(c: Connection) -> str:
        conversation = existing(c, request.path_params["conversation_id"])
        where = conversation.host_id, conversation.cwd
        return service.board_at(c, moment(), *where, lang=s.lang).id

    try:
        return RedirectResponse(f"/boards/{await db.write(find)}", status_code=303)
    except ConversationNotFound as error:
        return _gone(s.lang, error.code)


async def page(request: Request) -> Response:
    """Show a board, and over it the task that the address names."""
    db, s, _ = seat(request)
    task_id = request.path_params.get("task_id")

    def gather(c: Connection) -> str:
        position = events.last_position(c)  # first: what is committed meanwhile comes again
        board = store.board(c, request.path_params["board_id"])
        return rendering.page(
            "board.html",
            s.lang,
            **_values(c, request, board),
            task=_task_of(c, s, board, task_id) if task_id else None,
            assignees=board_views.assigned(c, board.id),
            agents=choices.agents(c, moment(), board.host_id),
            position=position,
            now=moment().now_ms,
        )

    try:
        return html(await db.read(gather))
    except (BoardNotFound, TaskNotFound) as error:
        return _gone(s.lang, error.code)


async def columns(request: Request) -> Response:
    """Return the columns of a board as they are now."""
    db, s, _ = seat(request)

    def gather(c: Connection) -> str:
        board = store.board(c, request.path_params["board_id"])
        return rendering.page("board_columns.html", s.lang, **_values(c, request, board))

    return html(await db.read(gather))


async def task(request: Request) -> Response:
    """Return the panel of one task."""
    db, s, _ = seat(request)
    task_id = request.path_params["task_id"]
    found = await db.read(lambda c: task_views.panel(c, s, task_id))
    return html(rendering.page("task.html", s.lang, **_ENUMS, task=found))


def _values(c: Connection, request: Request, board: Board) -> Mapping[str, Any]:
    wanted = _wanted(request)
    shown = board_views.columns(c, board, wanted, _limits(request))
    return {**_ENUMS, "board": board, "columns": shown, "wanted": wanted}


def _task_of(c: Connection, s: Settings, board: Board, task_id: str) -> task_views.Panel:
    found = task_views.panel(c, s, task_id)
    if found.task.board_id != board.id:
        raise TaskNotFound(task_id=task_id)
    return found


def _wanted(request: Request) -> Wanted:
    """Return what the address asks for; what it cannot mean is left out."""
    given = request.query_params
    state, assignee = given.get("state", ""), given.get("assignee", "")
    return Wanted(
        query=given.get("query", "").strip()[:_QUERY_LENGTH],
        state=TaskState(state) if state in set(TaskState) else None,
        assignee=assignee if assignee.partition(":")[0] in set(AssigneeKind) else "",
    )


def _limits(request: Request) -> dict[str, int]:
    """Return how many cards of which columns the page shows already."""
    pairs = (one.partition(":") for one in request.query_params.get("limit", "").split(","))
    return {
        column_id: min(int(count), board_views.MOST)
        for column_id, _, count in pairs
        if count.isascii() and count.isdigit() and len(count) < len(str(board_views.MOST)) + 1
    }


def _without_board(c: Connection) -> Sequence[Folder]:
    return [
        Folder(cwd=row.cwd, conversation_id=row.conversation_id)
        for row in c.execute(_WITHOUT_BOARD)
    ]


def _gone(lang: Lang, code: ErrorCode) -> Response:
    return html(rendering.page("gone.html", lang), status=HTTP_STATUS[code])
