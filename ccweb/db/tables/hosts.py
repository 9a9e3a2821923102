"""Tables of hosts, their runs, and the agent processes that they started."""

from sqlalchemy import BigInteger, Column, Float, ForeignKey, Index, Integer, Table, Text

from ccweb.db.sql import text
from ccweb.db.tables.form import metadata

host = Table(
    "host",
    metadata,
    Column("id", Text, primary_key=True),
    Column("name", Text, nullable=False),
    Column("agents", Text, nullable=False),
    Column("offers", Text, nullable=False, server_default=text("'[]'")),
    Column("created_at", BigInteger, nullable=False),
    Column("seen_at", BigInteger, nullable=False),
)

host_run = Table(
    "host_run",
    metadata,
    Column("id", Text, primary_key=True),
    Column("host_id", Text, ForeignKey("host.id"), nullable=False),
    Column("pid", Integer, nullable=False),
    Column("pid_started", Float, nullable=False),
    Column("started_at", BigInteger, nullable=False),
    Column("ended_at", BigInteger),
    Index(None, "host_id", "ended_at"),
)

agent_process = Table(
    "agent_process",
    metadata,
    Column("id", Text, primary_key=True),
    Column("run_id", Text, ForeignKey("host_run.id"), nullable=False),
    Column("conversation_id", Text, nullable=False),
    Column("pid", Integer, nullable=False),
    Column("pid_started", Float, nullable=False),
    Column("started_at", BigInteger, nullable=False),
    Column("ended_at", BigInteger),
    Index(
        "ix_agent_process_open",
        "conversation_id",
        sqlite_where=text("ended_at IS NULL"),
        postgresql_where=text("ended_at IS NULL"),
    ),
)
