"""Asking: an agent's question goes to people as an ask, and its turn waits for the answer."""

import anyio
import structlog
from sqlalchemy import Connection

from ccweb.asks import store as asks
from ccweb.asks.model import Ask
from ccweb.asks.rules import AskEvent
from ccweb.clock import moment
from ccweb.conversations import turns
from ccweb.conversations.model import Turn
from ccweb.db.engine import Database
from ccweb.errors import TurnOver
from ccweb.host.agent import Answer, Question
from ccweb.host.keeping import kept
from ccweb_contract.enums import AskStatus, PermissionAnswer

log = structlog.get_logger()


class Asking:
    """The open questions of this host's agents; the answers stand in the database."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._waiting: dict[str, anyio.Event] = {}
        self._closed: dict[str, Ask] = {}

    async def ask(self, turn: Turn, question: Question) -> Answer:
        """Return what a person answers; what was allowed for the conversation is not asked again.

        A question that its agent takes back is closed with it.

        Raises:
            TurnOver: the turn is no longer this host's.
        """
        question = kept(question)
        if await self._is_allowed(turn, str(question.detail.get("what", ""))):
            return Answer(decision=PermissionAnswer.ALLOW_IN_CONVERSATION)
        with anyio.CancelScope(shield=True):  # what is open must be known here
            ask_id = await self._db.write(lambda c: _open(c, turn, question))
        log.info("agent_asked", ask_id=ask_id, turn_id=turn.id, kind=question.kind.value)
        try:
            return _answer(await self._closing(ask_id))
        except anyio.get_cancelled_exc_class():
            with anyio.CancelScope(shield=True):
                await self._db.write(lambda c: _take_back(c, ask_id))
            raise

    async def _is_allowed(self, turn: Turn, what: str) -> bool:
        """Tell whether a person has allowed it for the whole conversation."""
        if not what:
            return False
        return await self._db.read(lambda c: asks.is_allowed(c, turn.conversation_id, what))

    async def _closing(self, ask_id: str) -> Ask:
        """Return an ask once it is closed."""
        event = self._waiting[ask_id] = anyio.Event()
        try:
            await self.look()
            await event.wait()
            return self._closed.pop(ask_id)
        finally:
            del self._waiting[ask_id]

    async def look(self) -> None:
        """Wake those whose questions have been answered since; called after every commit."""
        if not self._waiting:
            return
        ids = list(self._waiting)
        for ask in await self._db.read(lambda c: asks.closed_of(c, ids)):
            if ask.id in self._waiting:
                self._closed[ask.id] = ask
                self._waiting[ask.id].set()


def _open(c: Connection, turn: Turn, question: Question) -> str:
    m = moment()
    if not turns.begin(c, m, turn.lease):
        raise TurnOver(turn_id=turn.id)
    return asks.open_ask(
        c,
        m,
        question.kind,
        turn.conversation_id,
        subject=question.subject,
        turn_id=turn.id,
        parent_request_id=turn.thread.serves,
        detail=question.detail,
    )


def _take_back(c: Connection, ask_id: str) -> None:
    ask = asks.get(c, ask_id)
    if ask.status is AskStatus.OPEN:
        asks.close(c, moment(), ask, AskEvent.DISMISSED)


def _answer(ask: Ask) -> Answer:
    """Return the answer of a closed ask: dismissed is denied, and a question declined."""
    given = ask.answer or {}
    return Answer(
        decision=PermissionAnswer(given.get("decision", PermissionAnswer.DENY)),
        answers=given.get("answers"),
        note=str(given.get("note", "")),
    )
