"""The envelope of a JSON-RPC message, checked before the SDK so that its error is clear."""

import json
from typing import Any

from mcp_types import INVALID_REQUEST, PARSE_ERROR


def problem(body: bytes) -> dict[str, Any] | None:
    """Return the JSON-RPC error that a body deserves, None when it is one good message."""
    try:
        message = json.loads(body)
    except RecursionError:
        return _error(PARSE_ERROR, "The body is nested too deeply.")
    except ValueError as error:
        return _error(PARSE_ERROR, f"The body is no valid JSON: {str(error)[:120]}.")
    why = _fault(message)
    return None if why is None else _error(INVALID_REQUEST, why)


def _fault(message: Any) -> str | None:
    if isinstance(message, list):
        return "The body must be one message; batches are not part of MCP."
    if not isinstance(message, dict):
        return "The body must be a JSON-RPC message, which is an object."
    if message.get("jsonrpc") != "2.0":
        return '`jsonrpc` must be "2.0".'
    if "result" in message or "error" in message:
        return None
    if not isinstance(message.get("method"), str):
        return "`method` must be a text."
    if not isinstance(message.get("params", {}), dict):
        return "`params` must be an object."
    if "id" in message and type(message["id"]) not in (str, int):
        return "`id` must be a text or a whole number."
    return None


def _error(code: int, why: str) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": None, "error": {"code": code, "message": why}}
