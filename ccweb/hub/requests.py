"""The delegation card: one request as both of its conversations show it, with its timed steps."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, Final

from sqlalchemy import Connection, Row, bindparam

from ccweb.clock import maybe_from_ms, to_ms
from ccweb.db.sql import text
from ccweb.errors import RequestNotFound
from ccweb.hub import questions
from ccweb.hub.questions import Asked
from ccweb.hub.text import SHOWN_CHARACTERS
from ccweb.relay.model import PendingReply
from ccweb.relay.store import reply_of
from ccweb_contract.enums import (
    InboxKind,
    Outcome,
    ReplyStatus,
    TurnStatus,
)

_CARDS: Final = """
    SELECT r.request_id, r.message_id, r.source_kind, r.source_conversation_id, r.source_title,
        r.target_conversation_id, r.target_title, r.status, r.outcome, r.stop_reason,
        r.created_at, r.hop_count, r.source_auto_run,
        substr(r.original_request, 1, :shown) AS original_request, NULL AS reply_text,
        r.completed_at, r.returned_at, r.reply_message_id, r.last_error, r.target_turn_id,
        r.opened_by_turn_id, r.parent_request_id, r.opened_chain_id, r.opened_hop,
        length(r.original_request) AS size,
        tt.status AS target_turn_status, tt.queued_at AS accepted_at, tt.claimed_at AS working_at,
        s.held_at IS NOT NULL AS source_held,
        ct.status AS continuation_status, ct.claimed_at AS continued_at,
        (SELECT count(*) FROM pending_reply k WHERE k.parent_request_id = r.request_id
            AND k.status IN (:waiting, :ready)) AS below
    FROM pending_reply r
    LEFT JOIN turn tt ON tt.id = r.target_turn_id
    LEFT JOIN inbox_item i ON i.kind = :reply AND i.ref_id = r.request_id
    LEFT JOIN turn ct ON ct.id = i.turn_id
    LEFT JOIN conversation s ON s.id = r.source_conversation_id"""

_OF_CONVERSATION = text(f"""{_CARDS}
    WHERE ((r.source_conversation_id = :id OR r.target_conversation_id = :id)
        AND r.created_at >= :since) OR r.request_id IN :also
    ORDER BY r.position""").bindparams(bindparam("also", expanding=True))

_ONE = text(f"{_CARDS} WHERE r.request_id = :id")

_STATES: Final = {
    "waiting": ReplyStatus.WAITING.value,
    "ready": ReplyStatus.READY.value,
    "reply": InboxKind.REPLY.value,
    "shown": SHOWN_CHARACTERS,
}

_WELL: Final = (Outcome.COMPLETED, Outcome.EMPTY)


class Step(StrEnum):
    """A station of a request on its way to the target and back."""

    SENT = "sent"
    ACCEPTED = "accepted"
    WORKING = "working"
    ASKED = "asked"
    RETURNED = "returned"
    CONTINUED = "continued"
    ENDED = "ended"


class Reached(StrEnum):
    """How far a request is at a station."""

    DONE = "done"
    NOW = "now"
    AHEAD = "ahead"
    BAD = "bad"


@dataclass(frozen=True, slots=True, kw_only=True)
class Station:
    """One step with its time."""

    step: Step
    reached: Reached
    at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """A request with what both of its conversations know of it."""

    reply: PendingReply
    """Its original request is cut to what a page shows at once; the reply's text is not here."""
    size: int
    """Characters of the whole original request."""
    target_turn_status: TurnStatus | None
    accepted_at: datetime | None
    working_at: datetime | None
    source_held: bool
    """The source was stopped: the reply is kept until a person lets it go on."""
    continuation_status: TurnStatus | None
    continued_at: datetime | None
    below: int
    """Open requests that the target has sent in order to answer this one."""
    asks: Sequence[Asked]
    """What has to be decided before this request can be answered, however far below."""

    @property
    def open(self) -> bool:
        """Tell whether it can still be cancelled."""
        return self.reply.status in (ReplyStatus.WAITING, ReplyStatus.READY)

    @property
    def went_well(self) -> bool:
        """Tell whether nothing has gone wrong so far."""
        return self.reply.outcome is None or self.reply.outcome in _WELL

    @property
    def held(self) -> bool:
        """Tell whether the target has finished its turn and waits for others itself (R-M5)."""
        ended = self.target_turn_status not in (None, TurnStatus.QUEUED, TurnStatus.RUNNING)
        return ended and self.reply.status is ReplyStatus.WAITING

    @property
    def stations(self) -> list[Station]:
        """Return the steps in order, each with its time once it is reached."""
        steps = [
            Station(step=Step.SENT, reached=Reached.DONE, at=self.reply.created_at),
            Station(step=Step.ACCEPTED, reached=Reached.DONE, at=self._accepted),
            self._working,
        ]
        if self.asks:
            steps.append(Station(step=Step.ASKED, reached=Reached.NOW))
        if self.reply.status is ReplyStatus.FAILED:
            bad = Station(step=Step.ENDED, reached=Reached.BAD, at=self.reply.completed_at)
            return [*steps, bad]
        return [*steps, self._returned, *self._continued]

    @property
    def _accepted(self) -> datetime:
        return self.accepted_at or self.reply.created_at

    @property
    def _working(self) -> Station:
        if self.reply.status is ReplyStatus.WAITING:
            waits = self.target_turn_status is TurnStatus.QUEUED
            reached = Reached.AHEAD if waits else Reached.NOW
        else:
            reached = Reached.DONE if self.went_well else Reached.BAD
        return Station(step=Step.WORKING, reached=reached, at=self.working_at)

    @property
    def _returned(self) -> Station:
        reached = {ReplyStatus.READY: Reached.NOW, ReplyStatus.RETURNED: Reached.DONE}
        return Station(
            step=Step.RETURNED,
            reached=reached.get(self.reply.status, Reached.AHEAD),
            at=self.reply.returned_at,
        )

    @property
    def _continued(self) -> list[Station]:
        """Return nothing for a reply that was only shown: then the source is not continued."""
        if self.reply.status is ReplyStatus.RETURNED and not self.reply.source_auto_run:
            return []
        match self.continuation_status:
            case None:
                reached = Reached.AHEAD
            case TurnStatus.QUEUED:
                reached = Reached.NOW
            case TurnStatus.RUNNING | TurnStatus.COMPLETED | TurnStatus.EMPTY:
                reached = Reached.DONE
            case TurnStatus.FAILED | TurnStatus.INTERRUPTED | TurnStatus.LOST:
                reached = Reached.BAD
        return [Station(step=Step.CONTINUED, reached=reached, at=self.continued_at)]


