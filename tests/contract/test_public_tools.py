"""Which tools the world sees, and what their one strict entry says."""

import json

import pytest

from ccweb_contract.aliases import ALIASES, FIELD_ALIASES, LEGACY_DEFAULTS, LEGACY_NOTICES
from ccweb_contract.enums import Lang, ReplyMode
from ccweb_contract.errors import ErrorCode
from ccweb_contract.tools import COMPOSER_ITEMS, DYNAMIC_TOOLS, TOOLS, Surface, ToolName
from tests.contract.surfaces import (
    GENERATED,
    READMES,
    SCHEMAS,
    block,
    dynamic_functions,
    mcp_tools,
    snapshot,
)

COMMUNICATION = [
    "ccweb_send_message",
    "ccweb_list_conversations",
    "ccweb_get_conversation",
    "ccweb_create_conversation",
    "ccweb_list_pending_replies",
    "ccweb_get_pending_reply",
    "ccweb_cancel_request",
]
GROUPS = {
    "communication": COMMUNICATION,
    "task_board": [
        "ccweb_get_board",
        "ccweb_create_column",
        "ccweb_update_column",
        "ccweb_create_task",
        "ccweb_update_task",
        "ccweb_move_task",
        "ccweb_comment_task",
    ],
    "media": ["ccweb_show_image"],
    "forms": ["ccweb_request_form", "ccweb_get_form"],
    "friday": [
        "get_feishu_work_item_context",
        "create_feishu_technical_plan",
        "get_technical_blueprint",
        "answer_blueprint_clarification",
        "request_technical_blueprint_changes",
        "approve_technical_blueprint",
        "start_repo_research",
        "create_feature_tech_plan",
        "confirm_feature_tech_plan",
        "get_feature_tech_plan",
    ],
}
EVERY = [name for names in GROUPS.values() for name in names]
OTHERS = [name for name in EVERY if name not in COMMUNICATION]
OLD_NAME = "ccweb_request_reply"
FIELDS = {
    "ccweb_send_message": (
        {"targetConversationId", "content", "replyMode"},
        {"targetConversationId", "content", "replyMode"},
        {
            "messageId",
            "targetConversationId",
            "targetTitle",
            "replyMode",
            "deliveryStatus",
            "notice",
            "requestId",
            "status",
            "replyDelivery",
            "sourceAutoRun",
        },
    ),
    "ccweb_list_conversations": (
        {"scope", "status", "query", "limit", "cursor"},
        set(),
        {"conversations", "nextCursor"},
    ),
    "ccweb_get_conversation": (
        {"conversationId", "limit", "before", "messageId", "offset"},
        {"conversationId"},
        {"conversation", "messages", "nextBefore"},
    ),
    "ccweb_create_conversation": (
        {"title", "agent", "cwd", "model", "permissionMode", "initialMessage", "requestReply"},
        {"title"},
        {
            "conversationId",
            "title",
            "agent",
            "messageId",
            "requestId",
            "replyStatus",
            "replyDelivery",
            "sourceAutoRun",
        },
    ),
    "ccweb_list_pending_replies": ({"direction", "status", "limit"}, set(), {"replies"}),
}
PENDING = {
    "requestId",
    "messageId",
    "sourceConversationId",
    "sourceTitle",
    "targetConversationId",
    "targetTitle",
    "status",
    "outcome",
    "stopReason",
    "createdAt",
    "hopCount",
    "sourceAutoRun",
    "completedAt",
    "returnedAt",
    "replyMessageId",
    "lastError",
}


@pytest.mark.requirement("AC1", "FC-41")
def test_one_public_send_tool_requires_its_reply_mode_and_gives_it_no_default() -> None:
    schema = mcp_tools()["ccweb_send_message"]["inputSchema"]

    assert "replyMode" in schema["required"]
    assert schema["properties"]["replyMode"]["enum"] == ["one_way", "return_and_continue"]
    assert "default" not in schema["properties"]["replyMode"]
    assert [name for name in mcp_tools() if "send" in name or "request_reply" in name] == [
        "ccweb_send_message"
    ]


@pytest.mark.requirement("AC2")
def test_mcp_and_codex_app_show_the_same_entry_of_each_communication_tool() -> None:
    shown = ("name", "description", "inputSchema")
    mcp = {name: {key: tool[key] for key in shown} for name, tool in mcp_tools().items()}
    dynamic = {n: {key: tool[key] for key in shown} for n, tool in dynamic_functions().items()}
    entries = {
        str(tool.name): {
            "name": tool.name,
            "description": tool.description,
            "inputSchema": tool.input_schema,
        }
        for tool in TOOLS.values()
    }
    communication = [t.name for t in TOOLS.values() if t.group.value == "communication"]

    assert list(dynamic) == communication
    assert mcp == entries
    assert dynamic == {name: mcp[name] for name in communication}


@pytest.mark.requirement("AC1")
def test_every_surface_lists_exactly_its_tools_in_order() -> None:
    paths = [path.split("/")[-2] for path in snapshot("openapi.json")["paths"]]
    composer = [item.id for item in COMPOSER_ITEMS]

    assert {tool.name.value: tool.group.value for tool in TOOLS.values()} == {
        name: group for group, names in GROUPS.items() for name in names
    }
    assert [name.value for name in ToolName] == list(mcp_tools()) == paths == EVERY
    assert composer == [f"mcp:ccweb/{name}" for name in EVERY]
    assert list(dynamic_functions()) == COMMUNICATION


