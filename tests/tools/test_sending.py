"""Sending by tool: what an agent, a script and a person get for it."""

import anyio
import pytest

from ccweb_contract.enums import (
    DeliveryStatus,
    ReplyDelivery,
    ReplyMode,
    ReplyStatus,
    SourceKind,
    TurnKind,
)
from ccweb_contract.errors import ErrorCode
from ccweb_contract.tools import TOOLS, ToolName
from tests.tools.desk import Desk, fits

SEND = ToolName.CCWEB_SEND_MESSAGE


@pytest.mark.requirement("R-M1", "FC-38", "FC-52")
async def test_a_request_is_accepted_at_once_with_its_id(desk: Desk) -> None:
    agent, target = desk.agent(desk.conversation("Source")), desk.conversation("Target")
    with anyio.fail_after(5):
        result = await desk.tell(agent, target, ReplyMode.RETURN_AND_CONTINUE, "count")
    row = desk.reply(result["requestId"])
    assert result == {
        "messageId": row.message_id,
        "targetConversationId": target,
        "targetTitle": "Target",
        "replyMode": ReplyMode.RETURN_AND_CONTINUE.value,
        "deliveryStatus": DeliveryStatus.ACCEPTED.value,
        "requestId": row.request_id,
        "status": ReplyStatus.WAITING.value,
        "replyDelivery": ReplyDelivery.AUTO_RETURN.value,
        "sourceAutoRun": True,
    }
    assert fits(TOOLS[SEND], result)
    assert row.source_conversation_id == agent.conversation_id
    assert row.opened_by_turn_id is not None


async def test_a_one_way_message_promises_no_return(desk: Desk) -> None:
    agent, target = desk.agent(desk.conversation("Source")), desk.conversation("Target")
    result = await desk.tell(agent, target)
    assert fits(TOOLS[SEND], result)
    assert "requestId" not in result
    assert [t.kind for t in desk.open_turns(target)] == [TurnKind.MESSAGE]


async def test_a_persons_message_is_a_persons_even_for_a_busy_target(desk: Desk) -> None:
    target = desk.conversation("Target")
    desk.started(target)
    result = await desk.tell(desk.browser(), target, content="and this too")
    assert fits(TOOLS[SEND], result)
    last = desk.messages(target)[-1]
    assert (last.id, last.text) == (result["messageId"], "and this too")
    assert last.sender is not None
    assert last.sender.kind is SourceKind.PERSON


@pytest.mark.requirement("R-M2")
async def test_a_caller_that_is_no_conversation_cannot_ask_for_a_return(desk: Desk) -> None:
    target = desk.conversation("Target")
    before = desk.everything()
    refusal = await desk.refusal(
        desk.browser(),
        SEND,
        targetConversationId=target,
        content="count",
        replyMode=ReplyMode.RETURN_AND_CONTINUE.value,
    )
    assert refusal.code is ErrorCode.SOURCE_REQUIRED
    assert desk.everything() == before


@pytest.mark.requirement("R-D6", "FC-19")
async def test_a_conversations_token_sends_in_its_name(desk: Desk) -> None:
    source, target = desk.conversation("Source"), desk.conversation("Target")
    result = await desk.tell(desk.script(source), target, ReplyMode.RETURN_AND_CONTINUE)
    row = desk.reply(result["requestId"])
    assert (row.source_conversation_id, row.opened_by_turn_id) == (source, None)


@pytest.mark.requirement("R-M2", "FC-37")
async def test_a_busy_target_is_told_with_since_when_and_what_to_do(desk: Desk) -> None:
    agent, target = desk.agent(desk.conversation("Source")), desk.conversation("Target")
    desk.started(target)
    before = desk.everything()
    refusal = await desk.refusal(
        agent, SEND, targetConversationId=target, content="x", replyMode="one_way"
    )
    assert refusal.code is ErrorCode.TARGET_BUSY
    assert "running since 20" in refusal.detail
    assert "poll" in refusal.remedy
    assert desk.everything() == before


@pytest.mark.requirement("R-M2", "R-S4")
@pytest.mark.parametrize(
    ("content", "code"),
    [
        ("", ErrorCode.INVALID_PARAMS),
        (" \n\t", ErrorCode.INVALID_PARAMS),
        ("a\x00b", ErrorCode.INVALID_PARAMS),
        ("\udc00", ErrorCode.INVALID_PARAMS),
        (["text"], ErrorCode.INVALID_PARAMS),
        ("x" * (256 * 1024 + 1), ErrorCode.CONTENT_TOO_LARGE),
        ("语" * (100 * 1024), ErrorCode.CONTENT_TOO_LARGE),
    ],
    ids=["empty", "blank", "NUL", "surrogate", "list", "long", "long in bytes"],
)
async def test_a_bad_content_is_refused_and_nothing_is_sent(
    desk: Desk, content: object, code: ErrorCode
) -> None:
    agent, target = desk.agent(desk.conversation("Source")), desk.conversation("Target")
    before = desk.everything()
    refusal = await desk.refusal(
        agent, SEND, targetConversationId=target, content=content, replyMode="one_way"
    )
    assert refusal.code is code
    assert desk.everything() == before


@pytest.mark.requirement("R-M2", "FC-19")
async def test_an_agent_cannot_send_to_itself(desk: Desk) -> None:
    agent = desk.agent(desk.conversation("Source"))
    refusal = await desk.refusal(
        agent,
        SEND,
        targetConversationId=agent.conversation_id,
        content="x",
        replyMode="one_way",
    )
    assert refusal.code is ErrorCode.TARGET_IS_SOURCE


async def test_content_that_looks_like_a_template_arrives_as_it_is(desk: Desk) -> None:
    agent, target = desk.agent(desk.conversation("Source")), desk.conversation("Target")
    content = "{{ 7 * 7 }} <<message>> {message} ```\n``` %s"
    await desk.tell(agent, target, content=content)
    assert desk.messages(target)[-1].text == content
