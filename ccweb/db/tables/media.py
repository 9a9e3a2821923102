"""Tables of images: each kept once by its content, and where it is shown."""

from sqlalchemy import BigInteger, Column, ForeignKey, Index, Integer, Table, Text

from ccweb.db.tables.form import metadata, one_of
from ccweb_contract.enums import ImageFormat

image = Table(
    "image",
    metadata,
    Column("hash", Text, primary_key=True),
    Column("format", Text, nullable=False),
    Column("width", Integer, nullable=False),
    Column("height", Integer, nullable=False),
    Column("size_bytes", BigInteger, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    one_of("format", ImageFormat),
)

shown_image = Table(
    "shown_image",
    metadata,
    Column("id", Text, primary_key=True),
    Column("image_hash", Text, ForeignKey("image.hash"), nullable=False, index=True),
    Column("conversation_id", Text, ForeignKey("conversation.id"), nullable=False),
    Column("message_id", Text, nullable=False),
    Column("caption", Text, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Index(None, "conversation_id"),
)
