"""The short way of `tools/call`: the SDK's very answer, without a session of its own for each call.

The SDK builds a transport, a dispatcher and tasks for every request, which is more than half of
what a call costs. Whatever is not plainly a good call of a known tool is left to the SDK.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Final

from mcp.server.streamable_http import check_accept_headers
from mcp.shared.inbound import (
    MCP_PARAM_HEADER_PREFIX,
    MCP_PROTOCOL_VERSION_HEADER,
    InboundModernRoute,
    classify_inbound_request,
    find_duplicated_routing_header,
)
from mcp_types import (
    CLIENT_CAPABILITIES_META_KEY,
    CLIENT_INFO_META_KEY,
    SERVER_INFO_META_KEY,
)
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS
from starlette.requests import Request

import ccweb
from ccweb.tools import catalog
from ccweb.tools.answer import Answer
from ccweb_contract.enums import Door

ERROR_META: Final = "ccweb/error"
_SERVER: Final = {"name": "ccweb", "version": ccweb.__version__}
_PARAMS: Final = {"name", "arguments", "_meta"}
_PARAM_HEADER: Final = MCP_PARAM_HEADER_PREFIX.lower()


class Era(StrEnum):
    """Which form a result has."""

    HANDSHAKE = "handshake"
    MODERN = "modern"


def era_of(request: Request, message: Mapping[str, Any]) -> Era | None:
    """Return the era of a plain call, None for anything that is the SDK's to answer."""
    if message.get("method") != "tools/call" or "id" not in message:
        return None
    if not _is_plain(message.get("params", {})) or not check_accept_headers(request)[0]:
        return None
    version = request.headers.get(MCP_PROTOCOL_VERSION_HEADER)
    if version is None or version in HANDSHAKE_PROTOCOL_VERSIONS:
        return Era.HANDSHAKE
    return Era.MODERN if _is_modern(request, message) else None


def reply(message: Mapping[str, Any], answer: Answer, era: Era) -> dict[str, Any]:
    """Return the response to a call."""
    result: dict[str, Any] = {
        "content": [{"type": "text", "text": answer.text}],
        "isError": answer.refusal is not None,
    }
    meta: dict[str, Any] = {}
    if answer.refusal is None:
        result["structuredContent"] = answer.body
    else:
        meta[ERROR_META] = answer.refusal.envelope
    if era is Era.MODERN:
        result["resultType"] = "complete"
        meta[SERVER_INFO_META_KEY] = _SERVER
    if meta:
        result["_meta"] = meta
    return {"jsonrpc": "2.0", "id": message["id"], "result": result}


def _is_plain(params: Mapping[str, Any]) -> bool:
    name = params.get("name")
    return (
        isinstance(name, str)
        and catalog.is_known(name, Door.MCP)
        and isinstance(params.get("arguments", {}), dict)
        and isinstance(params.get("_meta", {}), dict)
        and params.keys() <= _PARAMS
    )


def _is_modern(request: Request, message: Mapping[str, Any]) -> bool:
    headers = request.headers
    if not isinstance(classify_inbound_request(message, headers=headers), InboundModernRoute):
        return False
    if find_duplicated_routing_header(headers.items()) is not None:
        return False
    meta = message["params"]["_meta"]
    info = meta.get(CLIENT_INFO_META_KEY, {"name": "", "version": ""})
    return (
        isinstance(meta[CLIENT_CAPABILITIES_META_KEY], dict)
        and isinstance(info, dict)
        and all(isinstance(info.get(key), str) for key in ("name", "version"))
        and not any(name.startswith(_PARAM_HEADER) for name in headers)
    )
