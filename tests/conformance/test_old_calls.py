"""What old threads send is taken at the doors of the runtime, and no list shows it."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.conformance import fixture_contract
from tests.served.product import START_S, Product
from tests.served.wire import request as rpc

Arguments = Mapping[str, Any]
HANDSHAKEN = {
    "Accept": "application/json, text/event-stream",
    "MCP-Protocol-Version": "2025-06-18",
}


def over_mcp(program: httpx2.Client, tool: str, arguments: Arguments) -> httpx2.Response:
    message = rpc(1, "tools/call", name=tool, arguments=arguments)
    return program.post("/mcp", json=message, headers=HANDSHAKEN)


def over_http(program: httpx2.Client, tool: str, arguments: Arguments) -> httpx2.Response:
    return program.post(f"/api/mcp/tools/{tool}/", json=arguments)


def inside(program: httpx2.Client, tool: str, arguments: Arguments) -> httpx2.Response:
    return program.post("/api/internal/mcp", json={"tool": tool, "args": arguments})


DOORS: dict[str, Callable[[httpx2.Client, str, Arguments], httpx2.Response]] = {
    "MCP": over_mcp,
    "HTTP": over_http,
    "the internal API": inside,
}
TAKEN: dict[str, tuple[str, Arguments, Arguments]] = {
    "a deprecated tool": ("test_old_card", {}, {}),
    "a deprecated argument": (
        "test_card",
        {"content": "Hi", "size": 3},
        {"content": "Hi", "size": 3},
    ),
    "a deprecated value": (
        "test_card",
        {"content": "Hi", "colour": "pale_blue"},
        {"content": "Hi", "colour": "pale_blue"},
    ),
    "the old name of a required argument": ("test_card", {"words": "Hi"}, {"content": "Hi"}),
    "both names of an argument": (
        "test_card",
        {"words": "Old", "content": "New"},
        {"content": "New"},
    ),
    "the old name of what an old tool's name fixes": (
        "test_blue_card",
        {"words": 7},
        {"content": "Blue"},
    ),
}


@pytest.fixture(scope="session")
def program(fixture: Product) -> Iterator[httpx2.Client]:
    """Return a program with a token of the fixture's hub."""
    with httpx2.Client(base_url=fixture.url, headers=fixture.bearer) as program:
        yield program


def result_of(answer: httpx2.Response) -> Any:
    """Return the output of a tool, whatever the door wraps it in."""
    assert answer.status_code == 200, answer.text
    body = answer.json()
    return body["result"]["structuredContent"] if "jsonrpc" in body else body


@pytest.mark.requirement("R-D2")
@pytest.mark.parametrize("door", DOORS.values(), ids=DOORS.keys())
@pytest.mark.parametrize("case", TAKEN.values(), ids=TAKEN.keys())
def test_what_is_old_is_taken_at_each_door(
    case: tuple[str, Arguments, Arguments],
    door: Callable[[httpx2.Client, str, Arguments], httpx2.Response],
    program: httpx2.Client,
) -> None:
    tool, arguments, meant = case

    result = result_of(door(program, tool, arguments))

    assert json.loads(result["text"]) == meant


@pytest.mark.requirement("R-D2")
@pytest.mark.parametrize("case", TAKEN.values(), ids=TAKEN.keys())
def test_what_is_old_is_taken_from_a_codex_app_thread(
    case: tuple[str, Arguments, Arguments], fixture: Product
) -> None:
    tool, arguments, meant = case
    call = json.dumps({"tool": tool, "namespace": "ccweb", "arguments": arguments})

    command = [sys.executable, "-m", "tests.conformance.fixture_dynamic"]
    done = subprocess.run(
        command, input=call.encode(), env=fixture.environ, capture_output=True, timeout=START_S
    )

    assert done.returncode == 0, done.stderr.decode()
    answer = json.loads(done.stdout)
    assert answer["success"], answer
    result = json.loads(answer["contentItems"][0]["text"])
    assert json.loads(result["text"]) == meant


@pytest.mark.requirement("R-D2")
@pytest.mark.parametrize("arguments", [{}, {"size": 3}])
def test_a_required_argument_under_neither_of_its_names_is_refused(
    arguments: Arguments, program: httpx2.Client
) -> None:
    answer = over_http(program, "test_card", arguments)

    assert answer.status_code == 400
    assert answer.json()["error_code"] == "invalid_params"
    assert "`content`" in answer.json()["detail"]


@pytest.mark.requirement("R-D2")
def test_no_list_shows_what_is_old(program: httpx2.Client, tmp_path: Path) -> None:
    schemas = fixture_contract.render(tmp_path) / "schemas"
    listed = rpc(1, "tools/list")
    mcp = program.post("/mcp", json=listed, headers=HANDSHAKEN).json()["result"]["tools"]
    dynamic = json.loads((schemas / "codex.dynamic_tools.json").read_text())
    openapi = program.get("/api/openapi.json").json()

    [card] = [tool for tool in mcp if tool["name"] == "test_card"]
    assert card["inputSchema"]["properties"].keys() == {"content", "colour"}
    assert card["inputSchema"]["properties"]["colour"]["enum"] == ["red"]
    for text in map(json.dumps, (mcp, dynamic, openapi)):
        assert "test_card" in text
        for old in ("test_old_card", "test_blue_card", "pale_blue", '"words"', "All cards have"):
            assert old not in text
