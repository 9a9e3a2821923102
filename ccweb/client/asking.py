"""One tool call as it goes over the wire: MCP first, plain HTTP where MCP is not served."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final
from urllib.parse import quote

import ccweb
from ccweb.client import age
from ccweb.client.connection import AnswerLost, Connection, HubAway, Reply, address_of
from ccweb.client.jsonrpc import (
    CAPABILITIES_KEY,
    CLIENT_KEY,
    MODERN_VERSION,
    PATH,
    VERSION_KEY,
    headers_of,
)
from ccweb.tools.answer import RUN_HEADER, Answer, Refusal, refused
from ccweb_contract.enums import Lang
from ccweb_contract.errors import ErrorCode

_ANSWER_S: Final = 60.0
_NOT_SERVED: Final = frozenset({404, 405, 500, 501, 502, 503})
"""Statuses of `/mcp` that say that MCP is not served there; nothing was carried out."""
_MOST_PAGES: Final = 50


def call(
    url: str, token: str, tool: str, arguments: Mapping[str, Any], *, run_id: str | None = None
) -> Answer:
    """Call a tool and return its answer; a hub that is away is a refusal too.

    Raises:
        ValueError: `url` is no http or https URL.
    """
    address = address_of(url)
    run = {RUN_HEADER: run_id} if run_id else {}
    try:
        connection = Connection(address, token)
        try:
            return _over_mcp(connection, tool, arguments, run) or _over_http(
                Connection(address, token), tool, arguments, run
            )
        finally:
            connection.close()
    except HubAway as error:
        why = f"The hub cannot be reached at {url}; is `ccweb serve` running? ({error})"
        return refused(ErrorCode.UNAVAILABLE, why, Lang.EN)
    except AnswerLost as error:
        why = f"The hub went away before it answered ({error}); it may have acted already."
        return refused(ErrorCode.UNAVAILABLE, why, Lang.EN)


def _over_mcp(
    connection: Connection, tool: str, arguments: Mapping[str, Any], run: Mapping[str, str]
) -> Answer | None:
    """Return the answer of the MCP door, None when there is no such door."""
    reply = _asked(connection, "tools/call", {"name": tool, "arguments": arguments}, run)
    body = _object(reply)
    if isinstance(body.get("error"), dict):
        return _from_error(connection, tool, body["error"])
    if isinstance(body.get("result"), dict):
        return _from_result(tool, body["result"])
    is_barred = reply.status == 403 and "error_code" not in body  # by another, on the way to a hub
    return None if is_barred or reply.status in _NOT_SERVED else _from_envelope(reply, body)


def _over_http(
    connection: Connection, tool: str, arguments: Mapping[str, Any], run: Mapping[str, str]
) -> Answer:
    try:
        path = f"/api/mcp/tools/{quote(tool, safe='')}/"
        connection.send(path, _encoded(arguments), run)
        reply = connection.wait(_ANSWER_S)
    finally:
        connection.close()
    body = _object(reply)
    if reply.status == 404 and tool in age.CANONICAL:
        return age.too_old(tool)
    return Answer(result=body) if reply.status == 200 else _from_envelope(reply, body)


def _asked(
    connection: Connection, method: str, params: Mapping[str, Any], run: Mapping[str, str]
) -> Reply:
    meta = {
        VERSION_KEY: MODERN_VERSION,
        CLIENT_KEY: {"name": "ccweb call", "version": ccweb.__version__},
        CAPABILITIES_KEY: {},
    }
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, "_meta": meta}}
    connection.send(PATH, _encoded(message), {**headers_of(message, None), **run})
    return connection.wait(_ANSWER_S)


def _encoded(value: Any) -> bytes:
    return json.dumps(value).encode()


def _from_result(tool: str, result: Mapping[str, Any]) -> Answer:
    if not result.get("isError"):
        return Answer(result=_dict(result.get("structuredContent")))
    envelope = _dict(_dict(result.get("_meta")).get("ccweb/error"))
    if envelope:
        return _from_refusal(envelope)
    if tool in age.CANONICAL and age.is_unknown_result(result):
        return age.too_old(tool)
    why = " ".join(age.texts_of(result)) or "The tool failed and does not say why."
    return refused(ErrorCode.INTERNAL, why, Lang.EN)


def _from_error(connection: Connection, tool: str, error: Mapping[str, Any]) -> Answer:
    data = error.get("data")
    ours = isinstance(data, dict) and "error_code" in data
    if tool in age.CANONICAL and (
        age.is_unknown_tool(error) or (not ours and not _is_listed(connection, tool))
    ):
        return age.too_old(tool)
    if isinstance(data, dict) and ours:
        return _from_refusal(data)
    return refused(ErrorCode.INVALID_PARAMS, str(error.get("message", "")), Lang.EN)


def _is_listed(connection: Connection, tool: str) -> bool:
    """Tell whether a server lists a tool; one that shows no list is no proof that it lacks one."""
    pages = list(_pages(connection))
    return not pages or any(
        isinstance(one, dict) and one.get("name") == tool for page in pages for one in page
    )


def _pages(connection: Connection) -> Iterator[list[Any]]:
    """Yield the pages of the list of tools."""
    cursor: dict[str, Any] = {}
    for _ in range(_MOST_PAGES):
        body = _object(_asked(connection, "tools/list", cursor, {}))
        result = body.get("result")
        if not isinstance(result, dict) or not isinstance(result.get("tools"), list):
            return
        yield result["tools"]
        if not result.get("nextCursor"):
            return
        cursor = {"cursor": result["nextCursor"]}


def _from_envelope(reply: Reply, body: Mapping[str, Any]) -> Answer:
    if "error_code" in body:
        return _from_refusal(body)
    why = f"The hub answered with HTTP {reply.status}: {body.get('detail', 'no reason given')}"
    return refused(ErrorCode.UNAVAILABLE, why, Lang.EN)


def _from_refusal(envelope: Mapping[str, Any]) -> Answer:
    """Return the refusal; a code that this version does not know is told in the detail."""
    code, detail = str(envelope.get("error_code", "")), str(envelope.get("detail", ""))
    if code not in set(ErrorCode):
        return refused(ErrorCode.INTERNAL, f"{code}: {detail}", Lang.EN)
    remedy = str(envelope.get("remedy", ""))
    return Answer(refusal=Refusal(code=ErrorCode(code), detail=detail, remedy=remedy))


def _object(reply: Reply) -> dict[str, Any]:
    try:
        return _dict(json.loads(reply.body) if reply.json else None)
    except (ValueError, RecursionError):
        return {}


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
