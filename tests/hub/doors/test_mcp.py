"""The MCP door, seen by the official SDK's client and by raw messages."""

import json
from typing import Any

import pytest
from mcp import MCPError
from mcp_types import CLIENT_CAPABILITIES_META_KEY as CAPABILITIES
from mcp_types import (
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    PARSE_ERROR,
    PROTOCOL_VERSION_META_KEY,
    TextContent,
)

from ccweb.access import service as access
from ccweb.hub import direct
from ccweb_contract import prompts
from ccweb_contract.enums import Door, Lang, ReplyMode
from ccweb_contract.errors import ErrorCode
from ccweb_contract.tools import ToolName
from ccweb_contract.version import CONTRACT_HASH
from tests.hub.doors.conftest import ERAS, Doors, Era
from tests.tools.desk import OLD_NAME, Desk

SEND = ToolName.CCWEB_SEND_MESSAGE
LIST = ToolName.CCWEB_LIST_CONVERSATIONS
VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")


# --- connecting -----------------------------------------------------------------------------------


@pytest.mark.requirement("R-T4")
@pytest.mark.parametrize("era", ERAS)
async def test_a_client_is_told_how_to_work_when_it_connects(
    desk: Desk, doors: Doors, era: Era
) -> None:
    async with doors.mcp(desk.token().secret, era) as client:
        assert client.instructions == prompts.server_instructions(Lang.EN)
        versions = {"auto": "2026-07-28", "legacy": "2025-11-25"}
        assert client.protocol_version == versions[era]


# --- calls ----------------------------------------------------------------------------------------


@pytest.mark.requirement("R-D1", "AC4", "R-D3")
@pytest.mark.parametrize("era", ERAS)
async def test_the_old_name_is_served_with_a_notice(desk: Desk, doors: Doors, era: Era) -> None:
    turn = desk.started(desk.conversation("Source"))
    given = {"targetConversationId": desk.conversation("Target"), "content": "go"}
    async with doors.mcp(desk.credential(turn), era) as client:
        result = await client.call_tool(OLD_NAME, given | {"replyMode": "one_way"})
    assert not result.is_error
    assert result.structured_content is not None
    assert result.structured_content["replyMode"] == ReplyMode.RETURN_AND_CONTINUE.value
    assert result.structured_content["notice"]


@pytest.mark.requirement("R-D4", "R-D7", "FC-43")
@pytest.mark.parametrize("era", ERAS)
async def test_listing_the_tools_makes_a_thread_current(desk: Desk, doors: Doors, era: Era) -> None:
    turn = desk.started(desk.conversation("Source"))
    target = desk.conversation("Target")
    secret = desk.credential(turn)
    given = {"name": SEND, "arguments": {"targetConversationId": target, "content": "go"}}
    before = await doors.rpc(secret, "tools/call", given)
    assert before["result"]["structuredContent"]["notice"]
    async with doors.mcp(secret, era) as client:
        await client.list_tools()
    with desk.tx() as c:
        key: dict[str, Any] = {"holder_id": turn.conversation_id, "door": Door.MCP}
        assert access.loaded_contract(c, **key) == CONTRACT_HASH
    after = await doors.rpc(secret, "tools/call", given)
    assert json.loads(after["result"]["content"][0]["text"])["error_code"] == (
        ErrorCode.INVALID_REPLY_MODE
    )


@pytest.mark.requirement("R-D5")
@pytest.mark.parametrize("era", ERAS)
async def test_a_result_is_structured_and_readable(desk: Desk, doors: Doors, era: Era) -> None:
    desk.conversation("Only")
    async with doors.mcp(desk.token().secret, era) as client:
        result = await client.call_tool(LIST, {"limit": 1})
    assert isinstance(result.content[0], TextContent)
    assert json.loads(result.content[0].text) == result.structured_content
    assert not result.is_error


@pytest.mark.requirement("R-D5")
@pytest.mark.parametrize("era", ERAS)
async def test_a_refusal_is_a_result_that_the_model_can_read(
    desk: Desk, doors: Doors, era: Era
) -> None:
    async with doors.mcp(desk.token().secret, era) as client:
        result = await client.call_tool(LIST, {"limit": "3"})
    assert result.is_error
    assert result.structured_content is None
    (block,) = result.content
    assert isinstance(block, TextContent)
    envelope = json.loads(block.text)
    assert list(envelope) == ["error_code", "detail", "remedy"]
    assert envelope["error_code"] == ErrorCode.INVALID_PARAMS
    assert result.meta is not None
    assert result.meta["ccweb/error"] == envelope


