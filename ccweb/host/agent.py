"""What the supervisor needs of any agent: one coroutine that runs a turn and returns its end."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from ccweb.conversations.model import Conversation, Turn, TurnEnd
from ccweb_contract.enums import AgentKind


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


AgentEvent = Started | TextDelta | SessionId
"""What an agent tells while it runs; whichever comes first says that it has begun."""

Tell = Callable[[AgentEvent], None]
"""Takes an event without waiting; the supervisor writes it with others within some 20 ms."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A claimed turn with all that its agent may use."""

    turn: Turn
    conversation: Conversation
    credential: str
    """Opens the hub's tools for this conversation, while this turn runs and no longer."""


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
