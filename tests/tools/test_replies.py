"""Looking at requests and taking one back: who sees and does what."""

import pytest

from ccweb.access.model import Agent
from ccweb_contract.enums import Outcome, ReplyStatus
from ccweb_contract.errors import ErrorCode
from ccweb_contract.tools import TOOLS, ToolName
from tests.tools.desk import Desk, fits

LIST = ToolName.CCWEB_LIST_PENDING_REPLIES
GET = ToolName.CCWEB_GET_PENDING_REPLY
CANCEL = ToolName.CCWEB_CANCEL_REQUEST


@pytest.fixture
def asked(desk: Desk) -> tuple[Agent, Agent, Agent, str]:
    """Return source, target and a third agent, at work, and the request between the first two."""
    source, target, third = (desk.conversation(name) for name in ("Source", "Target", "Third"))
    turn = desk.started(source)
    request_id = desk.request(turn, target, "count")
    target_turn = desk.claim_in(target)
    source_agent = desk.caller(desk.credential(turn))
    target_agent = desk.caller(desk.credential(target_turn))
    assert isinstance(source_agent, Agent)
    assert isinstance(target_agent, Agent)
    return source_agent, target_agent, desk.agent(third), request_id


Asked = tuple[Agent, Agent, Agent, str]


async def listed(desk: Desk, caller: object, **arguments: object) -> list[str]:
    result = await desk.result(caller, LIST, **arguments)  # type: ignore[arg-type]
    assert fits(TOOLS[LIST], result)
    return [row["requestId"] for row in result["replies"]]


@pytest.mark.requirement("R-M3")
async def test_a_conversation_lists_only_what_it_sent_or_was_asked(
    desk: Desk, asked: Asked
) -> None:
    source, target, third, request_id = asked
    assert await listed(desk, source) == [request_id]
    assert await listed(desk, source, direction="outgoing") == [request_id]
    assert await listed(desk, source, direction="incoming") == []
    assert await listed(desk, target, direction="incoming") == [request_id]
    assert await listed(desk, target, direction="outgoing") == []
    assert await listed(desk, third) == []
    assert await listed(desk, desk.browser()) == [request_id]


async def test_the_list_filters_by_state_and_holds_no_long_texts(desk: Desk, asked: Asked) -> None:
    source, _, _, request_id = asked
    assert await listed(desk, source, status="ready") == []
    assert await listed(desk, source, status="waiting") == [request_id]
    result = await desk.result(source, LIST)
    assert not {"originalRequest", "replyText"} & result["replies"][0].keys()


@pytest.mark.requirement("R-M3")
async def test_a_returned_reply_is_answered_from_history(desk: Desk, asked: Asked) -> None:
    source, target, _, request_id = asked
    assert target.lease is not None
    desk.end(desk.turn(target.lease.turn_id), "42")
    assert source.lease is not None
    desk.end(desk.turn(source.lease.turn_id))
    result = await desk.result(desk.browser(), GET, requestId=request_id)
    assert fits(TOOLS[GET], result)
    assert (
        result["status"],
        result["outcome"],
        result["replyText"],
        result["originalRequest"],
    ) == (
        ReplyStatus.RETURNED.value,
        Outcome.COMPLETED.value,
        "42",
        "count",
    )
    assert result["replyMessageId"] == desk.messages(source.conversation_id)[-1].id


@pytest.mark.parametrize("tool", [GET, CANCEL])
async def test_a_stranger_is_told_that_there_is_no_such_request(
    desk: Desk, asked: Asked, tool: ToolName
) -> None:
    _, _, third, request_id = asked
    foreign = await desk.refusal(third, tool, requestId=request_id)
    nobody = await desk.refusal(third, tool, requestId="req_nobody")
    assert foreign.code is nobody.code is ErrorCode.REQUEST_NOT_FOUND
    assert foreign.detail.replace(request_id, "") == nobody.detail.replace("req_nobody", "")


@pytest.mark.requirement("R-M10")
async def test_the_source_cancels_and_gets_the_row(desk: Desk, asked: Asked) -> None:
    source, _, _, request_id = asked
    result = await desk.result(source, CANCEL, requestId=request_id)
    assert fits(TOOLS[CANCEL], result)
    assert (result["status"], result["outcome"]) == (
        ReplyStatus.FAILED.value,
        Outcome.CANCELLED.value,
    )
    again = await desk.refusal(source, CANCEL, requestId=request_id)
    assert again.code is ErrorCode.ALREADY_ENDED


@pytest.mark.requirement("R-M10")
async def test_the_target_cannot_cancel_what_it_was_asked(desk: Desk, asked: Asked) -> None:
    _, target, _, request_id = asked
    refusal = await desk.refusal(target, CANCEL, requestId=request_id)
    assert refusal.code is ErrorCode.FORBIDDEN
    assert desk.reply(request_id).status is ReplyStatus.WAITING


@pytest.mark.requirement("R-M10")
async def test_a_persons_cancel_comes_back_to_the_source(desk: Desk, asked: Asked) -> None:
    source, target, _, request_id = asked
    result = await desk.result(desk.browser(), CANCEL, requestId=request_id, interruptTarget=True)
    assert (result["status"], result["outcome"]) == (
        ReplyStatus.READY.value,
        Outcome.CANCELLED.value,
    )
    assert target.lease is not None
    assert desk.turn(target.lease.turn_id).stop_requested_at is not None
    assert [item.ref_id for item in desk.inbox(source.conversation_id)] == [request_id]


@pytest.mark.requirement("R-M10")
async def test_what_has_been_returned_cannot_be_cancelled(desk: Desk, asked: Asked) -> None:
    source, target, _, request_id = asked
    assert target.lease is not None
    assert source.lease is not None
    desk.end(desk.turn(target.lease.turn_id), "42")
    desk.end(desk.turn(source.lease.turn_id))
    refusal = await desk.refusal(desk.browser(), CANCEL, requestId=request_id)
    assert refusal.code is ErrorCode.ALREADY_RETURNED
