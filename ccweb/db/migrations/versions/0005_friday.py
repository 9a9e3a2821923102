"""friday: projects, work items, blueprints, plans and runs; and the outbox of the relay."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"

_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Add the tables; a blueprint's own question belongs to no conversation."""
    with op.batch_alter_table("ask", table_kwargs={"sqlite_autoincrement": True}) as ask:
        ask.alter_column("conversation_id", existing_type=sa.Text(), nullable=True)
    _create_project()
    _create_project_reader()
    _create_project_space()
    _create_project_branch()
    _create_repository()
    _create_work_context()
    _create_artifact()
    _create_artifact_version()
    _create_clarification()
    _create_rework()
    _create_confirmation()
    _create_research()
    _create_coding()
    _create_feature_plan()
    _create_planning_run()
    _create_planning_call()
    _create_outbox()


def _create_project() -> None:
    op.create_table(
        "project",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("host_id", sa.Text(), nullable=False),
        sa.Column("owner_id", sa.Text(), nullable=False),
        sa.Column("feature_list", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["host_id"], ["host.id"], name=op.f("fk_project_host_id")),
        sa.ForeignKeyConstraint(["owner_id"], ["person.id"], name=op.f("fk_project_owner_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_project")),
        sa.UniqueConstraint("name", name=op.f("uq_project_name")),
    )


def _create_project_reader() -> None:
    op.create_table(
        "project_reader",
        sa.Column("project_id", sa.Text(), nullable=False),
        sa.Column("person_id", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["person_id"], ["person.id"], name=op.f("fk_project_reader_person_id")
        ),
        sa.ForeignKeyConstraint(
            ["project_id"], ["project.id"], name=op.f("fk_project_reader_project_id")
        ),
        sa.PrimaryKeyConstraint("project_id", "person_id", name=op.f("pk_project_reader")),
    )


def _create_project_space() -> None:
    op.create_table(
        "project_space",
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("space_id", sa.Text(), nullable=False),
        sa.Column("project_id", sa.Text(), nullable=False),
        sa.CheckConstraint("source IN ('board', 'feishu')", name=op.f("ck_project_space_source")),
        sa.ForeignKeyConstraint(
            ["project_id"], ["project.id"], name=op.f("fk_project_space_project_id")
        ),
        sa.PrimaryKeyConstraint("source", "space_id", name=op.f("pk_project_space")),
    )
    op.create_index("ix_project_space_project_id", "project_space", ["project_id"])


def _create_project_branch() -> None:
    op.create_table(
        "project_branch",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("project_id", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["project_id"], ["project.id"], name=op.f("fk_project_branch_project_id")
        ),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_project_branch")),
    )
    op.create_index("ix_project_branch_project_id", "project_branch", ["project_id"])


