"""The hub's listener: an answer leaves at once and is not held back for 40 ms."""

import asyncio
import socket
from pathlib import Path

import anyio
import pytest

from ccweb.cli import hub_process
from ccweb.cli.failure import Failure
from ccweb.settings import Settings


@pytest.mark.parametrize("host", ["127.0.0.1", "::1"])
async def test_an_accepted_connection_sends_without_delay(tmp_path: Path, host: str) -> None:
    try:
        listener = hub_process._listen(Settings(data_dir=tmp_path, host=host, port=0))
    except Failure:
        pytest.skip("this machine has no IPv6")
    accepted: asyncio.Queue[int] = asyncio.Queue()

    async def take(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connection = writer.get_extra_info("socket")
        accepted.put_nowait(connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
        writer.close()

    async with await asyncio.start_server(take, sock=listener):
        _, writer = await asyncio.open_connection(*listener.getsockname()[:2])
        with anyio.fail_after(5):
            assert await accepted.get()
        writer.close()
