"""Claiming: which turns a run of a host takes, and the secrets that their agents call with."""

from collections.abc import Collection
from functools import partial

from sqlalchemy import Connection

from ccweb.access import service as access
from ccweb.clock import Moment
from ccweb.conversations import messages, store, turns
from ccweb.conversations.model import EventKind, Turn
from ccweb.host.agent import Job
from ccweb.host.asking import Asking
from ccweb.settings import Settings


class Claims:
    """What one run of a host claims; a conversation's agent keeps its secret from turn to turn."""

    def __init__(self, s: Settings, asking: Asking, *, host_id: str, run_id: str) -> None:
        self._s = s
        self._asking = asking
        self._host_id = host_id
        self._run_id = run_id
        self._secrets: dict[str, str] = {}

    def may_find_one(self, c: Connection) -> bool:
        """Tell cheaply whether there could be something to claim."""
        return turns.any_queued(c, self._host_id)

    def take(
        self, c: Connection, m: Moment, *, limit: int, unfinished: Collection[str]
    ) -> list[Job]:
        """Claim up to `limit` turns and bind their agents' secrets to them.

        Args:
            c: Connection.
            m: Moment.
            limit: Most turns to claim.
            unfinished: Conversations with a turn here that is not quite over.
        """
        claimed = turns.claim(
            c,
            m,
            host_id=self._host_id,
            run_id=self._run_id,
            lease_s=self._s.lease_s,
            limit=limit,
        )
        if not claimed:
            return []
        for turn in claimed:
            messages.tell(c, m, EventKind.TURN, [turn.conversation_id], turn_id=turn.id)
        found = store.get_many(c, [turn.conversation_id for turn in claimed])
        secrets = {turn.id: self._secret(c, m, turn, unfinished) for turn in claimed}
        access.renew_all(c, {turn.conversation_id: turn.lease for turn in claimed})
        return [
            Job(
                turn=turn,
                conversation=found[turn.conversation_id],
                credential=secrets[turn.id],
                ask=partial(self._asking.ask, turn),
            )
            for turn in claimed
            if turn.conversation_id in found  # else it was deleted this moment: a stray soon
        ]

    def keep_secret(self, job: Job) -> None:
        """Use the same secret for the conversation's next turn."""
        self._secrets[job.conversation.id] = job.credential

    def forget_secret(self, job: Job) -> None:
        """Use another secret for the conversation's next turn."""
        if self._secrets.get(job.conversation.id) == job.credential:
            del self._secrets[job.conversation.id]

    def _secret(self, c: Connection, m: Moment, turn: Turn, unfinished: Collection[str]) -> str:
        """Return the conversation's secret, else a new one.

        A turn before that is not quite over may have lost its lease: its agent keeps nothing.
        """
        secret = self._secrets.get(turn.conversation_id)
        if secret and turn.conversation_id in unfinished:
            access.revoke(c, m, secret)
            secret = None
        return secret or access.mint(
            c, m, conversation_id=turn.conversation_id, run_id=self._run_id
        )
