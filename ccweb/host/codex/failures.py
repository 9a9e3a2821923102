"""Why Codex could not do a turn, from its own words and codes."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from ccweb_contract.enums import TurnFailure

_BY_CODE: Final = {
    "contextWindowExceeded": TurnFailure.CONTEXT_FULL,
    "sessionBudgetExceeded": TurnFailure.RATE_LIMITED,
    "usageLimitExceeded": TurnFailure.RATE_LIMITED,
    "rateLimitExceeded": TurnFailure.RATE_LIMITED,
    "serverOverloaded": TurnFailure.OVERLOADED,
    "internalServerError": TurnFailure.OVERLOADED,
    "flexUnavailable": TurnFailure.OVERLOADED,
    "policyCapacityUnavailable": TurnFailure.OVERLOADED,
    "unauthorized": TurnFailure.NOT_LOGGED_IN,
    "badRequest": TurnFailure.REQUEST_REFUSED,
    "modelNotFound": TurnFailure.REQUEST_REFUSED,
    "cyberPolicy": TurnFailure.REQUEST_REFUSED,
    "bioPolicy": TurnFailure.REQUEST_REFUSED,
    "misalignmentPolicyViolation": TurnFailure.REQUEST_REFUSED,
    "inferenceHookDenied": TurnFailure.REQUEST_REFUSED,
    "tooManyDenials": TurnFailure.REQUEST_REFUSED,
}
_BY_STATUS: Final = {
    401: TurnFailure.NOT_LOGGED_IN,
    408: TurnFailure.NETWORK_DOWN,
    429: TurnFailure.RATE_LIMITED,
}
_BY_WORDS: Final = (
    (r"ran out of room in the model's context window", TurnFailure.CONTEXT_FULL),
    (r"hit your usage limit|quota exceeded|rate limit", TurnFailure.RATE_LIMITED),
    (r"high demand|overloaded|at capacity", TurnFailure.OVERLOADED),
    (r"not logged in|log in again|token could not be refreshed", TurnFailure.NOT_LOGGED_IN),
    (r"missing environment variable", TurnFailure.NOT_LOGGED_IN),
    (r"stream disconnected|error sending request|connection failed", TurnFailure.NETWORK_DOWN),
    (r"no rollout found|invalid session id|thread not found", TurnFailure.SESSION_MISSING),
    (r"unexpected argument|unrecognized subcommand|invalid value", TurnFailure.PROGRAM_TOO_OLD),
    (r"unknown variant|requires experimentalapi", TurnFailure.PROGRAM_TOO_OLD),
)
_FULL_PERCENT: Final = 100
_STATUS: Final = re.compile(r"\bstatus:? (\d{3})\b")
_IN: Final = re.compile(
    r"try again in (?:(\d+) ?h\w*)? ?(?:(\d+) ?m\w*)? ?(?:([\d.]+) ?s\w*)?", re.I
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Trouble:
    """Why a turn failed."""

    failure: TurnFailure
    error: str
    retry_at: datetime | None = None


def of_error(error: Mapping[str, Any] | None, *, now: datetime) -> Trouble:
    """Return what an error means: `message` with `codexErrorInfo`.

    In the files of threads the same names are written with underscores.
    """
    error = _camel(error or {})
    message, info = str(error.get("message") or ""), error.get("codexErrorInfo")
    status = None
    if isinstance(info, Mapping):
        for details in info.values():
            status = details.get("httpStatusCode") if isinstance(details, Mapping) else None
    by_code = _BY_CODE.get(info) if isinstance(info, str) else None
    found = of_message(message, now=now)
    failure = by_code or _of_status(status) or found.failure
    if isinstance(info, Mapping) and failure is TurnFailure.OTHER:
        failure = TurnFailure.NETWORK_DOWN
    return Trouble(failure=failure, error=found.error, retry_at=found.retry_at)


def of_message(message: str, *, now: datetime) -> Trouble:
    """Return what the words of `codex exec`, or of an error without a code, mean."""
    said = _said(message)
    status = _STATUS.search(message)
    failure = _of_status(int(status[1])) if status else None
    for pattern, meant in _BY_WORDS if failure is None else ():
        if re.search(pattern, message, re.IGNORECASE):
            failure = meant
            break
    if failure is None and said != message:
        failure = TurnFailure.REQUEST_REFUSED
    return Trouble(
        failure=failure or TurnFailure.OTHER,
        error=said or "Codex gave no reason.",
        retry_at=_retry_at(message, now) if failure is TurnFailure.RATE_LIMITED else None,
    )


def reset_at(limits: Mapping[str, Any]) -> datetime | None:
    """Return when the limits that are used up are reset, None when none of them says so."""
    windows = [_camel(limits.get(name) or {}) for name in ("primary", "secondary")]
    resets = [
        window["resetsAt"]
        for window in windows
        if window.get("resetsAt") and (window.get("usedPercent") or 0) >= _FULL_PERCENT
    ]
    try:
        return datetime.fromtimestamp(max(resets), UTC) if resets else None
    except (OverflowError, TypeError, ValueError):  # no time
        return None


def crashed(code: int | None, error_tail: str) -> Trouble:
    """Return what the end of a program in the middle of a turn means."""
    last = _last_line(error_tail)
    how = "was ended" if code is None else f"ended with {code}"
    error = f"Codex {how} in the middle of the turn{f': {last}' if last else '.'}"
    return Trouble(failure=TurnFailure.PROGRAM_CRASHED, error=error)


def of_stderr(code: int | None, error_tail: str, *, now: datetime) -> Trouble:
    """Return what it means that the program ended without saying how the turn did."""
    found = of_message(_last_line(error_tail), now=now)
    if found.failure in (TurnFailure.OTHER, TurnFailure.REQUEST_REFUSED):
        return crashed(code, error_tail)
    return found


def _last_line(text: str) -> str:
    """Return the line that says what went wrong: the last one that Codex calls an error."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    said = [line for line in lines if line.lower().startswith("error")]
    return (said or lines or [""])[-1]


def _of_status(status: int | None) -> TurnFailure | None:
    if status is None:
        return None
    if status >= 500:
        return TurnFailure.OVERLOADED
    return _BY_STATUS.get(status, TurnFailure.REQUEST_REFUSED if status >= 400 else None)


def _said(message: str) -> str:
    """Return the sentence in an answer of the model's service that is shown as it came."""
    try:
        return str(json.loads(message)["error"]["message"])
    except (ValueError, KeyError, TypeError):
        return message


def _retry_at(message: str, now: datetime) -> datetime | None:
    """Return when to try again, where the message gives a time from now."""
    found = _IN.search(message)
    if not found or not any(found.groups()):
        return None
    hours, minutes, seconds = (float(part or 0) for part in found.groups())
    try:
        return now + timedelta(hours=hours, minutes=minutes, seconds=seconds)
    except OverflowError:  # no time
        return None


def _camel(value: Any) -> Any:
    """Return names with underscores as the app-server writes them; a code is a name as well."""
    if not isinstance(value, Mapping):
        return value
    return {
        _camel_name(key): _camel_name(one) if _is_code(key, one) else _camel(one)
        for key, one in value.items()
    }


def _is_code(key: str, value: Any) -> bool:
    return isinstance(value, str) and _camel_name(key) == "codexErrorInfo"


def _camel_name(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)