@pytest.mark.requirement("AC8")
@pytest.mark.parametrize("name", OTHERS)
def test_a_tool_of_another_group_is_on_every_surface_but_the_dynamic_one(name: str) -> None:
    assert TOOLS[ToolName(name)].surfaces == frozenset(Surface) - {Surface.DYNAMIC}
    assert name not in (SCHEMAS / "codex.dynamic_tools.json").read_text()
    assert name not in json.dumps(DYNAMIC_TOOLS)


@pytest.mark.requirement("AC4", "R-D3", "AC6")
def test_the_old_name_is_listed_nowhere() -> None:
    holders = [
        path.relative_to(GENERATED).as_posix()
        for path in GENERATED.rglob("*")
        if path.suffix in (".py", ".js", ".json") and OLD_NAME in path.read_text()
    ]

    assert sorted(holders) == ["ccweb_contract/aliases.py", "ccweb_contract/prompts.py"]
    assert not (SCHEMAS / f"{OLD_NAME}.json").exists()
    for document in READMES.values():
        for name in ("tools", "prompts", "errors"):
            assert OLD_NAME not in block(document, name)


@pytest.mark.requirement("R-D3", "FC-42")
def test_the_old_name_is_fixed_to_a_return_and_its_notice_names_the_new_tool() -> None:
    alias = ALIASES[OLD_NAME]

    assert list(ALIASES) == [OLD_NAME]
    assert alias.tool is ToolName.CCWEB_SEND_MESSAGE
    assert alias.fixed == {"replyMode": ReplyMode.RETURN_AND_CONTINUE}
    for lang in Lang:
        assert "`ccweb_send_message`" in alias.notice(lang)
        assert "`replyMode: return_and_continue`" in alias.notice(lang)


@pytest.mark.requirement("R-D4", "FC-42")
def test_a_missing_reply_mode_is_one_way_for_old_callers_and_they_are_told() -> None:
    send = ToolName.CCWEB_SEND_MESSAGE

    assert {send: {"replyMode": ReplyMode.ONE_WAY}} == LEGACY_DEFAULTS
    for lang in Lang:
        notice = LEGACY_NOTICES[send]["replyMode"](lang)
        assert "`one_way`" in notice
        assert "`replyMode`" in notice


@pytest.mark.requirement("R-C6", "R-D4")
def test_the_accepted_schemas_differ_from_the_published_ones_only_by_what_is_declared() -> None:
    differing = {t.name for t in TOOLS.values() if t.accepted_schema != t.input_schema}
    send, create = TOOLS[ToolName.CCWEB_SEND_MESSAGE], TOOLS[ToolName.CCWEB_CREATE_CONVERSATION]

    assert differing == {send.name, create.name}
    assert send.accepted_schema == {
        **send.input_schema,
        "required": ["targetConversationId", "content"],
    }
    old = create.accepted_schema["properties"]["waitForReply"]
    assert old["type"] == "boolean"
    assert create.accepted_schema == {
        **create.input_schema,
        "properties": {**create.input_schema["properties"], "waitForReply": old},
    }
    assert {create.name: {"waitForReply": "requestReply"}} == FIELD_ALIASES


@pytest.mark.requirement("R-C1")
@pytest.mark.parametrize("name", FIELDS)
def test_a_tool_has_exactly_the_fields_that_the_requirements_name(name: str) -> None:
    arguments, required, answer = FIELDS[name]
    tool = snapshot(f"{name}.json")

    assert tool["inputSchema"]["properties"].keys() == arguments
    assert set(tool["inputSchema"].get("required", ())) == required
    assert tool["outputSchema"]["properties"].keys() == answer


@pytest.mark.requirement("R-M3")
def test_a_pending_row_has_all_its_fields_and_the_list_leaves_out_the_two_long_texts() -> None:
    listed = snapshot("ccweb_list_pending_replies.json")["outputSchema"]["properties"]["replies"]
    whole = snapshot("ccweb_get_pending_reply.json")["outputSchema"]

    assert listed["items"]["properties"].keys() == PENDING
    assert whole["properties"].keys() == PENDING | {"originalRequest", "replyText"}
    assert snapshot("ccweb_cancel_request.json")["outputSchema"] == whole
    assert snapshot("ccweb_cancel_request.json")["inputSchema"]["required"] == ["requestId"]


@pytest.mark.requirement("R-C1")
def test_limits_are_those_of_the_requirements() -> None:
    def limits(tool: str, field: str) -> tuple[int | None, ...]:
        schema = snapshot(f"{tool}.json")["inputSchema"]["properties"][field]
        keys = ("minimum", "maximum") if schema["type"] == "integer" else ("minLength", "maxLength")
        return tuple(schema.get(key) for key in keys)

    assert limits("ccweb_list_conversations", "limit") == (1, 200)
    assert limits("ccweb_list_pending_replies", "limit") == (1, 200)
    assert limits("ccweb_get_conversation", "limit") == (1, 100)
    assert limits("ccweb_send_message", "content") == (1, 256 * 1024)
    assert limits("ccweb_create_conversation", "initialMessage") == (1, 256 * 1024)


@pytest.mark.requirement("R-D5")
def test_a_violation_gets_the_code_that_its_property_names() -> None:
    assert {tool.name: tool.property_errors for tool in TOOLS.values() if tool.property_errors} == {
        ToolName.CCWEB_SEND_MESSAGE: {
            "content": ErrorCode.CONTENT_TOO_LARGE,
            "replyMode": ErrorCode.INVALID_REPLY_MODE,
        },
        ToolName.CCWEB_CREATE_CONVERSATION: {"initialMessage": ErrorCode.CONTENT_TOO_LARGE},
        ToolName.CCWEB_SHOW_IMAGE: {"data": ErrorCode.IMAGE_TOO_LARGE},
    }
