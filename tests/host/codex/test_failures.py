"""Each way in which Codex fails has one meaning."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from ccweb.host.codex.failures import of_error, of_message, reset_at
from ccweb_contract.enums import TurnFailure as F

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


@pytest.mark.requirement("R-A2")
@pytest.mark.parametrize(
    ("info", "failure"),
    [
        ("contextWindowExceeded", F.CONTEXT_FULL),
        ("usageLimitExceeded", F.RATE_LIMITED),
        ("rateLimitExceeded", F.RATE_LIMITED),
        ("serverOverloaded", F.OVERLOADED),
        ("internalServerError", F.OVERLOADED),
        ("unauthorized", F.NOT_LOGGED_IN),
        ("badRequest", F.REQUEST_REFUSED),
        ("modelNotFound", F.REQUEST_REFUSED),
        ({"httpConnectionFailed": {"httpStatusCode": 401}}, F.NOT_LOGGED_IN),
        ({"httpConnectionFailed": {"httpStatusCode": 403}}, F.REQUEST_REFUSED),
        ({"httpConnectionFailed": {"httpStatusCode": 529}}, F.OVERLOADED),
        ({"httpConnectionFailed": {"httpStatusCode": None}}, F.NETWORK_DOWN),
        ({"responseTooManyFailedAttempts": {"httpStatusCode": 429}}, F.RATE_LIMITED),
        ({"responseStreamDisconnected": {"httpStatusCode": None}}, F.NETWORK_DOWN),
        ({"activeTurnNotSteerable": {"turnKind": "review"}}, F.NETWORK_DOWN),
        ("somethingNew", F.OTHER),
        ("other", F.OTHER),
        (None, F.OTHER),
    ],
)
def test_codes(info: Any, failure: F) -> None:
    found = of_error({"message": "It failed.", "codexErrorInfo": info}, now=NOW)
    assert (found.failure, found.error) == (failure, "It failed.")


@pytest.mark.parametrize(
    "info", ["usage_limit_exceeded", {"http_connection_failed": {"http_status_code": 429}}]
)
def test_codes_as_files_of_threads_write_them(info: Any) -> None:
    found = of_error({"message": "a_b", "codex_error_info": info}, now=NOW)
    assert (found.failure, found.error) == (F.RATE_LIMITED, "a_b")


@pytest.mark.parametrize(
    ("message", "failure"),
    [
        ("unexpected status 401 Unauthorized: no key", F.NOT_LOGGED_IN),
        ("exceeded retry limit, last status: 429 Too Many Requests", F.RATE_LIMITED),
        ("unexpected status 503 Service Unavailable", F.OVERLOADED),
        ("You’ve hit your usage limit. Try again later.", F.RATE_LIMITED),
        ("Quota exceeded. Check your plan and billing details.", F.RATE_LIMITED),
        ("error sending request for url (http://127.0.0.1/v1)", F.NETWORK_DOWN),
        ("Missing environment variable: `KEY`.", F.NOT_LOGGED_IN),
        ("Error: thread/resume failed: no rollout found for thread id 1", F.SESSION_MISSING),
        ("error: unrecognized subcommand 'app-server'", F.PROGRAM_TOO_OLD),
        ("Something else.", F.OTHER),
    ],
)
def test_words(message: str, failure: F) -> None:
    assert of_message(message, now=NOW).failure is failure


def test_an_answer_that_is_shown_as_it_came_is_told_by_its_sentence() -> None:
    found = of_message('{"error": {"message": "bad thing", "type": "x"}}', now=NOW)
    assert (found.failure, found.error) == (F.REQUEST_REFUSED, "bad thing")


def test_no_reason_at_all_is_still_a_sentence() -> None:
    assert of_error(None, now=NOW).error == "Codex gave no reason."


@pytest.mark.parametrize(
    ("said", "wait"),
    [
        ("Please try again in 11.5s.", timedelta(seconds=11.5)),
        ("try again in 2 hours 5 minutes", timedelta(hours=2, minutes=5)),
        ("try again in 7m", timedelta(minutes=7)),
    ],
)
def test_the_time_until_the_next_try_is_read(said: str, wait: timedelta) -> None:
    assert of_message(f"rate limit exceeded: {said}", now=NOW).retry_at == NOW + wait


@pytest.mark.parametrize("said", ["Try again later.", "try again in a while"])
def test_no_time_is_made_up(said: str) -> None:
    assert of_message(f"hit your usage limit. {said}", now=NOW).retry_at is None


def test_the_later_of_two_full_limits_counts() -> None:
    limits = {
        "primary": {"usedPercent": 100, "resetsAt": 1900000000},
        "secondary": {"used_percent": 100.0, "resets_at": 1900000100},
    }
    assert reset_at(limits) == datetime.fromtimestamp(1900000100, UTC)
    assert reset_at({"primary": None, "secondary": {"usedPercent": 100}}) is None
