"""The envelope of a JSON-RPC message, checked before the SDK so that its error is clear."""

import json
from typing import Any

from mcp_types import INVALID_REQUEST, PARSE_ERROR


class Malformed(Exception):
    """A body that is no JSON-RPC message."""

    def __init__(self, code: int, why: str) -> None:
        super().__init__(why)
        self.code = code

    @property
    def answer(self) -> dict[str, Any]:
        """Return the JSON-RPC error that it deserves."""
        error = {"code": self.code, "message": str(self)}
        return {"jsonrpc": "2.0", "id": None, "error": error}


def message_of(body: bytes) -> dict[str, Any]:
    """Return the one message of a body.

    Raises:
        Malformed: it is no JSON, a batch, or no message.
    """
    try:
        message = json.loads(body)
    except RecursionError as error:
        raise Malformed(PARSE_ERROR, "The body is nested too deeply.") from error
    except ValueError as error:
        why = f"The body is no valid JSON: {str(error)[:120]}."
        raise Malformed(PARSE_ERROR, why) from error
    if isinstance(message, list):
        raise Malformed(INVALID_REQUEST, "The body must be one message; MCP has no batches.")
    if not isinstance(message, dict):
        raise Malformed(INVALID_REQUEST, "The body must be a JSON-RPC message: an object.")
    fault = _fault(message)
    if fault is not None:
        raise Malformed(INVALID_REQUEST, fault)
    return message


def _fault(message: dict[str, Any]) -> str | None:
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
