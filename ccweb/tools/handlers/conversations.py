"""Looking at conversations: the list, and the messages of one."""

from collections.abc import Sequence
from typing import Any, Final

from ccweb.clock import iso
from ccweb.conversations import messages
from ccweb.conversations.model import Message
from ccweb.conversations.rules import cut
from ccweb.errors import ConversationNotFound, InvalidParams, MessageNotFound
from ccweb.tools import listing
from ccweb.tools.answer import Result
from ccweb.tools.context import Context
from ccweb.tools.listing import Wanted
from ccweb_contract.enums import ListScope
from ccweb_contract.models import CcwebGetConversationInput, CcwebListConversationsInput

_IN_A_PAGE_BYTES: Final = 16 * 1024
_ALONE_BYTES: Final = 32 * 1024
_SHOWN_METADATA: Final = (
    "crossConversation",
    "replyToRequestId",
    "processed",
    "autoRun",
    "ccwebDisplayOnly",
    "imageId",
)


def list_them(x: Context, given: CcwebListConversationsInput) -> Result:
    """List conversations with what each is doing now."""
    wanted = Wanted(
        cwd=_own_directory(x) if given.scope is ListScope.SAME_DIRECTORY else None,
        status=given.status,
        query=given.query or "",
        limit=given.limit,
        cursor=given.cursor,
    )
    found, cursor = listing.page(x.c, wanted)
    result = {"conversations": [line.shown() for line in found]}
    return result if cursor is None else result | {"nextCursor": cursor}


def get_one(x: Context, given: CcwebGetConversationInput) -> Result:
    """Read the latest messages of a conversation, or one long message in parts."""
    line = listing.one(x.c, given.conversation_id)
    if line is None:
        raise ConversationNotFound(conversation_id=given.conversation_id)
    if given.message_id is not None:
        message = _message(x, given.conversation_id, given.message_id)
        part = _part(message, given.offset or 0, _ALONE_BYTES)
        return {"conversation": line.shown(), "messages": [part]}
    if given.offset is not None:
        raise InvalidParams(why="`offset` goes with `messageId`, which is missing.")
    return {"conversation": line.shown()} | _page(x, given)


def _own_directory(x: Context) -> str:
    conversation = x.conversation()
    if conversation is None:
        raise InvalidParams(why="`scope` needs a caller that is a conversation: a person has none.")
    return conversation.cwd


def _page(x: Context, given: CcwebGetConversationInput) -> dict[str, Any]:
    before = given.before and _message(x, given.conversation_id, given.before).position
    found = messages.page(x.c, given.conversation_id, before=before or None, limit=given.limit + 1)
    shown = found[-given.limit :]
    result: dict[str, Any] = {"messages": [_part(one, 0, _IN_A_PAGE_BYTES) for one in shown]}
    return result | ({"nextBefore": shown[0].id} if _more(found, shown) else {})


def _more(found: Sequence[Message], shown: Sequence[Message]) -> bool:
    return len(found) > len(shown)


def _message(x: Context, conversation_id: str, message_id: str) -> Message:
    message = messages.get(x.c, message_id)
    if message is None or message.conversation_id != conversation_id:
        raise MessageNotFound(message_id=message_id)
    return message


def _part(message: Message, offset: int, limit_bytes: int) -> dict[str, Any]:
    text = cut(message.text[offset:], limit_bytes)
    end = offset + len(text)
    shown = {
        "messageId": message.id,
        "role": message.role.value,
        "text": text,
        "createdAt": iso(message.created_at),
    }
    if message.turn_id is not None:
        shown["turnId"] = message.turn_id
    return shown | _marks(message) | _place(message, text, end)


def _marks(message: Message) -> dict[str, Any]:
    metadata = {key: message.metadata[key] for key in _SHOWN_METADATA if key in message.metadata}
    marks = {
        "late": message.late,
        "displayOnly": message.display_only,
        "metadata": metadata,
    }
    return {name: value for name, value in marks.items() if value}


def _place(message: Message, text: str, end: int) -> dict[str, Any]:
    if text == message.text:
        return {}
    place: dict[str, Any] = {"textLength": len(message.text), "truncated": True}
    return place | ({"nextOffset": end} if end < len(message.text) else {})
