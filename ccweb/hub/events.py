"""The feed of events as a stream to every open page (`GET /events`, server-sent events).

One loop follows the `event` table for all browsers and keeps its last lines. Each stream holds
nothing but its own position in them: a slow client costs no memory, and one that has fallen too far
behind is told to load the page's parts anew.
"""

import json
from collections import deque
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any, Final

import anyio
import anyio.lowlevel
import structlog
from sqlalchemy import Connection, Row
from sse_starlette import EventSourceResponse
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from ccweb.clock import Moment
from ccweb.conversations.model import EventKind
from ccweb.db.engine import Database
from ccweb.db.sql import text
from ccweb.db.wakeup import Wakeup
from ccweb.hub.auth import person
from ccweb_contract.errors import HTTP_STATUS, ErrorCode

log = structlog.get_logger()

KEPT_LINES: Final = 4096
"""Lines that the loop keeps; a stream that is further behind gets `reset`."""
KEPT_CHARS: Final = 1024 * 1024
"""What these lines may be long together: a model that writes fast makes long ones."""
BATCH: Final = 256
BATCH_CHARS: Final = 256 * 1024
_INNER: Final = frozenset({EventKind.DELTA, EventKind.STEP})
_QUIET_S: Final = 15.0
_HICCUP_S: Final = 1.0
_SLOW_CLIENT_S: Final = 30.0
_KEEP_DELTAS_S: Final = 600.0
_KEEP_LINES_S: Final = 7 * 86400.0

_AFTER = text("""
    SELECT position, conversation_id, kind, turn_id, data FROM event
    WHERE position > :after ORDER BY position LIMIT :limit""")

_PRUNE_DELTAS = text("""
    DELETE FROM event WHERE kind = 'delta' AND turn_id IN (
        SELECT id FROM turn WHERE ended_at < :limit AND id IN (
            SELECT DISTINCT turn_id FROM event WHERE kind = 'delta'))""")

_PRUNE_OLD = text("""
    DELETE FROM event WHERE position < coalesce((
        SELECT position FROM event WHERE created_at >= :limit ORDER BY position LIMIT 1), 0)""")


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line of the feed as pages get it."""

    position: int
    conversation_id: str
    inner: bool
    """Of how an agent works, which only the page of its conversation shows."""
    body: str


class Feed:
    """The last lines of the feed, followed for all browsers of this process."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._lines: deque[Line] = deque()
        self._kept_chars = 0
        self._followers = 0
        self._changed = anyio.Event()
        self._wanted = anyio.Event()
        self._position: int | None = None

    @property
    def kept(self) -> Sequence[Line]:
        """Return the lines that are kept now."""
        return self._lines

    async def follow(self) -> None:
        """Read what is new for as long as a page is open; runs until it is cancelled."""
        wakeup = Wakeup(self._db)
        while True:
            if not self._followers:
                await self._wanted.wait()
            try:
                if self._position is None:
                    self._position = await self._db.read(last_position)
                    self._wake()  # who came before may have missed what this skips
                await self._read_on()
                await wakeup.wait(_QUIET_S)
            except Exception:
                log.exception("feed_stalled", position=self._position)
                await anyio.sleep(_HICCUP_S)

    async def _read_on(self) -> None:
        while rows := await self._db.read(lambda c: _rows(c, self._position or 0)):
            for row in rows:
                self._keep(_line(row))
                self._position = row.position
            self._wake()
            await anyio.lowlevel.checkpoint()

    def _keep(self, line: Line) -> None:
        """Keep a line, and forget the oldest where there are too many."""
        self._lines.append(line)
        self._kept_chars += len(line.body)
        while len(self._lines) > KEPT_LINES or self._kept_chars > KEPT_CHARS:
            self._kept_chars -= len(self._lines.popleft().body)

    def _wake(self) -> None:
        self._changed.set()
        self._changed = anyio.Event()

    async def lines(self, after: int, conversation_id: str) -> AsyncGenerator[list[Line] | int]:
        """Yield what comes after a position, in batches.

        A number instead of a batch says that it is too far back to tell; the stream begins anew
        there.

        Text and steps are for the page that shows their conversation, all the rest for every page.
        """
        self._followers += 1
        self._wanted.set()
        try:
            while True:
                changed = self._changed
                batch = await self._batch(after)
                if batch is None:
                    after = await self._db.read(last_position)
                    yield after
                elif batch:
                    after = batch[-1].position
                    yield [one for one in batch if _concerns(one, conversation_id)]
                else:
                    await changed.wait()
        finally:
            self._followers -= 1
            if not self._followers:
                self._wanted = anyio.Event()

    async def _batch(self, after: int) -> list[Line] | None:
        """Return the next lines: from memory when they are there, else from the table."""
        if self._lines and after >= self._lines[0].position - 1:
            start = _first_after(self._lines, after)
            return [self._lines[i] for i in range(start, min(start + BATCH, len(self._lines)))]
        first, last = await self._db.read(_ends)
        if after > last or last - after > KEPT_LINES or after < first - 1:
            return None
        return [_line(row) for row in await self._db.read(lambda c: _rows(c, after))]


