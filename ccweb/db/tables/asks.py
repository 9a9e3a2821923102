"""Table of what waits for a person."""

from sqlalchemy import BigInteger, Column, ForeignKey, Index, Table, Text

from ccweb.db.sql import text
from ccweb.db.tables.form import metadata, one_of, position
from ccweb_contract.enums import AskStatus

ask = Table(
    "ask",
    metadata,
    position(),
    Column("id", Text, nullable=False, unique=True),
    Column("kind", Text, nullable=False),
    Column("status", Text, nullable=False),
    Column("conversation_id", Text, ForeignKey("conversation.id")),
    Column("subject", Text, nullable=False),
    Column("turn_id", Text),
    Column("parent_request_id", Text),
    Column("detail", Text, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("closed_at", BigInteger),
    Column("closed_by", Text),
    Column("answer", Text),
    one_of("status", AskStatus),
    Index(
        "uq_ask_open",
        "conversation_id",
        "kind",
        "subject",
        unique=True,
        sqlite_where=text("status = 'open'"),
        postgresql_where=text("status = 'open'"),
    ),
    Index(
        "ix_ask_parent",
        "parent_request_id",
        sqlite_where=text("status = 'open' AND parent_request_id IS NOT NULL"),
        postgresql_where=text("status = 'open' AND parent_request_id IS NOT NULL"),
    ),
    Index("ix_ask_turn", "turn_id"),
    sqlite_autoincrement=True,
)
