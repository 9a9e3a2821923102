"""Plans of feature lists in the database: one row a session, its lists as JSON."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final

from sqlalchemy import Connection, Row

from ccweb.clock import Moment, from_ms, to_ms
from ccweb.db.sql import select, text
from ccweb.planning.features.classification import Classified
from ccweb.planning.model import Feature, Option, Payload, ProjectId, Route
from ccweb.planning.plans import rules as plan_rules
from ccweb.planning.plans.model import (
    NamedRoute,
    PlanAnswer,
    PlanError,
    PlanQuestion,
    Session,
    shown_item,
)
from ccweb.planning.plans.rules import PlanEvent
from ccweb.planning.projects.contexts import CANCELLED, OF_BLUEPRINT
from ccweb_contract.enums import (
    BlueprintStatus,
    CandidateRole,
    ChangeType,
    PlanSource,
    PlanStatus,
    QuestionType,
)

_COLUMNS: Final = """f.id, f.project_id, f.source, f.holder_id, f.status, f.classification,
    f.routing, f.questions, f.answers, f.truncated, f.plan, f.markdown, f.version_id, f.error,
    f.created_at"""

_ONE = select(_COLUMNS, "FROM feature_plan f WHERE f.id = :id")

_ADD = text("""
    INSERT INTO feature_plan (id, project_id, source, holder_id, status, classification, routing,
        questions, answers, feature_count, truncated, created_at, updated_at)
    VALUES (:id, :project_id, :source, :holder_id, :status, :classification, :routing,
        :questions, :answers, :feature_count, :truncated, :now, :now)""")

_CONFIRM = text("""
    UPDATE feature_plan SET status = :status, answers = :answers, updated_at = :now
    WHERE id = :id AND status = :before""")

_TOUCH = text("UPDATE feature_plan SET updated_at = :now WHERE id = :id AND status = :status")

_COMPLETE = text("""
    UPDATE feature_plan SET status = :status, plan = :plan, markdown = :markdown,
        version_id = :version_id, updated_at = :now
    WHERE id = :id AND status = :before""")

_FAIL = text("""
    UPDATE feature_plan SET status = :status, error = :error, updated_at = :now
    WHERE id = :id AND status = :before""")

_KNOWN: Final = text("""
    SELECT 1 FROM artifact WHERE :id IN (id, plan_id)
    UNION ALL SELECT 1 FROM artifact_version WHERE id = :id
    UNION ALL SELECT 1 FROM feature_plan WHERE version_id = :id
    UNION ALL SELECT 1 FROM clarification WHERE id = :id
    UNION ALL SELECT 1 FROM research WHERE id = :id
    UNION ALL SELECT 1 FROM work_context WHERE id = :id
    UNION ALL SELECT 1 FROM task WHERE id = :id
    UNION ALL SELECT 1 FROM project WHERE id = :id
    UNION ALL SELECT 1 FROM repository WHERE id = :id
    UNION ALL SELECT 1 FROM planning_run WHERE id = :id
    UNION ALL SELECT 1 FROM conversation WHERE id = :id
    UNION ALL SELECT 1 FROM pending_reply WHERE request_id = :id LIMIT 1""")

_UNDER_WAY: Final = text(f"""
    SELECT a.id FROM artifact a {OF_BLUEPRINT}
    WHERE a.project_id = :project_id AND a.status <> :confirmed AND NOT {CANCELLED}
    ORDER BY a.position LIMIT 1""")  # noqa: S608


def add(c: Connection, session: Session) -> None:
    """Insert a session."""
    c.execute(
        _ADD,
        {
            "id": session.id,
            "project_id": session.project_id,
            "source": session.source.value,
            "holder_id": session.holder_id,
            "status": session.status.value,
            "classification": _json([shown_item(one) for one in session.items]),
            "routing": _json([asdict(one) for one in session.routes]),
            "questions": _json([asdict(one) for one in session.questions]),
            "answers": _answers_json(session.answers),
            "feature_count": len(session.items),
            "truncated": session.truncated,
            "now": to_ms(session.created_at),
        },
    )


def find(c: Connection, session_id: str) -> Session | None:
    """Return a session, else None."""
    row = c.execute(_ONE, {"id": session_id}).one_or_none()
    return None if row is None else _session_of(row)


def is_session(c: Connection, owner_id: str) -> bool:
    """Tell whether what owns a research is a session; else it is a blueprint."""
    found = c.execute(text("SELECT 1 FROM feature_plan WHERE id = :id"), {"id": owner_id})
    return found.first() is not None


def is_known(c: Connection, some_id: str) -> bool:
    """Tell whether an id names something of this workspace that is no session."""
    return c.execute(_KNOWN, {"id": some_id}).first() is not None


def confirm(c: Connection, m: Moment, session_id: str, answers: Iterable[PlanAnswer]) -> bool:
    """Write the user's answers; False when there are some already."""
    changed = c.execute(
        _CONFIRM,
        {
            "id": session_id,
            **_move(PlanEvent.CONFIRMED),
            "answers": _answers_json(answers),
            "now": m.now_ms,
        },
    )
    return changed.rowcount == 1


