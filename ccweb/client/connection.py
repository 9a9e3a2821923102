"""One kept-alive HTTP/1.1 connection to the hub, on the standard library's sockets alone.

`ccweb mcp` starts with every agent, and its round trip is every tool call's: an HTTP library would
cost more than the hub itself.
"""

import re
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

CONNECT_S: Final = 5.0
_PLAIN: Final = re.compile(r"[\x21-\x7e]+")
_READ_BYTES: Final = 256 * 1024
_HEAD_LIMIT_BYTES: Final = 64 * 1024


class HubAway(Exception):
    """The hub cannot be reached: the request was surely not carried out."""


class AnswerLost(Exception):
    """The connection ended before the answer: nobody knows whether the request was carried out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """One HTTP response."""

    status: int
    json: bool
    body: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """Where the hub is."""

    secure: bool
    host: str
    port: int
    prefix: str

    @property
    def authority(self) -> str:
        """Return what the Host header says."""
        name = f"[{self.host}]" if ":" in self.host else self.host
        return f"{name}:{self.port}"


def address_of(url: str) -> Address:
    """Return the parts of the hub's URL.

    Raises:
        ValueError: it is no http or https URL.
    """
    parts = urlsplit(url)
    if not _PLAIN.fullmatch(url) or parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError(f"{url!r} is no address of a hub; one looks like http://127.0.0.1:8002.")
    return Address(
        secure=parts.scheme == "https",
        host=parts.hostname,
        port=parts.port or (443 if parts.scheme == "https" else 80),
        prefix=parts.path.rstrip("/"),
    )


class Connection:
    """One connection; one request at a time."""

    def __init__(self, address: Address, token: str) -> None:
        """Connect.

        Raises:
            HubAway: nobody listens there.
        """
        self._address = address
        self._head = (
            f"Host: {address.authority}\r\nAuthorization: Bearer {token}\r\n"
            "Accept: application/json, text/event-stream\r\nContent-Type: application/json\r\n"
        )
        self._received = bytearray()
        self._socket = _connect(address)
        self.reusable = True

    def fileno(self) -> int:
        """Return the descriptor to wait on."""
        return self._socket.fileno()

    def close(self) -> None:
        """Close the connection."""
        self._socket.close()

    def send(self, path: str, body: bytes, headers: Mapping[str, str]) -> None:
        """Send a POST.

        Raises:
            HubAway: the connection broke before all of it was sent.
        """
        lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        head = f"POST {self._address.prefix}{path} HTTP/1.1\r\n{self._head}{lines}"
        head += f"Content-Length: {len(body)}\r\n\r\n"
        try:
            self._socket.sendall(head.encode("ascii") + body)
        except OSError as error:
            raise HubAway(f"{self._address.authority}: {error}") from error

    def receive(self) -> Reply | None:
        """Read what is there and return the reply once it is whole.

        Raises:
            AnswerLost: the connection ended before that.
        """
        try:
            part = self._socket.recv(_READ_BYTES)
            if hidden := getattr(self._socket, "pending", int)():  # TLS has read more than it gave
                part += self._socket.recv(hidden)
        except OSError as error:
            raise AnswerLost(str(error)) from error
        self._received += part
        reply = self._parsed(ended=not part)
        if reply is None and not part:
            raise AnswerLost("the connection was closed")
        return reply

    def wait(self, timeout_s: float) -> Reply:
        """Return the reply, waiting for it.

        Raises:
            AnswerLost: the connection ended, or nothing came for `timeout_s`.
        """
        self._socket.settimeout(timeout_s)
        while (reply := self.receive()) is None:
            pass
        return reply

    def _parsed(self, *, ended: bool) -> Reply | None:
        end = self._received.find(b"\r\n\r\n")
        if end < 0:
            if len(self._received) > _HEAD_LIMIT_BYTES:
                raise AnswerLost("the answer is no HTTP")
            return None
        status, fields = _head_of(bytes(self._received[:end]))
        if 100 <= status < 200:
            del self._received[: end + 4]
            return self._parsed(ended=ended)
        try:
            body = _body_of(self._received, end + 4, status, fields, ended=ended)
        except ValueError as error:
            raise AnswerLost("the answer is no HTTP") from error
        if body is None:
            return None
        self._received.clear()
        self.reusable = not ended and fields.get("connection", "").lower() != "close"
        is_json = fields.get("content-type", "").lower().startswith("application/json")
        return Reply(status=status, json=is_json, body=body)


def _connect(address: Address) -> socket.socket:
    try:
        plain = socket.create_connection((address.host, address.port), timeout=CONNECT_S)
        plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connected = _secured(plain, address) if address.secure else plain
        connected.settimeout(None)
    except OSError as error:
        raise HubAway(f"{address.authority}: {error}") from error
    return connected


def _secured(plain: socket.socket, address: Address) -> socket.socket:
    import ssl  # only a hub behind TLS pays for it

    return ssl.create_default_context().wrap_socket(plain, server_hostname=address.host)


def _head_of(head: bytes) -> tuple[int, dict[str, str]]:
    first, *lines = head.decode("latin-1").split("\r\n")
    version, _, rest = first.partition(" ")
    if not version.startswith("HTTP/1.") or not rest[:3].isdecimal():
        raise AnswerLost("the answer is no HTTP")
    pairs = (line.partition(":") for line in lines)
    return int(rest[:3]), {name.strip().lower(): value.strip() for name, _, value in pairs}


def _body_of(
    received: bytearray, start: int, status: int, fields: Mapping[str, str], *, ended: bool
) -> bytes | None:
    if status in (204, 304):
        return b""
    if "chunked" in fields.get("transfer-encoding", "").lower():
        return _joined(received, start)
    if "content-length" not in fields:
        return bytes(received[start:]) if ended else None
    end = start + int(fields["content-length"])
    return bytes(received[start:end]) if len(received) >= end else None


def _joined(received: bytearray, start: int) -> bytes | None:
    """Return the chunks of a body in one piece, None while the last is missing."""
    body = bytearray()
    while (line := received.find(b"\r\n", start)) >= 0:
        size = int(received[start:line].partition(b";")[0], 16)
        end = line + 2 + size
        if len(received) < end + 2:
            return None
        if size == 0:
            return bytes(body)
        body += received[line + 2 : end]
        start = end + 2
    return None
