"""The feed: one line for each thing that changed, which pages follow from where they stand."""

import json
from collections.abc import Mapping
from typing import Any, Final

from sqlalchemy import Connection

from ccweb.db.sql import text

_INSERT: Final = text("""
    INSERT INTO event (conversation_id, kind, turn_id, data, created_at)
    VALUES (:conversation_id, :kind, :turn_id, :data, :created_at)""")

_KEY: Final = "feed"


def tell(
    c: Connection,
    *,
    conversation_id: str,
    kind: str,
    turn_id: str | None,
    data: Mapping[str, Any],
    created_at: int,
) -> None:
    """Note a line for the feed; the command's lines are written together at its end."""
    line = {
        "conversation_id": conversation_id,
        "kind": kind,
        "turn_id": turn_id,
        "data": json.dumps(data, ensure_ascii=False),
        "created_at": created_at,
    }
    c.info.setdefault(_KEY, []).append(line)


def flush(c: Connection) -> None:
    """Write the lines of the command that ends."""
    lines = c.info.pop(_KEY, None)
    if lines:
        c.execute(_INSERT, lines)


def forget(c: Connection) -> None:
    """Drop the lines of a command that failed."""
    c.info.pop(_KEY, None)