def routes() -> list[BaseRoute]:
    """Return the route of the stream; the app offers its `Feed` as `app.state.feed`."""
    return [Route("/events", stream, methods=["GET"])]


async def stream(request: Request) -> Response:
    """Answer with the feed after `Last-Event-ID`, or after the position that the page names."""
    after = request.headers.get("last-event-id") or request.query_params.get("after") or "0"
    if not (after.isascii() and after.isdigit() and len(after) < 19):
        return Response(status_code=HTTP_STATUS[ErrorCode.INVALID_PARAMS])
    feed: Feed = request.app.state.feed
    lines = feed.lines(int(after), request.query_params.get("conversation", ""))
    return EventSourceResponse(
        _encoded(_while_signed_in(request, lines)),
        ping=int(_QUIET_S),
        sep="\n",
        send_timeout=_SLOW_CLIENT_S,
    )


def last_position(c: Connection) -> int:
    """Return the position of the last line of the feed."""
    return _ends(c)[1]


def prune(c: Connection, m: Moment) -> None:
    """Delete the deltas of turns that are over (their text is a message) and lines of last week."""
    c.execute(_PRUNE_DELTAS, {"limit": m.later_ms(-_KEEP_DELTAS_S)})
    c.execute(_PRUNE_OLD, {"limit": m.later_ms(-_KEEP_LINES_S)})


async def _while_signed_in(
    request: Request, batches: AsyncGenerator[list[Line] | int]
) -> AsyncGenerator[list[Line] | int]:
    """Pass batches on until the session has ended: a stream outlives the check of its request."""
    async with aclosing(batches):
        async for batch in batches:
            if await person(request.app.state.db, request) is None:
                return
            yield batch


async def _encoded(batches: AsyncGenerator[list[Line] | int]) -> AsyncGenerator[bytes]:
    yield b"retry: 1000\n\n"
    async for batch in batches:
        if isinstance(batch, int):
            yield f"event: reset\nid: {batch}\ndata: {{}}\n\n".encode()
        else:
            yield "".join(f"id: {one.position}\ndata: {one.body}\n\n" for one in batch).encode()


def _concerns(line: Line, conversation_id: str) -> bool:
    return not line.inner or line.conversation_id == conversation_id


def _first_after(lines: deque[Line], after: int) -> int:
    """Return the index of the first line after a position; new lines are near the end."""
    index = len(lines)
    while index and lines[index - 1].position > after:
        index -= 1
    return index


def _rows(c: Connection, after: int) -> list[Row[Any]]:
    """Return the next rows, as many as are good to take at once."""
    found, chars = [], 0
    with c.execute(_AFTER, {"after": after, "limit": BATCH}) as rows:
        for row in rows:
            found.append(row)
            chars += len(row.data)
            if chars > BATCH_CHARS:
                break
    return found


def _ends(c: Connection) -> tuple[int, int]:
    row = c.execute(
        text("SELECT coalesce(min(position), 1) AS a, coalesce(max(position), 0) AS b FROM event")
    ).one()
    return row.a, row.b


def _line(row: Row[Any]) -> Line:
    body = {
        "kind": row.kind,
        "conversationId": row.conversation_id,
        "turnId": row.turn_id,
        "position": row.position,
        **json.loads(row.data),
    }
    return Line(
        position=row.position,
        conversation_id=row.conversation_id,
        inner=row.kind in _INNER,
        body=json.dumps(body, ensure_ascii=False, separators=(",", ":")),
    )
