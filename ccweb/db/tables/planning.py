"""Tables of friday: projects, work items, blueprints with their evidence, plans, and runs."""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    Table,
    Text,
    UniqueConstraint,
    text,
)

from ccweb.db.tables.form import metadata, one_of, position
from ccweb_contract.enums import (
    BlueprintStatus,
    CandidateRole,
    PlanSource,
    PlanStatus,
    ResearchStatus,
    ReworkScope,
    ThreadStatus,
    WorkItemSource,
)


def _unique_while_there(column: str) -> Index:
    """Return an index by which a project has no two repositories alike in a column."""
    there = text("removed_at IS NULL")
    return Index(
        None, "project_id", column, unique=True, sqlite_where=there, postgresql_where=there
    )


project = Table(
    "project",
    metadata,
    Column("id", Text, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column("host_id", Text, ForeignKey("host.id"), nullable=False),
    Column("owner_id", Text, ForeignKey("person.id"), nullable=False),
    Column("feature_list", Text, nullable=False),
    Column("created_at", BigInteger, nullable=False),
)

project_reader = Table(
    "project_reader",
    metadata,
    Column("project_id", Text, ForeignKey("project.id"), primary_key=True),
    Column("person_id", Text, ForeignKey("person.id"), primary_key=True),
)

project_space = Table(
    "project_space",
    metadata,
    Column("source", Text, primary_key=True),
    Column("space_id", Text, primary_key=True),
    Column("project_id", Text, ForeignKey("project.id"), nullable=False, index=True),
    one_of("source", WorkItemSource),
)

project_branch = Table(
    "project_branch",
    metadata,
    Column("name", Text, primary_key=True),
    Column("project_id", Text, ForeignKey("project.id"), nullable=False, index=True),
)

repository = Table(
    "repository",
    metadata,
    position(),
    Column("id", Text, nullable=False, unique=True),
    Column("project_id", Text, ForeignKey("project.id"), nullable=False),
    Column("name", Text, nullable=False),
    Column("path", Text, nullable=False),
    Column("agent", Text, nullable=False),
    Column("removed_at", BigInteger),
    _unique_while_there("name"),
    _unique_while_there("path"),
    sqlite_autoincrement=True,
)

work_context = Table(
    "work_context",
    metadata,
    Column("id", Text, primary_key=True),
    Column("source", Text, nullable=False),
    Column("space_id", Text, nullable=False),
    Column("work_item_id", Text, nullable=False),
    Column("title", Text, nullable=False),
    Column("text", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("cancelled", Boolean, nullable=False),
    Column("url", Text),
    Column("type", Text, nullable=False),
    Column("fetched_at", BigInteger, nullable=False),
    one_of("source", WorkItemSource),
    UniqueConstraint("source", "space_id", "work_item_id"),
)

artifact = Table(
    "artifact",
    metadata,
    position(),
    Column("id", Text, nullable=False, unique=True),
    Column("plan_id", Text, nullable=False, unique=True),
    Column("project_id", Text, ForeignKey("project.id"), nullable=False),
    Column("context_id", Text, ForeignKey("work_context.id"), nullable=False),
    Column("idempotency_key", Text, nullable=False, unique=True),
    Column("status", Text, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("updated_at", BigInteger, nullable=False),
    one_of("status", BlueprintStatus),
    Index(None, "project_id"),
    Index(None, "context_id"),
    sqlite_autoincrement=True,
)

artifact_version = Table(
    "artifact_version",
    metadata,
    Column("id", Text, primary_key=True),
    Column("artifact_id", Text, ForeignKey("artifact.id"), nullable=False),
    Column("number", Integer, nullable=False),
    Column("markdown", Text, nullable=False),
    Column("content_hash", Text, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    UniqueConstraint("artifact_id", "number"),
)

clarification = Table(
    "clarification",
    metadata,
    position(),
    Column("id", Text, nullable=False, unique=True),
    Column("artifact_id", Text, ForeignKey("artifact.id"), nullable=False),
    Column("kind", Text, nullable=False),
    Column("question", Text, nullable=False),
    Column("type", Text, nullable=False),
    Column("options", Text, nullable=False),
    Column("recommended", Text, nullable=False),
    Column("status", Text, nullable=False),
    Column("body", Text),
    Column("person_id", Text, ForeignKey("person.id")),
    Column("created_at", BigInteger, nullable=False),
    Column("answered_at", BigInteger),
    one_of("status", ThreadStatus),
    Index(None, "artifact_id", "position"),
    sqlite_autoincrement=True,
)

rework = Table(
    "rework",
    metadata,
    position(),
    Column("artifact_id", Text, ForeignKey("artifact.id"), nullable=False),
    Column("version_id", Text, ForeignKey("artifact_version.id"), nullable=False),
    Column("comment", Text, nullable=False),
    Column("scope", Text, nullable=False),
    Column("person_id", Text, ForeignKey("person.id"), nullable=False),
    Column("created_at", BigInteger, nullable=False),
    one_of("scope", ReworkScope),
    Index(None, "artifact_id", "position"),
    sqlite_autoincrement=True,
)

confirmation = Table(
    "confirmation",
    metadata,
    Column("artifact_id", Text, ForeignKey("artifact.id"), primary_key=True),
    Column("version_id", Text, ForeignKey("artifact_version.id"), nullable=False),
    Column("content_hash", Text, nullable=False),
    Column("person_id", Text, ForeignKey("person.id"), nullable=False),
    Column("created_at", BigInteger, nullable=False),
)

research = Table(
    "research",
    metadata,
    position(),
    Column("id", Text, nullable=False, unique=True),
    Column("owner_id", Text, nullable=False),
    Column("repository_id", Text, ForeignKey("repository.id"), nullable=False),
    Column("role", Text, nullable=False),
    Column("score", Float, nullable=False),
    Column("matched", Text, nullable=False),
    Column("status", Text, nullable=False),
    Column("attempt", Integer, nullable=False),
    Column("conversation_id", Text),
    Column("request_id", Text, unique=True),
    Column("evidence", Text, nullable=False),
    Column("error", Text),
    Column("updated_at", BigInteger, nullable=False),
    one_of("role", CandidateRole),
    one_of("status", ResearchStatus),
    UniqueConstraint("owner_id", "repository_id"),
    sqlite_autoincrement=True,
)

coding = Table(
    "coding",
    metadata,
    position(),
    Column("artifact_id", Text, ForeignKey("confirmation.artifact_id"), nullable=False),
    Column("repository_id", Text, ForeignKey("repository.id"), nullable=False),
    Column("conversation_id", Text, nullable=False),
    Column("request_id", Text, nullable=False, unique=True),
    Column("person_id", Text, ForeignKey("person.id"), nullable=False),
    Column("outcome", Text),
    Column("text", Text),
    Column("created_at", BigInteger, nullable=False),
    Column("ended_at", BigInteger),
    UniqueConstraint("artifact_id", "repository_id"),
    sqlite_autoincrement=True,
)

feature_plan = Table(
    "feature_plan",
    metadata,
    position(),
    Column("id", Text, nullable=False, unique=True),
    Column("project_id", Text, ForeignKey("project.id")),
    Column("source", Text, nullable=False),
    Column("holder_id", Text, nullable=False),
    Column("status", Text, nullable=False),
    Column("classification", Text, nullable=False),
    Column("routing", Text, nullable=False),
    Column("questions", Text, nullable=False),
    Column("answers", Text, nullable=False),
    Column("feature_count", Integer, nullable=False),
    Column("truncated", Boolean, nullable=False),
    Column("plan", Text),
    Column("markdown", Text),
    Column("version_id", Text),
    Column("error", Text),
    Column("created_at", BigInteger, nullable=False),
    Column("updated_at", BigInteger, nullable=False),
    one_of("status", PlanStatus),
    one_of("source", PlanSource),
    Index(None, "project_id"),
    sqlite_autoincrement=True,
)

planning_run = Table(
    "planning_run",
    metadata,
    Column("id", Text, primary_key=True),
    Column("holder_id", Text, nullable=False),
    Column("created_at", BigInteger, nullable=False),
)

planning_call = Table(
    "planning_call",
    metadata,
    position(),
    Column("run_id", Text, ForeignKey("planning_run.id"), nullable=False),
    Column("tool", Text, nullable=False),
    Column("door", Text, nullable=False),
    Column("caller_id", Text, nullable=False),
    Column("outcome", Text, nullable=False),
    Column("about_id", Text),
    Column("created_at", BigInteger, nullable=False),
    Index(None, "run_id", "position"),
    Index(
        "ix_planning_call_about",
        "about_id",
        sqlite_where=text("about_id IS NOT NULL"),
        postgresql_where=text("about_id IS NOT NULL"),
    ),
    sqlite_autoincrement=True,
)

outbox = Table(
    "outbox",
    metadata,
    position(),
    Column("request_id", Text, nullable=False, unique=True),
    Column("created_at", BigInteger, nullable=False),
    sqlite_autoincrement=True,
)
