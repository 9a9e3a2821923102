"""What most commands begin with: the settings and the database, or one sentence why not."""

import argparse
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from ccweb import settings
from ccweb.cli.failure import Failure
from ccweb.settings import BadSetting, Settings, variable

if TYPE_CHECKING:  # `ccweb mcp` and `ccweb call` open no database and must not pay for one
    from ccweb.db.engine import Database


def settings_of(arguments: argparse.Namespace) -> Settings:
    """Return the settings, those of the command line on top.

    Raises:
        Failure: a variable holds a value that it cannot have.
    """
    try:
        return settings.load(
            data_dir=getattr(arguments, "data_dir", None),
            host=getattr(arguments, "host", None),
            port=getattr(arguments, "port", None),
        )
    except BadSetting as error:
        raise Failure(str(error), code=2) from error


@contextmanager
def database(s: Settings) -> Iterator["Database"]:
    """Yield the migrated database.

    Raises:
        Failure: the data folder cannot be written, or the database is not one of ours.
    """
    _check_folder(s.data_dir)
    db = _opened(s)
    try:
        yield db
    finally:
        db.close()


def _opened(s: Settings) -> "Database":
    from sqlalchemy.exc import ArgumentError, DatabaseError, OperationalError

    from ccweb.db.engine import Database
    from ccweb.db.migrate import DatabaseTooNew, migrate

    try:
        db = Database(s.database)
        migrate(db)
    except DatabaseTooNew as error:
        raise Failure(str(error)) from error
    except (ArgumentError, DatabaseError, OperationalError, OSError, ImportError) as error:
        which = f"of {variable('database_url')}" if s.database_url else s.database  # no password
        why = getattr(error, "orig", None) or error
        raise Failure(f"The database {which} cannot be used: {why}.") from error
    return db


def _check_folder(folder: Path) -> None:
    probe = folder / f".probe-{os.getpid()}"
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        probe.touch()
        probe.unlink()
    except OSError as error:
        why = error.strerror or str(error)
        raise Failure(
            f"The data folder {folder} cannot be written: {why}. Choose another with --data-dir."
        ) from error
