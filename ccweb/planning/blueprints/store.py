"""Blueprints in the database: their states, texts, and what people have decided about them."""

from collections.abc import Mapping
from typing import Any, Final

from sqlalchemy import Connection, Row

from ccweb.clock import Moment, from_ms, to_ms
from ccweb.db.sql import select, text
from ccweb.planning.model import (
    Artifact,
    Confirmation,
    ProjectId,
    Rework,
    SpaceId,
    Version,
    WorkItem,
)
from ccweb.planning.projects.contexts import CANCELLED, OF_BLUEPRINT
from ccweb_contract.enums import AskKind, BlueprintStatus, ReworkScope, WorkItemSource

_ARTIFACT: Final = """a.id, a.plan_id, a.project_id, a.context_id, a.idempotency_key, a.status,
    a.created_at, a.updated_at"""

_ITEM: Final = f"""w.source, w.space_id, w.work_item_id, w.url, w.type,
    coalesce(t.title, w.title) AS item_title, coalesce(t.text, w.text) AS item_text,
    coalesce(k.state, w.state) AS item_state, {CANCELLED} AS cancelled"""

_ONE = select(
    f"""{_ARTIFACT}, {_ITEM}, f.version_id, f.content_hash, f.person_id,
    f.created_at AS confirmed_at, p.name AS person_name""",
    f"""FROM artifact a {OF_BLUEPRINT}
    LEFT JOIN confirmation f ON f.artifact_id = a.id LEFT JOIN person p ON p.id = f.person_id
    WHERE a.id = :id""",
)

_BY_KEY = select(_ARTIFACT, "FROM artifact a WHERE a.idempotency_key = :key")

_OF_CONTEXT = select(
    _ARTIFACT, "FROM artifact a WHERE a.context_id = :id ORDER BY a.position LIMIT 1"
)

_VERSION: Final = "id, artifact_id, number, markdown, content_hash, created_at"

_LATEST = select(
    _VERSION, "FROM artifact_version WHERE artifact_id = :id ORDER BY number DESC LIMIT 1"
)

_VERSIONS = select(_VERSION, "FROM artifact_version WHERE artifact_id = :id ORDER BY number")

_REWORKS = select(
    """r.artifact_id, r.version_id, r.comment, r.scope, r.person_id, r.created_at,
    v.number, p.name""",
    """FROM rework r JOIN artifact_version v ON v.id = r.version_id
    JOIN person p ON p.id = r.person_id WHERE r.artifact_id = :id ORDER BY r.position""",
)

_ASKING_ORPHANS = text(f"""
    SELECT DISTINCT a.id FROM ask q JOIN artifact a ON a.id = q.subject {OF_BLUEPRINT}
    WHERE q.status = 'open' AND q.kind IN (:question, :approval) AND {CANCELLED}
    ORDER BY a.id""")  # noqa: S608

_ADD = text("""
    INSERT INTO artifact (id, plan_id, project_id, context_id, idempotency_key, status,
        created_at, updated_at)
    VALUES (:id, :plan_id, :project_id, :context_id, :key, :status, :now, :now)""")

_ADD_VERSION = text("""
    INSERT INTO artifact_version (id, artifact_id, number, markdown, content_hash, created_at)
    VALUES (:id, :artifact_id, :number, :markdown, :content_hash, :now)""")

_CONFIRM = text("""
    INSERT INTO confirmation (artifact_id, version_id, content_hash, person_id, created_at)
    VALUES (:artifact_id, :version_id, :content_hash, :person_id, :now)""")

_ADD_REWORK = text("""
    INSERT INTO rework (artifact_id, version_id, comment, scope, person_id, created_at)
    VALUES (:artifact_id, :version_id, :comment, :scope, :person_id, :now)""")


class Found:
    """A blueprint with its work item as it is now, and who has approved it."""

    __slots__ = ("artifact", "confirmation", "item", "people")

    def __init__(self, row: Row[Any]) -> None:
        self.artifact: Artifact = _artifact_of(row)
        self.item: WorkItem = _item_of(row)
        self.confirmation: Confirmation | None = _confirmation_of(row)
        self.people: Mapping[str, str] = {row.person_id: row.person_name} if row.person_id else {}


# --- blueprints ---------------------------------------------------------------------------------


def add(c: Connection, artifact: Artifact) -> None:
    """Insert a blueprint."""
    c.execute(
        _ADD,
        {
            "id": artifact.id,
            "plan_id": artifact.plan_id,
            "project_id": artifact.project_id,
            "context_id": artifact.context_id,
            "key": artifact.idempotency_key,
            "status": artifact.status.value,
            "now": to_ms(artifact.created_at),
        },
    )


def find(c: Connection, artifact_id: str) -> Found | None:
    """Return a blueprint with its work item, else None."""
    row = c.execute(_ONE, {"id": artifact_id}).one_or_none()
    return None if row is None else Found(row)


