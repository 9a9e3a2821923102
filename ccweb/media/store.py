"""Images in the database: each once by its hash, and where it is shown."""

from collections.abc import Collection, Iterable
from typing import Any, Final

from sqlalchemy import Connection, Row, bindparam

from ccweb.clock import Moment, from_ms
from ccweb.db.sql import select, text
from ccweb.media.model import Image, ShownImage
from ccweb_contract.enums import ImageFormat

_ADD: Final = text("""
    INSERT INTO image (hash, format, width, height, size_bytes, created_at)
    VALUES (:hash, :format, :width, :height, :size_bytes, :now)
    ON CONFLICT (hash) DO NOTHING""")

_SHOW: Final = text("""
    INSERT INTO shown_image (id, image_hash, conversation_id, message_id, caption, created_at)
    VALUES (:id, :image_hash, :conversation_id, :message_id, :caption, :now)""")

_BY_ID: Final = select(
    """s.id, s.conversation_id, s.message_id, s.caption, s.created_at, i.hash, i.format, i.width,
    i.height, i.size_bytes""",
    "FROM shown_image s JOIN image i ON i.hash = s.image_hash WHERE s.id = :id",
)

_FORGET: Final = text("DELETE FROM shown_image WHERE conversation_id = :id")

_DROP: Final = text("""
    DELETE FROM image WHERE NOT EXISTS
    (SELECT 1 FROM shown_image s WHERE s.image_hash = image.hash)""")

_KNOWN: Final = text("SELECT hash FROM image WHERE hash IN :hashes").bindparams(
    bindparam("hashes", expanding=True)
)
_AT_ONCE: Final = 500
"""Databases limit how many parameters one statement has."""


def add(c: Connection, m: Moment, shown: ShownImage) -> None:
    """Insert a place where an image is shown, and the image if it is new."""
    image = shown.image
    c.execute(
        _ADD,
        {
            "hash": image.hash,
            "format": image.format.value,
            "width": image.width,
            "height": image.height,
            "size_bytes": image.size_bytes,
            "now": m.now_ms,
        },
    )
    c.execute(
        _SHOW,
        {
            "id": shown.id,
            "image_hash": image.hash,
            "conversation_id": shown.conversation_id,
            "message_id": shown.message_id,
            "caption": shown.caption,
            "now": m.now_ms,
        },
    )


def get(c: Connection, image_id: str) -> ShownImage | None:
    """Return an image where it is shown, else None."""
    row = c.execute(_BY_ID, {"id": image_id}).one_or_none()
    return None if row is None else _shown(row)


def forget(c: Connection, conversation_id: str) -> None:
    """Show no image any more in a conversation."""
    c.execute(_FORGET, {"id": conversation_id})


def drop_unshown(c: Connection) -> None:
    """Delete the images that nothing shows."""
    c.execute(_DROP)


def known(c: Connection, hashes: Collection[str]) -> set[str]:
    """Return those of some hashes that an image has."""
    found: set[str] = set()
    for some in _parts(sorted(hashes)):
        found.update(c.execute(_KNOWN, {"hashes": some}).scalars())
    return found


def _parts(hashes: list[str]) -> Iterable[list[str]]:
    return (hashes[i : i + _AT_ONCE] for i in range(0, len(hashes), _AT_ONCE))


def _shown(row: Row[Any]) -> ShownImage:
    return ShownImage(
        id=row.id,
        image=Image(
            hash=row.hash,
            format=ImageFormat(row.format),
            width=row.width,
            height=row.height,
            size_bytes=row.size_bytes,
        ),
        conversation_id=row.conversation_id,
        message_id=row.message_id,
        caption=row.caption,
        created_at=from_ms(row.created_at),
    )
