"""Sending a message: a conversation delegates, a person writes."""

from ccweb.conversations import store as conversations
from ccweb.errors import SourceRequired, TargetNotFound
from ccweb.relay import service as relay
from ccweb.tools.answer import Result
from ccweb.tools.context import Context
from ccweb_contract.enums import DeliveryStatus, ReplyDelivery, ReplyMode, ReplyStatus
from ccweb_contract.models import CcwebSendMessageInput


def send_message(x: Context, given: CcwebSendMessageInput) -> Result:
    """Send from the conversation that calls; a person's message is written as their own."""
    if x.source is None:
        return _write(x, given)
    sent = relay.send(
        x.c,
        x.m,
        x.s,
        source=x.source,
        target_id=given.target_conversation_id,
        content=given.content,
        reply_mode=given.reply_mode,
    )
    accepted = _accepted(sent.message_id, sent.target_conversation_id, sent.target_title)
    result = accepted | {"replyMode": sent.reply_mode.value}
    return result if sent.request_id is None else result | _return_promised(sent.request_id)


def _write(x: Context, given: CcwebSendMessageInput) -> Result:
    target = conversations.get(x.c, given.target_conversation_id)
    if target is None:
        raise TargetNotFound(conversation_id=given.target_conversation_id)
    if given.reply_mode is not ReplyMode.ONE_WAY:
        raise SourceRequired
    written = relay.write(
        x.c,
        x.m,
        x.s,
        person_id=x.person_id,
        conversation_id=target.id,
        content=given.content,
    )
    accepted = _accepted(written.message_id, target.id, target.title)
    return accepted | {"replyMode": given.reply_mode.value}


def _accepted(message_id: str, target_id: str, target_title: str) -> dict[str, str]:
    return {
        "messageId": message_id,
        "targetConversationId": target_id,
        "targetTitle": target_title,
        "deliveryStatus": DeliveryStatus.ACCEPTED.value,
    }


def _return_promised(request_id: str) -> dict[str, str | bool]:
    return {
        "requestId": request_id,
        "status": ReplyStatus.WAITING.value,
        "replyDelivery": ReplyDelivery.AUTO_RETURN.value,
        "sourceAutoRun": True,
    }
