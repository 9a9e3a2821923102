"""Research and coding in the database: who works for a blueprint or a plan, and what came of it."""

import json
from dataclasses import asdict
from typing import Any, Final

from sqlalchemy import Connection, Row

from ccweb.clock import Moment, from_ms, maybe_from_ms, to_ms
from ccweb.db.sql import select, text
from ccweb.planning.model import Candidate, Coding, Evidence, ProjectId, Repository, Research, Route
from ccweb.planning.projects.contexts import CANCELLED, OF_BLUEPRINT
from ccweb_contract.enums import (
    AgentKind,
    CandidateRole,
    Outcome,
    ReplyStatus,
    ResearchStatus,
)

_COLUMNS: Final = """r.id, r.owner_id, r.repository_id, r.role, r.score, r.matched, r.status,
    r.attempt, r.conversation_id, r.request_id, r.evidence, r.error,
    k.project_id, k.name, k.path, k.agent"""

_JOINED: Final = "FROM research r JOIN repository k ON k.id = r.repository_id"

_OF = select(
    _COLUMNS,
    f"{_JOINED} WHERE r.owner_id = :id ORDER BY r.role, r.score DESC, r.position",
)

_BY_REQUEST = select(_COLUMNS, f"{_JOINED} WHERE r.request_id = :id")

_ADD = text("""
    INSERT INTO research (id, owner_id, repository_id, role, score, matched, status, attempt,
        conversation_id, request_id, evidence, error, updated_at)
    VALUES (:id, :owner_id, :repository_id, :role, :score, :matched, :status, :attempt,
        :conversation_id, :request_id, :evidence, :error, :now)""")

_SET = text("""
    UPDATE research SET role = :role, status = :status, attempt = :attempt,
        conversation_id = :conversation_id, request_id = :request_id, evidence = :evidence,
        error = :error, updated_at = :now
    WHERE id = :id""")

_CODING: Final = """artifact_id, repository_id, conversation_id, request_id, person_id, outcome,
    text, created_at, ended_at"""

_CODINGS = select(_CODING, "FROM coding WHERE artifact_id = :id ORDER BY position")

_CODING_BY_REQUEST = select(_CODING, "FROM coding WHERE request_id = :id")

_ADD_CODING = text("""
    INSERT INTO coding (artifact_id, repository_id, conversation_id, request_id, person_id,
        created_at)
    VALUES (:artifact_id, :repository_id, :conversation_id, :request_id, :person_id, :now)""")

_ORPHANED = text(f"""
    WITH work AS (
        SELECT owner_id AS artifact_id, request_id FROM research WHERE status = :running
        UNION ALL
        SELECT artifact_id, request_id FROM coding WHERE outcome IS NULL)
    SELECT p.request_id AS id, a.id AS artifact_id
    FROM work JOIN artifact a ON a.id = work.artifact_id
        JOIN pending_reply p ON p.request_id = work.request_id AND p.status = :waiting
        {OF_BLUEPRINT}
    WHERE {CANCELLED} ORDER BY p.request_id""")  # noqa: S608


# --- research -----------------------------------------------------------------------------------


def add(c: Connection, m: Moment, research: Research) -> None:
    """Insert a candidate."""
    fixed = {
        "owner_id": research.owner_id,
        "repository_id": research.route.repository_id,
        "score": research.route.score,
        "matched": json.dumps(list(research.route.matched), ensure_ascii=False),
    }
    c.execute(_ADD, fixed | _changing(m, research))


def update(c: Connection, m: Moment, research: Research) -> None:
    """Write where a research stands."""
    c.execute(_SET, _changing(m, research))


def of(c: Connection, owner_id: str) -> list[Candidate]:
    """Return the candidates of a blueprint or a plan, direct ones and the likeliest first."""
    return [_candidate_of(row) for row in c.execute(_OF, {"id": owner_id})]


def by_request(c: Connection, request_id: str) -> Candidate | None:
    """Return the candidate whose present request this is, else None."""
    row = c.execute(_BY_REQUEST, {"id": request_id}).one_or_none()
    return None if row is None else _candidate_of(row)


# --- coding -------------------------------------------------------------------------------------


def add_coding(c: Connection, coding: Coding) -> None:
    """Insert the work in a repository."""
    c.execute(
        _ADD_CODING,
        {
            "artifact_id": coding.artifact_id,
            "repository_id": coding.repository_id,
            "conversation_id": coding.conversation_id,
            "request_id": coding.request_id,
            "person_id": coding.person_id,
            "now": to_ms(coding.created_at),
        },
    )


def codings(c: Connection, artifact_id: str) -> list[Coding]:
    """Return the work on a blueprint, the first begun first."""
    return [_coding_of(row) for row in c.execute(_CODINGS, {"id": artifact_id})]


def coding_by_request(c: Connection, request_id: str) -> Coding | None:
    """Return the work that a request asked for, else None."""
    row = c.execute(_CODING_BY_REQUEST, {"id": request_id}).one_or_none()
    return None if row is None else _coding_of(row)


def end_coding(c: Connection, m: Moment, coding: Coding, outcome: Outcome, body: str) -> None:
    """Write what came of the work."""
    c.execute(
        text("""UPDATE coding SET outcome = :outcome, text = :text, ended_at = :now
            WHERE request_id = :id AND outcome IS NULL"""),
        {"id": coding.request_id, "outcome": outcome.value, "text": body, "now": m.now_ms},
    )


# --- orphans ------------------------------------------------------------------------------------


def orphaned(c: Connection) -> list[tuple[str, str]]:
    """Return the open requests whose work item is cancelled, each with its blueprint."""
    rows = c.execute(
        _ORPHANED,
        {
            "waiting": ReplyStatus.WAITING.value,
            "running": ResearchStatus.RUNNING.value,
        },
    )
    return [(row.id, row.artifact_id) for row in rows]


# --- rows ---------------------------------------------------------------------------------------


def _changing(m: Moment, research: Research) -> dict[str, Any]:
    return {
        "id": research.id,
        "role": research.route.role.value,
        "status": research.status.value,
        "attempt": research.attempt,
        "conversation_id": research.conversation_id,
        "request_id": research.request_id,
        "evidence": json.dumps(asdict(research.evidence), ensure_ascii=False),
        "error": research.error,
        "now": m.now_ms,
    }


def _candidate_of(row: Row[Any]) -> Candidate:
    repository = Repository(
        id=row.repository_id,
        project_id=ProjectId(row.project_id),
        name=row.name,
        path=row.path,
        agent=AgentKind(row.agent),
    )
    return Candidate(research=_research_of(row), repository=repository)


def _research_of(row: Row[Any]) -> Research:
    return Research(
        id=row.id,
        owner_id=row.owner_id,
        route=Route(
            repository_id=row.repository_id,
            role=CandidateRole(row.role),
            score=row.score,
            matched=json.loads(row.matched),
        ),
        status=ResearchStatus(row.status),
        attempt=row.attempt,
        conversation_id=row.conversation_id,
        request_id=row.request_id,
        evidence=Evidence(**json.loads(row.evidence)),
        error=row.error,
    )


def _coding_of(row: Row[Any]) -> Coding:
    return Coding(
        artifact_id=row.artifact_id,
        repository_id=row.repository_id,
        conversation_id=row.conversation_id,
        request_id=row.request_id,
        person_id=row.person_id,
        outcome=Outcome(row.outcome) if row.outcome else None,
        text=row.text,
        created_at=from_ms(row.created_at),
        ended_at=maybe_from_ms(row.ended_at),
    )
