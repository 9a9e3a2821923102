"""The forwarder adds the credential to each request and changes nothing else."""

import asyncio

import anyio

from tests.conformance.credential import forwarder

ANSWER = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"
FIRST = (
    b"POST /mcp HTTP/1.1\r\nHost: evil.example\r\nX-Blank:  padded \r\nContent-Length: 4\r\n\r\n"
    b"\r\n\r\n"
)
SECOND = b"GET /mcp HTTP/1.1\r\nhost: localhost\r\n\r\n"


def with_credential(request: bytes) -> bytes:
    line, end, rest = request.partition(b"\r\n")
    return line + end + b"Authorization: Bearer secret\r\n" + rest


async def test_each_request_of_a_connection_gets_the_credential_and_stays_as_it_is() -> None:
    got = bytearray()
    sent = with_credential(FIRST) + with_credential(SECOND)

    async def take(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for request in (FIRST, SECOND):
            got.extend(await reader.readexactly(len(with_credential(request))))
            writer.write(ANSWER)
            await writer.drain()
        writer.close()

    with anyio.fail_after(10):
        async with await asyncio.start_server(take, "127.0.0.1", 0) as server:
            to_port = server.sockets[0].getsockname()[1]
            async with forwarder(to_port, "secret") as port:
                reader, writer = await asyncio.open_connection("127.0.0.1", port)
                writer.write(FIRST + SECOND)
                answers = await reader.read()
                writer.close()
    assert bytes(got) == sent
    assert answers == ANSWER * 2
