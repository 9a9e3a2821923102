"""Tables of requests and of the counts that guard against loops."""

from sqlalchemy import BigInteger, Boolean, Column, Index, Integer, Table, Text

from ccweb.db.sql import text
from ccweb.db.tables.form import metadata, one_of, position
from ccweb_contract.enums import Outcome, ReplyStatus, SourceKind

pending_reply = Table(
    "pending_reply",
    metadata,
    position(),
    Column("request_id", Text, nullable=False, unique=True),
    Column("message_id", Text, nullable=False),
    Column("source_kind", Text, nullable=False),
    Column("source_conversation_id", Text, nullable=False),
    Column("source_title", Text, nullable=False),
    Column("target_conversation_id", Text, nullable=False),
    Column("target_title", Text, nullable=False),
    Column("status", Text, nullable=False),
    Column("outcome", Text),
    Column("stop_reason", Text),
    Column("created_at", BigInteger, nullable=False),
    Column("hop_count", Integer, nullable=False),
    Column("source_auto_run", Boolean, nullable=False),
    Column("original_request", Text),
    Column("reply_text", Text),
    Column("completed_at", BigInteger),
    Column("returned_at", BigInteger),
    Column("reply_message_id", Text),
    Column("last_error", Text),
    Column("target_turn_id", Text),
    Column("opened_by_turn_id", Text),
    Column("parent_request_id", Text),
    Column("opened_chain_id", Text, nullable=False),
    Column("opened_hop", Integer, nullable=False),
    one_of("status", ReplyStatus),
    one_of("outcome", Outcome),
    one_of("source_kind", SourceKind),
    Index(None, "source_conversation_id", "position"),
    Index(None, "target_conversation_id", "position"),
    Index(
        "ix_pending_reply_parent",
        "parent_request_id",
        sqlite_where=text("parent_request_id IS NOT NULL"),
        postgresql_where=text("parent_request_id IS NOT NULL"),
    ),
    sqlite_autoincrement=True,
)

chain = Table(
    "chain",
    metadata,
    Column("id", Text, primary_key=True),
    Column("turns", Integer, nullable=False),
)

send_count = Table(
    "send_count",
    metadata,
    Column("low_id", Text, primary_key=True),
    Column("high_id", Text, primary_key=True),
    Column("from_low", Integer, nullable=False),
    Column("from_high", Integer, nullable=False),
    Index(None, "high_id"),
)
