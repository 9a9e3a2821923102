"""Tables of people, their ways in, and the credentials of agents."""

from sqlalchemy import BigInteger, Boolean, Column, ForeignKey, Index, Integer, Table, Text

from ccweb.db.tables.form import metadata, one_of, position
from ccweb_contract.enums import Door

person = Table(
    "person",
    metadata,
    Column("id", Text, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column("owner", Boolean, nullable=False),
    Column("password_hash", Text),
    Column("created_at", BigInteger, nullable=False),
)

ticket = Table(
    "ticket",
    metadata,
    Column("secret_hash", Text, primary_key=True),
    Column("person_id", Text, ForeignKey("person.id"), nullable=False),
    Column("expires_at", BigInteger, nullable=False),
    Column("used_at", BigInteger),
)

browser_session = Table(
    "browser_session",
    metadata,
    Column("secret_hash", Text, primary_key=True),
    Column("person_id", Text, ForeignKey("person.id"), nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("expires_at", BigInteger, nullable=False),
)

sign_in_failure = Table(
    "sign_in_failure",
    metadata,
    position(),
    Column("name", Text, nullable=False),
    Column("failed_at", BigInteger, nullable=False),
    Index(None, "name", "failed_at"),
    sqlite_autoincrement=True,
)

token = Table(
    "token",
    metadata,
    Column("id", Text, primary_key=True),
    Column("name", Text, nullable=False),
    Column("secret_hash", Text, nullable=False, unique=True),
    Column("person_id", Text, ForeignKey("person.id"), nullable=False),
    Column("conversation_id", Text, ForeignKey("conversation.id")),
    Column("scopes", Text, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("revoked_at", BigInteger),
)

agent_credential = Table(
    "agent_credential",
    metadata,
    Column("secret_hash", Text, primary_key=True),
    Column("conversation_id", Text, ForeignKey("conversation.id"), nullable=False),
    Column("run_id", Text, ForeignKey("host_run.id"), nullable=False),
    Column("turn_id", Text),
    Column("attempt", Integer),
    Column("created_at", BigInteger, nullable=False),
    Column("revoked_at", BigInteger),
    Index(None, "run_id"),
)

loaded_contract = Table(
    "loaded_contract",
    metadata,
    Column("holder_id", Text, primary_key=True),
    Column("door", Text, primary_key=True),
    Column("contract_hash", Text, nullable=False),
    Column("loaded_at", BigInteger, nullable=False),
    one_of("door", Door),
)
