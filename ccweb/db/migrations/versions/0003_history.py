"""Sessions made outside ccweb, and the errands by which a hub asks a host about its machine."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Add the tables."""
    op.create_table(
        "outside_session",
        sa.Column("conversation_id", sa.Text(), nullable=False),
        sa.Column("program", sa.Text(), nullable=False),
        sa.Column("session_id", sa.Text(), nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("read_bytes", sa.BigInteger(), nullable=False),
        sa.Column("elsewhere", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["conversation_id"],
            ["conversation.id"],
            name=op.f("fk_outside_session_conversation_id"),
        ),
        sa.PrimaryKeyConstraint("conversation_id", name=op.f("pk_outside_session")),
        sa.CheckConstraint(
            "elsewhere IN ('closed', 'open', 'at work')", name="ck_outside_session_elsewhere"
        ),
    )
    op.create_index("ix_outside_session_session_id", "outside_session", ["session_id"])
    op.create_table(
        "errand",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("host_id", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("given", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("taken_at", sa.BigInteger()),
        sa.Column("answer", sa.Text()),
        sa.ForeignKeyConstraint(["host_id"], ["host.id"], name=op.f("fk_errand_host_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_errand")),
    )
    op.create_index(
        "ix_errand_waiting",
        "errand",
        ["host_id"],
        sqlite_where=sa.text("taken_at IS NULL"),
        postgresql_where=sa.text("taken_at IS NULL"),
    )
