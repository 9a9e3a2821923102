"""Every published schema is one that clients and model providers take."""

import json
import re
from collections.abc import Iterator
from typing import Any

import jsonschema_rs
import mcp_types
import pytest
from jsonschema import Draft202012Validator

from ccweb_contract.models import INPUT_MODELS, OUTPUT_MODELS
from ccweb_contract.tools import MCP_TOOLS, TOOLS, Tool, ToolName
from tests.contract.surfaces import snapshot

DYNAMIC_SHAPE = {
    "type": "array",
    "minItems": 1,
    "items": {
        "type": "object",
        "additionalProperties": False,
        "required": ["type", "name", "description", "tools"],
        "properties": {
            "type": {"const": "namespace"},
            "name": {"type": "string", "pattern": "^[a-zA-Z0-9_-]{1,64}$"},
            "description": {"type": "string", "minLength": 1, "maxLength": 1024},
            "tools": {
                "type": "array",
                "minItems": 1,
                "items": {
                    "type": "object",
                    "additionalProperties": False,
                    "required": ["type", "name", "description", "inputSchema"],
                    "properties": {
                        "type": {"const": "function"},
                        "name": {"type": "string", "pattern": "^[a-z][a-z0-9_]{0,63}$"},
                        "description": {"type": "string", "minLength": 1, "maxLength": 1024},
                        "inputSchema": {
                            "type": "object",
                            "required": ["type", "properties", "additionalProperties"],
                            "properties": {
                                "type": {"const": "object"},
                                "additionalProperties": {"const": False},
                            },
                        },
                    },
                },
            },
        },
    },
}
"""What Codex 0.171 takes at the start of a thread, refusing what it would ignore."""

KEYWORDS = {
    "type",
    "description",
    "properties",
    "required",
    "additionalProperties",
    "items",
    "enum",
    "default",
    "format",
    "pattern",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "minimum",
    "maximum",
    "deprecated",
}
TOOL_LIST = list(TOOLS.values())


def published() -> Iterator[Any]:
    """Yield every closed schema of arguments and answers as a parameter."""
    for tool in TOOL_LIST:
        yield pytest.param(tool.input_schema, id=f"{tool.name} input")
        yield pytest.param(tool.accepted_schema, id=f"{tool.name} accepted")
        yield pytest.param(
            snapshot(f"{tool.name}.json")["producedSchema"], id=f"{tool.name} output"
        )


