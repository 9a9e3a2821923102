"""What one conversation shows: its turns with their messages, requests and replies, in order."""

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from sqlalchemy import Connection, Row, TextClause, bindparam

from ccweb.clock import from_ms, maybe_from_ms, to_ms
from ccweb.conversations.messages import message_of
from ccweb.conversations.model import Message, TurnFacts
from ccweb.conversations.turns import facts_of
from ccweb.db.sql import text
from ccweb.hub import pictures, questions, requests, work
from ccweb.hub.pictures import Picture
from ccweb.hub.questions import Asked
from ccweb.hub.requests import Card
from ccweb.hub.text import SHOWN_CHARACTERS
from ccweb.hub.work import Live, Work
from ccweb_contract.enums import AgentKind, MessageRole, TurnFailure, TurnKind, TurnStatus

TURNS: Final = 30
"""How many turns one page of a conversation holds; earlier ones come on demand."""

_NEWEST = 2**62

_TURNS = text("""
    SELECT position, id, kind, status, message_id, serves_request_id, attempt, queued_at,
        claimed_at, started_at, ended_at, stop_requested_at, stop_reason, error, failure, retry_at,
        model, cost_microusd, input_tokens, cached_tokens, output_tokens,
        (SELECT k.agent FROM conversation k WHERE k.id = turn.conversation_id) AS agent
    FROM turn WHERE conversation_id = :id AND position < :before
    ORDER BY position DESC LIMIT :limit""")

_QUEUED = text("""
    SELECT queued_at FROM turn WHERE conversation_id = :id AND position = :position""")

_MESSAGE = """SELECT position, id, conversation_id, role, substr(text, 1, :shown) AS text,
    length(text) AS size, source_kind, source_id, turn_id, display_only, late, metadata, created_at
    FROM message"""

_OF_TURNS = text(f"""
    {_MESSAGE} WHERE turn_id IN :turns OR id IN :openers ORDER BY position""").bindparams(
    bindparam("turns", expanding=True), bindparam("openers", expanding=True)
)

_ALONE = text(f"""
    {_MESSAGE} WHERE conversation_id = :id AND position >= :first AND position < :last
    AND turn_id IS NULL AND role = :assistant ORDER BY position""")

