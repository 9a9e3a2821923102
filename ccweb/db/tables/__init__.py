"""Every table, with the CHECK of every state column and the indexes that rules rely on.

Times are integers: milliseconds since 1970 in UTC. Ids are text. The migrations must add up to
exactly this (a test compares them).
"""

from ccweb.db.tables import (
    access,
    asks,
    board,
    conversations,
    history,
    hosts,
    media,
    planning,
    relay,
)
from ccweb.db.tables.form import metadata

__all__ = [
    "access",
    "asks",
    "board",
    "conversations",
    "history",
    "hosts",
    "media",
    "metadata",
    "planning",
    "relay",
]
