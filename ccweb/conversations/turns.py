"""Turns and leases in the database; only the moves of `rules.TRANSITIONS` are written."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row

from ccweb.clock import Moment, from_ms, maybe_from_ms, to_ms
from ccweb.conversations import rules
from ccweb.conversations.model import Lease, Thread, Turn, TurnEnd, TurnFacts
from ccweb.conversations.rules import TurnEvent
from ccweb.db.sql import returning, select, text
from ccweb_contract.enums import TurnFailure, TurnKind, TurnStatus

_COLUMNS = """position, id, conversation_id, kind, status, prompt, message_id, serves_request_id,
    chain_id, hop, attempt, run_id, lease_until, queued_at, claimed_at, started_at, ended_at,
    stop_requested_at, stop_reason, error, final_message_id, failure, retry_at, model,
    cost_microusd, input_tokens, cached_tokens, output_tokens"""

_INSERT = text("""
    INSERT INTO turn (id, conversation_id, kind, status, prompt, message_id, serves_request_id,
        chain_id, hop, attempt, queued_at)
    VALUES (:id, :conversation_id, :kind, :queued, :prompt, :message_id, :serves,
        :chain_id, :hop, 0, :now)""")

_OPEN = select(
    _COLUMNS, "FROM turn WHERE conversation_id = :id AND ended_at IS NULL ORDER BY position"
)

_IS_BUSY = select(
    "status, coalesce(claimed_at, queued_at) AS since",
    """FROM turn WHERE conversation_id = :id AND ended_at IS NULL
    ORDER BY status DESC, position LIMIT 1""",
)

_EXPIRED = select(_COLUMNS, "FROM turn WHERE status = 'running' AND lease_until < :now")

_RUNNING_OF = select(_COLUMNS, "FROM turn WHERE status = 'running' AND run_id = :run_id")

_WITHOUT_HOST = select(
    _COLUMNS,
    """FROM turn t WHERE t.ended_at IS NULL AND t.status = 'queued'
        AND t.queued_at < :limit
        AND EXISTS (SELECT 1 FROM pending_reply r
            WHERE r.request_id = t.serves_request_id AND r.status = 'waiting')
        AND NOT EXISTS (SELECT 1 FROM turn o WHERE o.conversation_id = t.conversation_id
            AND o.status = 'running')
        AND (SELECT h.seen_at FROM host h JOIN conversation k ON k.host_id = h.id
            WHERE k.id = t.conversation_id) < :limit""",
)

_BY_ID = select(_COLUMNS, "FROM turn WHERE id = :id")

_END = text("""
    UPDATE turn SET status = :status, ended_at = :now, stop_reason = :stop_reason,
        error = :error, final_message_id = :final_message_id, lease_until = NULL,
        failure = :failure, retry_at = :retry_at, model = :model, cost_microusd = :cost_microusd,
        input_tokens = :input_tokens, cached_tokens = :cached_tokens,
        output_tokens = :output_tokens,
        started_at = coalesce(started_at, :began)
    WHERE id = :id AND status = :before""")

_RETRY = text("""
    UPDATE turn SET status = :status, run_id = NULL, lease_until = NULL, claimed_at = NULL
    WHERE id = :id AND status = :before""")

_CLAIM = returning(
    _COLUMNS,
    """
    UPDATE turn SET status = :running, run_id = :run_id, attempt = attempt + 1,
        claimed_at = :now, lease_until = :lease_until
    WHERE id IN (
        SELECT t.id FROM turn t JOIN conversation k ON k.id = t.conversation_id
        WHERE t.ended_at IS NULL AND t.status = 'queued' AND k.host_id = :host_id
            AND NOT EXISTS (
                SELECT 1 FROM turn o WHERE o.conversation_id = t.conversation_id
                AND o.ended_at IS NULL AND (
                    o.status = 'running'
                    OR (o.kind = :person AND t.kind <> :person)
                    OR (o.position < t.position AND (o.kind = :person OR t.kind <> :person))))
            AND NOT EXISTS (
                SELECT 1 FROM agent_process p WHERE p.conversation_id = t.conversation_id
                AND p.ended_at IS NULL AND p.run_id <> :run_id)
        ORDER BY +t.position LIMIT :limit)""",
)
"""The plus keeps SQLite from walking the whole table in its order; the open turns are few."""

_ANY_QUEUED = text("""
    SELECT 1 FROM turn t JOIN conversation k ON k.id = t.conversation_id
    WHERE t.ended_at IS NULL AND t.status = 'queued' AND k.host_id = :host_id AND NOT EXISTS (
        SELECT 1 FROM turn o
        WHERE o.conversation_id = t.conversation_id AND o.status = 'running') LIMIT 1""")


@dataclass(frozen=True, slots=True, kw_only=True)
class Busy:
    """Why a conversation takes no new message from another one."""

    status: TurnStatus
    since: datetime


def add(
    c: Connection,
    m: Moment,
    conversation_id: str,
    kind: TurnKind,
    prompt: str,
    *,
    thread: Thread,
    message_id: str | None = None,
    turn_id: str | None = None,
) -> str:
    """Queue a turn and return its id."""
    turn_id = turn_id or m.new_id("turn")
    c.execute(
        _INSERT,
        {
            "id": turn_id,
            "conversation_id": conversation_id,
            "kind": kind.value,
            "queued": TurnStatus.QUEUED.value,
            "prompt": prompt,
            "message_id": message_id,
            "serves": thread.serves,
            "chain_id": thread.chain_id,
            "hop": thread.hop,
            "now": m.now_ms,
        },
    )
    return turn_id


def get(c: Connection, turn_id: str) -> Turn | None:
    """Return a turn, else None."""
    row = c.execute(_BY_ID, {"id": turn_id}).one_or_none()
    return None if row is None else turn_of(row)


def busy(c: Connection, conversation_id: str) -> Busy | None:
    """Return the turn state that makes a conversation busy, None when it is idle."""
    row = c.execute(_IS_BUSY, {"id": conversation_id}).one_or_none()
    if row is None:
        return None
    return Busy(status=TurnStatus(row.status), since=from_ms(row.since))


def open_turns(c: Connection, conversation_id: str) -> list[Turn]:
    """Return the queued and running turns of a conversation, in order."""
    return [turn_of(row) for row in c.execute(_OPEN, {"id": conversation_id})]


def any_queued(c: Connection, host_id: str) -> bool:
    """Tell cheaply whether a claim by this host could find something."""
    return c.execute(_ANY_QUEUED, {"host_id": host_id}).first() is not None


def claim(
    c: Connection, m: Moment, *, host_id: str, run_id: str, lease_s: float, limit: int
) -> list[Turn]:
    """Claim the next turn of up to `limit` idle conversations of a host, in one statement.

    A person's turns come first; nothing is claimed while a process of an earlier run of the host
    may still work in the conversation (R-M13).
    """
    rows = c.execute(
        _CLAIM,
        {
            "running": rules.after(TurnStatus.QUEUED, TurnEvent.CLAIMED).value,
            "person": TurnKind.PERSON.value,
            "host_id": host_id,
            "run_id": run_id,
            "now": m.now_ms,
            "lease_until": m.later_ms(lease_s),
            "limit": limit,
        },
    ).all()
    return sorted((turn_of(row) for row in rows), key=lambda turn: turn.position)


def renew(c: Connection, m: Moment, *, run_id: str, lease_s: float) -> set[str]:
    """Prolong every lease of a run and return the ids of its running turns."""
    rows = c.execute(
        text("""UPDATE turn SET lease_until = :until
            WHERE run_id = :run_id AND status = 'running' RETURNING id"""),
        {"run_id": run_id, "until": m.later_ms(lease_s)},
    )
    return {row.id for row in rows}


def begin(c: Connection, m: Moment, lease: Lease) -> bool:
    """Note the agent's first event; False when the lease is no longer the caller's."""
    result = c.execute(
        text("""UPDATE turn SET started_at = coalesce(started_at, :now)
            WHERE id = :id AND status = 'running' AND run_id = :run_id AND attempt = :attempt"""),
        {
            "id": lease.turn_id,
            "run_id": lease.run_id,
            "attempt": lease.attempt,
            "now": m.now_ms,
        },
    )
    return result.rowcount == 1


def end(
    c: Connection,
    m: Moment,
    turn: Turn,
    event: TurnEvent,
    end: TurnEnd,
    *,
    final_message_id: str | None = None,
) -> None:
    """Write the end of a turn."""
    c.execute(
        _END,
        {
            "id": turn.id,
            "before": turn.status.value,
            "status": rules.after(turn.status, event).value,
            "stop_reason": end.stop_reason,
            "error": end.error,
            "final_message_id": final_message_id,
            "failure": end.failure,
            "retry_at": end.retry_at and to_ms(end.retry_at),
            **asdict(end.facts),
            "began": m.now_ms if end.status in rules.ENDED_WELL else None,
            "now": m.now_ms,
        },
    )


def requeue(c: Connection, turn: Turn) -> None:
    """Put a turn that never began back into the queue."""
    status = rules.after(turn.status, TurnEvent.RETRIED)
    c.execute(_RETRY, {"id": turn.id, "before": turn.status.value, "status": status.value})


def request_stop(c: Connection, m: Moment, turn_id: str) -> None:
    """Ask the host that runs a turn to end it."""
    c.execute(
        text("""UPDATE turn SET stop_requested_at = coalesce(stop_requested_at, :now)
            WHERE id = :id AND status = 'running'"""),
        {"id": turn_id, "now": m.now_ms},
    )


def stops_requested(c: Connection, run_id: str) -> list[str]:
    """Return the running turns of a run that somebody wants to end."""
    rows = c.execute(
        text("""SELECT id FROM turn WHERE run_id = :run_id AND status = 'running'
            AND stop_requested_at IS NOT NULL"""),
        {"run_id": run_id},
    )
    return [row.id for row in rows]


def expired(c: Connection, m: Moment) -> list[Turn]:
    """Return the running turns whose lease has run out."""
    rows = c.execute(
        _EXPIRED,
        {"now": m.now_ms},
    )
    return [turn_of(row) for row in rows]


def running_of(c: Connection, run_ids: Sequence[str]) -> list[Turn]:
    """Return the running turns of these runs of a host."""
    return [
        turn_of(row) for run_id in run_ids for row in c.execute(_RUNNING_OF, {"run_id": run_id})
    ]


def without_host(c: Connection, m: Moment, *, no_host_s: float) -> list[Turn]:
    """Return the queued turns that a request waits for and whose host has been away too long."""
    rows = c.execute(
        _WITHOUT_HOST,
        {"limit": to_ms(m.now) - int(no_host_s * 1000)},
    )
    return [turn_of(row) for row in rows]


def turn_of(row: Row[Any]) -> Turn:
    """Return the turn that a row holds."""
    return Turn(
        position=row.position,
        id=row.id,
        conversation_id=row.conversation_id,
        kind=TurnKind(row.kind),
        status=TurnStatus(row.status),
        prompt=row.prompt,
        message_id=row.message_id,
        thread=Thread(serves=row.serves_request_id, hop=row.hop, chain_id=row.chain_id),
        attempt=row.attempt,
        run_id=row.run_id,
        lease_until=maybe_from_ms(row.lease_until),
        queued_at=from_ms(row.queued_at),
        claimed_at=maybe_from_ms(row.claimed_at),
        started_at=maybe_from_ms(row.started_at),
        ended_at=maybe_from_ms(row.ended_at),
        stop_requested_at=maybe_from_ms(row.stop_requested_at),
        stop_reason=row.stop_reason,
        error=row.error,
        final_message_id=row.final_message_id,
        failure=TurnFailure(row.failure) if row.failure else None,
        retry_at=maybe_from_ms(row.retry_at),
        facts=facts_of(row),
    )


def facts_of(row: Row[Any]) -> TurnFacts:
    """Return what the turn of a row took."""
    return TurnFacts(
        model=row.model,
        cost_microusd=row.cost_microusd,
        input_tokens=row.input_tokens,
        cached_tokens=row.cached_tokens,
        output_tokens=row.output_tokens,
    )
