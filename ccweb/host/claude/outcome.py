"""How a turn of Claude Code ended: its result line, or its silence, as the end of the turn.

That a result calls itself a success says nothing: failures of the model's service do so too.
"""

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, Final

from ccweb.conversations.model import TurnEnd, TurnFacts
from ccweb.host.claude.lines import Line, Reading
from ccweb_contract.enums import TurnFailure, TurnStatus

_ERROR_CHARACTERS: Final = 2000
_BY_STATUS: Final = {
    401: TurnFailure.NOT_LOGGED_IN,
    403: TurnFailure.NOT_LOGGED_IN,
    408: TurnFailure.NETWORK_DOWN,
    413: TurnFailure.CONTEXT_FULL,
    429: TurnFailure.RATE_LIMITED,
}
_BY_NAME: Final = {
    "connection_failed": TurnFailure.NETWORK_DOWN,
    "usage_limit_reached": TurnFailure.RATE_LIMITED,
    "authentication": TurnFailure.NOT_LOGGED_IN,
    "rate_limit": TurnFailure.RATE_LIMITED,
    "overloaded": TurnFailure.OVERLOADED,
    "invalid_request": TurnFailure.REQUEST_REFUSED,
}
"""By how the program's own words for it begin; the result's go before the message's."""

_CONTEXT_FULL: Final = re.compile(r"prompt is too long|context window", re.IGNORECASE)
_SESSION_MISSING: Final = "No conversation found with session ID"
_TOO_OLD: Final = re.compile(r"unknown option|option '.*' argument '.*' is invalid")
_NOT_STARTED: Final = frozenset({126, 127})
"""With these a shell says that it could not run a program."""
_NO_COUNT: Final = 10**12
_DIAGNOSTIC: Final = "[ede_diagnostic]"


def outcome(reading: Reading) -> TurnEnd:
    """Return the end of a turn whose result line has been read."""
    result = reading.result or {}
    if not result.get("is_error") and result.get("stop_reason") != "refusal":
        status = TurnStatus.COMPLETED if reading.text.strip() else TurnStatus.EMPTY
        return _end(reading, status)
    if str(result.get("terminal_reason")).startswith("aborted"):
        return _end(reading, TurnStatus.INTERRUPTED)
    return _end(
        reading,
        TurnStatus.FAILED,
        failure=_failure(reading, result),
        error=_words(result),
        retry_at=_reset(reading),
    )


def broken_off(reading: Reading, *, code: int | None, error_tail: str) -> TurnEnd:
    """Return the end of a turn whose program ended before it said how the turn did."""
    words = error_tail.strip()[-_ERROR_CHARACTERS:]
    ended = "It ended without a result" + (f" (exit code {code})" if code is not None else "")
    return _end(
        reading,
        TurnStatus.FAILED,
        failure=_failure_of_start(words, code, begun=reading.begun),
        error=f"{ended}: {words}" if words else f"{ended}.",
    )


def silent(reading: Reading, *, after_s: float) -> TurnEnd:
    """Return the end of a turn whose program said nothing for too long."""
    return _end(
        reading,
        TurnStatus.FAILED,
        failure=TurnFailure.PROGRAM_CRASHED,
        error=f"It said nothing for {after_s:g} s and was ended.",
    )


def _end(reading: Reading, status: TurnStatus, **more: Any) -> TurnEnd:
    result = reading.result or {}
    reason = result.get("stop_reason")
    return TurnEnd(
        status=status,
        text=reading.text,
        stop_reason=reason if isinstance(reason, str) else None,
        facts=_facts(reading, result),
        **more,
    )


def _failure(reading: Reading, result: Line) -> TurnFailure:
    words = _words(result)
    if _SESSION_MISSING in words:
        return TurnFailure.SESSION_MISSING
    if result.get("terminal_reason") == "prompt_too_long" or _CONTEXT_FULL.search(words):
        return TurnFailure.CONTEXT_FULL
    if result.get("stop_reason") == "refusal":
        return TurnFailure.REQUEST_REFUSED
    status = result.get("api_error_status")
    if isinstance(status, int):
        return _by_status(status)
    return _by_name(str(result.get("api_error"))) or _by_name(reading.refused) or TurnFailure.OTHER


def _by_status(status: int) -> TurnFailure:
    if status in _BY_STATUS:
        return _BY_STATUS[status]
    return TurnFailure.OVERLOADED if status >= 500 else TurnFailure.REQUEST_REFUSED


def _by_name(name: str) -> TurnFailure | None:
    found = (failure for begin, failure in _BY_NAME.items() if name.startswith(begin))
    return next(found, None)


def _failure_of_start(words: str, code: int | None, *, begun: bool) -> TurnFailure:
    if not begun and _TOO_OLD.search(words):
        return TurnFailure.PROGRAM_TOO_OLD
    if not begun and code in _NOT_STARTED:
        return TurnFailure.PROGRAM_MISSING
    return TurnFailure.PROGRAM_CRASHED


def _words(result: Line) -> str:
    """Return what the program says of a failure, in its own words where it has any."""
    errors = result.get("errors")
    listed = errors if isinstance(errors, list) else []
    said = [str(one) for one in listed if not str(one).startswith(_DIAGNOSTIC)]
    if not said and isinstance(result.get("result"), str):
        said = [result["result"]]
    return "\n".join(said)[:_ERROR_CHARACTERS] or _unsaid(result)


def _unsaid(result: Line) -> str:
    return f"Claude Code ended without an answer ({result.get('subtype')})."


def _reset(reading: Reading) -> datetime | None:
    try:
        return None if reading.reset_at is None else datetime.fromtimestamp(reading.reset_at, UTC)
    except (OverflowError, ValueError):  # no time
        return None


def _facts(reading: Reading, result: Line) -> TurnFacts:
    """Return what a turn took, all its subagents included.

    Totals go on over the whole session; only what was used since its last result is the turn's.
    """
    since = result.get("model_usage_since_last_result")
    by_model = since.values() if isinstance(since, dict) else ()
    used = [one for one in by_model if isinstance(one, dict)]
    if not used:
        return TurnFacts(model=reading.model)
    cached = _sum(used, "cacheReadInputTokens")
    return TurnFacts(
        model=reading.model,
        cost_microusd=round(_sum(used, "costUSD") * 1_000_000),
        input_tokens=int(_sum(used, "inputTokens", "cacheCreationInputTokens") + cached),
        cached_tokens=int(cached),
        output_tokens=int(_sum(used, "outputTokens")),
    )


def _sum(used: Sequence[Line], *names: str) -> float:
    values = [one.get(name) for one in used for name in names]
    return sum(
        value for value in values if isinstance(value, int | float) and 0 <= value < _NO_COUNT
    )
