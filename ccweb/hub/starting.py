"""A conversation that begins with a task: made, given the task, and linked to it, all at once."""

from typing import Any, Final

from pydantic import ValidationError
from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from ccweb.access.model import Browser
from ccweb.board import rules, service, store
from ccweb.board.model import NOBODY, Assignee, Author, Board, Link, Task, TaskChange
from ccweb.clock import Moment, moment
from ccweb.conversations import service as conversations
from ccweb.conversations.choice import Choice
from ccweb.errors import InvalidParams
from ccweb.hub.posts import body, do, field, named, person, settings
from ccweb.settings import Settings
from ccweb.tools.context import Context
from ccweb.tools.handlers import creating
from ccweb_contract import prompts
from ccweb_contract.enums import AssigneeKind, LinkKind, SourceKind
from ccweb_contract.models import CcwebCreateConversationInput

_CHOSEN: Final = ("agent", "model", "permissionMode")


async def start(request: Request) -> Response:
    """Start a conversation in the board's folder with a task as its first message."""
    given = await body(request)
    chosen = {name: value for name in _CHOSEN if (value := field(given, name, str, ""))}
    effort, task_id = field(given, "effort", str, ""), named(request, "task_id")
    s, who = settings(request), person(request)

    def begin(c: Connection) -> str:
        task = store.task(c, task_id)
        rules.check_open(task)
        m, board = moment(), store.board(c, task.board_id)
        x = Context(c=c, m=m, s=s, host_id=board.host_id, caller=who)
        created = _create(x, board, task, chosen, effort)
        _hand_over(c, m, s, task, created, who)
        return created

    created = await do(request, begin)
    return JSONResponse({"conversationId": created, "url": f"/conversations/{created}"})


def _create(x: Context, board: Board, task: Task, chosen: dict[str, Any], effort: str) -> str:
    created: str = creating.create(x, _input(x.s, task, board, chosen))["conversationId"]
    if effort:
        made = conversations.existing(x.c, created)
        choice = Choice(model=made.model, effort=effort, permission_mode=made.permission_mode)
        conversations.configure(x.c, x.m, created, choice)
    return created


def _input(
    s: Settings, task: Task, board: Board, chosen: dict[str, Any]
) -> CcwebCreateConversationInput:
    brief = prompts.task_brief(s.lang, task_id=task.id, title=task.title, text=task.text)
    given = {"title": task.title, "cwd": board.cwd, "initialMessage": brief, **chosen}
    try:
        return CcwebCreateConversationInput.model_validate(given)
    except ValidationError as error:
        first = error.errors()[0]
        raise InvalidParams(why=f"`{first['loc'][0]}`: {first['msg']}.") from error


def _hand_over(
    c: Connection, m: Moment, s: Settings, task: Task, conversation_id: str, who: Browser
) -> None:
    """Link a task to its conversation, and let that have it unless somebody has it already."""
    author = Author(kind=SourceKind.PERSON, id=who.person_id)
    link = Link(kind=LinkKind.CONVERSATION, id=conversation_id)
    assignee = Assignee(kind=AssigneeKind.CONVERSATION, id=conversation_id)
    change = TaskChange(
        expected_version=task.version,
        links=(*task.links, link),
        assignee=assignee if task.assignee == NOBODY else None,
    )
    service.update_task(c, m, s, task.id, change, author=author)
