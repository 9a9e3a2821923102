"""`ccweb call`: one tool call from a script, over MCP, or plain HTTP where MCP is not served."""

import json
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import quote

import ccweb
from ccweb.cli.connection import AnswerLost, Connection, HubAway, Reply, address_of
from ccweb.cli.jsonrpc import (
    CAPABILITIES_KEY,
    CLIENT_KEY,
    MODERN_VERSION,
    PATH,
    VERSION_KEY,
    headers_of,
)
from ccweb.tools.answer import Answer, Refusal, refused
from ccweb_contract.enums import Lang
from ccweb_contract.errors import ErrorCode

_ANSWER_S: Final = 60.0
_NOT_SERVED: Final = frozenset({404, 405, 500, 501, 502, 503})
"""Statuses of `/mcp` that say that MCP is not served there; nothing was carried out."""


def call(url: str, token: str, tool: str, arguments: Mapping[str, Any]) -> Answer:
    """Call a tool and return its answer; a hub that is away is a refusal too.

    Raises:
        ValueError: `url` is no http or https URL.
    """
    address = address_of(url)
    try:
        connection = Connection(address, token)
        try:
            return _over_mcp(connection, tool, arguments) or _over_http(
                Connection(address, token), tool, arguments
            )
        finally:
            connection.close()
    except HubAway as error:
        why = f"The hub cannot be reached at {url}; is `ccweb serve` running? ({error})"
        return refused(ErrorCode.UNAVAILABLE, why, Lang.EN)
    except AnswerLost as error:
        why = f"The hub went away before it answered ({error}); it may have acted already."
        return refused(ErrorCode.UNAVAILABLE, why, Lang.EN)


def _over_mcp(connection: Connection, tool: str, arguments: Mapping[str, Any]) -> Answer | None:
    """Return the answer of the MCP door, None when there is no such door."""
    message = _message(tool, arguments)
    connection.send(PATH, _encoded(message), headers_of(message, None))
    reply = connection.wait(_ANSWER_S)
    body = _object(reply)
    if "jsonrpc" not in body:
        return None if reply.status in _NOT_SERVED else _from_envelope(reply, body)
    if "error" in body:
        return _from_error(body["error"])
    return _from_result(body.get("result", {}))


def _over_http(connection: Connection, tool: str, arguments: Mapping[str, Any]) -> Answer:
    try:
        path = f"/api/mcp/tools/{quote(tool, safe='')}/"
        connection.send(path, _encoded(arguments), {})
        reply = connection.wait(_ANSWER_S)
    finally:
        connection.close()
    body = _object(reply)
    return Answer(result=body) if reply.status == 200 else _from_envelope(reply, body)


def _message(tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    meta = {
        VERSION_KEY: MODERN_VERSION,
        CLIENT_KEY: {"name": "ccweb call", "version": ccweb.__version__},
        CAPABILITIES_KEY: {},
    }
    params = {"name": tool, "arguments": arguments, "_meta": meta}
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}


def _encoded(value: Any) -> bytes:
    return json.dumps(value).encode()


def _from_result(result: Mapping[str, Any]) -> Answer:
    if not result.get("isError"):
        return Answer(result=result.get("structuredContent", {}))
    return _from_refusal(result.get("_meta", {}).get("ccweb/error", {}))


def _from_error(error: Mapping[str, Any]) -> Answer:
    data = error.get("data")
    if isinstance(data, dict) and "error_code" in data:
        return _from_refusal(data)
    return refused(ErrorCode.INVALID_PARAMS, str(error.get("message", "")), Lang.EN)


def _from_envelope(reply: Reply, body: Mapping[str, Any]) -> Answer:
    if "error_code" in body:
        return _from_refusal(body)
    why = f"The hub answered with HTTP {reply.status}: {body.get('detail', 'no reason given')}"
    return refused(ErrorCode.UNAVAILABLE, why, Lang.EN)


def _from_refusal(envelope: Mapping[str, Any]) -> Answer:
    """Return the refusal; a code that this version does not know is told in the detail."""
    code, detail = envelope.get("error_code", ""), str(envelope.get("detail", ""))
    if code not in set(ErrorCode):
        return refused(ErrorCode.INTERNAL, f"{code}: {detail}", Lang.EN)
    remedy = str(envelope.get("remedy", ""))
    return Answer(refusal=Refusal(code=ErrorCode(code), detail=detail, remedy=remedy))


def _object(reply: Reply) -> dict[str, Any]:
    try:
        parsed = json.loads(reply.body) if reply.json else {}
    except ValueError:
        return {}
    return parsed if isinstance(parsed, dict) else {}
