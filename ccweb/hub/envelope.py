"""The envelope of a JSON-RPC message, checked before the SDK so that its error is clear."""

from typing import Any

from mcp_types import INVALID_REQUEST, PARSE_ERROR

from ccweb.hub.bodies import parsed
from ccweb.tools.arguments import is_clean


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
        message = parsed(body)
    except ValueError as error:
        raise Malformed(PARSE_ERROR, str(error)) from error
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
    if "id" in message and not _is_id(message["id"]):
        return "`id` must be a text or a whole number."
    if "result" in message or "error" in message:
        return _fault_of_answer(message)
    if not isinstance(message.get("method"), str):
        return "`method` must be a text."
    if not isinstance(message.get("params", {}), dict):
        return "`params` must be an object."
    return None


def _fault_of_answer(message: dict[str, Any]) -> str | None:
    """Return what is wrong with an answer; the hub asks its clients nothing, but they may err."""
    whole = "id" in message and isinstance(message.get("result", message.get("error")), dict)
    return None if whole else "An answer has an `id` and an object as `result` or `error`."


def _is_id(value: Any) -> bool:
    """Tell whether an id can be sent back: half of a surrogate pair cannot."""
    return type(value) is int or (isinstance(value, str) and is_clean(value))
