"""`ccweb mcp` as a real process between a client and a real hub."""

import json
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio
import anyio.abc
import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from ccweb_contract.errors import ErrorCode
from ccweb_contract.tools import ToolName
from tests.cli.hub import ENVIRONMENT, Hub, bridge_command, listening, running
from tests.hub.doors.conftest import ERAS, Era
from tests.tools.desk import OLD_NAME, Desk, a_desk

LIST = ToolName.CCWEB_LIST_CONVERSATIONS
PING = {"jsonrpc": "2.0", "method": "ping"}


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    """Return a desk with one live host."""
    desk = a_desk(tmp_path)
    yield desk
    desk.db.close()


@pytest.fixture
async def hub(desk: Desk, free_port: int) -> AsyncIterator[Hub]:
    """Return a hub on a real port."""
    async with running(desk, free_port) as hub:
        yield hub


@dataclass
class Bridge:
    """A bridge process and the lines that it has written."""

    process: anyio.abc.Process
    buffered: bytearray = field(default_factory=bytearray)

    async def write(self, *lines: object) -> None:
        """Write lines: bytes as they are, anything else as JSON."""
        assert self.process.stdin is not None
        for line in lines:
            raw = line if isinstance(line, bytes) else json.dumps(line).encode()
            await self.process.stdin.send(raw + b"\n")

    async def read(self) -> dict[str, Any]:
        """Return the next message."""
        assert self.process.stdout is not None
        while b"\n" not in self.buffered:
            self.buffered += await self.process.stdout.receive()
        line, _, rest = bytes(self.buffered).partition(b"\n")
        self.buffered = bytearray(rest)
        message: dict[str, Any] = json.loads(line)
        return message

    async def ask(self, message: object) -> dict[str, Any]:
        await self.write(message)
        return await self.read()

    async def end(self) -> tuple[int, bytes]:
        """Close its input and return its exit code and what it had still to say."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        await self.process.stdin.aclose()
        left = bytes(self.buffered) + b"".join([part async for part in self.process.stdout])
        return await self.process.wait(), left


@asynccontextmanager
async def bridge(url: str, token: str) -> AsyncIterator[Bridge]:
    """Run a bridge process, which must end by itself when its input does."""
    process = await anyio.open_process(bridge_command(url, token), env=ENVIRONMENT, cwd="/")
    try:
        with anyio.fail_after(30):
            yield Bridge(process=process)
    finally:
        if process.returncode is None:
            process.kill()
        await process.aclose()


def official(url: str, token: str, era: Era) -> Client:
    command, *arguments = bridge_command(url, token)
    parameters = StdioServerParameters(command=command, args=arguments, env=ENVIRONMENT)
    return Client(stdio_client(parameters), mode=era)


def refused(message: dict[str, Any]) -> ErrorCode:
    assert message["error"]["message"]
    return ErrorCode(message["error"]["data"]["error_code"])


# --- the official client --------------------------------------------------------------------------


@pytest.mark.requirement("R-D1", "R-D3", "AC4")
@pytest.mark.parametrize("era", ERAS)
async def test_the_old_name_is_served_over_stdio(hub: Hub, era: Era) -> None:
    turn = hub.desk.started(hub.desk.conversation("Source"))
    given = {"targetConversationId": hub.desk.conversation("目标"), "content": "数一数 🙂"}
    with anyio.fail_after(30):
        async with official(hub.url, hub.desk.credential(turn), era) as client:
            result = await client.call_tool(OLD_NAME, given)
    assert result.structured_content is not None
    assert result.structured_content["targetTitle"] == "目标"
    assert result.structured_content["notice"]
    row = hub.desk.reply(result.structured_content["requestId"])
    assert row.original_request == "数一数 🙂"


@pytest.mark.requirement("R-D5")
@pytest.mark.parametrize("era", ERAS)
async def test_refusals_and_unknown_tools_pass_unchanged(hub: Hub, era: Era) -> None:
    with anyio.fail_after(30):
        async with official(hub.url, hub.desk.token().secret, era) as client:
            result = await client.call_tool(LIST, {"limit": "3"})
            with pytest.raises(Exception, match="ccweb_nothing"):
                await client.call_tool("ccweb_nothing", {})
    assert result.is_error
    assert result.meta is not None
    assert result.meta["ccweb/error"]["error_code"] == ErrorCode.INVALID_PARAMS


# --- the wire -------------------------------------------------------------------------------------


async def test_requests_at_the_same_moment_are_all_answered_by_their_id(hub: Hub) -> None:
    ids = [*range(50), *(f"s{i}" for i in range(50)), 0]
    async with bridge(hub.url, hub.desk.token().secret) as process:
        await process.write(*({**PING, "id": one} for one in ids))
        answers = [await process.read() for _ in ids]
    assert sorted((a["id"] for a in answers), key=repr) == sorted(ids, key=repr)
    assert all(answer["result"] == {} for answer in answers)


async def test_a_notification_is_passed_on_and_not_answered(hub: Hub) -> None:
    async with bridge(hub.url, hub.desk.token().secret) as process:
        await process.write({"jsonrpc": "2.0", "method": "notifications/initialized"})
        assert (await process.ask({**PING, "id": 1}))["id"] == 1
        assert await process.end() == (0, b"")


async def test_what_was_asked_before_the_end_is_still_answered(hub: Hub) -> None:
    async with bridge(hub.url, hub.desk.token().secret) as process:
        await process.write(*({**PING, "id": i} for i in range(20)))
        code, left = await process.end()
    assert code == 0
    assert {json.loads(line)["id"] for line in left.splitlines()} == set(range(20))


async def test_a_last_line_without_its_end_counts(hub: Hub) -> None:
    async with bridge(hub.url, hub.desk.token().secret) as process:
        assert process.process.stdin is not None
        await process.process.stdin.send(json.dumps({**PING, "id": 1}).encode())
        code, left = await process.end()
    assert (code, json.loads(left)["id"]) == (0, 1)


@pytest.mark.requirement("R-S4")
@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b"{bad", -32700),
        (b"\xff\xfe", -32700),
        (b"[" * 100_000, -32700),
        (b"[]", -32600),
        (b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]', -32600),
        (b"3", -32600),
        (b'{"jsonrpc":"2.0","id":1}', -32600),
        (b'{"jsonrpc":"1.0","id":1,"method":"ping"}', -32600),
    ],
)
async def test_a_bad_line_gets_a_clear_error_and_the_next_is_served(
    hub: Hub, line: bytes, code: int
) -> None:
    async with bridge(hub.url, hub.desk.token().secret) as process:
        assert (await process.ask(line))["error"]["code"] == code
        assert (await process.ask({**PING, "id": 2}))["result"] == {}


@pytest.mark.requirement("R-A6", "R-S4")
async def test_a_line_may_be_long_and_too_long_is_told(hub: Hub) -> None:
    big = {**PING, "id": 1, "params": {"x": "语" * (5 * 1024 * 1024)}}
    async with bridge(hub.url, hub.desk.token().secret) as process:
        assert refused(await process.ask(big)) is ErrorCode.CONTENT_TOO_LARGE
        await process.write(b" " * (33 * 1024 * 1024))
        assert refused(await process.read()) is ErrorCode.CONTENT_TOO_LARGE
        assert (await process.ask({**PING, "id": 2}))["result"] == {}


@pytest.mark.requirement("R-A6", "FC-77")
async def test_a_long_answer_comes_through_whole(hub: Hub) -> None:
    conversation_id = hub.desk.conversation("Talk")
    for _ in range(30):
        hub.desk.write(conversation_id, "语🙂" * 4000)
    params = {
        "name": ToolName.CCWEB_GET_CONVERSATION.value,
        "arguments": {"conversationId": conversation_id, "limit": 100},
    }
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    async with bridge(hub.url, hub.desk.token().secret) as process:
        answer = await process.ask(message)
    shown = answer["result"]["structuredContent"]["messages"]
    assert len(shown) == 30
    assert {one["text"] for one in shown} == {("语🙂" * 4000)[: len(shown[0]["text"])]}


# --- a hub that is away ---------------------------------------------------------------------------


@pytest.mark.requirement("R-D6", "R-S4")
@pytest.mark.parametrize("token", ["wrong", "ccw_wrong", ""])
async def test_a_wrong_token_is_told_in_words(hub: Hub, token: str) -> None:
    async with bridge(hub.url, token) as process:
        answer = await process.ask({**PING, "id": 1})
        assert refused(answer) is ErrorCode.AUTHENTICATION_FAILED
        assert (answer["id"], "Bearer" in answer["error"]["data"]["remedy"]) == (1, True)


async def test_a_hub_that_is_away_is_told_and_found_again(desk: Desk, free_port: int) -> None:
    url = f"http://127.0.0.1:{free_port}"
    async with bridge(url, desk.token().secret) as process:
        answer = await process.ask({**PING, "id": 1})
        assert refused(answer) is ErrorCode.UNAVAILABLE
        assert url in answer["error"]["message"]
        for message_id in (2, 3):
            async with running(desk, free_port):
                assert (await process.ask({**PING, "id": message_id}))["result"] == {}
        assert refused(await process.ask({**PING, "id": 4})) is ErrorCode.UNAVAILABLE


@pytest.mark.requirement("R-M7")
@pytest.mark.parametrize(("method", "times"), [("tools/call", 1), ("tools/list", 2)])
async def test_a_call_whose_answer_was_lost_is_never_repeated(
    free_port: int, method: str, times: int
) -> None:
    """A server that reads a request and goes away: only what changes nothing is asked again."""
    seen = 0

    async def take(stream: anyio.abc.SocketStream) -> None:
        nonlocal seen
        async with stream:
            await stream.receive()
            seen += 1

    url = f"http://127.0.0.1:{free_port}"
    async with listening(free_port, take), bridge(url, "token") as process:
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {"name": "x"}}
        assert refused(await process.ask(message)) is ErrorCode.UNAVAILABLE
    assert seen == times


# --- the process ----------------------------------------------------------------------------------


@pytest.mark.parametrize("module", ["bridge", "calling"])
async def test_what_starts_with_every_agent_loads_no_sdk_and_no_database(module: str) -> None:
    script = f"import sys; from ccweb.cli import {module}; print(*sorted(sys.modules))"
    result = await anyio.run_process([sys.executable, "-c", script], env=ENVIRONMENT, cwd="/")
    loaded = set(result.stdout.decode().split())
    assert not loaded & {"mcp", "pydantic", "starlette", "sqlalchemy", "httpx2", "asyncio"}


async def test_what_a_library_prints_does_not_reach_the_wire(hub: Hub) -> None:
    script = (
        "import sys, os\nfrom ccweb.cli import bridge\nbefore = bridge.Bridge.pump\n"
        "def pump(self):\n    print('noise'); os.write(1, b'noise'); before(self)\n"
        "bridge.Bridge.pump = pump\nsys.exit(bridge.run(*sys.argv[1:]))"
    )
    command = [sys.executable, "-c", script, hub.url, hub.desk.token().secret]
    message = json.dumps({**PING, "id": 1}).encode()
    with anyio.fail_after(30):
        result = await anyio.run_process(command, input=message, env=ENVIRONMENT, cwd="/")
    assert [json.loads(line)["id"] for line in result.stdout.splitlines()] == [1]
    assert b"noise" in result.stderr
