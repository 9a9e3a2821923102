"""Asking the served product for its tools in every protocol version, as raw bytes."""

import json
import subprocess
from collections.abc import Mapping, Sequence
from typing import Any

import httpx2
from mcp_types import CLIENT_CAPABILITIES_META_KEY, PROTOCOL_VERSION_META_KEY

from tests.served.product import CCWEB, START_S, Product

HANDSHAKE = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
"""Versions that are agreed on once, by `initialize`."""
MODERN = "2026-07-28"
"""The version that each request names for itself."""
VERSIONS = (*HANDSHAKE, MODERN)
INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}


def request(number: int, method: str, **params: Any) -> dict[str, Any]:
    """Return a request."""
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


def opening(version: str) -> dict[str, Any]:
    """Return the first request of a client: with a handshake, or to find out what is served."""
    if version == MODERN:
        return request(1, "server/discover", **_meta())
    info = {"name": "test", "version": "1"}
    return request(1, "initialize", protocolVersion=version, capabilities={}, clientInfo=info)


def listing(version: str) -> dict[str, Any]:
    """Return the request for the tools."""
    return request(2, "tools/list", **(_meta() if version == MODERN else {}))


def _meta() -> dict[str, Any]:
    return {"_meta": {PROTOCOL_VERSION_META_KEY: MODERN, CLIENT_CAPABILITIES_META_KEY: {}}}


def over_http(program: httpx2.Client, version: str) -> list[bytes]:
    """Return the two answers at the HTTP door: to the opening, and to the request for tools."""
    answers = []
    for message in (opening(version), INITIALIZED, listing(version)):
        if message is INITIALIZED and version == MODERN:
            continue
        answer = program.post("/mcp", json=message, headers=_headers(version, message))
        assert answer.status_code == (200 if "id" in message else 202), answer.text
        answers += [answer.content] if "id" in message else []
    return answers


def _headers(version: str, message: Mapping[str, Any]) -> dict[str, str]:
    accepted = {"Accept": "application/json, text/event-stream"}
    if version == MODERN:
        return accepted | {"MCP-Protocol-Version": version, "Mcp-Method": message["method"]}
    is_first = message["method"] == "initialize"
    return accepted | ({} if is_first else {"MCP-Protocol-Version": version})


def over_stdio(product: Product, version: str) -> list[bytes]:
    """Return the same two answers of `ccweb mcp`, whose client waits for the first of them."""
    environ = {**product.environ, "CCWEB_URL": product.url, "CCWEB_TOKEN": product.token}
    second = [listing(version)] if version == MODERN else [INITIALIZED, listing(version)]
    with subprocess.Popen(
        [CCWEB, "mcp"], env=environ, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as bridge:
        try:
            assert bridge.stdin is not None
            assert bridge.stdout is not None
            bridge.stdin.write(_lines([opening(version)]))
            bridge.stdin.flush()
            first = bridge.stdout.readline()
            rest, _ = bridge.communicate(_lines(second), timeout=START_S)
        finally:
            bridge.kill()
    return [line for line in (first + rest).split(b"\n") if line]


def _lines(messages: Sequence[Mapping[str, Any]]) -> bytes:
    return b"".join(json.dumps(message).encode() + b"\n" for message in messages)
