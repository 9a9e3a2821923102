"""Task boards, forms and images; an inbox item may be of any kind from here on."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"

_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
_AUTHORS = "author_kind IN ('person', 'conversation', 'planning')"


def upgrade() -> None:
    """Add the tables, and drop the CHECK of the inbox's kinds."""
    with op.batch_alter_table("inbox_item", copy_from=_inbox_item(), recreate="always"):
        pass
    _create_board()
    _create_board_column()
    _create_task()
    _create_task_link()
    _create_task_comment()
    _create_task_change()
    _create_image()
    _create_shown_image()


def _inbox_item() -> sa.Table:
    """Return the table as it was, without the CHECK of its kinds: SQLite cannot drop one."""
    waits = sa.text("delivered_at IS NULL")
    holds = sa.text("delivered_at IS NULL AND parent_request_id IS NOT NULL")
    has_turn = sa.text("turn_id IS NOT NULL")
    return sa.Table(
        "inbox_item",
        sa.MetaData(),
        sa.Column("position", _NUMBER, autoincrement=True, nullable=False),
        sa.Column("conversation_id", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("ref_id", sa.Text(), nullable=False),
        sa.Column("parent_request_id", sa.Text()),
        sa.Column("chain_id", sa.Text(), nullable=False),
        sa.Column("hop", sa.Integer(), nullable=False),
        sa.Column("payload", sa.Text(), nullable=False),
        sa.Column("display_only", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("delivered_at", sa.BigInteger()),
        sa.Column("message_id", sa.Text()),
        sa.Column("turn_id", sa.Text()),
        sa.ForeignKeyConstraint(
            ["conversation_id"], ["conversation.id"], name="fk_inbox_item_conversation_id"
        ),
        sa.PrimaryKeyConstraint("position", name="pk_inbox_item"),
        sa.UniqueConstraint("kind", "ref_id", name="uq_inbox_item_kind_ref_id"),
        sa.Index(
            "ix_inbox_item_undelivered",
            "conversation_id",
            "position",
            sqlite_where=waits,
            postgresql_where=waits,
        ),
        sa.Index(
            "ix_inbox_item_parent",
            "parent_request_id",
            sqlite_where=holds,
            postgresql_where=holds,
        ),
        sa.Index("ix_inbox_item_turn", "turn_id", sqlite_where=has_turn, postgresql_where=has_turn),
        sqlite_autoincrement=True,
    )


def _create_board() -> None:
    op.create_table(
        "board",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("host_id", sa.Text(), nullable=False),
        sa.Column("cwd", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["host_id"], ["host.id"], name=op.f("fk_board_host_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_board")),
        sa.UniqueConstraint("host_id", "cwd", name=op.f("uq_board_host_id_cwd")),
    )


def _create_board_column() -> None:
    op.create_table(
        "board_column",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("board_id", sa.Text(), nullable=False),
        sa.Column("rank", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("description", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.CheckConstraint(
            "state IN ('todo', 'in_progress', 'blocked', 'done', 'cancelled')",
            name=op.f("ck_board_column_state"),
        ),
        sa.ForeignKeyConstraint(["board_id"], ["board.id"], name=op.f("fk_board_column_board_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_board_column")),
        sa.UniqueConstraint("board_id", "rank", name=op.f("uq_board_column_board_id_rank")),
    )


def _create_task() -> None:
    op.create_table(
        "task",
        sa.Column("position", _NUMBER, autoincrement=True, nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("board_id", sa.Text(), nullable=False),
        sa.Column("column_id", sa.Text(), nullable=False),
        sa.Column("rank", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("assignee_kind", sa.Text(), nullable=False),
        sa.Column("assignee_id", sa.Text()),
        sa.Column("metadata", sa.Text(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["board_id"], ["board.id"], name=op.f("fk_task_board_id")),
        sa.ForeignKeyConstraint(["column_id"], ["board_column.id"], name=op.f("fk_task_column_id")),
        sa.PrimaryKeyConstraint("position", name=op.f("pk_task")),
        sa.UniqueConstraint("id", name=op.f("uq_task_id")),
        sa.UniqueConstraint("column_id", "rank", name=op.f("uq_task_column_id_rank")),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_task_board_id", "task", ["board_id"])


def _create_task_link() -> None:
    op.create_table(
        "task_link",
        sa.Column("task_id", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("ref_id", sa.Text(), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["task_id"], ["task.id"], name=op.f("fk_task_link_task_id")),
        sa.PrimaryKeyConstraint("task_id", "kind", "ref_id", name=op.f("pk_task_link")),
    )
    op.create_index("ix_task_link_kind_ref_id", "task_link", ["kind", "ref_id"])


def _create_task_comment() -> None:
    op.create_table(
        "task_comment",
        sa.Column("position", _NUMBER, autoincrement=True, nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("task_id", sa.Text(), nullable=False),
        sa.Column("author_kind", sa.Text(), nullable=False),
        sa.Column("author_id", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.CheckConstraint(_AUTHORS, name=op.f("ck_task_comment_author_kind")),
        sa.ForeignKeyConstraint(["task_id"], ["task.id"], name=op.f("fk_task_comment_task_id")),
        sa.PrimaryKeyConstraint("position", name=op.f("pk_task_comment")),
        sa.UniqueConstraint("id", name=op.f("uq_task_comment_id")),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_task_comment_task_id_position", "task_comment", ["task_id", "position"])


def _create_task_change() -> None:
    op.create_table(
        "task_change",
        sa.Column("task_id", sa.Text(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("author_kind", sa.Text(), nullable=False),
        sa.Column("author_id", sa.Text(), nullable=False),
        sa.Column("fields", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.CheckConstraint(_AUTHORS, name=op.f("ck_task_change_author_kind")),
        sa.ForeignKeyConstraint(["task_id"], ["task.id"], name=op.f("fk_task_change_task_id")),
        sa.PrimaryKeyConstraint("task_id", "version", name=op.f("pk_task_change")),
    )


def _create_image() -> None:
    op.create_table(
        "image",
        sa.Column("hash", sa.Text(), nullable=False),
        sa.Column("format", sa.Text(), nullable=False),
        sa.Column("width", sa.Integer(), nullable=False),
        sa.Column("height", sa.Integer(), nullable=False),
        sa.Column("size_bytes", sa.BigInteger(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.CheckConstraint(
            "format IN ('png', 'jpeg', 'webp', 'gif')", name=op.f("ck_image_format")
        ),
        sa.PrimaryKeyConstraint("hash", name=op.f("pk_image")),
    )


def _create_shown_image() -> None:
    op.create_table(
        "shown_image",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("image_hash", sa.Text(), nullable=False),
        sa.Column("conversation_id", sa.Text(), nullable=False),
        sa.Column("message_id", sa.Text(), nullable=False),
        sa.Column("caption", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["image_hash"], ["image.hash"], name=op.f("fk_shown_image_image_hash")
        ),
        sa.ForeignKeyConstraint(
            ["conversation_id"], ["conversation.id"], name=op.f("fk_shown_image_conversation_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_shown_image")),
    )
    op.create_index("ix_shown_image_image_hash", "shown_image", ["image_hash"])
    op.create_index("ix_shown_image_conversation_id", "shown_image", ["conversation_id"])