_CARRIED = text("""
    SELECT turn_id, count(*) AS items FROM inbox_item
    WHERE turn_id IN :turns GROUP BY turn_id""").bindparams(bindparam("turns", expanding=True))


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A message with the size of its whole text."""

    message: Message
    """Its text is cut to what a page shows at once."""
    size: int
    picture: Picture | None = None
    """What it shows, where it shows an image that is still there; its text is the caption."""

    @property
    def cut(self) -> bool:
        """Tell whether there is more to read."""
        return self.size > len(self.message.text)

    @property
    def answers(self) -> str | None:
        """Return the request whose reply this message shows."""
        answered: str | None = self.message.metadata.get("replyToRequestId")
        return answered

    @property
    def image_id(self) -> str | None:
        """Return the image that this message shows."""
        return _image_of(self.message)


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What is known of a turn, without its prompt."""

    position: int
    id: str
    kind: TurnKind
    status: TurnStatus
    message_id: str | None
    serves: str | None
    attempt: int
    queued_at: datetime
    claimed_at: datetime | None
    started_at: datetime | None
    ended_at: datetime | None
    stopping: bool
    stop_reason: str | None
    error: str | None
    failure: TurnFailure | None
    retry_at: datetime | None
    took: TurnFacts
    agent: AgentKind
    carried: int
    """How many replies and decisions it brought in."""

    @property
    def at(self) -> tuple[bool, datetime, int]:
        """Return its place: as it ran, with what is queued at the end."""
        began = self.claimed_at or self.ended_at
        return (began is None, began or self.queued_at, self.position)


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """One turn with all that belongs to it."""

    turn: Facts
    opener: Shown | None
    incoming: Card | None
    """The request that this turn was opened by."""
    replies: Sequence[tuple[Shown, Card | None]]
    outgoing: Sequence[Card]
    outputs: Sequence[Shown]
    work: Work
    asked: Sequence[Asked]
    """What its agent has asked people, open or decided."""
    live: Live | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Loose:
    """Something that belongs to no turn: a reply that came display-only, a call from outside."""

    at: datetime
    reply: tuple[Shown, Card | None] | None = None
    outgoing: Card | None = None
    message: Shown | None = None
    asked: Asked | None = None
    """A form."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeline:
    """One page of a conversation, oldest first."""

    parts: Sequence[Block | Loose]
    before: int | None
    """Where the page before this one ends; None when there is none."""
    last_position: int
    """The last message of the page, for the mark of what has been read."""


def read(c: Connection, conversation_id: str, *, before: int | None = None) -> Timeline:
    """Return the newest turns of a conversation before a position, and all that hangs on them."""
    turns, more = _turns(c, conversation_id, before)
    of_turns = _messages_of(c, turns)
    first = min((shown.message.position for shown in of_turns), default=0) if more else 0
    last = _NEWEST if before is None else _first_message(c, conversation_id, before)
    alone = _alone(c, conversation_id, first, last)
    cards = requests.of_conversation(
        c,
        conversation_id,
        since=turns[0].queued_at if more else None,
        also=[shown.answers for shown in (*of_turns, *alone) if shown.answers],
    )
    done = work.of_turns(c, {turn.id: turn.status is TurnStatus.RUNNING for turn in turns})
    asked = questions.of_turns(c, [turn.id for turn in turns])
    blocks = [_block(c, turn, of_turns, cards, done, asked) for turn in turns]
    since_ms = to_ms(turns[0].queued_at) if more else 0
    until_ms = _NEWEST if before is None else _queued_ms(c, conversation_id, before)
    forms = questions.forms_of_no_turn(c, conversation_id, since_ms=since_ms, until_ms=until_ms)
    loose = [
        *_loose_replies(alone, cards),
        *_loose_calls(cards, conversation_id, range(since_ms, until_ms)),
        *_loose_forms(forms),
    ]
    seen = [shown.message.position for shown in (*of_turns, *alone)]
    return Timeline(
        parts=list(_in_order(blocks, loose)),
        before=turns[0].position if more else None,
        last_position=max(seen, default=0),
    )


def _turns(c: Connection, conversation_id: str, before: int | None) -> tuple[list[Facts], bool]:
    rows = c.execute(
        _TURNS, {"id": conversation_id, "before": before or _NEWEST, "limit": TURNS + 1}
    ).all()
    page = rows[:TURNS]
    carried = {
        row.turn_id: row.items for row in c.execute(_CARRIED, {"turns": [row.id for row in page]})
    }
    turns = [_facts(row, carried.get(row.id, 0)) for row in reversed(page)]
    return turns, len(rows) > TURNS


def _messages_of(c: Connection, turns: Sequence[Facts]) -> list[Shown]:
    return _shown(
        c,
        _OF_TURNS,
        {
            "turns": [turn.id for turn in turns],
            "openers": [turn.message_id for turn in turns if turn.message_id],
            "shown": SHOWN_CHARACTERS,
        },
    )


def _alone(c: Connection, conversation_id: str, first: int, last: int) -> list[Shown]:
    return _shown(
        c,
        _ALONE,
        {
            "id": conversation_id,
            "first": first,
            "last": last,
            "assistant": MessageRole.ASSISTANT.value,
            "shown": SHOWN_CHARACTERS,
        },
    )


def _first_message(c: Connection, conversation_id: str, turn_position: int) -> int:
    """Return the first message of the page that begins with a turn."""
    row = c.execute(
        text("""SELECT min(m.position) AS position FROM turn t
            JOIN message m ON m.turn_id = t.id OR m.id = t.message_id
            WHERE t.conversation_id = :id AND t.position = :position"""),
        {"id": conversation_id, "position": turn_position},
    ).one()
    return _NEWEST if row.position is None else int(row.position)


def _queued_ms(c: Connection, conversation_id: str, turn_position: int) -> int:
    """Return when the turn was queued that the page after this one begins with."""
    row = c.execute(_QUEUED, {"id": conversation_id, "position": turn_position}).one_or_none()
    return _NEWEST if row is None else int(row.queued_at)


def _block(
    c: Connection,
    turn: Facts,
    messages: Sequence[Shown],
    cards: Sequence[Card],
    done: Mapping[str, Work],
    asked: Sequence[Asked],
) -> Block:
    by_request = {card.reply.request_id: card for card in cards}
    own = [shown for shown in messages if shown.message.turn_id == turn.id]
    return Block(
        turn=turn,
        opener=next((s for s in messages if s.message.id == turn.message_id), None),
        incoming=by_request.get(turn.serves or "") if turn.kind is TurnKind.MESSAGE else None,
        replies=[(s, by_request.get(s.answers or "")) for s in own if s.answers],
        outgoing=[card for card in cards if card.reply.opened_by_turn_id == turn.id],
        outputs=[shown for shown in own if not shown.answers],
        work=done[turn.id],
        asked=[one for one in asked if one.ask.turn_id == turn.id],
        live=work.live(c, turn.id) if turn.status is TurnStatus.RUNNING else None,
    )


def _loose_replies(alone: Sequence[Shown], cards: Sequence[Card]) -> Iterator[Loose]:
    by_request = {card.reply.request_id: card for card in cards}
    for shown in alone:
        at = shown.message.created_at
        if shown.answers:
            yield Loose(at=at, reply=(shown, by_request.get(shown.answers)))
        else:
            yield Loose(at=at, message=shown)


def _loose_calls(
    cards: Sequence[Card], conversation_id: str, of_page_ms: Container[int]
) -> Iterator[Loose]:
    """Return requests sent outside a turn; they stand where they were sent."""
    for card in cards:
        sent_from_here = card.reply.source_conversation_id == conversation_id
        is_loose = sent_from_here and card.reply.opened_by_turn_id is None
        if is_loose and to_ms(card.reply.created_at) in of_page_ms:
            yield Loose(at=card.reply.created_at, outgoing=card)


def _loose_forms(asked: Sequence[Asked]) -> Iterator[Loose]:
    for one in asked:
        yield Loose(at=one.ask.created_at, asked=one)


def _in_order(blocks: Sequence[Block], loose: Sequence[Loose]) -> Iterator[Block | Loose]:
    def place(part: Block | Loose) -> tuple[bool, datetime, int]:
        return part.turn.at if isinstance(part, Block) else (False, part.at, 0)

    parts: list[Block | Loose] = [*blocks, *loose]
    return iter(sorted(parts, key=place))


def _facts(row: Row[Any], carried: int) -> Facts:
    return Facts(
        position=row.position,
        id=row.id,
        kind=TurnKind(row.kind),
        status=TurnStatus(row.status),
        message_id=row.message_id,
        serves=row.serves_request_id,
        attempt=row.attempt,
        queued_at=from_ms(row.queued_at),
        claimed_at=maybe_from_ms(row.claimed_at),
        started_at=maybe_from_ms(row.started_at),
        ended_at=maybe_from_ms(row.ended_at),
        stopping=row.stop_requested_at is not None,
        stop_reason=row.stop_reason,
        error=row.error,
        failure=TurnFailure(row.failure) if row.failure else None,
        retry_at=maybe_from_ms(row.retry_at),
        took=facts_of(row),
        agent=AgentKind(row.agent),
        carried=carried,
    )


def _shown(c: Connection, query: TextClause, values: Mapping[str, Any]) -> list[Shown]:
    found = [(message_of(row), row.size) for row in c.execute(query, values)]
    ids = {image_id for message, _ in found if (image_id := _image_of(message))}
    known = pictures.of(c, ids)
    return [
        Shown(message=message, size=size, picture=known.get(_image_of(message) or ""))
        for message, size in found
    ]


def _image_of(message: Message) -> str | None:
    image_id: str | None = message.metadata.get("imageId")
    return image_id
