"""The client: one call and its answer, or a planning tool called until its research is over."""

import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from ccweb.client import asking
from ccweb.client.connection import address_of
from ccweb.tools.answer import Answer, Result
from ccweb_contract.enums import BlueprintStatus, PlanStatus
from ccweb_contract.tools import ToolName

WAITED_FOR: Final[Mapping[str, str]] = {
    ToolName.GET_TECHNICAL_BLUEPRINT: BlueprintStatus.RESEARCHING,
    ToolName.GET_FEATURE_TECH_PLAN: PlanStatus.RESEARCHING,
}
"""The tools whose answer changes by itself, each with the status during which it does."""

_SENDABLE: Final = re.compile(r"[\x21-\x7e]*")
"""What a header takes as it is: anything else could end it and begin another."""
_FIRST_PAUSE_S: Final = 0.5
_LAST_PAUSE_S: Final = 5.0
_SLOWER: Final = 1.5
_NOTHING: Final[Mapping[str, Any]] = {}


@dataclass(frozen=True, slots=True)
class Client:
    """A hub's address and an access token for it.

    Raises:
        ValueError: the address is no http or https URL, or the token holds blanks or signs.
    """

    url: str
    token: str = field(repr=False)

    def __post_init__(self) -> None:
        """Check both before anything is sent."""
        address_of(self.url)
        _check_sendable(self.token, "token")

    def call(
        self, tool: str, arguments: Mapping[str, Any] = _NOTHING, *, run_id: str | None = None
    ) -> Answer:
        """Call a tool and return its answer; a hub that is away is a refusal too.

        Args:
            tool: Name of the tool.
            arguments: Its arguments.
            run_id: The run that the call goes on with, as an earlier answer gave it.

        Raises:
            ValueError: the run's id can be none.
        """
        _check_sendable(run_id or "", "run id")
        return asking.call(self.url, self.token, tool, arguments, run_id=run_id)

    def wait(
        self,
        tool: str,
        arguments: Mapping[str, Any] = _NOTHING,
        *,
        run_id: str | None = None,
        seen: Callable[[Result], None] = lambda _: None,
        pause: Callable[[float], None] = time.sleep,
    ) -> Answer:
        """Call a tool again and again while agents do its research, and return the last answer.

        Args:
            tool: One of `WAITED_FOR`.
            arguments: Its arguments.
            run_id: The run that the calls go on with; without one the first call begins it.
            seen: Takes each answer that is not the last one.
            pause: Waits for some seconds between two calls.
        """
        pause_s = _FIRST_PAUSE_S
        while True:
            answer = self.call(tool, arguments, run_id=run_id)
            result = answer.result
            if result is None or result.get("status") != WAITED_FOR[tool]:
                return answer
            run_id = result.get("run_id", run_id)
            seen(result)
            pause(pause_s)
            pause_s = min(pause_s * _SLOWER, _LAST_PAUSE_S)


def _check_sendable(value: str, what: str) -> None:
    if not _SENDABLE.fullmatch(value):
        raise ValueError(f"The {what} holds what none has: blanks or signs.")
