"""The demo agent's way to the hub: a call that may have got through is never made again."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import pytest

from ccweb.host.hub_client import HubClient, Refused
from ccweb.settings import Settings
from ccweb_contract.tools import ToolName

Answer = Callable[[asyncio.StreamWriter, int], Awaitable[None]]


@asynccontextmanager
async def a_hub_that(answers: Answer, path: Path) -> AsyncIterator[tuple[HubClient, list[str]]]:
    """Yield a client and the methods that its hub received; the hub dies after its first answer."""
    received: list[str] = []

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
        length = int(head.split("content-length: ")[1].split("\r\n")[0])
        message = json.loads(await reader.readexactly(length))
        received.append(message["method"])
        server.close()
        await answers(writer, message["id"])
        writer.close()

    server = await asyncio.start_server(handle, "127.0.0.1", 0)
    url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    client = HubClient(Settings(url=url, data_dir=path))
    try:
        yield client, received
    finally:
        await client.aclose()
        server.close()


async def nothing(_writer: asyncio.StreamWriter, _id: int) -> None:
    pass


async def a_result(writer: asyncio.StreamWriter, message_id: int) -> None:
    result = {
        "content": [{"type": "text", "text": "{}"}],
        "structuredContent": {"messageId": "msg_1"},
        "resultType": "complete",
    }
    body = json.dumps({"jsonrpc": "2.0", "id": message_id, "result": result}).encode()
    head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}"
    writer.write(head.encode() + b"\r\nConnection: close\r\n\r\n" + body)
    await writer.drain()


@pytest.mark.requirement("R-M7", "FC-29")
@pytest.mark.parametrize(("answers", "lost"), [(nothing, True), (a_result, False)])
async def test_a_call_that_reached_a_dying_hub_is_made_once(
    answers: Answer, lost: bool, tmp_path: Path
) -> None:
    with anyio.fail_after(10):
        async with a_hub_that(answers, tmp_path) as (client, received):
            result = await client.call("secret", ToolName.CCWEB_SEND_MESSAGE, {"content": "x"})
    assert received == ["tools/call"]
    assert isinstance(result, Refused) == lost
