"""The answer to a call: a result or a refusal, in the form that every door renders (R-D5)."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from ccweb.errors import CcwebError
from ccweb_contract.enums import Lang
from ccweb_contract.errors import HTTP_STATUS, REMEDIES, ErrorCode
from ccweb_contract.tools import HEADERS, ToolGroup

RUN_FIELD: Final = "run_id"
"""Where the answer of a planning tool names the run that the call belongs to."""

RUN_HEADER: Final = HEADERS[ToolGroup.FRIDAY]
"""Where a request names the run that it goes on with."""

Result = Mapping[str, Any]
"""A tool's output object with the names of the wire."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """Why a call was refused, and what helps."""

    code: ErrorCode
    detail: str
    remedy: str

    @property
    def envelope(self) -> dict[str, str]:
        """Return the object that every door shows."""
        return {"error_code": self.code.value, "detail": self.detail, "remedy": self.remedy}

    @property
    def http_status(self) -> int:
        """Return the contract's HTTP status."""
        return HTTP_STATUS[self.code]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a call comes to: exactly one of the two."""

    result: Result | None = None
    refusal: Refusal | None = None

    @property
    def body(self) -> Result:
        """Return the object to show: the result, or the refusal's envelope."""
        return self.refusal.envelope if self.refusal else self.result or {}

    @property
    def text(self) -> str:
        """Return that object as JSON for a model to read."""
        return json.dumps(self.body, ensure_ascii=False)

    @property
    def http_status(self) -> int:
        """Return the status for a door that speaks HTTP."""
        return self.refusal.http_status if self.refusal else 200


def refused(code: ErrorCode, detail: str, lang: Lang) -> Answer:
    """Return a refusal with the contract's remedy."""
    return Answer(refusal=Refusal(code=code, detail=detail, remedy=REMEDIES[code][lang]))


def refusal_of(error: CcwebError, lang: Lang) -> Answer:
    """Return the answer that an error of ours stands for."""
    return refused(error.code, error.detail, lang)
