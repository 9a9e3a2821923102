"""Requests and their replies: looking at them, and taking one back."""

from typing import Any

from ccweb.clock import iso
from ccweb.errors import Forbidden, RequestNotFound
from ccweb.relay import service as relay
from ccweb.relay import store
from ccweb.relay.model import PendingReply
from ccweb.tools.answer import Result
from ccweb.tools.context import Context
from ccweb_contract.models import (
    CcwebCancelRequestInput,
    CcwebGetPendingReplyInput,
    CcwebListPendingRepliesInput,
)


def list_them(x: Context, given: CcwebListPendingRepliesInput) -> Result:
    """List the requests of the conversation that calls; a person sees all."""
    rows = store.listed(
        x.c,
        x.conversation_id,
        direction=given.direction,
        status=given.status,
        limit=given.limit,
    )
    return {"replies": [_shown(row) for row in rows]}


def get_one(x: Context, given: CcwebGetPendingReplyInput) -> Result:
    """Read one request with its two texts."""
    return _whole(_visible(x, given.request_id))


def cancel(x: Context, given: CcwebCancelRequestInput) -> Result:
    """Take a request back: its source or a person may."""
    x.check_turn()
    row = _visible(x, given.request_id)
    own = row.source_conversation_id == x.conversation_id
    if not own and x.conversation_id is not None:
        raise Forbidden(why="Only the source of a request, or a person, can cancel it.")
    cancelled = relay.cancel(
        x.c,
        x.m,
        x.s,
        row.request_id,
        by_source=own,
        interrupt_target=given.interrupt_target,
    )
    return _whole(cancelled)


def _visible(x: Context, request_id: str) -> PendingReply:
    row = store.get(x.c, request_id)
    if row is None or not _may_see(x, row):
        raise RequestNotFound(request_id=request_id)
    return row


def _may_see(x: Context, row: PendingReply) -> bool:
    ends = (None, row.source_conversation_id, row.target_conversation_id)
    return x.conversation_id in ends


def _whole(row: PendingReply) -> dict[str, Any]:
    texts = {"originalRequest": row.original_request, "replyText": row.reply_text}
    return _shown(row) | _given(texts)


def _shown(row: PendingReply) -> dict[str, Any]:
    return {
        "requestId": row.request_id,
        "messageId": row.message_id,
        "sourceConversationId": row.source_conversation_id,
        "sourceTitle": row.source_title,
        "targetConversationId": row.target_conversation_id,
        "targetTitle": row.target_title,
        "status": row.status.value,
        "createdAt": iso(row.created_at),
        "hopCount": row.hop_count,
        "sourceAutoRun": row.source_auto_run,
    } | _given(
        {
            "outcome": row.outcome and row.outcome.value,
            "stopReason": row.stop_reason,
            "completedAt": row.completed_at and iso(row.completed_at),
            "returnedAt": row.returned_at and iso(row.returned_at),
            "replyMessageId": row.reply_message_id,
            "lastError": row.last_error,
        }
    )


def _given(fields: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}
