"""Images as a conversation shows them: where each lies, and the room that it takes on the page."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from sqlalchemy import Connection, bindparam

from ccweb.db.sql import text

_WIDEST: Final = 640
_HIGHEST: Final = 420

_BY_ID = text("""
    SELECT s.id, i.width, i.height FROM shown_image s
    JOIN image i ON i.hash = s.image_hash WHERE s.id IN :ids""").bindparams(
    bindparam("ids", expanding=True)
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """An image that is shown somewhere."""

    id: str
    width: int
    height: int

    @property
    def room(self) -> tuple[int, int]:
        """Return the width and height that its small form takes on a page that is wide enough."""
        scale = min(1.0, _WIDEST / self.width, _HIGHEST / self.height)
        return max(round(self.width * scale), 1), max(round(self.height * scale), 1)


def of(c: Connection, image_ids: Collection[str]) -> dict[str, Picture]:
    """Return the pictures with these ids; one that is no more is left out."""
    if not image_ids:
        return {}
    rows = c.execute(_BY_ID, {"ids": list(image_ids)})
    return {row.id: Picture(id=row.id, width=row.width, height=row.height) for row in rows}
