"""The handlers: what each tool does, whether it writes, and what it makes ready before."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ccweb.tools.answer import Result
from ccweb.tools.context import Context
from ccweb.tools.handlers import (
    blueprints,
    boards,
    conversations,
    creating,
    feature_plans,
    forms,
    fresh,
    images,
    replies,
    sending,
    work_items,
)
from ccweb_contract.tools import ToolName


@dataclass(frozen=True, slots=True, kw_only=True)
class Handler:
    """One tool's work, inside one transaction."""

    run: Callable[[Context, Any], Result]
    """Takes the tool's generated input model, or what was made ready from it."""
    writes: bool
    prepare: Callable[[Context, Any], Callable[[], Any]] | None = None
    """Reads what it needs and returns slow work; a worker thread does that before `run`, which
    takes its result in place of the input model."""


HANDLERS: Mapping[ToolName, Handler] = {
    ToolName.CCWEB_SEND_MESSAGE: Handler(run=sending.send_message, writes=True),
    ToolName.CCWEB_LIST_CONVERSATIONS: Handler(run=conversations.list_them, writes=False),
    ToolName.CCWEB_GET_CONVERSATION: Handler(run=conversations.get_one, writes=False),
    ToolName.CCWEB_CREATE_CONVERSATION: Handler(run=creating.create, writes=True),
    ToolName.CCWEB_LIST_PENDING_REPLIES: Handler(run=replies.list_them, writes=False),
    ToolName.CCWEB_GET_PENDING_REPLY: Handler(run=replies.get_one, writes=False),
    ToolName.CCWEB_CANCEL_REQUEST: Handler(run=replies.cancel, writes=True),
    ToolName.CCWEB_GET_BOARD: Handler(run=boards.get_board, writes=True),
    ToolName.CCWEB_CREATE_COLUMN: Handler(run=boards.create_column, writes=True),
    ToolName.CCWEB_UPDATE_COLUMN: Handler(run=boards.update_column, writes=True),
    ToolName.CCWEB_CREATE_TASK: Handler(run=boards.create_task, writes=True),
    ToolName.CCWEB_UPDATE_TASK: Handler(run=boards.update_task, writes=True),
    ToolName.CCWEB_MOVE_TASK: Handler(run=boards.move_task, writes=True),
    ToolName.CCWEB_COMMENT_TASK: Handler(run=boards.comment_task, writes=True),
    ToolName.CCWEB_SHOW_IMAGE: Handler(run=images.show, writes=True, prepare=images.prepare),
    ToolName.CCWEB_REQUEST_FORM: Handler(run=forms.request, writes=True),
    ToolName.CCWEB_GET_FORM: Handler(run=forms.get_one, writes=False),
    ToolName.GET_FEISHU_WORK_ITEM_CONTEXT: Handler(
        run=work_items.fetch, writes=True, prepare=work_items.fetching
    ),
    ToolName.CREATE_FEISHU_TECHNICAL_PLAN: Handler(
        run=work_items.create, writes=True, prepare=work_items.routing
    ),
    ToolName.GET_TECHNICAL_BLUEPRINT: Handler(run=blueprints.get_one, writes=False),
    ToolName.ANSWER_BLUEPRINT_CLARIFICATION: Handler(
        run=fresh.keeping(blueprints.answer), writes=True, prepare=fresh.looking
    ),
    ToolName.REQUEST_TECHNICAL_BLUEPRINT_CHANGES: Handler(
        run=fresh.keeping(blueprints.send_back), writes=True, prepare=fresh.looking
    ),
    ToolName.APPROVE_TECHNICAL_BLUEPRINT: Handler(
        run=fresh.keeping(blueprints.approve), writes=True, prepare=fresh.looking
    ),
    ToolName.START_REPO_RESEARCH: Handler(
        run=fresh.keeping(blueprints.research), writes=True, prepare=fresh.looking
    ),
    ToolName.CREATE_FEATURE_TECH_PLAN: Handler(
        run=feature_plans.create, writes=True, prepare=feature_plans.studying
    ),
    ToolName.CONFIRM_FEATURE_TECH_PLAN: Handler(run=feature_plans.confirm, writes=True),
    ToolName.GET_FEATURE_TECH_PLAN: Handler(
        run=feature_plans.get_one, writes=True, prepare=feature_plans.stepping
    ),
}
