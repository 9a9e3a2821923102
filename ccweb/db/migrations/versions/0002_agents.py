"""Agents of the command line: what they do, cost and ask, and which of them a host offers."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
_FACTS = ("retry_at", "cost_microusd", "input_tokens", "cached_tokens", "output_tokens")


def upgrade() -> None:
    """Add the columns and tables; an ask may be of any kind from here on."""
    with op.batch_alter_table("ask", copy_from=_ask(), recreate="always") as ask:
        ask.add_column(sa.Column("answer", sa.Text()))
    op.create_index("ix_ask_turn", "ask", ["turn_id"])
    op.add_column("conversation", sa.Column("effort", sa.Text()))
    op.add_column(
        "host", sa.Column("offers", sa.Text(), nullable=False, server_default=sa.text("'[]'"))
    )
    for name in ("failure", "model"):
        op.add_column("turn", sa.Column(name, sa.Text()))
    for name in _FACTS:
        op.add_column("turn", sa.Column(name, sa.BigInteger()))
    _create_step()
    op.create_table(
        "standing_permission",
        sa.Column("conversation_id", sa.Text(), nullable=False),
        sa.Column("what", sa.Text(), nullable=False),
        sa.Column("person_id", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["conversation_id"],
            ["conversation.id"],
            name=op.f("fk_standing_permission_conversation_id"),
        ),
        sa.ForeignKeyConstraint(
            ["person_id"], ["person.id"], name=op.f("fk_standing_permission_person_id")
        ),
        sa.PrimaryKeyConstraint("conversation_id", "what", name=op.f("pk_standing_permission")),
    )


def _ask() -> sa.Table:
    """Return the table as it was, without the CHECK of its kinds: SQLite cannot drop one."""
    is_open = sa.text("status = 'open'")
    has_parent = sa.text("status = 'open' AND parent_request_id IS NOT NULL")
    return sa.Table(
        "ask",
        sa.MetaData(),
        sa.Column("position", _NUMBER, autoincrement=True, nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("conversation_id", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("turn_id", sa.Text()),
        sa.Column("parent_request_id", sa.Text()),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("closed_at", sa.BigInteger()),
        sa.Column("closed_by", sa.Text()),
        sa.CheckConstraint("status IN ('open', 'resolved', 'dismissed')", name="ck_ask_status"),
        sa.ForeignKeyConstraint(
            ["conversation_id"], ["conversation.id"], name="fk_ask_conversation_id"
        ),
        sa.PrimaryKeyConstraint("position", name="pk_ask"),
        sa.UniqueConstraint("id", name="uq_ask_id"),
        sa.Index(
            "ix_ask_parent",
            "parent_request_id",
            sqlite_where=has_parent,
            postgresql_where=has_parent,
        ),
        sa.Index(
            "uq_ask_open",
            "conversation_id",
            "kind",
            "subject",
            unique=True,
            sqlite_where=is_open,
            postgresql_where=is_open,
        ),
        sqlite_autoincrement=True,
    )


def _create_step() -> None:
    op.create_table(
        "step",
        sa.Column("position", _NUMBER, autoincrement=True, nullable=False),
        sa.Column("turn_id", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("conversation_id", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("input", sa.Text(), nullable=False),
        sa.Column("output", sa.Text(), nullable=False),
        sa.Column("started_at", sa.BigInteger(), nullable=False),
        sa.Column("ended_at", sa.BigInteger()),
        sa.CheckConstraint("status IN ('running', 'done', 'failed')", name=op.f("ck_step_status")),
        sa.ForeignKeyConstraint(
            ["conversation_id"], ["conversation.id"], name=op.f("fk_step_conversation_id")
        ),
        sa.PrimaryKeyConstraint("position", name=op.f("pk_step")),
        sa.UniqueConstraint("turn_id", "key", name=op.f("uq_step_turn_id_key")),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_step_conversation_id_position", "step", ["conversation_id", "position"])
