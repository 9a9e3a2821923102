"""Reading a conversation: pages of messages, and one long text in parts."""

from typing import Any

import pytest

from ccweb_contract.enums import ReplyMode, TurnStatus
from ccweb_contract.errors import ErrorCode
from ccweb_contract.tools import TOOLS, ToolName
from tests.tools.desk import Desk, fits

GET = ToolName.CCWEB_GET_CONVERSATION


async def read(desk: Desk, conversation_id: str, **arguments: object) -> dict[str, Any]:
    result = await desk.result(desk.browser(), GET, conversationId=conversation_id, **arguments)
    assert fits(TOOLS[GET], result)
    return result


async def test_messages_come_oldest_first_and_page_backwards(desk: Desk) -> None:
    conversation_id = desk.conversation("Talk")
    for i in range(7):
        desk.write(conversation_id, f"m{i}")
    pages: list[list[str]] = []
    before: dict[str, object] = {}
    while not pages or before:
        result = await read(desk, conversation_id, limit=3, **before)
        pages.append([one["text"] for one in result["messages"]])
        before = {"before": result["nextBefore"]} if "nextBefore" in result else {}
    assert pages == [["m4", "m5", "m6"], ["m1", "m2", "m3"], ["m0"]]


@pytest.mark.requirement("R-M9")
@pytest.mark.parametrize("unit", ["a", "语", "🙂", "é\n"])
async def test_a_long_text_is_read_in_parts_that_join_to_the_whole(desk: Desk, unit: str) -> None:
    conversation_id = desk.conversation("Talk")
    whole = unit * (200_000 // len(unit.encode()))
    desk.write(conversation_id, whole)
    (shown,) = (await read(desk, conversation_id))["messages"]
    assert shown["truncated"] is True
    assert shown["textLength"] == len(whole)
    text, offset = shown["text"], shown["nextOffset"]
    assert len(text.encode()) <= 16 * 1024
    while offset is not None:
        (part,) = (await read(desk, conversation_id, messageId=shown["messageId"], offset=offset))[
            "messages"
        ]
        assert len(part["text"].encode()) <= 32 * 1024
        text, offset = text + part["text"], part.get("nextOffset")
    assert text == whole


async def test_a_short_text_alone_is_not_called_cut(desk: Desk) -> None:
    conversation_id = desk.conversation("Talk")
    desk.write(conversation_id, "short")
    (shown,) = (await read(desk, conversation_id))["messages"]
    (alone,) = (await read(desk, conversation_id, messageId=shown["messageId"]))["messages"]
    assert alone == shown
    assert "truncated" not in alone
    (beyond,) = (await read(desk, conversation_id, messageId=shown["messageId"], offset=99))[
        "messages"
    ]
    assert (beyond["text"], beyond["textLength"], "nextOffset" in beyond) == ("", 5, False)


@pytest.mark.requirement("R-M3", "FC-56")
async def test_a_delegation_shows_its_metadata_at_both_ends(desk: Desk) -> None:
    source, target = desk.conversation("Source"), desk.conversation("Target")
    turn = desk.started(source)
    request_id = desk.request(turn, target, "count")
    desk.end(turn)
    desk.end(desk.claim_in(target), "42")
    asked = (await read(desk, target))["messages"][0]
    assert asked["metadata"]["crossConversation"] == {
        "replyMode": ReplyMode.RETURN_AND_CONTINUE.value,
        "expectsReply": True,
        "replyRequestId": request_id,
        "sourceConversationId": source,
        "sourceTitle": "Source",
    }
    returned = (await read(desk, source))["messages"][-1]
    assert returned["displayOnly"] is True
    assert returned["metadata"]["replyToRequestId"] == request_id


async def test_late_output_is_marked(desk: Desk) -> None:
    conversation_id = desk.conversation("Talk")
    turn = desk.started(conversation_id)
    desk.begin(turn)
    desk.lose(turn)
    desk.end(turn, "too late", TurnStatus.COMPLETED)
    last = (await read(desk, conversation_id))["messages"][-1]
    assert (last["text"], last["late"]) == ("too late", True)


async def test_what_is_not_there_is_said_to_be_missing(desk: Desk) -> None:
    here, there = desk.conversation("Here"), desk.conversation("There")
    desk.write(there, "private")
    foreign = desk.messages(there)[0].id
    person = desk.browser()
    faults = [
        await desk.refusal(person, GET, conversationId="conv_nobody"),
        await desk.refusal(person, GET, conversationId=here, messageId=foreign),
        await desk.refusal(person, GET, conversationId=here, before=foreign),
        await desk.refusal(person, GET, conversationId=here, before="msg_nobody"),
        await desk.refusal(person, GET, conversationId=here, offset=3),
    ]
    assert [fault.code for fault in faults] == [
        ErrorCode.CONVERSATION_NOT_FOUND,
        ErrorCode.MESSAGE_NOT_FOUND,
        ErrorCode.MESSAGE_NOT_FOUND,
        ErrorCode.MESSAGE_NOT_FOUND,
        ErrorCode.INVALID_PARAMS,
    ]
