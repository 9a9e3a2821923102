"""Tables of sessions made outside ccweb, and of what hubs ask hosts about their machines."""

from enum import StrEnum

from sqlalchemy import BigInteger, Column, ForeignKey, Index, Table, Text

from ccweb.db.sql import text
from ccweb.db.tables.form import metadata, one_of


class Elsewhere(StrEnum):
    """What a process that is not ours does with a session."""

    CLOSED = "closed"
    OPEN = "open"
    """It has the session, and rests."""
    AT_WORK = "at work"


outside_session = Table(
    "outside_session",
    metadata,
    Column("conversation_id", Text, ForeignKey("conversation.id"), primary_key=True),
    Column("program", Text, nullable=False),
    Column("session_id", Text, nullable=False, index=True),
    Column("path", Text, nullable=False),
    Column("read_bytes", BigInteger, nullable=False),
    Column("elsewhere", Text, nullable=False),
    one_of("elsewhere", Elsewhere),
)

errand = Table(
    "errand",
    metadata,
    Column("id", Text, primary_key=True),
    Column("host_id", Text, ForeignKey("host.id"), nullable=False),
    Column("kind", Text, nullable=False),
    Column("given", Text, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("taken_at", BigInteger),
    Column("answer", Text),
    Index(
        "ix_errand_waiting",
        "host_id",
        sqlite_where=text("taken_at IS NULL"),
        postgresql_where=text("taken_at IS NULL"),
    ),
)
