"""Tables of task boards: columns, tasks, what they are linked to, comments and changes."""

from sqlalchemy import (
    BigInteger,
    Column,
    ForeignKey,
    Index,
    Integer,
    Table,
    Text,
    UniqueConstraint,
)

from ccweb.db.tables.form import metadata, one_of, position
from ccweb_contract.enums import SourceKind, TaskState

board = Table(
    "board",
    metadata,
    Column("id", Text, primary_key=True),
    Column("host_id", Text, ForeignKey("host.id"), nullable=False),
    Column("cwd", Text, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    UniqueConstraint("host_id", "cwd"),
)

board_column = Table(
    "board_column",
    metadata,
    Column("id", Text, primary_key=True),
    Column("board_id", Text, ForeignKey("board.id"), nullable=False),
    Column("rank", Text, nullable=False),
    Column("title", Text, nullable=False),
    Column("description", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("version", Integer, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    one_of("state", TaskState),
    UniqueConstraint("board_id", "rank"),
)

task = Table(
    "task",
    metadata,
    position(),
    Column("id", Text, nullable=False, unique=True),
    Column("board_id", Text, ForeignKey("board.id"), nullable=False),
    Column("column_id", Text, ForeignKey("board_column.id"), nullable=False),
    Column("rank", Text, nullable=False),
    Column("title", Text, nullable=False),
    Column("text", Text, nullable=False),
    Column("assignee_kind", Text, nullable=False),
    Column("assignee_id", Text),
    Column("metadata", Text, nullable=False),
    Column("version", Integer, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("updated_at", BigInteger, nullable=False),
    UniqueConstraint("column_id", "rank"),
    Index(None, "board_id"),
    sqlite_autoincrement=True,
)

task_link = Table(
    "task_link",
    metadata,
    Column("task_id", Text, ForeignKey("task.id"), primary_key=True),
    Column("kind", Text, primary_key=True),
    Column("ref_id", Text, primary_key=True),
    Column("place", Integer, nullable=False),
    Index(None, "kind", "ref_id"),
)

task_comment = Table(
    "task_comment",
    metadata,
    position(),
    Column("id", Text, nullable=False, unique=True),
    Column("task_id", Text, ForeignKey("task.id"), nullable=False),
    Column("author_kind", Text, nullable=False),
    Column("author_id", Text, nullable=False),
    Column("text", Text, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    one_of("author_kind", SourceKind),
    Index(None, "task_id", "position"),
    sqlite_autoincrement=True,
)

task_change = Table(
    "task_change",
    metadata,
    Column("task_id", Text, ForeignKey("task.id"), primary_key=True),
    Column("version", Integer, primary_key=True),
    Column("author_kind", Text, nullable=False),
    Column("author_id", Text, nullable=False),
    Column("fields", Text, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    one_of("author_kind", SourceKind),
)
