"""One call from a script: over MCP, over plain HTTP where MCP is not served, or a clear refusal."""

import json
from collections.abc import Iterator
from pathlib import Path

import anyio
import anyio.abc
import anyio.to_thread
import pytest

from ccweb.client import asking
from ccweb.tools.answer import Answer
from ccweb_contract.enums import Lang
from ccweb_contract.errors import REMEDIES, ErrorCode
from ccweb_contract.tools import TOOLS, ToolName
from tests.cli.hub import listening, running
from tests.tools.desk import OLD_NAME, Desk, a_desk, fits

LIST = ToolName.CCWEB_LIST_CONVERSATIONS
SEND = ToolName.CCWEB_SEND_MESSAGE


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    """Return a desk with one live host."""
    desk = a_desk(tmp_path)
    yield desk
    desk.db.close()


async def call(port: int, token: str, tool: str, **arguments: object) -> Answer:
    url = f"http://127.0.0.1:{port}"
    with anyio.fail_after(20):
        return await anyio.to_thread.run_sync(asking.call, url, token, tool, arguments)


def code(answer: Answer) -> ErrorCode:
    assert answer.refusal is not None, answer.result
    assert answer.refusal.detail
    assert answer.refusal.remedy == REMEDIES[answer.refusal.code][Lang.EN]
    return answer.refusal.code


@pytest.mark.requirement("R-D1")
@pytest.mark.parametrize("mcp_status", [0, 403, 404, 405, 500, 502, 503])
async def test_a_call_answers_over_mcp_and_over_http_where_mcp_is_away(
    desk: Desk, free_port: int, mcp_status: int
) -> None:
    desk.conversation("语 🙂")
    token = desk.token().secret
    async with running(desk, free_port, mcp_status=mcp_status):
        answer = await call(free_port, token, LIST, limit=1)
        assert answer.result is not None
        assert fits(TOOLS[LIST], answer.result)
        assert answer.result["conversations"][0]["title"] == "语 🙂"
        assert code(await call(free_port, token, LIST, limit="3")) is ErrorCode.INVALID_PARAMS
        assert code(await call(free_port, token, "ccweb_nothing")) is ErrorCode.UNKNOWN_TOOL
        assert code(await call(free_port, "wrong", LIST)) is ErrorCode.AUTHENTICATION_FAILED


@pytest.mark.requirement("AC4", "R-D3")
async def test_the_old_name_is_served(desk: Desk, free_port: int) -> None:
    source, target = desk.conversation("Source"), desk.conversation("Target")
    async with running(desk, free_port):
        answer = await call(
            free_port,
            desk.token(source).secret,
            OLD_NAME,
            targetConversationId=target,
            content="go",
        )
    assert answer.result is not None
    assert desk.reply(answer.result["requestId"]).source_conversation_id == source


async def test_a_refusal_is_not_tried_again_by_the_other_door(desk: Desk, free_port: int) -> None:
    """A status that may follow work, such as a gateway's timeout, is no sign of a missing door."""
    target = desk.conversation("Target")
    async with running(desk, free_port, mcp_status=504):
        answer = await call(
            free_port,
            desk.token().secret,
            SEND,
            targetConversationId=target,
            content="x",
            replyMode="one_way",
        )
    assert code(answer) is ErrorCode.UNAVAILABLE
    assert desk.messages(target) == []


async def test_a_hub_that_is_away_is_a_refusal(free_port: int) -> None:
    answer = await call(free_port, "token", LIST)
    assert code(answer) is ErrorCode.UNAVAILABLE
    assert answer.refusal is not None
    assert f":{free_port}" in answer.refusal.detail


@pytest.mark.requirement("R-M7")
async def test_a_call_whose_answer_was_lost_is_not_repeated(free_port: int) -> None:
    seen: list[bytes] = []

    async def take(stream: anyio.abc.SocketStream) -> None:
        async with stream:
            seen.append(await stream.receive())

    async with listening(free_port, take):
        answer = await call(free_port, "token", LIST)
    assert code(answer) is ErrorCode.UNAVAILABLE
    assert len(seen) == 1


def in_json(body: bytes) -> bytes:
    """Return an HTTP response that says it is JSON."""
    head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}"
    return f"{head}\r\n\r\n".encode() + body


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        (b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", ErrorCode.UNAVAILABLE),
        (b"HTTP/1.1 302 Found\r\nLocation: /x\r\nContent-Length: 0\r\n\r\n", ErrorCode.UNAVAILABLE),
        (b"SSH-2.0-server\r\n\r\n", ErrorCode.UNAVAILABLE),
        (b"\x00" * 100_000, ErrorCode.UNAVAILABLE),
        (b"HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\nok", ErrorCode.UNAVAILABLE),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n", ErrorCode.UNAVAILABLE),
        (in_json(b"[" * 100_000), ErrorCode.UNAVAILABLE),
        (in_json(b'{"jsonrpc": "2.0", "error": "no"}'), ErrorCode.UNAVAILABLE),
        (in_json(b'{"jsonrpc": "2.0", "result": null}'), ErrorCode.UNAVAILABLE),
        (in_json(b'{"error_code": ["x"]}'), ErrorCode.INTERNAL),
        (in_json(b'{"result": {"isError": true, "_meta": null}}'), ErrorCode.INTERNAL),
        (
            in_json(b'{"result": {"isError": true, "content": [1, {"text": 2}]}}'),
            ErrorCode.INTERNAL,
        ),
    ],
    ids=[
        *("no JSON", "redirect", "no HTTP", "noise", "no length", "no chunk", "deep"),
        *("error in words", "no result", "no code", "no meta", "no texts"),
    ],
)
async def test_a_stranger_at_the_address_is_told_as_such(
    free_port: int, reply: bytes, expected: ErrorCode
) -> None:
    async def take(stream: anyio.abc.SocketStream) -> None:
        async with stream:
            await stream.receive()
            await stream.send(reply)

    async with listening(free_port, take):
        assert code(await call(free_port, "token", LIST)) is expected


@pytest.mark.parametrize("split", [1, 7, 1000])
@pytest.mark.parametrize("chunked", [False, True], ids=["length", "chunked"])
async def test_an_answer_in_any_pieces_is_put_together(
    free_port: int, split: int, chunked: bool
) -> None:
    result = {"structuredContent": {"text": "语🙂" * 200}}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "result": result}, ensure_ascii=False).encode()
    head = b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
    if chunked:
        parts = [body[i : i + 100] for i in range(0, len(body), 100)]
        framed = b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in parts)
        reply = head + b"Transfer-Encoding: chunked\r\n\r\n" + framed + b"0\r\n\r\n"
    else:
        reply = head + b"Content-Length: %d\r\n\r\n" % len(body) + body

    async def take(stream: anyio.abc.SocketStream) -> None:
        async with stream:
            await stream.receive()
            for i in range(0, len(reply), split):
                await stream.send(reply[i : i + split])

    async with listening(free_port, take):
        answer = await call(free_port, "token", LIST)
    assert answer.result == result["structuredContent"]


@pytest.mark.parametrize("url", ["", "127.0.0.1:8002", "ftp://x", "http://"])
def test_an_address_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(ValueError, match="address"):
        asking.call(url, "token", LIST, {})
