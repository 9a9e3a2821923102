"""One turn while it runs: its agent, what it has told so far, and the one end that it comes to."""

from collections.abc import Callable, Iterable, Sequence
from enum import StrEnum
from itertools import groupby
from typing import cast

import anyio
import structlog
from sqlalchemy import Connection

from ccweb.clock import Moment
from ccweb.conversations import messages, steps, store, turns
from ccweb.conversations.model import EventKind, Lease, Step, TurnEnd, TurnFacts
from ccweb.errors import AgentUnavailable, CcwebError
from ccweb.host.agent import Agent, AgentEvent, Job, SessionId, Started, TextDelta, Took
from ccweb.host.keeping import kept
from ccweb_contract.enums import StepKind, TurnStatus

log = structlog.get_logger()


class Cut(StrEnum):
    """Why a turn was ended from outside; the value is what its reader is told."""

    STOPPED = "stopped"
    LEASE_LOST = "the host lost its lease"
    HOST_ENDED = "the host was shut down"


class Running:
    """A claimed turn of this host."""

    def __init__(self, job: Job, flush_soon: Callable[["Running"], None]) -> None:
        self.job = job
        self.lease: Lease = job.turn.lease
        self.done = anyio.Event()
        """Set when its end is written and nothing of its agent is left."""
        self.ending = False
        self._scope = anyio.CancelScope()
        self._cut: Cut | None = None
        self._flush_soon = flush_soon
        self.began = False
        self.session_id: str | None = None
        self._told: list[AgentEvent] = []
        self._text: list[str] = []
        self._facts = TurnFacts()

    @property
    def conversation_id(self) -> str:
        """Return the conversation that the turn belongs to."""
        return self.job.turn.conversation_id

    def cut(self, why: Cut) -> None:
        """End the turn from outside; the agent gets time to clean up."""
        if self._cut is None and not self.ending:
            self._cut = why
            self._scope.cancel()

    def tell(self, event: AgentEvent) -> None:
        """Take an event of the agent; it is written soon, or with the turn's end."""
        self.began = True
        if not isinstance(event, TextDelta):  # their halves may come one by one
            event = kept(event)
        match event:
            case TextDelta():
                self._text.append(event.text)
            case SessionId():
                self.session_id = event.session_id
            case Step():
                if event.kind is StepKind.SAID:
                    self._text.clear()
            case Took():
                self._facts = event.facts
            case Started():
                pass
        self._told.append(event)
        self._flush_soon(self)

    def take(self) -> list[AgentEvent]:
        """Return what is not written yet, as taken."""
        told, self._told = self._told, []
        return told

    @property
    def untold_steps(self) -> list[Step]:
        """Return the steps that are not written yet."""
        return [event for event in self._told if isinstance(event, Step)]

    def put_back(self, events: Sequence[AgentEvent]) -> None:
        """Keep events that could not be written for the next time."""
        self._told[:0] = events

    async def run(self, agent: Agent | None) -> TurnEnd:
        """Run the agent and return how its turn ended, whatever happened."""
        try:
            with self._scope:
                return await self._outcome(agent)
        except anyio.get_cancelled_exc_class():
            return self._broken_off(Cut.HOST_ENDED)
        return self._broken_off(self._cut or Cut.HOST_ENDED)

    async def _outcome(self, agent: Agent | None) -> TurnEnd:
        kind = self.job.conversation.agent
        try:
            if agent is None:
                raise AgentUnavailable(agent=kind, why="this host does not offer it.")
            return kept(await agent.run(self.job, self.tell))
        except Exception as error:
            cause = _cause(error)
            if not isinstance(cause, CcwebError):
                log.exception("agent_failed", agent=kind.value)
            if self._cut is not None:
                return self._broken_off(self._cut)
            return self._end(TurnStatus.FAILED, error=_words(cause))

    def _broken_off(self, why: Cut) -> TurnEnd:
        if why is Cut.STOPPED:
            return self._end(TurnStatus.INTERRUPTED, stop_reason=why.value)
        return self._end(TurnStatus.LOST, error=why.value)

    def _end(
        self, status: TurnStatus, *, stop_reason: str | None = None, error: str | None = None
    ) -> TurnEnd:
        """Return an end that the agent did not write itself, with what it has told."""
        return kept(
            TurnEnd(
                status=status,
                text="".join(self._text),
                stop_reason=stop_reason,
                error=error,
                facts=self._facts,
            )
        )


def _cause(error: Exception) -> Exception:
    """Return what went wrong first where tasks of an agent failed together."""
    while isinstance(error, ExceptionGroup):
        error = error.exceptions[0]
    return error


def _words(error: Exception) -> str:
    if isinstance(error, CcwebError):
        return error.detail
    return str(error) or type(error).__name__


def write_events(c: Connection, m: Moment, running: Running, events: Sequence[AgentEvent]) -> bool:
    """Write what an agent has told; False when the turn is not this host's any more."""
    if not note_begin(c, m, running):
        return False
    for is_step, part in groupby(events, key=lambda event: isinstance(event, Step)):
        if is_step:
            for event in part:
                steps.put(c, m, running.job.turn, cast(Step, event))
        else:
            _write_text(c, m, running, part)
    return True


def _write_text(c: Connection, m: Moment, running: Running, events: Iterable[AgentEvent]) -> None:
    text = kept("".join(event.text for event in events if isinstance(event, TextDelta)))
    if text:
        ids, turn_id = [running.conversation_id], running.lease.turn_id
        messages.tell(c, m, EventKind.DELTA, ids, turn_id=turn_id, data={"text": text})


def note_begin(c: Connection, m: Moment, running: Running) -> bool:
    """Write that the agent has begun, and its session; False when the lease is lost."""
    if not turns.begin(c, m, running.lease):
        return False
    if running.session_id is not None:
        store.set_agent_session(c, running.conversation_id, running.session_id)
    return True
