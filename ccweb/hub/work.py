"""What a turn did on the way to its final text: its last steps, the earlier ones on demand."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from sqlalchemy import Connection, Row, bindparam

from ccweb.clock import from_ms, maybe_from_ms
from ccweb.conversations.steps import SAID
from ccweb.db.sql import text
from ccweb.errors import TurnOver
from ccweb.hub.text import SHOWN_CHARACTERS
from ccweb.hub.toolcalls import BRIEF_CHARACTERS
from ccweb_contract.enums import StepKind, StepStatus

TAIL: Final = 6
"""How many steps are shown at once; a turn with more folds the earlier ones."""
FETCHED: Final = 1000
"""How many of the earlier ones come in one answer."""
_SAID_CHARACTERS: Final = 8 * 1024
_NEWEST: Final = 2**62
_WORTH_TELLING: Final = timedelta(milliseconds=100)

_COUNTS = text("""
    SELECT turn_id, count(*) AS total FROM step WHERE turn_id IN :ids
    GROUP BY turn_id""").bindparams(bindparam("ids", expanding=True))

_LAST = text("""
    SELECT position FROM step WHERE turn_id = :turn_id ORDER BY position DESC LIMIT :limit""")

_LINE: Final = """
    SELECT position, turn_id, kind, status, name, substr(input, 1, :brief) AS input,
        CASE kind WHEN :tool THEN '' ELSE substr(output, 1, :said) END AS output,
        CASE kind WHEN :tool THEN 0 ELSE length(output) END AS size,
        started_at, ended_at
    FROM step"""

_OF_TURNS = text(f"{_LINE} WHERE turn_id IN :ids ORDER BY position").bindparams(
    bindparam("ids", expanding=True)
)

_AT = text(f"{_LINE} WHERE position IN :positions ORDER BY position").bindparams(
    bindparam("positions", expanding=True)
)

_BETWEEN = text(f"""
    {_LINE} WHERE turn_id = :turn_id AND position >= :start AND position < :before
    ORDER BY position LIMIT :limit""")

_WHOLE = text("""
    SELECT kind, name, substr(input, 1, :shown) AS input, length(input) AS input_size,
        substr(output, 1, :shown) AS output, length(output) AS output_size
    FROM step WHERE turn_id = :turn_id AND position = :position""")

_TEXTS = text("""
    SELECT input, output FROM step WHERE turn_id = :turn_id AND position = :position""")

_DELTAS = text("""
    SELECT position, data FROM event
    WHERE turn_id = :turn_id AND kind = 'delta' ORDER BY position DESC""")

_VALUES: Final = {
    "brief": BRIEF_CHARACTERS,
    "said": _SAID_CHARACTERS,
    "tool": StepKind.TOOL.value,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A step as one line; of a tool's input and output only what that line needs."""

    position: int
    turn_id: str
    kind: StepKind
    status: StepStatus
    name: str
    input: str
    output: str
    """What was said or thought, or its beginning; '' for a tool."""
    size: int
    """Characters of the whole output."""
    started_at: datetime
    ended_at: datetime | None

    @property
    def cut(self) -> bool:
        """Tell whether there is more to read."""
        return self.size > len(self.output)

    @property
    def lasted(self) -> bool:
        """Tell whether it took a time that is worth telling."""
        return self.ended_at is not None and self.ended_at - self.started_at >= _WORTH_TELLING


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """The steps of a turn as its conversation shows them."""

    total: int = 0
    tail: Sequence[Line] = ()
    """The steps that are shown at once."""

    @property
    def folded(self) -> int:
        """Return how many steps come on demand only."""
        return self.total - len(self.tail)

    @property
    def before(self) -> int:
        """Return the place before which the folded steps lie."""
        return self.tail[0].position if self.tail else _NEWEST


@dataclass(frozen=True, slots=True, kw_only=True)
class Whole:
    """A step with what it was given and what came of it, cut to what a page shows at once."""

    kind: StepKind
    name: str
    input: str
    input_size: int
    output: str
    output_size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Live:
    """What a running turn is writing: the text after its last step that was said."""

    text: str
    position: int
    """The last line of the feed that is in it."""
    cut: bool = False
    """There is more of it, further up."""


def of_turns(c: Connection, running: Mapping[str, bool]) -> dict[str, Work]:
    """Return the steps of turns; of many only the last, and those only while the turn runs.

    Args:
        c: Connection.
        running: By turn, whether it runs.
    """
    totals = {row.turn_id: row.total for row in c.execute(_COUNTS, {"ids": list(running)}).all()}
    few = [turn_id for turn_id, total in totals.items() if total <= TAIL]
    lines = _lines(c.execute(_OF_TURNS, _VALUES | {"ids": few}))
    for turn_id, runs in running.items():
        if runs and totals.get(turn_id, 0) > TAIL:
            lines += _last(c, turn_id)
    return {
        turn_id: Work(
            total=totals.get(turn_id, 0),
            tail=[line for line in lines if line.turn_id == turn_id],
        )
        for turn_id in running
    }


def between(c: Connection, turn_id: str, *, start: int, before: int | None) -> list[Line]:
    """Return steps of a turn from a place on, before another, at most `FETCHED`."""
    values = {"turn_id": turn_id, "start": start, "before": before or _NEWEST, "limit": FETCHED}
    return _lines(c.execute(_BETWEEN, _VALUES | values))


def whole(c: Connection, turn_id: str, position: int) -> Whole:
    """Return one step.

    Raises:
        TurnOver: the turn has no such step.
    """
    row = c.execute(
        _WHOLE, {"turn_id": turn_id, "position": position, "shown": SHOWN_CHARACTERS}
    ).one_or_none()
    if row is None:
        raise TurnOver(turn_id=turn_id)
    return Whole(
        kind=StepKind(row.kind),
        name=row.name,
        input=row.input,
        input_size=row.input_size,
        output=row.output,
        output_size=row.output_size,
    )


def texts(c: Connection, turn_id: str, position: int) -> tuple[str, str]:
    """Return the whole input and output of one step.

    Raises:
        TurnOver: the turn has no such step.
    """
    row = c.execute(_TEXTS, {"turn_id": turn_id, "position": position}).one_or_none()
    if row is None:
        raise TurnOver(turn_id=turn_id)
    return row.input, row.output


def live(c: Connection, turn_id: str) -> Live:
    """Return what a running turn is writing; of a very long text the end."""
    pieces: list[str] = []
    position, size = 0, 0
    for row in c.execute(_DELTAS, {"turn_id": turn_id}):
        position = position or row.position
        data = json.loads(row.data)
        if data == SAID or size > SHOWN_CHARACTERS:
            break
        pieces.append(data["text"])
        size += len(data["text"])
    end = "".join(reversed(pieces))[-SHOWN_CHARACTERS:]
    return Live(text=end, position=position, cut=size > SHOWN_CHARACTERS)


def _last(c: Connection, turn_id: str) -> list[Line]:
    rows = c.execute(_LAST, {"turn_id": turn_id, "limit": TAIL})
    positions = [row.position for row in rows]
    return _lines(c.execute(_AT, _VALUES | {"positions": positions}))


def _lines(rows: Any) -> list[Line]:
    return [_line(row) for row in rows]


def _line(row: Row[Any]) -> Line:
    return Line(
        position=row.position,
        turn_id=row.turn_id,
        kind=StepKind(row.kind),
        status=StepStatus(row.status),
        name=row.name,
        input=row.input,
        output=row.output,
        size=row.size,
        started_at=from_ms(row.started_at),
        ended_at=maybe_from_ms(row.ended_at),
    )
