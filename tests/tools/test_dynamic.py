"""The Codex App door: the list of a new thread, and the calls of new and old ones."""

import json
from typing import Any

import pytest

from ccweb.errors import UnknownTool
from ccweb.tools import catalog, dynamic
from ccweb_contract.enums import Door
from ccweb_contract.errors import ErrorCode
from ccweb_contract.tools import TOOLS, Surface, ToolName
from tests.tools.desk import OLD_NAME, Desk

LIST = ToolName.CCWEB_LIST_CONVERSATIONS


async def call(desk: Desk, **params: Any) -> tuple[bool, dict[str, Any]]:
    """Return whether a call by an agent went well, and the object that its model reads."""
    agent = desk.agent(desk.conversation("Thread"))
    answer = await dynamic.call(
        desk.dispatcher, agent, {"threadId": "t", "turnId": "u", "callId": "call_1"} | params
    )
    assert [item["type"] for item in answer["contentItems"]] == ["inputText"]
    return answer["success"], json.loads(answer["contentItems"][0]["text"])


@pytest.mark.requirement("R-D1")
@pytest.mark.parametrize(
    "place",
    [{"namespace": "ccweb"}, {"namespace": None}, {}],
    ids=["namespaced", "flat", "old flat"],
)
async def test_a_call_is_served_in_each_form(desk: Desk, place: dict[str, Any]) -> None:
    success, body = await call(desk, tool=LIST, arguments={"limit": 1}, **place)
    assert success
    assert [line["title"] for line in body["conversations"]] == ["Thread"]


@pytest.mark.requirement("AC4", "R-D3")
async def test_a_retired_name_is_served(desk: Desk) -> None:
    target = desk.conversation("Target")
    given = {"targetConversationId": target, "content": "go", "replyMode": "one_way"}
    success, body = await call(desk, tool=OLD_NAME, arguments=given)
    assert success
    assert body["requestId"]
    assert body["notice"]


@pytest.mark.requirement("R-D5")
@pytest.mark.parametrize(
    ("params", "code"),
    [
        ({"tool": "ccweb_nothing", "arguments": {}}, ErrorCode.UNKNOWN_TOOL),
        ({"tool": LIST, "namespace": "other", "arguments": {}}, ErrorCode.UNKNOWN_TOOL),
        ({"arguments": {}}, ErrorCode.UNKNOWN_TOOL),
        ({"tool": LIST, "arguments": {"limit": "3"}}, ErrorCode.INVALID_PARAMS),
        ({"tool": LIST, "arguments": "{}"}, ErrorCode.INVALID_PARAMS),
    ],
)
async def test_a_refusal_is_a_failed_call_with_its_reason(
    desk: Desk, params: dict[str, Any], code: ErrorCode
) -> None:
    success, body = await call(desk, **params)
    assert not success
    assert body["error_code"] == code.value


@pytest.mark.requirement("AC8")
@pytest.mark.parametrize("name", list(TOOLS))
def test_a_tool_is_found_at_a_door_only_when_it_is_on_that_surface(name: ToolName) -> None:
    surfaces = {Door.MCP: Surface.MCP, Door.DYNAMIC: Surface.DYNAMIC, Door.HTTP: Surface.HTTP}
    for door, surface in surfaces.items():
        if surface in TOOLS[name].surfaces:
            assert catalog.find(name, door).tool is TOOLS[name]
        else:
            with pytest.raises(UnknownTool):
                catalog.find(name, door)