@pytest.mark.requirement("R-D5")
@pytest.mark.parametrize("era", ERAS)
async def test_an_unknown_tool_is_the_protocols_own_error(
    desk: Desk, doors: Doors, era: Era
) -> None:
    async with doors.mcp(desk.token().secret, era) as client:
        with pytest.raises(MCPError) as caught:
            await client.call_tool("ccweb_nothing", {})
    assert caught.value.error.code == INVALID_PARAMS


@pytest.mark.requirement("R-D6")
@pytest.mark.parametrize("era", ERAS)
async def test_an_agent_whose_turn_is_over_is_told_so(desk: Desk, doors: Doors, era: Era) -> None:
    turn = desk.started(desk.conversation("Source"))
    secret = desk.credential(turn)
    with desk.tx() as c:
        access.revoke(c, desk.m, secret)
    async with doors.mcp(secret, era) as client:
        result = await client.call_tool(LIST, {})
    assert result.meta is not None
    assert result.meta["ccweb/error"]["error_code"] == ErrorCode.TURN_OVER


@pytest.mark.requirement("R-D5", "R-D7")
@pytest.mark.parametrize("version", [None, *VERSIONS, "2026-07-28"])
@pytest.mark.parametrize(
    "params",
    [
        {"name": LIST.value, "arguments": {"limit": 1}},
        {"name": LIST.value, "arguments": {"limit": "3"}},
        {"name": LIST.value},
        {"name": LIST.value, "arguments": []},
        {"name": LIST.value, "arguments": {}, "more": 1},
        {"name": "ccweb_nothing", "arguments": {}},
        {"name": 3},
        {},
    ],
)
async def test_the_short_way_answers_as_the_sdk_does(
    desk: Desk,
    doors: Doors,
    monkeypatch: pytest.MonkeyPatch,
    version: str | None,
    params: dict[str, Any],
) -> None:
    desk.conversation("语")
    headers = {"MCP-Protocol-Version": version} if version else {}
    if version == "2026-07-28":
        params = params | {"_meta": {PROTOCOL_VERSION_META_KEY: version, CAPABILITIES: {}}}
        headers |= {"Mcp-Method": "tools/call", "Mcp-Name": str(params.get("name", ""))}
    body = {"jsonrpc": "2.0", "id": "a", "method": "tools/call", "params": params}
    secret = desk.token().secret
    ours = await doors.post("/mcp", body, secret=secret, headers=headers)
    monkeypatch.setattr(direct, "era_of", lambda *_: None)
    theirs = await doors.post("/mcp", body, secret=secret, headers=headers)
    assert (ours.status_code, ours.json()) == (theirs.status_code, theirs.json())


