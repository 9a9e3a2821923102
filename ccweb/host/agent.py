"""What the supervisor needs of any agent: one coroutine that runs a turn and returns its end."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from ccweb.conversations.model import Conversation, Step, Turn, TurnEnd, TurnFacts
from ccweb_contract.enums import AgentKind, AskKind, PermissionAnswer


@dataclass(frozen=True, slots=True, kw_only=True)
class Started:
    """The agent has begun: from here on the turn is never run again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TextDelta:
    """A piece of the text that the agent is writing."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionId:
    """The id by which the agent's own CLI resumes this conversation."""

    session_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Took:
    """What a turn has taken so far: a turn that is stopped has cost something too."""

    facts: TurnFacts


AgentEvent = Started | TextDelta | SessionId | Step | Took
"""What an agent tells while it runs; whichever comes first says that it has begun.

A step that was said takes the text told so far with it: what is told afterwards is a new text.
"""

Tell = Callable[[AgentEvent], None]
"""Takes an event without waiting; the supervisor writes it with others within some 20 ms."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What an agent asks a person in the middle of its turn."""

    kind: AskKind
    """A permission or a question."""
    subject: str
    """The agent's own id of it."""
    detail: Mapping[str, Any]
    """What the page shows. Of a permission: `tool`, `input` (JSON), `title` (one line), `what`
    (names what can be allowed for the whole conversation; absent where nothing can). Of a question:
    `questions`, each with `key`, `text`, and where there is a choice `options` (`label`,
    `description`) and `multiple`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What came of a question; nothing is allowed where nobody has allowed it."""

    decision: PermissionAnswer = PermissionAnswer.DENY
    answers: Mapping[str, str | list[str]] | None = None
    """By question; None where the question was declined."""
    note: str = ""
    """What the person says to the agent."""


Asks = Callable[[Question], Awaitable[Answer]]
"""Puts a question to people and returns once one of them has answered, however long it takes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A claimed turn with all that its agent may use."""

    turn: Turn
    conversation: Conversation
    credential: str
    """Opens the hub's tools for this conversation, while this turn runs and no longer."""
    ask: Asks
    forks: bool = False
    """The session was made outside ccweb: it is gone on with in a copy, and stays as it is."""


class Agent(Protocol):
    """One kind of agent.

    A turn is stopped by cancellation and in no other way: an agent that can end its turn softly
    (an interrupt that keeps its session whole) does so in a shielded clean-up with a deadline.
    What it has told by then is kept as the turn's text.
    """

    @property
    def kind(self) -> AgentKind:
        """Return which conversations it runs."""
        ...

    async def run(self, job: Job, tell: Tell) -> TurnEnd:
        """Run one turn to its end; an exception ends it as failed, with the exception's words."""
        ...

    async def aclose(self) -> None:
        """End what is kept between turns."""
        ...