def by_key(c: Connection, key: str) -> Artifact | None:
    """Return the blueprint that was made with a key, else None."""
    row = c.execute(_BY_KEY, {"key": key}).one_or_none()
    return None if row is None else _artifact_of(row)


def of_context(c: Connection, context_id: str) -> Artifact | None:
    """Return the blueprint of a work item, None when it has none."""
    row = c.execute(_OF_CONTEXT, {"id": context_id}).one_or_none()
    return None if row is None else _artifact_of(row)


def set_status(c: Connection, m: Moment, artifact: Artifact, status: BlueprintStatus) -> bool:
    """Move a blueprint on; False when it is no longer where it was read."""
    changed = c.execute(
        text("""UPDATE artifact SET status = :status, updated_at = :now
            WHERE id = :id AND status = :before"""),
        {
            "id": artifact.id,
            "before": artifact.status.value,
            "status": status.value,
            "now": m.now_ms,
        },
    )
    return changed.rowcount == 1


def asking_orphans(c: Connection) -> list[str]:
    """Return the blueprints of cancelled work items that still ask people something."""
    rows = c.execute(
        _ASKING_ORPHANS,
        {
            "question": AskKind.BLUEPRINT_QUESTION.value,
            "approval": AskKind.BLUEPRINT_APPROVAL.value,
        },
    )
    return [row.id for row in rows]


# --- texts and decisions ------------------------------------------------------------------------


def add_version(c: Connection, version: Version) -> None:
    """Insert the next text of a blueprint."""
    c.execute(
        _ADD_VERSION,
        {
            "id": version.id,
            "artifact_id": version.artifact_id,
            "number": version.number,
            "markdown": version.markdown,
            "content_hash": version.content_hash,
            "now": to_ms(version.created_at),
        },
    )


def latest(c: Connection, artifact_id: str) -> Version | None:
    """Return the present text of a blueprint, None before there is one."""
    row = c.execute(_LATEST, {"id": artifact_id}).one_or_none()
    return None if row is None else _version_of(row)


def versions(c: Connection, artifact_id: str) -> list[Version]:
    """Return all texts of a blueprint, the first one first."""
    return [_version_of(row) for row in c.execute(_VERSIONS, {"id": artifact_id})]


def confirm(c: Connection, confirmation: Confirmation) -> None:
    """Insert a person's approval."""
    c.execute(
        _CONFIRM,
        {
            "artifact_id": confirmation.artifact_id,
            "version_id": confirmation.version_id,
            "content_hash": confirmation.content_hash,
            "person_id": confirmation.person_id,
            "now": to_ms(confirmation.created_at),
        },
    )


def add_rework(c: Connection, rework: Rework) -> None:
    """Insert a person's reason to send a version back."""
    c.execute(
        _ADD_REWORK,
        {
            "artifact_id": rework.artifact_id,
            "version_id": rework.version_id,
            "comment": rework.comment,
            "scope": rework.scope.value,
            "person_id": rework.person_id,
            "now": to_ms(rework.created_at),
        },
    )


def reworks(c: Connection, artifact_id: str) -> list[tuple[Rework, int, str]]:
    """Return what was sent back, oldest first, each with the version's number and who did it."""
    rows = c.execute(_REWORKS, {"id": artifact_id})
    return [(_rework_of(row), row.number, row.name) for row in rows]


# --- rows ---------------------------------------------------------------------------------------


def _artifact_of(row: Row[Any]) -> Artifact:
    return Artifact(
        id=row.id,
        plan_id=row.plan_id,
        project_id=ProjectId(row.project_id),
        context_id=row.context_id,
        idempotency_key=row.idempotency_key,
        status=BlueprintStatus(row.status),
        created_at=from_ms(row.created_at),
        updated_at=from_ms(row.updated_at),
    )


def _item_of(row: Row[Any]) -> WorkItem:
    return WorkItem(
        source=WorkItemSource(row.source),
        space_id=SpaceId(row.space_id),
        id=row.work_item_id,
        title=row.item_title,
        text=row.item_text,
        state=row.item_state,
        cancelled=bool(row.cancelled),
        url=row.url,
        type=row.type,
    )


def _confirmation_of(row: Row[Any]) -> Confirmation | None:
    if row.version_id is None:
        return None
    return Confirmation(
        artifact_id=row.id,
        version_id=row.version_id,
        content_hash=row.content_hash,
        person_id=row.person_id,
        created_at=from_ms(row.confirmed_at),
    )


def _version_of(row: Row[Any]) -> Version:
    return Version(
        id=row.id,
        artifact_id=row.artifact_id,
        number=row.number,
        markdown=row.markdown,
        content_hash=row.content_hash,
        created_at=from_ms(row.created_at),
    )


def _rework_of(row: Row[Any]) -> Rework:
    return Rework(
        artifact_id=row.artifact_id,
        version_id=row.version_id,
        comment=row.comment,
        scope=ReworkScope(row.scope),
        person_id=row.person_id,
        created_at=from_ms(row.created_at),
    )
