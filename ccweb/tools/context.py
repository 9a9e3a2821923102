"""What a handler works with: the transaction, the moment, the settings, and who calls."""

from dataclasses import dataclass

from sqlalchemy import Connection

from ccweb.access.model import Agent, Caller, conversation_of
from ccweb.clock import Moment
from ccweb.conversations import store as conversations
from ccweb.conversations.model import Conversation
from ccweb.errors import Forbidden, TurnOver
from ccweb.relay import service as relay
from ccweb.relay.model import Source
from ccweb.settings import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """One call inside its transaction."""

    c: Connection
    m: Moment
    s: Settings
    host_id: str
    """The host that a person's new conversations go to."""
    caller: Caller

    @property
    def conversation_id(self) -> str | None:
        """Return the conversation that calls, None for a person."""
        return conversation_of(self.caller)

    @property
    def person_id(self) -> str:
        """Return the person who calls.

        Raises:
            Forbidden: an agent calls.
        """
        if isinstance(self.caller, Agent):
            raise Forbidden(why="Only a person can do this.")
        return self.caller.person_id

    @property
    def source(self) -> Source | None:
        """Return the conversation that calls with the lease of its turn, None for a person."""
        if self.conversation_id is None:
            return None
        lease = self.caller.lease if isinstance(self.caller, Agent) else None
        return Source(conversation_id=self.conversation_id, lease=lease)

    def conversation(self) -> Conversation | None:
        """Return the conversation that calls, None for a person.

        Raises:
            TurnOver: it has been deleted.
        """
        if self.conversation_id is None:
            return None
        found = conversations.get(self.c, self.conversation_id)
        if found is None:
            raise TurnOver
        return found

    def check_turn(self) -> None:
        """Check that the turn which calls still runs, inside the transaction that writes.

        Raises:
            TurnOver: it has ended or lost its lease.
        """
        if isinstance(self.caller, Agent):
            if self.caller.lease is None:
                raise TurnOver
            relay.calling_turn(self.c, self.m, self.caller.lease)
