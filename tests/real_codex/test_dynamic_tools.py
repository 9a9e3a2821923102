"""The real Codex takes our dynamic tools, and its model reads what the contract says."""

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft7Validator

from ccweb.tools import dynamic
from ccweb_contract.aliases import ALIASES
from tests.real_codex.app_server import NO_PORT, Refused, new_home, print_schemas, running
from tests.real_codex.conftest import Model

KEPT = {"type", "description", "enum", "items", "properties", "required", "additionalProperties"}
"""What Codex shows its model of a schema; limits and defaults stay with us."""

Change = Callable[[list[Any]], object]


def flat(tools: list[Any]) -> None:
    """Make of the namespace the list that Codex took before it knew any."""
    tools[:] = [
        {key: value for key, value in tool.items() if key != "type"} for tool in tools[0]["tools"]
    ]


WRONG_FORMS: dict[str, Change] = {
    "a key that Codex does not know": lambda tools: tools[0].update(title="ccweb"),
    "such a key of a tool": lambda tools: tools[0]["tools"][0].update(outputSchema={}),
    "no description": lambda tools: tools[0]["tools"][0].pop("description"),
    "no schema": lambda tools: tools[0]["tools"][0].pop("inputSchema"),
    "another type": lambda tools: tools[0].update(type="group"),
    "the old flat form": flat,
    "a text": lambda tools: tools.append("ccweb"),
}
WRONG_CONTENTS: dict[str, Change] = {
    "a reserved namespace": lambda tools: tools[0].update(name="functions"),
    "the namespace twice": lambda tools: tools.append(tools[0]),
    "a tool twice": lambda tools: tools[0]["tools"].append(tools[0]["tools"][0]),
    "a name with a blank": lambda tools: tools[0]["tools"][0].update(name="send message"),
    "a description of 1,025 characters": lambda tools: tools[0].update(description="x" * 1025),
    "no tool": lambda tools: tools[0].update(tools=[]),
}


def changed(change: Change) -> list[Any]:
    """Return our list with one thing changed."""
    tools = copy.deepcopy(dynamic.dynamic_tools())
    change(tools)
    return tools


def closed(schema: Any) -> Any:
    """Return a schema in which no object may have a property that is not named."""
    if isinstance(schema, list):
        return [closed(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    inside = {key: closed(value) for key, value in schema.items()}
    return inside | {"additionalProperties": False} if "properties" in schema else inside


@pytest.fixture(scope="module")
def validator(tmp_path_factory: pytest.TempPathFactory) -> Draft7Validator:
    """Return the validator of dynamic tools that this Codex prints, closed."""
    schema = print_schemas(new_home(tmp_path_factory.mktemp("schemas"), model_port=NO_PORT))
    tools = {**schema["properties"]["dynamicTools"], "definitions": closed(schema["definitions"])}
    Draft7Validator.check_schema(tools)
    return Draft7Validator(tools)


@pytest.mark.requirement("AC2")
def test_the_list_fits_the_schema_that_codex_prints(validator: Draft7Validator) -> None:
    assert [error.message for error in validator.iter_errors(dynamic.dynamic_tools())] == []


@pytest.mark.requirement("AC2")
@pytest.mark.parametrize("change", WRONG_FORMS.values(), ids=list(WRONG_FORMS))
def test_a_wrong_form_does_not_fit_it(validator: Draft7Validator, change: Change) -> None:
    assert not validator.is_valid(changed(change))


@pytest.mark.requirement("AC2")
async def test_a_thread_starts_with_the_list_and_with_no_wrong_one(home: Path) -> None:
    async with running(home) as server:
        assert await server.start_thread(dynamic.dynamic_tools())
        taken = []
        for name, change in WRONG_CONTENTS.items():
            try:
                await server.start_thread(changed(change))
            except Refused:
                continue
            taken.append(name)
    assert taken == []


def shown(schema: dict[str, Any]) -> dict[str, Any]:
    """Return what Codex leaves of a schema."""
    kept = {key: value for key, value in schema.items() if key in KEPT}
    if "properties" in kept:
        kept["properties"] = {name: shown(part) for name, part in kept["properties"].items()}
    if "items" in kept:
        kept["items"] = shown(kept["items"])
    return kept


@pytest.mark.requirement("AC2", "AC4", "R-D3")
async def test_its_model_reads_the_contracts_words_and_no_old_name(
    home: Path, model: Model
) -> None:
    async with running(home) as server:
        thread_id = await server.start_thread(dynamic.dynamic_tools())
        await server.ask("turn/start", threadId=thread_id, input=[{"type": "text", "text": "Hi"}])
        while (await server.read()).get("method") != "turn/completed":
            pass
    [ours] = dynamic.dynamic_tools()
    [read] = [tool for tool in model.requests[0]["tools"] if tool.get("name") == ours["name"]]
    assert read["description"] == ours["description"]
    assert {tool["name"]: (tool["description"], tool["parameters"]) for tool in read["tools"]} == {
        tool["name"]: (tool["description"], shown(tool["inputSchema"])) for tool in ours["tools"]
    }
    assert [name for name in ALIASES if name in str(model.requests[0])] == []
