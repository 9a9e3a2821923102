"""The smallest HTTP client that can post JSON: its own cost must not hide the server's."""

import asyncio
import json
from collections.abc import Mapping
from typing import Any, Final

_NONE: Final[Mapping[str, str]] = {}


class Poster:
    """One kept-alive connection that posts JSON to one path with a bearer token."""

    def __init__(
        self, port: int, path: str, token: str, headers: Mapping[str, str] = _NONE
    ) -> None:
        self._port = port
        more = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        self._head = (
            f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n{more}"
            f"Authorization: Bearer {token}\r\nContent-Type: application/json\r\nContent-Length: "
        )
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def post(self, body: object) -> Any:
        """Return the decoded answer.

        Raises:
            RuntimeError: the status is not 200; it names the status and the answer.
        """
        if self._streams is None:
            self._streams = await asyncio.open_connection("127.0.0.1", self._port)
        reader, writer = self._streams
        content = json.dumps(body).encode()
        writer.write(f"{self._head}{len(content)}\r\n\r\n".encode() + content)
        status, length = _parse(await reader.readuntil(b"\r\n\r\n"))
        answer = json.loads(await reader.readexactly(length))
        if status != 200:
            raise RuntimeError(f"{status}: {answer}")
        return answer

    async def aclose(self) -> None:
        """Close the connection."""
        if self._streams is not None:
            self._streams[1].close()
            await self._streams[1].wait_closed()


def _parse(head: bytes) -> tuple[int, int]:
    lines = head.decode("latin-1").split("\r\n")
    headers = dict(line.lower().split(": ", 1) for line in lines[1:] if ": " in line)
    return int(lines[0].split(" ", 2)[1]), int(headers["content-length"])