def touch(c: Connection, m: Moment, session_id: str) -> bool:
    """Lock a session that is being researched; False when it is at another step."""
    changed = c.execute(
        _TOUCH, {"id": session_id, "status": PlanStatus.RESEARCHING.value, "now": m.now_ms}
    )
    return changed.rowcount == 1


def complete(
    c: Connection, m: Moment, session_id: str, *, plan: Payload, markdown: str, version_id: str
) -> None:
    """Write the plan of a session."""
    c.execute(
        _COMPLETE,
        {
            "id": session_id,
            **_move(PlanEvent.WRITTEN),
            "plan": _json(plan),
            "markdown": markdown,
            "version_id": version_id,
            "now": m.now_ms,
        },
    )


def fail(c: Connection, m: Moment, session_id: str, error: PlanError) -> None:
    """Write why there is no plan."""
    c.execute(
        _FAIL,
        {
            "id": session_id,
            **_move(PlanEvent.WITHOUT_EVIDENCE),
            "error": _json(asdict(error)),
            "now": m.now_ms,
        },
    )


def _move(event: PlanEvent) -> dict[str, str]:
    before, after = plan_rules.move(event)
    return {"before": before.value, "status": after.value}


def blueprint_under_way(c: Connection, project_id: ProjectId) -> str | None:
    """Return a blueprint of a project that is not confirmed and whose work is not cancelled."""
    found: str | None = c.execute(
        _UNDER_WAY,
        {"project_id": project_id, "confirmed": BlueprintStatus.CONFIRMED.value},
    ).scalar_one_or_none()
    return found


# --- rows ---------------------------------------------------------------------------------------


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _answers_json(answers: Iterable[PlanAnswer]) -> str:
    return _json([asdict(one) for one in answers])


def _session_of(row: Row[Any]) -> Session:
    return Session(
        id=row.id,
        project_id=ProjectId(row.project_id) if row.project_id else None,
        source=PlanSource(row.source),
        holder_id=row.holder_id,
        status=PlanStatus(row.status),
        items=[_item_of(one) for one in json.loads(row.classification)],
        routes=[_route_of(one) for one in json.loads(row.routing)],
        questions=[_question_of(one) for one in json.loads(row.questions)],
        answers=[PlanAnswer(**one) for one in json.loads(row.answers)],
        truncated=bool(row.truncated),
        plan=json.loads(row.plan) if row.plan else None,
        markdown=row.markdown,
        version_id=row.version_id,
        error=PlanError(**json.loads(row.error)) if row.error else None,
        created_at=from_ms(row.created_at),
    )


def _item_of(kept: Mapping[str, Any]) -> Classified:
    return Classified(
        feature=Feature(key=kept["key"], module=kept["module"], name=kept["name"]),
        change_type=ChangeType(kept["change_type"]),
        confidence=kept["confidence"],
        evidence_files=tuple(kept["evidence_files"]),
        suggested_location=kept["suggested_location"],
        reason=kept["reason"],
    )


def _route_of(kept: Mapping[str, Any]) -> NamedRoute:
    route = kept["route"]
    return NamedRoute(
        name=kept["name"], route=Route(**{**route, "role": CandidateRole(route["role"])})
    )


def _question_of(kept: Mapping[str, Any]) -> PlanQuestion:
    options: Sequence[Mapping[str, str]] = kept["options"]
    return PlanQuestion(
        **{
            **kept,
            "type": QuestionType(kept["type"]),
            "options": [Option(**one) for one in options],
        }
    )
