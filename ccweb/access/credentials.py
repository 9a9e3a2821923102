"""Credentials of agents in the database: one for each process, bound to a turn's lease (R-D6)."""

from collections.abc import Mapping

from sqlalchemy import Connection

from ccweb.access.model import Agent
from ccweb.clock import Moment
from ccweb.conversations.model import Lease
from ccweb.db.sql import select, text

_ADD = text("""
    INSERT INTO agent_credential (secret_hash, conversation_id, run_id, created_at)
    VALUES (:hash, :conversation_id, :run_id, :now)""")

_RENEW = text("""
    UPDATE agent_credential SET turn_id = :turn_id, attempt = :attempt
    WHERE run_id = :run_id AND conversation_id = :conversation_id AND revoked_at IS NULL""")

_AGENT = select(
    """a.conversation_id, a.run_id, a.turn_id, a.attempt, a.revoked_at,
    (t.status = 'running' AND t.run_id = a.run_id AND t.attempt = a.attempt
        AND t.lease_until > :now) AS current""",
    """FROM agent_credential a LEFT JOIN turn t ON t.id = a.turn_id
    WHERE a.secret_hash = :hash""",
)


def add(c: Connection, m: Moment, secret_hash: str, *, conversation_id: str, run_id: str) -> None:
    """Insert a credential that belongs to no turn yet."""
    c.execute(
        _ADD,
        {
            "hash": secret_hash,
            "conversation_id": conversation_id,
            "run_id": run_id,
            "now": m.now_ms,
        },
    )


def renew(c: Connection, leases: Mapping[str, Lease]) -> None:
    """Bind the credentials that a run holds for these conversations to the turns it claimed."""
    c.execute(
        _RENEW,
        [
            {
                "run_id": lease.run_id,
                "conversation_id": conversation_id,
                "turn_id": lease.turn_id,
                "attempt": lease.attempt,
            }
            for conversation_id, lease in leases.items()
        ],
    )


def revoke(c: Connection, m: Moment, secret_hash: str) -> None:
    """End one credential."""
    c.execute(
        text("""UPDATE agent_credential SET revoked_at = :now
            WHERE secret_hash = :hash AND revoked_at IS NULL"""),
        {"hash": secret_hash, "now": m.now_ms},
    )


def revoke_run(c: Connection, m: Moment, run_id: str) -> None:
    """End every credential of a run of a host."""
    c.execute(
        text("""UPDATE agent_credential SET revoked_at = :now
            WHERE run_id = :run_id AND revoked_at IS NULL"""),
        {"run_id": run_id, "now": m.now_ms},
    )


def agent(c: Connection, m: Moment, secret_hash: str) -> Agent | None:
    """Return the agent that holds a credential, None when it is unknown."""
    row = c.execute(_AGENT, {"hash": secret_hash, "now": m.now_ms}).one_or_none()
    if row is None:
        return None
    valid = row.revoked_at is None and row.turn_id is not None
    return Agent(
        conversation_id=row.conversation_id,
        lease=Lease(turn_id=row.turn_id, run_id=row.run_id, attempt=row.attempt) if valid else None,
        current=valid and bool(row.current),
    )
