"""A forwarder that gives each request the credential which the suite cannot send.

Every other byte passes unchanged, so that what the suite sends on purpose (foreign hosts, blanks
around header values, wrong versions) meets the server as it is.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

END_OF_HEAD = b"\r\n\r\n"


@asynccontextmanager
async def forwarder(to_port: int, token: str) -> AsyncIterator[int]:
    """Forward to a port of this machine for as long as the context is entered; yield our port."""
    take = partial(_connection, to_port=to_port, header=f"Authorization: Bearer {token}\r\n")
    async with await asyncio.start_server(take, "127.0.0.1", 0) as server:
        port: int = server.sockets[0].getsockname()[1]
        yield port


async def _connection(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, to_port: int, header: str
) -> None:
    """Carry one connection until either side ends it."""
    answers, requests = await asyncio.open_connection("127.0.0.1", to_port)
    ways = [
        asyncio.create_task(_requests(reader, requests, header.encode())),
        asyncio.create_task(_answers(answers, writer)),
    ]
    try:
        await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for way in ways:
            way.cancel()
        await asyncio.gather(*ways, return_exceptions=True)
        for side in (requests, writer):
            side.close()


async def _requests(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, header: bytes
) -> None:
    """Pass on request by request, each with the header after its first line."""
    with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
        while True:
            head = await reader.readuntil(END_OF_HEAD)
            line, end, fields = head.partition(b"\r\n")
            writer.write(line + end + header + fields)
            writer.write(await reader.readexactly(_body_length(fields)))
            await writer.drain()


async def _answers(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(ConnectionError):
        while part := await reader.read(65_536):
            writer.write(part)
            await writer.drain()


def _body_length(fields: bytes) -> int:
    """Return how long the body is; the suite sends none whose length is not told."""
    names = dict(line.lower().split(b":", 1) for line in fields.strip().split(b"\r\n"))
    assert b"transfer-encoding" not in names, "A body in chunks cannot be forwarded."
    return int(names.get(b"content-length", b"0"))
