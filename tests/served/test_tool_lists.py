"""The tools that the real product lists over MCP are the generated ones, in every version.

What "the same" means: the SDK writes the keys of its own objects in its own order, and up to
2025-11-25 those inside the schemas too. So both sides are compared as canonical JSON, as bytes:
keys sorted, every list in its order, every number and text as it is written. From 2026-07-28 on
the schemas keep even the order of their keys, and their very bytes are looked for.
"""

import json
from collections.abc import Mapping
from typing import Any

import anyio
import httpx2
import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS

from ccweb_contract import prompts
from ccweb_contract.aliases import ALIASES
from ccweb_contract.enums import Lang
from ccweb_contract.tools import ToolName
from tests.contract.surfaces import SCHEMAS
from tests.hub.doors.conftest import ERAS, Era
from tests.served.product import CCWEB, Product
from tests.served.wire import HANDSHAKE, MODERN, VERSIONS, opening, over_http, over_stdio

GENERATED = SCHEMAS / "mcp.tools_list.json"


def canonical(text: str | bytes) -> bytes:
    """Return the one form of a JSON text that differs for different values only."""
    return json.dumps(json.loads(text), sort_keys=True, ensure_ascii=False).encode()


def compact(value: Any) -> bytes:
    """Return JSON as the doors write it, with the keys in the order that they have."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()


def tools_of(answer: bytes) -> bytes:
    """Return the canonical form of what an answer lists, as the generated file has it."""
    return canonical(json.dumps({"tools": json.loads(answer)["result"]["tools"]}))


def generated() -> list[dict[str, Any]]:
    tools: list[dict[str, Any]] = json.loads(GENERATED.read_bytes())["tools"]
    return tools


# --- served equals generated ----------------------------------------------------------------------


@pytest.mark.requirement("AC1", "AC2", "R-C6", "R-D7")
@pytest.mark.parametrize("version", VERSIONS)
def test_http_lists_the_generated_tools(program: httpx2.Client, version: str) -> None:
    _, listed = over_http(program, version)
    assert tools_of(listed) == canonical(GENERATED.read_bytes())


@pytest.mark.requirement("R-D1", "R-D7")
@pytest.mark.parametrize("version", VERSIONS)
def test_stdio_answers_with_the_bytes_of_http(
    product: Product, program: httpx2.Client, version: str
) -> None:
    assert over_stdio(product, version) == over_http(program, version)


@pytest.mark.requirement("AC2")
def test_from_2026_07_28_on_the_schemas_are_the_very_bytes(program: httpx2.Client) -> None:
    _, listed = over_http(program, MODERN)
    position = 0
    for tool in generated():
        for name in ("inputSchema", "outputSchema"):
            schema = b'"%b":%b' % (name.encode(), compact(tool[name]))
            position = listed.index(schema, position)


def test_every_version_with_a_handshake_lists_the_same_bytes(program: httpx2.Client) -> None:
    assert len({over_http(program, version)[1] for version in HANDSHAKE}) == 1


@pytest.mark.requirement("AC1", "AC2")
@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("transport", ["http", "stdio"])
async def test_the_official_client_reads_the_generated_tools(
    product: Product, transport: str, era: Era
) -> None:
    with anyio.fail_after(30):
        async with httpx2.AsyncClient(headers=product.bearer) as http:
            way: Any = (
                streamable_http_client(f"{product.url}/mcp", http_client=http)
                if transport == "http"
                else stdio_client(_bridge(product))
            )
            async with Client(way, mode=era) as client:
                listed = await client.list_tools()
    tools = listed.model_dump(mode="json", by_alias=True, exclude_none=True)["tools"]
    assert canonical(json.dumps({"tools": tools})) == canonical(GENERATED.read_bytes())


def _bridge(product: Product) -> StdioServerParameters:
    environ = {**product.environ, "CCWEB_URL": product.url, "CCWEB_TOKEN": product.token}
    return StdioServerParameters(command=CCWEB, args=["mcp"], env=environ)


# --- what a comparison sees -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"minimum": 1', '"minimum": 1.0'),
        ('"one_way",', '"one_way ",'),
        ('"additionalProperties": false', '"additionalProperties": true'),
        ('"minLength": 1', '"minLength": "1"'),
    ],
)
def test_the_smallest_difference_is_one(program: httpx2.Client, old: str, new: str) -> None:
    text = GENERATED.read_text()
    assert old in text
    _, listed = over_http(program, MODERN)
    assert tools_of(listed) != canonical(text.replace(old, new, 1))


def test_another_order_of_tools_or_values_is_a_difference(program: httpx2.Client) -> None:
    _, listed = over_http(program, MODERN)
    tools = generated()
    assert tools_of(listed) != canonical(json.dumps({"tools": tools[::-1]}))
    required = tools[0]["inputSchema"]["required"]
    required.reverse()
    assert tools_of(listed) != canonical(json.dumps({"tools": tools}))


# --- what comes before the list -------------------------------------------------------------------


@pytest.mark.requirement("R-D7")
@pytest.mark.parametrize("version", HANDSHAKE)
def test_every_version_with_a_handshake_is_agreed_on(program: httpx2.Client, version: str) -> None:
    first, _ = over_http(program, version)
    assert json.loads(first)["result"]["protocolVersion"] == version


@pytest.mark.requirement("R-D7")
@pytest.mark.parametrize("version", [MODERN, "2099-01-01"])
def test_a_handshake_for_another_version_is_offered_the_newest_that_has_one(
    program: httpx2.Client, version: str
) -> None:
    wish = opening(HANDSHAKE[-1])
    wish["params"]["protocolVersion"] = version
    answer = program.post("/mcp", json=wish)
    assert answer.json()["result"]["protocolVersion"] == HANDSHAKE[-1]


def test_no_version_that_the_sdk_serves_is_left_out() -> None:
    assert HANDSHAKE == HANDSHAKE_PROTOCOL_VERSIONS
    assert (MODERN,) == MODERN_PROTOCOL_VERSIONS


@pytest.mark.requirement("R-D7")
def test_the_newest_version_is_found_without_a_handshake(program: httpx2.Client) -> None:
    first, _ = over_http(program, MODERN)
    assert json.loads(first)["result"]["supportedVersions"] == [MODERN]


@pytest.mark.requirement("R-T4")
@pytest.mark.parametrize("version", VERSIONS)
def test_the_instructions_are_the_generated_prompt(program: httpx2.Client, version: str) -> None:
    first, _ = over_http(program, version)
    assert json.loads(first)["result"]["instructions"] == prompts.server_instructions(Lang.EN)


@pytest.mark.requirement("AC1", "AC4", "R-D3")
@pytest.mark.parametrize("version", VERSIONS)
def test_no_old_name_is_in_any_byte_of_either_answer(program: httpx2.Client, version: str) -> None:
    first, listed = over_http(program, version)
    for name in ALIASES:
        assert name.encode() not in first + listed
    assert _names(json.loads(listed)) == [name.value for name in ToolName]


def _names(answer: Mapping[str, Any]) -> list[str]:
    return [tool["name"] for tool in answer["result"]["tools"]]
