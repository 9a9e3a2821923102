"""JSON-RPC as MCP puts it on HTTP: the headers that mirror a message, and errors of our own."""

import base64
import json
import re
from collections.abc import Mapping
from typing import Any, Final

from ccweb_contract.enums import Lang
from ccweb_contract.errors import REMEDIES, ErrorCode

MODERN_VERSION: Final = "2026-07-28"
"""The version that `ccweb call` speaks: one request stands for itself, with no handshake."""

PATH: Final = "/mcp"
VERSION_KEY: Final = "io.modelcontextprotocol/protocolVersion"
CLIENT_KEY: Final = "io.modelcontextprotocol/clientInfo"
CAPABILITIES_KEY: Final = "io.modelcontextprotocol/clientCapabilities"

PARSE_ERROR: Final = -32700
INVALID_REQUEST: Final = -32600
INVALID_PARAMS: Final = -32602
SERVER_ERROR: Final = -32000

_NAMED_BY: Final = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
_PLAIN: Final = re.compile(r"[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?")
_WRAPPED: Final = re.compile(r"=\?base64\?.*\?=")


def headers_of(message: Mapping[str, Any], negotiated: str | None) -> dict[str, str]:
    """Return the headers that mirror a message, whatever its protocol version."""
    params = message.get("params")
    params = params if isinstance(params, dict) else {}
    meta = params.get("_meta")
    own = meta.get(VERSION_KEY) if isinstance(meta, dict) else None
    method = message.get("method")
    name = params.get(_NAMED_BY[method]) if method in _NAMED_BY else None
    headers = {
        "MCP-Protocol-Version": own if own else None if method == "initialize" else negotiated,
        "Mcp-Method": method,
        "Mcp-Name": name,
    }
    return {key: _encoded(value) for key, value in headers.items() if isinstance(value, str)}


def error_text(message_id: Any, code: int, detail: str, error: ErrorCode | None = None) -> bytes:
    """Return an error message on one line; `error` adds the envelope that all doors show."""
    body: dict[str, Any] = {"code": code, "message": detail}
    if error is not None:
        body["data"] = {
            "error_code": error.value,
            "detail": detail,
            "remedy": REMEDIES[error][Lang.EN],
        }
    return json.dumps(
        {"jsonrpc": "2.0", "id": message_id, "error": body}, ensure_ascii=False
    ).encode(errors="replace")


def _encoded(value: str) -> str:
    """Return a header value as it is when it is plain, else in the form that MCP defines."""
    if _PLAIN.fullmatch(value) and not _WRAPPED.fullmatch(value):
        return value
    return f"=?base64?{base64.b64encode(value.encode(errors='replace')).decode()}?="