def of_conversation(
    c: Connection, conversation_id: str, *, since: datetime | None, also: Sequence[str]
) -> list[Card]:
    """Return the requests that a conversation has sent or got since a time, and named ones."""
    rows = c.execute(
        _OF_CONVERSATION,
        _STATES
        | {
            "id": conversation_id,
            "since": 0 if since is None else to_ms(since),
            "also": list(also),
        },
    )
    asked = questions.by_request(c)
    return [_card(row, asked) for row in rows]


def one(c: Connection, request_id: str) -> Card:
    """Return one request.

    Raises:
        RequestNotFound: there is none with this id.
    """
    row = c.execute(_ONE, _STATES | {"id": request_id}).one_or_none()
    if row is None:
        raise RequestNotFound(request_id=request_id)
    return _card(row, questions.by_request(c))


def _card(row: Row[Any], asked: Mapping[str, Sequence[Asked]]) -> Card:
    return Card(
        reply=reply_of(row),
        size=row.size or 0,
        target_turn_status=row.target_turn_status and TurnStatus(row.target_turn_status),
        accepted_at=maybe_from_ms(row.accepted_at),
        working_at=maybe_from_ms(row.working_at),
        source_held=bool(row.source_held),
        continuation_status=row.continuation_status and TurnStatus(row.continuation_status),
        continued_at=maybe_from_ms(row.continued_at),
        below=row.below,
        asks=asked.get(row.request_id, ()),
    )
