"""Folders in the database: those that a person has registered, and those where work goes on."""

from sqlalchemy import Connection

from ccweb.clock import Moment
from ccweb.db.sql import text


def register(c: Connection, m: Moment, path: str, *, person_id: str) -> None:
    """Let agents open conversations in a folder and below it: a person's decision."""
    c.execute(
        text("""INSERT INTO folder (path, person_id, created_at) VALUES (:path, :person_id, :now)
            ON CONFLICT (path) DO NOTHING"""),
        {"path": path, "person_id": person_id, "now": m.now_ms},
    )


def registered_or_in_use(c: Connection) -> list[str]:
    """Return the folders in which agents may open conversations."""
    rows = c.execute(
        text("""SELECT path FROM folder
            UNION SELECT cwd FROM conversation WHERE deleted_at IS NULL ORDER BY path""")
    )
    return [row.path for row in rows]
