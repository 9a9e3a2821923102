"""The first form of the database."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Create every table."""
    op.create_table(
        "chain",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("turns", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_chain")),
    )
    op.create_table(
        "event",
        sa.Column(
            "position",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=True,
            nullable=False,
        ),
        sa.Column("conversation_id", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("turn_id", sa.Text(), nullable=True),
        sa.Column("data", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("position", name=op.f("pk_event")),
        sqlite_autoincrement=True,
    )
    op.create_index(
        "ix_event_delta",
        "event",
        ["turn_id", "position"],
        unique=False,
        sqlite_where=sa.text("kind = 'delta'"),
        postgresql_where=sa.text("kind = 'delta'"),
    )
    op.create_table(
        "host",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("agents", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("seen_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_host")),
    )
    op.create_table(
        "loaded_contract",
        sa.Column("holder_id", sa.Text(), nullable=False),
        sa.Column("door", sa.Text(), nullable=False),
        sa.Column("contract_hash", sa.Text(), nullable=False),
        sa.Column("loaded_at", sa.BigInteger(), nullable=False),
        sa.CheckConstraint(
            "door IN ('mcp', 'dynamic', 'http', 'internal')", name=op.f("ck_loaded_contract_door")
        ),
        sa.PrimaryKeyConstraint("holder_id", "door", name=op.f("pk_loaded_contract")),
    )
    op.create_table(
        "pending_reply",
        sa.Column(
            "position",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=True,
            nullable=False,
        ),
        sa.Column("request_id", sa.Text(), nullable=False),
        sa.Column("message_id", sa.Text(), nullable=False),
        sa.Column("source_kind", sa.Text(), nullable=False),
        sa.Column("source_conversation_id", sa.Text(), nullable=False),
        sa.Column("source_title", sa.Text(), nullable=False),
        sa.Column("target_conversation_id", sa.Text(), nullable=False),
        sa.Column("target_title", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("outcome", sa.Text(), nullable=True),
        sa.Column("stop_reason", sa.Text(), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("hop_count", sa.Integer(), nullable=False),
        sa.Column("source_auto_run", sa.Boolean(), nullable=False),
        sa.Column("original_request", sa.Text(), nullable=True),
        sa.Column("reply_text", sa.Text(), nullable=True),
        sa.Column("completed_at", sa.BigInteger(), nullable=True),
        sa.Column("returned_at", sa.BigInteger(), nullable=True),
        sa.Column("reply_message_id", sa.Text(), nullable=True),
        sa.Column("last_error", sa.Text(), nullable=True),
        sa.Column("target_turn_id", sa.Text(), nullable=True),
        sa.Column("opened_by_turn_id", sa.Text(), nullable=True),
        sa.Column("parent_request_id", sa.Text(), nullable=True),
        sa.Column("opened_chain_id", sa.Text(), nullable=False),
        sa.Column("opened_hop", sa.Integer(), nullable=False),
        sa.CheckConstraint(
            "outcome IN ('completed', 'empty', 'failed', 'interrupted', 'lost', 'cancelled', 'deleted', 'no_host')",
            name=op.f("ck_pending_reply_outcome"),
        ),
        sa.CheckConstraint(
            "source_kind IN ('person', 'conversation', 'planning')",
            name=op.f("ck_pending_reply_source_kind"),
        ),
        sa.CheckConstraint(
            "status IN ('waiting', 'ready', 'returned', 'failed')",
            name=op.f("ck_pending_reply_status"),
        ),
        sa.PrimaryKeyConstraint("position", name=op.f("pk_pending_reply")),
        sa.UniqueConstraint("request_id", name=op.f("uq_pending_reply_request_id")),
        sqlite_autoincrement=True,
    )
    op.create_index(
        "ix_pending_reply_parent",
        "pending_reply",
        ["parent_request_id"],
        unique=False,
        sqlite_where=sa.text("parent_request_id IS NOT NULL"),
        postgresql_where=sa.text("parent_request_id IS NOT NULL"),
    )
    op.create_index(
        op.f("ix_pending_reply_source_conversation_id_position"),
        "pending_reply",
        ["source_conversation_id", "position"],
        unique=False,
    )
    op.create_index(
        op.f("ix_pending_reply_target_conversation_id_position"),
        "pending_reply",
        ["target_conversation_id", "position"],
        unique=False,
    )
    op.create_table(
        "person",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("owner", sa.Boolean(), nullable=False),
        sa.Column("password_hash", sa.Text(), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_person")),
        sa.UniqueConstraint("name", name=op.f("uq_person_name")),
    )
    op.create_table(
        "send_count",
        sa.Column("low_id", sa.Text(), nullable=False),
        sa.Column("high_id", sa.Text(), nullable=False),
        sa.Column("from_low", sa.Integer(), nullable=False),
        sa.Column("from_high", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("low_id", "high_id", name=op.f("pk_send_count")),
    )
    op.create_index(op.f("ix_send_count_high_id"), "send_count", ["high_id"], unique=False)
    op.create_table(
        "sign_in_failure",
        sa.Column(
            "position",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=True,
            nullable=False,
        ),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("failed_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("position", name=op.f("pk_sign_in_failure")),
        sqlite_autoincrement=True,
    )
    op.create_index(
        op.f("ix_sign_in_failure_name_failed_at"),
        "sign_in_failure",
        ["name", "failed_at"],
        unique=False,
    )
    op.create_table(
        "browser_session",
        sa.Column("secret_hash", sa.Text(), nullable=False),
        sa.Column("person_id", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["person_id"], ["person.id"], name=op.f("fk_browser_session_person_id")
        ),
        sa.PrimaryKeyConstraint("secret_hash", name=op.f("pk_browser_session")),
    )
    op.create_table(
        "conversation",
        sa.Column(
            "position",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=True,
            nullable=False,
        ),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("agent", sa.Text(), nullable=False),
        sa.Column("model", sa.Text(), nullable=True),
        sa.Column("cwd", sa.Text(), nullable=False),
        sa.Column("permission_mode", sa.Text(), nullable=False),
        sa.Column("host_id", sa.Text(), nullable=False),
        sa.Column("agent_session", sa.Text(), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.Column("held_at", sa.BigInteger(), nullable=True),
        sa.Column("archived_at", sa.BigInteger(), nullable=True),
        sa.Column("deleted_at", sa.BigInteger(), nullable=True),
        sa.CheckConstraint(
            "agent IN ('claude', 'codex', 'codex_app', 'demo')", name=op.f("ck_conversation_agent")
        ),
        sa.CheckConstraint(
            "permission_mode IN ('plan', 'ask', 'accept_edits', 'skip_permissions')",
            name=op.f("ck_conversation_permission_mode"),
        ),
        sa.ForeignKeyConstraint(["host_id"], ["host.id"], name=op.f("fk_conversation_host_id")),
        sa.PrimaryKeyConstraint("position", name=op.f("pk_conversation")),
        sa.UniqueConstraint("id", name=op.f("uq_conversation_id")),
        sqlite_autoincrement=True,
    )
    op.create_index(
        op.f("ix_conversation_updated_at"), "conversation", ["updated_at"], unique=False
    )
    op.create_table(
        "folder",
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("person_id", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_folder_person_id")),
        sa.PrimaryKeyConstraint("path", name=op.f("pk_folder")),
    )
    op.create_table(
        "host_run",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("host_id", sa.Text(), nullable=False),
        sa.Column("pid", sa.Integer(), nullable=False),
        sa.Column("pid_started", sa.Float(), nullable=False),
        sa.Column("started_at", sa.BigInteger(), nullable=False),
        sa.Column("ended_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(["host_id"], ["host.id"], name=op.f("fk_host_run_host_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_host_run")),
    )
    op.create_index(
        op.f("ix_host_run_host_id_ended_at"), "host_run", ["host_id", "ended_at"], unique=False
    )
    op.create_table(
        "reading",
        sa.Column("person_id", sa.Text(), nullable=False),
        sa.Column("conversation_id", sa.Text(), nullable=False),
        sa.Column("position", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_reading_person_id")),
        sa.PrimaryKeyConstraint("person_id", "conversation_id", name=op.f("pk_reading")),
    )
    op.create_table(
        "ticket",
        sa.Column("secret_hash", sa.Text(), nullable=False),
        sa.Column("person_id", sa.Text(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.Column("used_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_ticket_person_id")),
        sa.PrimaryKeyConstraint("secret_hash", name=op.f("pk_ticket")),
    )
    op.create_table(
        "agent_credential",
        sa.Column("secret_hash", sa.Text(), nullable=False),
        sa.Column("conversation_id", sa.Text(), nullable=False),
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("turn_id", sa.Text(), nullable=True),
        sa.Column("attempt", sa.Integer(), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("revoked_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(
            ["conversation_id"],
            ["conversation.id"],
            name=op.f("fk_agent_credential_conversation_id"),
        ),
        sa.ForeignKeyConstraint(
            ["run_id"], ["host_run.id"], name=op.f("fk_agent_credential_run_id")
        ),
        sa.PrimaryKeyConstraint("secret_hash", name=op.f("pk_agent_credential")),
    )
    op.create_index(
        op.f("ix_agent_credential_run_id"), "agent_credential", ["run_id"], unique=False
    )
    op.create_table(
        "agent_process",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("conversation_id", sa.Text(), nullable=False),
        sa.Column("pid", sa.Integer(), nullable=False),
        sa.Column("pid_started", sa.Float(), nullable=False),
        sa.Column("started_at", sa.BigInteger(), nullable=False),
        sa.Column("ended_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(["run_id"], ["host_run.id"], name=op.f("fk_agent_process_run_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_agent_process")),
    )
    op.create_index(
        "ix_agent_process_open",
        "agent_process",
        ["conversation_id"],
        unique=False,
        sqlite_where=sa.text("ended_at IS NULL"),
        postgresql_where=sa.text("ended_at IS NULL"),
    )
    op.create_table(
        "ask",
        sa.Column(
            "position",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=True,
            nullable=False,
        ),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("conversation_id", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("turn_id", sa.Text(), nullable=True),
        sa.Column("parent_request_id", sa.Text(), nullable=True),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("closed_at", sa.BigInteger(), nullable=True),
        sa.Column("closed_by", sa.Text(), nullable=True),
        sa.CheckConstraint(
            "kind IN ('loop_paused', 'continue_again', 'replies_held')", name=op.f("ck_ask_kind")
        ),
        sa.CheckConstraint(
            "status IN ('open', 'resolved', 'dismissed')", name=op.f("ck_ask_status")
        ),
        sa.ForeignKeyConstraint(
            ["conversation_id"], ["conversation.id"], name=op.f("fk_ask_conversation_id")
        ),
        sa.PrimaryKeyConstraint("position", name=op.f("pk_ask")),
        sa.UniqueConstraint("id", name=op.f("uq_ask_id")),
        sqlite_autoincrement=True,
    )
    op.create_index(
        "ix_ask_parent",
        "ask",
        ["parent_request_id"],
        unique=False,
        sqlite_where=sa.text("status = 'open' AND parent_request_id IS NOT NULL"),
        postgresql_where=sa.text("status = 'open' AND parent_request_id IS NOT NULL"),
    )
    op.create_index(
        "uq_ask_open",
        "ask",
        ["conversation_id", "kind", "subject"],
        unique=True,
        sqlite_where=sa.text("status = 'open'"),
        postgresql_where=sa.text("status = 'open'"),
    )
    op.create_table(
        "inbox_item",
        sa.Column(
            "position",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=True,
            nullable=False,
        ),
        sa.Column("conversation_id", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("ref_id", sa.Text(), nullable=False),
        sa.Column("parent_request_id", sa.Text(), nullable=True),
        sa.Column("chain_id", sa.Text(), nullable=False),
        sa.Column("hop", sa.Integer(), nullable=False),
        sa.Column("payload", sa.Text(), nullable=False),
        sa.Column("display_only", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("delivered_at", sa.BigInteger(), nullable=True),
        sa.Column("message_id", sa.Text(), nullable=True),
        sa.Column("turn_id", sa.Text(), nullable=True),
        sa.CheckConstraint("kind IN ('reply', 'decision')", name=op.f("ck_inbox_item_kind")),
        sa.ForeignKeyConstraint(
            ["conversation_id"], ["conversation.id"], name=op.f("fk_inbox_item_conversation_id")
        ),
        sa.PrimaryKeyConstraint("position", name=op.f("pk_inbox_item")),
        sa.UniqueConstraint("kind", "ref_id", name=op.f("uq_inbox_item_kind_ref_id")),
        sqlite_autoincrement=True,
    )
    op.create_index(
        "ix_inbox_item_parent",
        "inbox_item",
        ["parent_request_id"],
        unique=False,
        sqlite_where=sa.text("delivered_at IS NULL AND parent_request_id IS NOT NULL"),
        postgresql_where=sa.text("delivered_at IS NULL AND parent_request_id IS NOT NULL"),
    )
    op.create_index(
        "ix_inbox_item_turn",
        "inbox_item",
        ["turn_id"],
        unique=False,
        sqlite_where=sa.text("turn_id IS NOT NULL"),
        postgresql_where=sa.text("turn_id IS NOT NULL"),
    )
    op.create_index(
        "ix_inbox_item_undelivered",
        "inbox_item",
        ["conversation_id", "position"],
        unique=False,
        sqlite_where=sa.text("delivered_at IS NULL"),
        postgresql_where=sa.text("delivered_at IS NULL"),
    )
    op.create_table(
        "message",
        sa.Column(
            "position",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=True,
            nullable=False,
        ),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("conversation_id", sa.Text(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("source_kind", sa.Text(), nullable=True),
        sa.Column("source_id", sa.Text(), nullable=True),
        sa.Column("turn_id", sa.Text(), nullable=True),
        sa.Column("display_only", sa.Boolean(), nullable=False),
        sa.Column("late", sa.Boolean(), nullable=False),
        sa.Column("metadata", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("role IN ('user', 'assistant')", name=op.f("ck_message_role")),
        sa.CheckConstraint(
            "source_kind IN ('person', 'conversation', 'planning')",
            name=op.f("ck_message_source_kind"),
        ),
        sa.ForeignKeyConstraint(
            ["conversation_id"], ["conversation.id"], name=op.f("fk_message_conversation_id")
        ),
        sa.PrimaryKeyConstraint("position", name=op.f("pk_message")),
        sa.UniqueConstraint("id", name=op.f("uq_message_id")),
        sqlite_autoincrement=True,
    )
    op.create_index(
        op.f("ix_message_conversation_id_position"),
        "message",
        ["conversation_id", "position"],
        unique=False,
    )
    op.create_index("ix_message_turn", "message", ["turn_id"], unique=False)
    op.create_table(
        "token",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("secret_hash", sa.Text(), nullable=False),
        sa.Column("person_id", sa.Text(), nullable=False),
        sa.Column("conversation_id", sa.Text(), nullable=True),
        sa.Column("scopes", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("revoked_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(
            ["conversation_id"], ["conversation.id"], name=op.f("fk_token_conversation_id")
        ),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_token_person_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_token")),
        sa.UniqueConstraint("secret_hash", name=op.f("uq_token_secret_hash")),
    )
    op.create_table(
        "turn",
        sa.Column(
            "position",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=True,
            nullable=False,
        ),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("conversation_id", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("prompt", sa.Text(), nullable=False),
        sa.Column("message_id", sa.Text(), nullable=True),
        sa.Column("serves_request_id", sa.Text(), nullable=True),
        sa.Column("chain_id", sa.Text(), nullable=False),
        sa.Column("hop", sa.Integer(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("run_id", sa.Text(), nullable=True),
        sa.Column("lease_until", sa.BigInteger(), nullable=True),
        sa.Column("queued_at", sa.BigInteger(), nullable=False),
        sa.Column("claimed_at", sa.BigInteger(), nullable=True),
        sa.Column("started_at", sa.BigInteger(), nullable=True),
        sa.Column("ended_at", sa.BigInteger(), nullable=True),
        sa.Column("stop_requested_at", sa.BigInteger(), nullable=True),
        sa.Column("stop_reason", sa.Text(), nullable=True),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("final_message_id", sa.Text(), nullable=True),
        sa.CheckConstraint(
            "kind IN ('person', 'message', 'continuation')", name=op.f("ck_turn_kind")
        ),
        sa.CheckConstraint(
            "status IN ('queued', 'running', 'completed', 'empty', 'failed', 'interrupted', 'lost')",
            name=op.f("ck_turn_status"),
        ),
        sa.ForeignKeyConstraint(
            ["conversation_id"], ["conversation.id"], name=op.f("fk_turn_conversation_id")
        ),
        sa.PrimaryKeyConstraint("position", name=op.f("pk_turn")),
        sa.UniqueConstraint("id", name=op.f("uq_turn_id")),
        sqlite_autoincrement=True,
    )
    op.create_index(
        op.f("ix_turn_conversation_id_position"),
        "turn",
        ["conversation_id", "position"],
        unique=False,
    )
    op.create_index(
        "ix_turn_open",
        "turn",
        ["conversation_id", "position"],
        unique=False,
        sqlite_where=sa.text("ended_at IS NULL"),
        postgresql_where=sa.text("ended_at IS NULL"),
    )
    op.create_index(
        "ix_turn_serves",
        "turn",
        ["serves_request_id"],
        unique=False,
        sqlite_where=sa.text("serves_request_id IS NOT NULL"),
        postgresql_where=sa.text("serves_request_id IS NOT NULL"),
    )
    op.create_index(
        "uq_turn_running",
        "turn",
        ["conversation_id"],
        unique=True,
        sqlite_where=sa.text("status = 'running'"),
        postgresql_where=sa.text("status = 'running'"),
    )
