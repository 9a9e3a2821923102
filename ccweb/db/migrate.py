"""Migrations: bring a database to the form that this code expects, or say why that cannot be."""

from pathlib import Path
from typing import Final

from sqlalchemy import Connection, inspect

from ccweb.db.engine import Database
from ccweb.db.sql import text

HEAD: Final = "0005"
"""The newest revision in `migrations/versions`; a test compares them."""

_FOLDER: Final = Path(__file__).parent / "migrations"


class DatabaseTooNew(RuntimeError):
    """The database was written by a newer version of ccweb."""


def migrate(db: Database) -> None:
    """Bring the database to `HEAD`; nothing is done, and nothing imported, when it is there.

    Raises:
        DatabaseTooNew: its revision is unknown here; nothing was changed.
    """
    with db.connect() as c:
        current = _revision(c)
    if current == HEAD:
        return
    if current is not None and current > HEAD:
        raise DatabaseTooNew(
            f"The database is at revision {current} and this ccweb knows {HEAD} at most. "
            "Update ccweb, or point CCWEB_DATA_DIR at another folder. Nothing was changed."
        )
    with db.begin() as c:
        if _revision(c) != HEAD:  # another process may have been first
            _upgrade(c)


def _revision(c: Connection) -> str | None:
    if not inspect(c).has_table("alembic_version"):
        return None
    revision = c.execute(text("SELECT version_num FROM alembic_version")).scalar_one_or_none()
    return None if revision is None else str(revision)


def _upgrade(c: Connection) -> None:
    from alembic import command  # imported late: 0.2 s that only a new database costs
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(_FOLDER))
    config.attributes["connection"] = c
    command.upgrade(config, "head")