def parts(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield a schema and every schema inside it."""
    yield schema
    for child in schema.get("properties", {}).values():
        yield from parts(child)
    if "items" in schema:
        yield from parts(schema["items"])


@pytest.mark.requirement("AC2")
def test_the_dynamic_tools_have_the_shape_that_codex_takes() -> None:
    dynamic = snapshot("codex.dynamic_tools.json")

    assert [
        error.message for error in Draft202012Validator(DYNAMIC_SHAPE).iter_errors(dynamic)
    ] == []
    assert [namespace["name"] for namespace in dynamic] == ["ccweb"]


def test_the_shape_of_dynamic_tools_refuses_the_old_flat_form_and_unknown_names() -> None:
    validator = Draft202012Validator(DYNAMIC_SHAPE)
    [namespace] = snapshot("codex.dynamic_tools.json")

    assert not validator.is_valid(namespace["tools"])
    assert not validator.is_valid([{**namespace, "deferLoading": True}])
    assert not validator.is_valid([{**namespace, "tools": []}])


@pytest.mark.requirement("AC2")
def test_the_types_of_the_mcp_sdk_keep_every_definition_as_it_is() -> None:
    for tool in MCP_TOOLS:
        kept = mcp_types.Tool.model_validate(tool).model_dump(by_alias=True, exclude_none=True)
        assert kept == tool


@pytest.mark.requirement("R-C6")
@pytest.mark.parametrize("schema", list(published()))
def test_a_schema_is_a_closed_described_object_in_plain_keywords(schema: dict[str, Any]) -> None:
    Draft202012Validator.check_schema(schema)
    assert schema["type"] == "object"
    assert len(json.dumps(schema, ensure_ascii=False)) < 16_384
    for part in parts(schema):
        assert part.keys() <= KEYWORDS
        if part["type"] == "object":
            assert part["additionalProperties"] is False
            assert set(part.get("required", ())) <= part["properties"].keys()
        for name, child in part.get("properties", {}).items():
            assert child["description"].strip(), name
            assert "default" not in child or name not in part.get("required", ())


@pytest.mark.requirement("R-C6")
@pytest.mark.parametrize("tool", TOOL_LIST, ids=list(TOOLS))
def test_an_answer_is_published_open_so_that_an_old_list_takes_a_new_part(tool: Tool) -> None:
    produced = snapshot(f"{tool.name}.json")["producedSchema"]
    [answer, *_] = examples(tool.name, "output")

    assert not jsonschema_rs.is_valid(produced, {**answer, "later": 1})
    assert jsonschema_rs.is_valid(dict(tool.output_schema), {**answer, "later": 1})
    for part in parts(dict(tool.output_schema)):
        assert "additionalProperties" not in part


@pytest.mark.parametrize("tool", TOOL_LIST, ids=list(TOOLS))
def test_a_name_and_a_description_fit_every_client(tool: Tool) -> None:
    assert re.fullmatch(r"[a-z][a-z0-9_]{0,63}", tool.name)
    assert 1 <= len(tool.description) <= 1024
    assert tool.annotations.keys() == {
        "readOnlyHint",
        "destructiveHint",
        "idempotentHint",
        "openWorldHint",
    }


def examples(tool: ToolName, part: str) -> list[dict[str, Any]]:
    """Return a tool's examples as the OpenAPI document shows them."""
    post = snapshot("openapi.json")["paths"][f"/api/mcp/tools/{tool}/"]["post"]
    holder = post["requestBody"] if part == "input" else post["responses"]["200"]
    shown = holder["content"]["application/json"]["examples"]
    return [example["value"] for example in shown.values()]


@pytest.mark.requirement("R-C3")
@pytest.mark.parametrize("name", list(ToolName))
def test_models_read_and_write_what_the_schemas_allow(name: ToolName) -> None:
    tool = TOOLS[name]
    for part, models, schema in (
        ("input", INPUT_MODELS, tool.input_schema),
        ("output", OUTPUT_MODELS, tool.output_schema),
    ):
        validator = jsonschema_rs.validator_for(dict(schema), validate_formats=True)
        for example in examples(name, part):
            model = models[name].model_validate(example)
            written = model.model_dump(mode="json", by_alias=True, exclude_unset=True)
            assert written == example
            assert validator.is_valid(
                model.model_dump(mode="json", by_alias=True, exclude_none=True)
            )


@pytest.mark.requirement("R-D5")
@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"targetConversationId": "c", "content": "x"},
        {"targetConversationId": "c", "content": "x", "replyMode": "both"},
        {"targetConversationId": "c", "content": "x", "replyMode": None},
        {"targetConversationId": 3, "content": "x", "replyMode": "one_way"},
        {"targetConversationId": "c", "content": "", "replyMode": "one_way"},
        {"targetConversationId": "c", "content": " \n", "replyMode": "one_way"},
        {"targetConversationId": "c", "content": "x" * 262_145, "replyMode": "one_way"},
        {"targetConversationId": "c", "content": "x", "replyMode": "one_way", "extra": 1},
        {"target_conversation_id": "c", "content": "x", "replyMode": "one_way"},
    ],
)
def test_a_send_with_wrong_arguments_is_refused_by_schema_and_model(
    arguments: dict[str, Any],
) -> None:
    name = ToolName.CCWEB_SEND_MESSAGE
    assert not jsonschema_rs.validator_for(dict(TOOLS[name].input_schema)).is_valid(arguments)
    with pytest.raises(ValueError, match="validation error"):
        INPUT_MODELS[name].model_validate(arguments)


@pytest.mark.requirement("R-D4")
def test_the_schema_is_the_gate_where_the_model_is_lax() -> None:
    name = ToolName.CCWEB_LIST_CONVERSATIONS
    assert not jsonschema_rs.validator_for(dict(TOOLS[name].input_schema)).is_valid({"limit": "3"})
    assert INPUT_MODELS[name].model_validate({"limit": "3"}).model_dump()["limit"] == 3
