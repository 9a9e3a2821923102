"""The notifications of one turn of `codex app-server`, folded into what it tells and its end."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import anyio

from ccweb.conversations.model import TurnEnd, TurnFacts
from ccweb.host.agent import AgentEvent
from ccweb.host.codex.failures import Trouble, of_error, reset_at
from ccweb.host.codex.home import counted
from ccweb.host.codex.items import Item, step_of
from ccweb.host.codex.text import Retrying, Said
from ccweb_contract.enums import TurnFailure, TurnStatus

Params = Mapping[str, Any]


class AppTurn:
    """One turn of a thread, as its app-server tells it."""

    def __init__(self, thread_id: str, *, model: str | None) -> None:
        self._thread_id = thread_id
        self._model = model
        self._said = Said()
        self._retrying = Retrying()
        self._items: dict[str, Item] = {}
        self._tokens = {"inputTokens": 0, "cachedInputTokens": 0, "outputTokens": 0}
        self._limits: Params = {}
        self._end: Params | None = None
        self._completed = anyio.Event()
        self.id: str | None = None
        """Codex' own id of it, once that is known."""

    @property
    def text(self) -> str:
        """Return the last text so far."""
        return self._said.text

    @property
    def is_completed(self) -> bool:
        """Tell whether its end has come."""
        return self._completed.is_set()

    def item(self, item_id: str) -> Item:
        """Return an item that has begun, as far as it is known."""
        return self._items.get(item_id, {})

    async def until_completed(self) -> None:
        """Wait for its end."""
        await self._completed.wait()

    def take(self, method: str, params: Params) -> list[AgentEvent]:
        """Take a notification and return what it tells; those of other threads tell nothing."""
        if method == "account/rateLimits/updated":
            limits = params.get("rateLimits")
            self._limits = limits if isinstance(limits, Mapping) else {}
            return []
        if not self._is_ours(params):
            return []
        match method:
            case "turn/started":
                self.id = params["turn"]["id"]
            case "item/agentMessage/delta":
                told = self._said.add(params["itemId"], params["delta"])
                return [*self._retrying.over(), *told]
            case "item/started" | "item/completed":
                told = self._item(params["item"], done=method == "item/completed")
                return [*self._retrying.over(), *told]
            case "error" if params.get("willRetry"):
                error = params["error"]
                details = str(error.get("additionalDetails") or "")
                return [*self._said.close(), self._retrying.begin(error["message"], details)]
            case "thread/tokenUsage/updated":
                self._count(params["tokenUsage"]["last"])
            case "model/rerouted":
                self._model = params.get("toModel") or self._model
            case "turn/completed":
                self._end = params["turn"]
                self._completed.set()
            case _:
                pass
        return []

    def end(self, *, now: datetime) -> TurnEnd:
        """Return how the turn ended, once it is completed."""
        end, text = self._end or {}, self._said.text
        match end.get("status"):
            case "completed":
                status = TurnStatus.COMPLETED if text else TurnStatus.EMPTY
                return TurnEnd(status=status, text=text, facts=self.facts)
            case "interrupted":
                return TurnEnd(
                    status=TurnStatus.INTERRUPTED,
                    text=text,
                    stop_reason="interrupted",
                    facts=self.facts,
                )
            case _:
                return self.failed(of_error(end.get("error"), now=now))

    def failed(self, trouble: Trouble) -> TurnEnd:
        """Return the end of a turn that failed."""
        limited = trouble.failure is TurnFailure.RATE_LIMITED
        return TurnEnd(
            status=TurnStatus.FAILED,
            text=self._said.text,
            error=trouble.error,
            failure=trouble.failure,
            retry_at=(trouble.retry_at or reset_at(self._limits)) if limited else None,
            facts=self.facts,
        )

    @property
    def facts(self) -> TurnFacts:
        """Return what the turn took so far."""
        if not any(self._tokens.values()):
            return TurnFacts(model=self._model)
        return TurnFacts(
            model=self._model,
            input_tokens=self._tokens["inputTokens"],
            cached_tokens=self._tokens["cachedInputTokens"],
            output_tokens=self._tokens["outputTokens"],
        )

    def _is_ours(self, params: Params) -> bool:
        """Tell by thread and turn: agents that Codex starts by itself have threads of their own."""
        if params.get("threadId") != self._thread_id:
            return False
        turn_id = params.get("turnId") or (params.get("turn") or {}).get("id")
        return self.id is None or turn_id in (None, self.id)

    def _item(self, item: Item, *, done: bool) -> list[AgentEvent]:
        key = str(item["id"])
        self._items[key] = item
        if item["type"] == "agentMessage":
            if done:
                return self._said.complete(key, item["text"])
            return self._said.begin(key)
        step = step_of(item, key=key, done=done)
        return [] if step is None else [*self._said.close(), step]

    def _count(self, last: Params) -> None:
        for name in self._tokens:
            self._tokens[name] += counted(last.get(name))
