"""Conversations as tools list them: each with what it is doing now, in one query."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

from sqlalchemy import Connection

from ccweb.clock import from_ms, iso
from ccweb.db.sql import select
from ccweb.errors import InvalidParams
from ccweb_contract.enums import ConversationStatus, StatusFilter

_LINE: Final = """k.id, k.title, k.agent, k.cwd, k.updated_at, k.position,
    CASE WHEN EXISTS (SELECT 1 FROM ask a WHERE a.conversation_id = k.id AND a.status = 'open')
    THEN :asking
    ELSE coalesce((
        SELECT max(t.status) FROM turn t
        WHERE t.conversation_id = k.id AND t.ended_at IS NULL), :idle) END AS status"""

_PAGE: Final = select(
    "id, title, agent, cwd, updated_at, position, status",
    f"""FROM (
        SELECT {_LINE} FROM conversation k
        WHERE k.deleted_at IS NULL AND k.archived_at IS NULL
            AND (:cwd IS NULL OR k.cwd = :cwd)
            AND (k.updated_at < :updated_at
                OR (k.updated_at = :updated_at AND k.position < :position))) listed
    WHERE :any OR (status = :idle) = :wants_idle
    ORDER BY updated_at DESC, position DESC LIMIT :limit""",  # noqa: S608 - ours
)

_ONE: Final = select(_LINE, "FROM conversation k WHERE k.id = :id AND k.deleted_at IS NULL")

_STATES: Final = {
    "asking": ConversationStatus.NEEDS_YOU.value,
    "idle": ConversationStatus.IDLE.value,
}
_LAST: Final = 2**62


class Listed(NamedTuple):
    """One line of the list, in the order of the query's columns: lists are read often and long."""

    id: str
    title: str
    agent: str
    cwd: str
    updated_ms: int
    position: int
    status: str

    def shown(self) -> dict[str, str]:
        """Return the line with the names of the wire."""
        return {
            "conversationId": self.id,
            "title": self.title,
            "agent": self.agent,
            "cwd": self.cwd,
            "status": self.status,
            "updatedAt": iso(from_ms(self.updated_ms)),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which conversations a list covers."""

    cwd: str | None
    status: StatusFilter
    query: str
    """Part of the title, in any case; '' is every title."""
    limit: int
    cursor: str | None


def page(c: Connection, wanted: Wanted) -> tuple[list[Listed], str | None]:
    """Return the conversations after a cursor, the most recently active first, and the next cursor.

    A cursor is the place of the last line, so lines that come or go in between shift nothing; a
    conversation that becomes active meanwhile stands at the top of a fresh list.

    Raises:
        InvalidParams: the cursor is none of ours.
    """
    found: list[Listed] = []
    for line in _matching(c, wanted):
        if len(found) == wanted.limit:
            return found, _cursor_of(found[-1])
        found.append(line)
    return found, None


def one(c: Connection, conversation_id: str) -> Listed | None:
    """Return a conversation with its status, None when there is none with this id."""
    row = c.execute(_ONE, _STATES | {"id": conversation_id}).one_or_none()
    return None if row is None else Listed._make(row)


def _matching(c: Connection, wanted: Wanted) -> Iterator[Listed]:
    """Yield the lines that match; titles are compared here, where case means every script's."""
    updated_at, position = _place(wanted.cursor)
    rows = c.execute(
        _PAGE,
        _STATES
        | {
            "cwd": wanted.cwd,
            "updated_at": updated_at,
            "position": position,
            "any": wanted.status is StatusFilter.ANY,
            "wants_idle": wanted.status is StatusFilter.IDLE,
            "limit": _LAST if wanted.query else wanted.limit + 1,
        },
    )
    lines = map(Listed._make, rows.all())
    query = wanted.query.casefold()
    return (line for line in lines if query in line.title.casefold()) if query else lines


def _cursor_of(line: Listed) -> str:
    return f"{line.updated_ms}.{line.position}"


def _place(cursor: str | None) -> tuple[int, int]:
    if cursor is None:
        return _LAST, _LAST
    updated_at, dot, position = cursor.partition(".")
    if not (dot and _is_number(updated_at) and _is_number(position)):
        raise InvalidParams(why="`cursor` must be the `nextCursor` of an earlier page.")
    return int(updated_at), int(position)


def _is_number(part: str) -> bool:
    return part.isascii() and part.isdecimal() and len(part) < 19
