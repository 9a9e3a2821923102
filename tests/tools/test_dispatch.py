"""What the dispatcher does before and after a handler: alias, default, check, envelope."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
import structlog
from sqlalchemy import text

from ccweb import logs
from ccweb.access.model import Agent
from ccweb.tools import handlers
from ccweb.tools.answer import Answer
from ccweb.tools.dispatch import Call
from ccweb_contract.enums import Door, ReplyMode, ReplyStatus, TokenScope
from ccweb_contract.errors import HTTP_STATUS, ErrorCode
from ccweb_contract.tools import TOOLS, ToolName
from tests.tools.desk import OLD_CONTRACT, OLD_NAME, Desk

SEND = ToolName.CCWEB_SEND_MESSAGE
LIST = ToolName.CCWEB_LIST_CONVERSATIONS


def ends(desk: Desk) -> tuple[Agent, str]:
    """Return an agent at work in one conversation, and another conversation that is idle."""
    source, target = desk.conversation("Source"), desk.conversation("Target")
    return desk.agent(source), target


# --- the alias (R-D3) ----------------------------------------------------------------------------


@pytest.mark.requirement("R-D1", "R-D3", "AC4", "FC-42")
@pytest.mark.parametrize("door", list(Door))
async def test_the_old_name_returns_through_every_door_and_says_what_replaced_it(
    desk: Desk, door: Door
) -> None:
    agent, target = ends(desk)
    given = {"targetConversationId": target, "content": "count the files"}
    answer = await desk.call(agent, OLD_NAME, door=door, **given)
    assert answer.result is not None
    assert answer.result["replyMode"] == ReplyMode.RETURN_AND_CONTINUE.value
    assert desk.reply(answer.result["requestId"]).status is ReplyStatus.WAITING
    assert SEND in answer.result["notice"]


@pytest.mark.requirement("R-D3", "AC4")
@pytest.mark.parametrize("sent", ["one_way", "return_and_continue", "nonsense", 3, None])
async def test_a_mode_sent_with_the_old_name_changes_nothing(desk: Desk, sent: Any) -> None:
    agent, target = ends(desk)
    result = await desk.result(
        agent, OLD_NAME, targetConversationId=target, content="go", replyMode=sent
    )
    assert result["replyMode"] == ReplyMode.RETURN_AND_CONTINUE.value
    assert result["requestId"]


@pytest.mark.requirement("R-D3")
async def test_the_old_name_works_for_a_caller_that_has_loaded_the_current_list(
    desk: Desk,
) -> None:
    agent, target = ends(desk)
    desk.loaded(agent.conversation_id)
    result = await desk.result(agent, OLD_NAME, targetConversationId=target, content="go")
    assert result["requestId"]


async def test_the_old_name_is_checked_like_the_new_one(desk: Desk) -> None:
    agent, target = ends(desk)
    refusal = await desk.refusal(agent, OLD_NAME, targetConversationId=target)
    assert refusal.code is ErrorCode.INVALID_PARAMS


# --- the legacy default (R-D4, R-D7) -------------------------------------------------------------


@pytest.mark.requirement("R-D4", "R-D7")
@pytest.mark.parametrize("door", [Door.MCP, Door.DYNAMIC])
async def test_a_current_thread_without_a_mode_is_refused_and_nothing_is_sent(
    desk: Desk, door: Door
) -> None:
    agent, target = ends(desk)
    desk.loaded(agent.conversation_id, door=door)
    before = desk.everything()
    answer = await desk.call(agent, SEND, door=door, targetConversationId=target, content="go")
    assert answer.refusal is not None
    assert answer.refusal.code is ErrorCode.INVALID_REPLY_MODE
    assert all(mode in answer.refusal.detail for mode in ReplyMode)
    assert "return_and_continue" in answer.refusal.remedy
    assert desk.everything() == before


@pytest.mark.requirement("R-D4", "R-D7", "FC-42", "FC-43")
@pytest.mark.parametrize("loaded", [OLD_CONTRACT, None])
async def test_an_old_or_unknown_thread_without_a_mode_is_served_with_a_notice(
    desk: Desk, loaded: str | None
) -> None:
    agent, target = ends(desk)
    if loaded:
        desk.loaded(agent.conversation_id, loaded)
    result = await desk.result(agent, SEND, targetConversationId=target, content="go")
    assert result["replyMode"] == ReplyMode.ONE_WAY.value
    assert "requestId" not in result
    assert "replyMode" in result["notice"]


@pytest.mark.requirement("R-D4", "R-D7")
@pytest.mark.parametrize("door", [Door.HTTP, Door.INTERNAL, Door.DYNAMIC])
async def test_a_list_loaded_at_one_door_says_nothing_about_another(desk: Desk, door: Door) -> None:
    agent, target = ends(desk)
    desk.loaded(agent.conversation_id, door=Door.MCP)
    answer = await desk.call(agent, SEND, door=door, targetConversationId=target, content="go")
    assert answer.result is not None
    assert answer.result["notice"]


@pytest.mark.requirement("R-D7")
async def test_a_conversation_and_its_script_are_remembered_apart(desk: Desk) -> None:
    agent, target = ends(desk)
    desk.loaded(agent.conversation_id)
    script = desk.script(agent.conversation_id)
    result = await desk.result(script, SEND, targetConversationId=target, content="go")
    assert result["notice"]


async def test_a_current_thread_with_a_mode_gets_no_notice(desk: Desk) -> None:
    agent, target = ends(desk)
    desk.loaded(agent.conversation_id)
    assert "notice" not in await desk.tell(agent, target)


@pytest.mark.requirement("R-D4", "FC-47")
@pytest.mark.parametrize("given", [{"waitForReply": True}, {"requestReply": True}])
async def test_the_old_field_of_create_means_the_new_one(desk: Desk, given: dict[str, Any]) -> None:
    agent = desk.agent(desk.conversation("Source"))
    result = await desk.result(
        agent,
        ToolName.CCWEB_CREATE_CONVERSATION,
        title="Helper",
        initialMessage="go",
        **given,
    )
    assert result["replyStatus"] == ReplyStatus.WAITING.value


async def test_the_present_field_wins_over_its_old_name(desk: Desk) -> None:
    agent = desk.agent(desk.conversation("Source"))
    result = await desk.result(
        agent,
        ToolName.CCWEB_CREATE_CONVERSATION,
        title="Helper",
        initialMessage="go",
        requestReply=False,
        waitForReply=True,
    )
    assert "requestId" not in result


# --- refusals (R-D2, R-D5) -----------------------------------------------------------------------


@pytest.mark.requirement("R-D2", "R-D5")
@pytest.mark.parametrize("mode", ["", "ONE_WAY", "both", 3, True, None, ["one_way"], {}])
async def test_any_other_mode_is_refused_with_the_code_of_its_property(
    desk: Desk, mode: Any
) -> None:
    agent, target = ends(desk)
    before = desk.everything()
    refusal = await desk.refusal(
        agent, SEND, targetConversationId=target, content="go", replyMode=mode
    )
    assert refusal.code is ErrorCode.INVALID_REPLY_MODE
    assert desk.everything() == before


@pytest.mark.requirement("R-D5", "R-S4")
@pytest.mark.parametrize(
    "arguments",
    [
        {"limit": "3"},
        {"limit": True},
        {"limit": 0},
        {"limit": 201},
        {"limit": 2.5},
        {"scope": "everywhere"},
        {"colour": "red"},
        {"query": "x" * 201},
        {"query": "a\x00b"},
        {"query": "a\ud800b"},
        {"cursor": "nonsense"},
        {"cursor": "١.٢"},
        {"cursor": "9" * 30 + ".1"},
    ],
)
async def test_a_wrong_argument_is_refused_and_named(desk: Desk, arguments: dict[str, Any]) -> None:
    refusal = await desk.refusal(desk.browser(), LIST, **arguments)
    assert refusal.code is ErrorCode.INVALID_PARAMS
    assert f"`{next(iter(arguments))}`" in refusal.detail


@pytest.mark.requirement("R-D5")
@pytest.mark.parametrize("arguments", [[], "x", 3, [{}]])
async def test_arguments_that_are_no_object_are_refused(desk: Desk, arguments: Any) -> None:
    call = Call(tool=LIST, arguments=arguments, door=Door.MCP, caller=desk.browser())
    answer = await desk.dispatcher.call(call)
    assert answer.refusal is not None
    assert answer.refusal.code is ErrorCode.INVALID_PARAMS


async def test_no_arguments_are_an_empty_object(desk: Desk) -> None:
    call = Call(tool=LIST, arguments=None, door=Door.MCP, caller=desk.browser())
    assert (await desk.dispatcher.call(call)).result == {"conversations": []}


@pytest.mark.requirement("R-D5")
@pytest.mark.parametrize("name", ["", "ccweb_nothing", "CCWEB_SEND_MESSAGE", "tools/list"])
async def test_an_unknown_tool_is_refused_before_its_arguments(desk: Desk, name: str) -> None:
    refusal = await desk.refusal(desk.browser(), name, colour="red")
    assert refusal.code is ErrorCode.UNKNOWN_TOOL


@pytest.mark.requirement("R-D5")
async def test_a_refusal_is_one_object_with_code_detail_and_remedy(desk: Desk) -> None:
    answer = await desk.call(desk.browser(), LIST, limit="3")
    assert json.loads(answer.text) == answer.body
    assert sorted(answer.body) == ["detail", "error_code", "remedy"]
    assert answer.http_status == HTTP_STATUS[ErrorCode.INVALID_PARAMS]


@pytest.mark.requirement("R-D5")
async def test_an_unexpected_error_is_logged_with_an_id_and_leaks_nothing(
    desk: Desk, capsys: pytest.CaptureFixture[str]
) -> None:
    with desk.db.begin() as c:
        c.execute(text("DROP TABLE ask"))
    refusal = await desk.refusal(desk.browser(), LIST)
    assert refusal.code is ErrorCode.INTERNAL
    assert "no such table" not in json.dumps(refusal.envelope)
    logged = capsys.readouterr()
    error_id = refusal.detail.split()[-1].rstrip(".")
    assert error_id in logged.out + logged.err


@pytest.fixture
def log(capsys: pytest.CaptureFixture[str]) -> Iterator[pytest.CaptureFixture[str]]:
    """Return what the processes of ccweb write as their log."""
    logs.configure()
    structlog.configure(
        logger_factory=structlog.PrintLoggerFactory(), cache_logger_on_first_use=False
    )
    yield capsys
    structlog.reset_defaults()


@pytest.mark.requirement("R-D5", "FC-74")
async def test_a_broken_database_puts_no_text_of_a_message_into_the_log(
    desk: Desk, log: pytest.CaptureFixture[str]
) -> None:
    agent, target = ends(desk)
    with desk.tx() as c:
        c.exec_driver_sql("ALTER TABLE message RENAME TO elsewhere")
    refusal = await desk.refusal(
        agent,
        SEND,
        targetConversationId=target,
        content="the secret of the house",
        replyMode=ReplyMode.ONE_WAY.value,
    )
    assert refusal.code is ErrorCode.INTERNAL
    written = log.readouterr().out
    assert "OperationalError" in written
    assert "secret" not in written


@pytest.mark.requirement("R-D2")
async def test_refusals_come_in_order(desk: Desk) -> None:
    """Credential, unknown tool, arguments, not found, permission, state: each hides the next."""
    source = desk.conversation("Source")
    busy = desk.conversation("Busy")
    desk.started(busy)
    turn = desk.started(source)
    agent = desk.caller(desk.credential(turn))
    person = desk.browser()
    faults: list[Answer] = [
        await desk.call(person, "nothing", x=1),
        await desk.call(person, SEND, targetConversationId="no", content="", replyMode="one_way"),
        await desk.call(
            person, SEND, targetConversationId="no", content="a", replyMode="return_and_continue"
        ),
        await desk.call(
            person, SEND, targetConversationId=busy, content="a", replyMode="return_and_continue"
        ),
        await desk.call(agent, SEND, targetConversationId=busy, content="a", replyMode="one_way"),
    ]
    desk.end(turn)
    over = desk.caller(desk.credential(turn))
    faults.insert(0, await desk.call(over, "nothing", x=1))
    assert [fault.refusal and fault.refusal.code for fault in faults] == [
        ErrorCode.TURN_OVER,
        ErrorCode.UNKNOWN_TOOL,
        ErrorCode.INVALID_PARAMS,
        ErrorCode.TARGET_NOT_FOUND,
        ErrorCode.SOURCE_REQUIRED,
        ErrorCode.TARGET_BUSY,
    ]


# --- who calls (R-D6) ----------------------------------------------------------------------------


@pytest.mark.requirement("R-D6")
async def test_a_call_after_the_turn_is_over_is_refused(desk: Desk) -> None:
    source = desk.conversation("Source")
    turn = desk.started(source)
    secret = desk.credential(turn)
    desk.end(turn)
    for tool in (LIST, SEND, "ccweb_nothing"):
        assert (await desk.refusal(desk.caller(secret), tool)).code is ErrorCode.TURN_OVER


@pytest.mark.requirement("R-D6")
async def test_a_call_in_the_instant_of_the_turns_end_writes_nothing(desk: Desk) -> None:
    source, target = desk.conversation("Source"), desk.conversation("Target")
    turn = desk.started(source)
    agent = desk.caller(desk.credential(turn))
    desk.end(turn)
    before = desk.everything()
    for tool, arguments in (
        (SEND, {"targetConversationId": target, "content": "a", "replyMode": "one_way"}),
        (ToolName.CCWEB_CREATE_CONVERSATION, {"title": "late"}),
        (ToolName.CCWEB_CANCEL_REQUEST, {"requestId": "req_1"}),
    ):
        refusal = await desk.refusal(agent, tool, **arguments)
        assert refusal.code is ErrorCode.TURN_OVER
    assert desk.everything() == before


@pytest.mark.requirement("R-D6", "FC-75")
async def test_a_credential_follows_its_conversation_into_the_next_turn(desk: Desk) -> None:
    source = desk.conversation("Source")
    first = desk.started(source)
    secret = desk.credential(first)
    desk.end(first)
    second = desk.started(source)
    desk.credential(second)
    assert (await desk.call(desk.caller(secret), LIST)).result is not None


@pytest.mark.requirement("R-D6")
async def test_a_lease_that_ran_out_closes_the_tools(desk: Desk) -> None:
    source = desk.conversation("Source")
    turn = desk.started(source)
    secret = desk.credential(turn)
    desk.ends_lease(turn)
    assert (await desk.refusal(desk.caller(secret), LIST)).code is ErrorCode.TURN_OVER


@pytest.mark.requirement("R-S5")
async def test_a_token_without_the_scope_calls_no_tool(desk: Desk) -> None:
    script = desk.script(scopes=[TokenScope.APPROVE])
    assert (await desk.refusal(script, LIST)).code is ErrorCode.FORBIDDEN


@pytest.mark.requirement("AC1", "FC-41")
def test_every_tool_has_a_handler() -> None:
    assert handlers.HANDLERS.keys() == TOOLS.keys()
