"""The seam of these tests: a home of Codex and a model endpoint that only writes down."""

import asyncio
import json
import re
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.real_codex.app_server import new_home

REFUSAL = b"HTTP/1.1 400 Bad Request\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}"
LENGTH = re.compile(rb"content-length: (\d+)\r\n", re.IGNORECASE)


def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark every test below this folder as one that needs programs from npm."""
    item.add_marker(pytest.mark.node)


@dataclass
class Model:
    """An endpoint that keeps each request to a model and refuses it."""

    port: int = 0
    requests: list[dict[str, Any]] = field(default_factory=list)

    async def take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Take one request."""
        length = LENGTH.search(await reader.readuntil(b"\r\n\r\n"))
        assert length, "A request without a length."
        self.requests.append(json.loads(await reader.readexactly(int(length[1]))))
        writer.write(REFUSAL)
        await writer.drain()
        writer.close()


@pytest.fixture
async def model() -> AsyncIterator[Model]:
    """Return an endpoint on a port of its own."""
    model = Model()
    async with await asyncio.start_server(model.take, "127.0.0.1", 0) as server:
        model.port = server.sockets[0].getsockname()[1]
        yield model


@pytest.fixture
def home(tmp_path: Path, model: Model) -> Path:
    """Return a home of Codex."""
    return new_home(tmp_path / "home", model_port=model.port)