def _create_repository() -> None:
    op.create_table(
        "repository",
        sa.Column("position", _NUMBER, autoincrement=True, nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("project_id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("agent", sa.Text(), nullable=False),
        sa.Column("removed_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(
            ["project_id"], ["project.id"], name=op.f("fk_repository_project_id")
        ),
        sa.PrimaryKeyConstraint("position", name=op.f("pk_repository")),
        sa.UniqueConstraint("id", name=op.f("uq_repository_id")),
        sqlite_autoincrement=True,
    )
    for column in ("name", "path"):
        op.create_index(
            op.f(f"ix_repository_project_id_{column}"),
            "repository",
            ["project_id", column],
            unique=True,
            sqlite_where=sa.text("removed_at IS NULL"),
            postgresql_where=sa.text("removed_at IS NULL"),
        )


def _create_work_context() -> None:
    op.create_table(
        "work_context",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("space_id", sa.Text(), nullable=False),
        sa.Column("work_item_id", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("cancelled", sa.Boolean(), nullable=False),
        sa.Column("url", sa.Text()),
        sa.Column("type", sa.Text(), nullable=False),
        sa.Column("fetched_at", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("source IN ('board', 'feishu')", name=op.f("ck_work_context_source")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_work_context")),
        sa.UniqueConstraint(
            "source",
            "space_id",
            "work_item_id",
            name=op.f("uq_work_context_source_space_id_work_item_id"),
        ),
    )


def _create_artifact() -> None:
    op.create_table(
        "artifact",
        sa.Column("position", _NUMBER, autoincrement=True, nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("plan_id", sa.Text(), nullable=False),
        sa.Column("project_id", sa.Text(), nullable=False),
        sa.Column("context_id", sa.Text(), nullable=False),
        sa.Column("idempotency_key", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.CheckConstraint(
            "status IN ('researching', 'research_failed', 'clarifying', 'pending_review', 'confirmed')",
            name=op.f("ck_artifact_status"),
        ),
        sa.ForeignKeyConstraint(
            ["context_id"], ["work_context.id"], name=op.f("fk_artifact_context_id")
        ),
        sa.ForeignKeyConstraint(
            ["project_id"], ["project.id"], name=op.f("fk_artifact_project_id")
        ),
        sa.PrimaryKeyConstraint("position", name=op.f("pk_artifact")),
        sa.UniqueConstraint("id", name=op.f("uq_artifact_id")),
        sa.UniqueConstraint("idempotency_key", name=op.f("uq_artifact_idempotency_key")),
        sa.UniqueConstraint("plan_id", name=op.f("uq_artifact_plan_id")),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_artifact_context_id", "artifact", ["context_id"])
    op.create_index("ix_artifact_project_id", "artifact", ["project_id"])


def _create_artifact_version() -> None:
    op.create_table(
        "artifact_version",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("artifact_id", sa.Text(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("markdown", sa.Text(), nullable=False),
        sa.Column("content_hash", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["artifact_id"], ["artifact.id"], name=op.f("fk_artifact_version_artifact_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_artifact_version")),
        sa.UniqueConstraint(
            "artifact_id", "number", name=op.f("uq_artifact_version_artifact_id_number")
        ),
    )


def _create_clarification() -> None:
    op.create_table(
        "clarification",
        sa.Column("position", _NUMBER, autoincrement=True, nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("artifact_id", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("question", sa.Text(), nullable=False),
        sa.Column("type", sa.Text(), nullable=False),
        sa.Column("options", sa.Text(), nullable=False),
        sa.Column("recommended", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("body", sa.Text()),
        sa.Column("person_id", sa.Text()),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("answered_at", sa.BigInteger()),
        sa.CheckConstraint(
            "status IN ('open', 'answered', 'withdrawn')", name=op.f("ck_clarification_status")
        ),
        sa.ForeignKeyConstraint(
            ["artifact_id"], ["artifact.id"], name=op.f("fk_clarification_artifact_id")
        ),
        sa.ForeignKeyConstraint(
            ["person_id"], ["person.id"], name=op.f("fk_clarification_person_id")
        ),
        sa.PrimaryKeyConstraint("position", name=op.f("pk_clarification")),
        sa.UniqueConstraint("id", name=op.f("uq_clarification_id")),
        sqlite_autoincrement=True,
    )
    op.create_index(
        "ix_clarification_artifact_id_position", "clarification", ["artifact_id", "position"]
    )


def _create_rework() -> None:
    op.create_table(
        "rework",
        sa.Column("position", _NUMBER, autoincrement=True, nullable=False),
        sa.Column("artifact_id", sa.Text(), nullable=False),
        sa.Column("version_id", sa.Text(), nullable=False),
        sa.Column("comment", sa.Text(), nullable=False),
        sa.Column("scope", sa.Text(), nullable=False),
        sa.Column("person_id", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.CheckConstraint(
            "scope IN ('text', 'clarification', 'research')", name=op.f("ck_rework_scope")
        ),
        sa.ForeignKeyConstraint(
            ["artifact_id"], ["artifact.id"], name=op.f("fk_rework_artifact_id")
        ),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_rework_person_id")),
        sa.ForeignKeyConstraint(
            ["version_id"], ["artifact_version.id"], name=op.f("fk_rework_version_id")
        ),
        sa.PrimaryKeyConstraint("position", name=op.f("pk_rework")),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_rework_artifact_id_position", "rework", ["artifact_id", "position"])


def _create_confirmation() -> None:
    op.create_table(
        "confirmation",
        sa.Column("artifact_id", sa.Text(), nullable=False),
        sa.Column("version_id", sa.Text(), nullable=False),
        sa.Column("content_hash", sa.Text(), nullable=False),
        sa.Column("person_id", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["artifact_id"], ["artifact.id"], name=op.f("fk_confirmation_artifact_id")
        ),
        sa.ForeignKeyConstraint(
            ["person_id"], ["person.id"], name=op.f("fk_confirmation_person_id")
        ),
        sa.ForeignKeyConstraint(
            ["version_id"], ["artifact_version.id"], name=op.f("fk_confirmation_version_id")
        ),
        sa.PrimaryKeyConstraint("artifact_id", name=op.f("pk_confirmation")),
    )


def _create_research() -> None:
    op.create_table(
        "research",
        sa.Column("position", _NUMBER, autoincrement=True, nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("owner_id", sa.Text(), nullable=False),
        sa.Column("repository_id", sa.Text(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("score", sa.Float(), nullable=False),
        sa.Column("matched", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("conversation_id", sa.Text()),
        sa.Column("request_id", sa.Text()),
        sa.Column("evidence", sa.Text(), nullable=False),
        sa.Column("error", sa.Text()),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("role IN ('direct', 'related')", name=op.f("ck_research_role")),
        sa.CheckConstraint(
            "status IN ('queued', 'running', 'succeeded', 'failed')",
            name=op.f("ck_research_status"),
        ),
        sa.ForeignKeyConstraint(
            ["repository_id"], ["repository.id"], name=op.f("fk_research_repository_id")
        ),
        sa.PrimaryKeyConstraint("position", name=op.f("pk_research")),
        sa.UniqueConstraint("id", name=op.f("uq_research_id")),
        sa.UniqueConstraint(
            "owner_id", "repository_id", name=op.f("uq_research_owner_id_repository_id")
        ),
        sa.UniqueConstraint("request_id", name=op.f("uq_research_request_id")),
        sqlite_autoincrement=True,
    )


def _create_coding() -> None:
    op.create_table(
        "coding",
        sa.Column("position", _NUMBER, autoincrement=True, nullable=False),
        sa.Column("artifact_id", sa.Text(), nullable=False),
        sa.Column("repository_id", sa.Text(), nullable=False),
        sa.Column("conversation_id", sa.Text(), nullable=False),
        sa.Column("request_id", sa.Text(), nullable=False),
        sa.Column("person_id", sa.Text(), nullable=False),
        sa.Column("outcome", sa.Text()),
        sa.Column("text", sa.Text()),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("ended_at", sa.BigInteger()),
        sa.ForeignKeyConstraint(
            ["artifact_id"], ["confirmation.artifact_id"], name=op.f("fk_coding_artifact_id")
        ),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_coding_person_id")),
        sa.ForeignKeyConstraint(
            ["repository_id"], ["repository.id"], name=op.f("fk_coding_repository_id")
        ),
        sa.PrimaryKeyConstraint("position", name=op.f("pk_coding")),
        sa.UniqueConstraint(
            "artifact_id", "repository_id", name=op.f("uq_coding_artifact_id_repository_id")
        ),
        sa.UniqueConstraint("request_id", name=op.f("uq_coding_request_id")),
        sqlite_autoincrement=True,
    )


def _create_feature_plan() -> None:
    op.create_table(
        "feature_plan",
        sa.Column("position", _NUMBER, autoincrement=True, nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("project_id", sa.Text()),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("holder_id", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("classification", sa.Text(), nullable=False),
        sa.Column("routing", sa.Text(), nullable=False),
        sa.Column("questions", sa.Text(), nullable=False),
        sa.Column("answers", sa.Text(), nullable=False),
        sa.Column("feature_count", sa.Integer(), nullable=False),
        sa.Column("truncated", sa.Boolean(), nullable=False),
        sa.Column("plan", sa.Text()),
        sa.Column("markdown", sa.Text()),
        sa.Column("version_id", sa.Text()),
        sa.Column("error", sa.Text()),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.CheckConstraint(
            "source IN ('project', 'branch', 'text')", name=op.f("ck_feature_plan_source")
        ),
        sa.CheckConstraint(
            "status IN ('awaiting_confirmation', 'researching', 'completed', 'failed')",
            name=op.f("ck_feature_plan_status"),
        ),
        sa.ForeignKeyConstraint(
            ["project_id"], ["project.id"], name=op.f("fk_feature_plan_project_id")
        ),
        sa.PrimaryKeyConstraint("position", name=op.f("pk_feature_plan")),
        sa.UniqueConstraint("id", name=op.f("uq_feature_plan_id")),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_feature_plan_project_id", "feature_plan", ["project_id"])


def _create_planning_run() -> None:
    op.create_table(
        "planning_run",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("holder_id", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_planning_run")),
    )


def _create_planning_call() -> None:
    op.create_table(
        "planning_call",
        sa.Column("position", _NUMBER, autoincrement=True, nullable=False),
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("tool", sa.Text(), nullable=False),
        sa.Column("door", sa.Text(), nullable=False),
        sa.Column("caller_id", sa.Text(), nullable=False),
        sa.Column("outcome", sa.Text(), nullable=False),
        sa.Column("about_id", sa.Text()),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["run_id"], ["planning_run.id"], name=op.f("fk_planning_call_run_id")
        ),
        sa.PrimaryKeyConstraint("position", name=op.f("pk_planning_call")),
        sqlite_autoincrement=True,
    )
    op.create_index(
        "ix_planning_call_about",
        "planning_call",
        ["about_id"],
        sqlite_where=sa.text("about_id IS NOT NULL"),
        postgresql_where=sa.text("about_id IS NOT NULL"),
    )
    op.create_index("ix_planning_call_run_id_position", "planning_call", ["run_id", "position"])


def _create_outbox() -> None:
    op.create_table(
        "outbox",
        sa.Column("position", _NUMBER, autoincrement=True, nullable=False),
        sa.Column("request_id", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("position", name=op.f("pk_outbox")),
        sa.UniqueConstraint("request_id", name=op.f("uq_outbox_request_id")),
        sqlite_autoincrement=True,
    )
