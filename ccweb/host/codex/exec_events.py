"""The events of one `codex exec --json`, folded into what the turn tells and how it ends."""

import json
import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from ccweb.conversations.model import Step, TurnEnd, TurnFacts
from ccweb.host.agent import AgentEvent, SessionId, Started
from ccweb.host.codex.failures import Trouble, of_error, of_message, of_stderr, reset_at
from ccweb.host.codex.home import Noted, tokens
from ccweb.host.codex.items import step_of
from ccweb.host.codex.text import Retrying, Said
from ccweb_contract.enums import StepKind, StepStatus, TurnFailure, TurnStatus

_COLOURS: Final = re.compile(r"\x1b\[[0-9;]*m")
_RETRY: Final = "Reconnecting"
_REFUSED: Final = re.compile(r"codex_core::tools::router: error=(.*(?:reject|approv).*)", re.I)


class ExecTurn:
    """One run of the program."""

    def __init__(self, used: TurnFacts) -> None:
        """Begin, with what the thread has used before: Codex counts on from there."""
        self._used = used
        self._said = Said()
        self._retrying = Retrying()
        self._usage: Mapping[str, Any] = {}
        self._completed = False
        self._error = ""
        self.is_over = False
        """The program has said how it ended."""
        self.thread_id: str | None = None
        """Told by the program at its start."""

    def take(self, line: str) -> list[AgentEvent]:
        """Take a line of the output and return what it tells, nothing where it means nothing."""
        try:
            return self._taken(json.loads(line))
        except (AttributeError, KeyError, TypeError, ValueError, RecursionError):
            return []

    def _taken(self, event: Mapping[str, Any]) -> list[AgentEvent]:
        match event.get("type"):
            case "thread.started":
                self.thread_id = str(event["thread_id"])
                return [Started(), SessionId(session_id=self.thread_id)]
            case "item.started" | "item.updated" | "item.completed" as kind:
                told = self._item(event["item"], done=kind == "item.completed")
                return [*self._retrying.over(), *told]
            case "turn.completed":
                self.is_over = self._completed = True
                self._usage = event.get("usage") or {}
            case "turn.failed":
                self.is_over = True
                self._error = str((event.get("error") or {}).get("message", ""))
            case "error":
                return self._failing(str(event.get("message", "")))
            case _:
                pass
        return []

    def refusals(self, error_tail: str) -> list[AgentEvent]:
        """Return as failed steps what was not done because nobody could be asked.

        Codex tells these to its model and to its log, but not among its events.
        """
        found = _REFUSED.findall(_COLOURS.sub("", error_tail))
        return [
            Step(
                key=f"refused-{number}",
                kind=StepKind.TOOL,
                status=StepStatus.FAILED,
                name="approval",
                output=said.strip(),
            )
            for number, said in enumerate(found)
        ]

    def end(self, code: int | None, error_tail: str, *, noted: Noted, now: datetime) -> TurnEnd:
        """Return how the turn ended, once the program has.

        Args:
            code: That it ended with, None where it had to be ended.
            error_tail: The last of its standard error.
            noted: What the thread's file says now.
            now: The time.
        """
        text = self._said.text
        if self._completed:
            status = TurnStatus.COMPLETED if text else TurnStatus.EMPTY
            return TurnEnd(status=status, text=text, facts=self._facts(noted.used.model))
        trouble = self._trouble(code, _COLOURS.sub("", error_tail), noted, now)
        limited = trouble.failure is TurnFailure.RATE_LIMITED
        return TurnEnd(
            status=TurnStatus.FAILED,
            text=text,
            error=trouble.error,
            failure=trouble.failure,
            retry_at=(trouble.retry_at or reset_at(noted.limits)) if limited else None,
            facts=self._facts(noted.used.model),
        )

    def _failing(self, message: str) -> list[AgentEvent]:
        """Take an error: of a try that is followed by another, else of the turn."""
        if not message.startswith(_RETRY):
            self._error = message
            return []
        tried, _, details = message.partition(" (")
        return [*self._said.close(), self._retrying.begin(tried, details.removesuffix(")"))]

    def _item(self, item: Mapping[str, Any], *, done: bool) -> list[AgentEvent]:
        key = str(item.get("id"))
        if item.get("type") == "agent_message":
            return self._said.complete(key, str(item.get("text", ""))) if done else []
        step = step_of(item, key=key, done=done)
        return [] if step is None else [*self._said.close(), step]

    def _trouble(self, code: int | None, error_tail: str, noted: Noted, now: datetime) -> Trouble:
        """Return why it failed: by the code in the thread's file, else by the words."""
        if not self._error:
            return of_stderr(code, error_tail, now=now)
        if noted.error.get("message") == self._error:
            return of_error(noted.error, now=now)
        return of_message(self._error, now=now)

    def took(self, noted: Noted) -> TurnFacts:
        """Return what it has taken so far, by the thread's file: a stopped turn tells no usage."""
        return self._since(noted.used, noted.used.model)

    def _facts(self, model: str | None) -> TurnFacts:
        return self._since(tokens(self._usage), model) if self._usage else TurnFacts(model=model)

    def _since(self, now: TurnFacts, model: str | None) -> TurnFacts:
        before = self._used
        return TurnFacts(
            model=model,
            input_tokens=_more(now.input_tokens, before.input_tokens),
            cached_tokens=_more(now.cached_tokens, before.cached_tokens),
            output_tokens=_more(now.output_tokens, before.output_tokens),
        )


def _more(now: int | None, before: int | None) -> int:
    """Return what was used since; a count that was set back has begun anew."""
    more = (now or 0) - (before or 0)
    return more if more >= 0 else now or 0