@pytest.mark.requirement("R-D7")
@pytest.mark.parametrize(
    ("header", "value"),
    [("Mcp-Method", "tools/list"), ("Mcp-Name", "other"), ("MCP-Protocol-Version", "2026-07-29")],
)
async def test_headers_that_do_not_mirror_the_message_are_refused(
    desk: Desk, doors: Doors, header: str, value: str
) -> None:
    meta = {PROTOCOL_VERSION_META_KEY: "2026-07-28", CAPABILITIES: {}}
    params = {"name": LIST.value, "arguments": {}, "_meta": meta}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    headers = {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call"}
    headers |= {"Mcp-Name": LIST.value, header: value}
    answer = await doors.post("/mcp", body, secret=desk.token().secret, headers=headers)
    assert answer.status_code == 400
    assert "error" in answer.json()


# --- bad messages ---------------------------------------------------------------------------------


def a_call(message_id: str, limit: str = "1") -> str:
    """Return a good call of the list, but for the id and the limit, which are JSON texts."""
    params = f'{{"name":"{LIST}","arguments":{{"limit":{limit}}}}}'
    return f'{{"jsonrpc":"2.0","id":{message_id},"method":"tools/call","params":{params}}}'


@pytest.mark.requirement("R-S4")
@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("", PARSE_ERROR),
        ("{bad", PARSE_ERROR),
        (b"\xff\xfe\x00", PARSE_ERROR),
        ("[" * 100_000, PARSE_ERROR),
        ('{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"\\ud800"}}', PARSE_ERROR),
        ([], INVALID_REQUEST),
        ([{"jsonrpc": "2.0", "id": 1, "method": "ping"}], INVALID_REQUEST),
        ("3", INVALID_REQUEST),
        ({}, INVALID_REQUEST),
        ({"jsonrpc": "1.0", "id": 1, "method": "ping"}, INVALID_REQUEST),
        ({"jsonrpc": "2.0", "id": 1}, INVALID_REQUEST),
        ({"jsonrpc": "2.0", "id": 1, "method": 3}, INVALID_REQUEST),
        ({"jsonrpc": "2.0", "id": 1.5, "method": "ping"}, INVALID_REQUEST),
        ({"jsonrpc": "2.0", "id": True, "method": "ping"}, INVALID_REQUEST),
        ({"jsonrpc": "2.0", "id": None, "method": "ping"}, INVALID_REQUEST),
        ({"jsonrpc": "2.0", "id": 1, "method": "ping", "params": []}, INVALID_REQUEST),
        ({"jsonrpc": "2.0", "id": 1, "result": 3}, INVALID_REQUEST),
        ({"jsonrpc": "2.0", "result": {}}, INVALID_REQUEST),
        ({"jsonrpc": "2.0", "id": 1, "error": "x"}, INVALID_REQUEST),
        (a_call('"\\ud800"'), INVALID_REQUEST),
        (b"\xef\xbb\xbf" + a_call("1").encode(), PARSE_ERROR),
        (a_call("1").encode("utf-16"), PARSE_ERROR),
        (a_call("1", "NaN"), PARSE_ERROR),
    ],
)
async def test_a_malformed_message_gets_a_clear_error(
    desk: Desk, doors: Doors, body: Any, code: int
) -> None:
    secret = desk.token().secret
    before = desk.everything()
    answer = await doors.post("/mcp", body, secret=secret)
    assert answer.status_code == 400
    error = answer.json()["error"]
    assert error["code"] == code
    assert "pydantic" not in error["message"]
    assert "JSONRPCRequest" not in error["message"]
    assert desk.everything() == before


@pytest.mark.requirement("R-S4")
@pytest.mark.parametrize("version", [None, "2025-06-18", "2026-07-28", "1999-01-01"])
async def test_an_unknown_method_is_an_error_and_not_a_crash(
    desk: Desk, doors: Doors, version: str | None
) -> None:
    meta: dict[str, Any] = {PROTOCOL_VERSION_META_KEY: version, CAPABILITIES: {}}
    body: dict[str, Any] = {"jsonrpc": "2.0", "id": 1, "method": "nothing/here"}
    headers = {}
    if version:
        headers = {"MCP-Protocol-Version": version, "Mcp-Method": "nothing/here"}
        body |= {"params": {"_meta": meta}}
    answer = await doors.post("/mcp", body, secret=desk.token().secret, headers=headers)
    code = answer.json()["error"]["code"]
    assert code == METHOD_NOT_FOUND if version != "1999-01-01" else code < 0


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT"])
async def test_only_post_is_served(desk: Desk, doors: Doors, method: str) -> None:
    headers = {"Authorization": f"Bearer {desk.token().secret}"}
    answer = await doors.http.request(method, "/mcp", headers=headers)
    assert (answer.status_code, answer.headers["allow"]) == (405, "POST")


@pytest.mark.requirement("R-D5")
@pytest.mark.parametrize("arguments", [[], "x", 3])
async def test_arguments_that_are_no_object_are_refused(
    desk: Desk, doors: Doors, arguments: Any
) -> None:
    params = {"name": LIST, "arguments": arguments}
    answer = await doors.rpc(desk.token().secret, "tools/call", params)
    assert answer["error"]["code"] == INVALID_PARAMS


async def test_a_notification_gets_no_answer(desk: Desk, doors: Doors) -> None:
    body = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    answer = await doors.post("/mcp", body, secret=desk.token().secret)
    assert (answer.status_code, answer.content) == (202, b"")
