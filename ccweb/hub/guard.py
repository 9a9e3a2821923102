"""The guard: Host, Origin and size of every request, checked before anything else looks at it."""

import ipaddress
import re
import socket
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ccweb.errors import CcwebError, ContentTooLarge, Forbidden
from ccweb.hub.bodies import refusal
from ccweb.settings import Settings

_HOST: Final = re.compile(r"(?P<name>\[[0-9a-f:.]+\]|[^\[\]:@/\s]+)(:\d{1,5})?")
_SAFE_METHODS: Final = frozenset({"GET", "HEAD", "OPTIONS"})
_LOOPBACK_NAMES: Final = frozenset({"localhost", "127.0.0.1", "::1"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Names:
    """The names by which this hub may be called: no other site's name leads here (rebinding)."""

    known: frozenset[str]
    any_address: bool
    """True beyond loopback: a plain address cannot be a foreign site's name."""

    def has(self, host: str) -> bool:
        """Tell whether a Host header names this hub."""
        name = _hostname(host)
        return name in self.known or (self.any_address and _is_address(name))


def names_of(s: Settings) -> Names:
    """Return the names that belong to the address that the hub listens on."""
    if is_loopback(s.host):
        return Names(known=_LOOPBACK_NAMES | {s.host}, any_address=False)
    machine = socket.gethostname().lower()
    given = urlsplit(s.url).hostname if s.url else None
    known = _LOOPBACK_NAMES | {s.host.lower(), machine, f"{machine}.local"}
    return Names(known=known | ({given} if given else set()), any_address=True)


def is_loopback(host: str) -> bool:
    """Tell whether an address to listen on is reached from this machine alone."""
    return host == "localhost" or (_is_address(host) and ipaddress.ip_address(host).is_loopback)


class Guard:
    """ASGI middleware around the whole hub."""

    def __init__(self, app: ASGIApp, *, s: Settings) -> None:
        self._app = app
        self._s = s
        self._names = names_of(s)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] == "lifespan":
            return await self._app(scope, receive, send)
        if scope["type"] != "http":
            return await send({"type": "websocket.close", "code": 1008})
        error = self._refused(Headers(scope=scope), scope["method"])
        if error is not None:
            return await refusal(error, self._s.lang)(scope, receive, send)
        return await self._app(scope, self._limited(receive), send)

    def _refused(self, headers: Headers, method: str) -> CcwebError | None:
        host, origin = headers.get("host", ""), headers.get("origin")
        if not self._names.has(host):
            return Forbidden(why="The Host header names another site than this hub.")
        if origin is not None and not _is_same(origin, host):
            return Forbidden(why="The Origin header names another site than this hub.")
        if origin is None and method not in _SAFE_METHODS and "cookie" in headers:
            return Forbidden(why="A change from a browser needs an Origin header.")
        return self._too_large(headers.get("content-length", "0"))

    def _too_large(self, length: str) -> ContentTooLarge | None:
        limit = self._s.body_limit_bytes
        size = int(length) if length.isascii() and length.isdecimal() else 0
        return ContentTooLarge(size_bytes=size, limit_bytes=limit) if size > limit else None

    def _limited(self, receive: Receive) -> Receive:
        """Count a body that did not say how long it is."""
        size, limit = 0, self._s.body_limit_bytes

        async def counted() -> Message:
            nonlocal size
            message = await receive()
            size += len(message.get("body", b""))
            if size > limit:
                raise ContentTooLarge(size_bytes=size, limit_bytes=limit)
            return message

        return counted


def _hostname(host: str) -> str:
    """Return the name in a Host header without its port, '' for anything that is no host."""
    parts = _HOST.fullmatch(host.lower())
    return parts["name"].strip("[]") if parts else ""


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _is_same(origin: str, host: str) -> bool:
    scheme, _, place = origin.lower().partition("://")
    return scheme in ("http", "https") and place == host.lower()
