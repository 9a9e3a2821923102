"""What must hold after every step, whatever happened: the invariants of R-M5 to R-M7."""

from collections.abc import Collection
from dataclasses import dataclass

from sqlalchemy import text

from ccweb.asks import store as asks
from ccweb.asks.model import Ask
from ccweb.conversations import inbox, turns
from ccweb.conversations.model import InboxItem, Turn
from ccweb.conversations.rules import ENDED_WELL
from ccweb.db.engine import Database
from ccweb.relay import store
from ccweb.relay.model import PendingReply
from ccweb_contract.enums import AskKind, Outcome, ReplyStatus


@dataclass(frozen=True, kw_only=True)
class Seen:
    """Everything that the database holds at one moment."""

    rows: dict[str, PendingReply]
    turns: dict[str, Turn]
    carried: list[tuple[str, str]]
    """Turn and request of every delivered item that a turn carries."""
    waiting: list[InboxItem]
    asks: list[Ask]
    held: set[str]
    shown: list[str]
    forms: list[Ask]
    """The forms that a person has answered or declined."""
    unread: set[str]
    """The forms whose answers came display-only: their request was over."""


def look(db: Database) -> Seen:
    """Return a snapshot in a handful of queries: it is taken after every step."""
    c = db.reader
    return Seen(
        rows={
            row.request_id: store.reply_of(row)
            for row in c.execute(text("SELECT * FROM pending_reply ORDER BY position"))
        },
        turns={
            row.id: turns.turn_of(row)
            for row in c.execute(text("SELECT * FROM turn ORDER BY position"))
        },
        carried=[
            (row.turn_id, row.ref_id)
            for row in c.execute(
                text("SELECT turn_id, ref_id FROM inbox_item WHERE turn_id IS NOT NULL")
            )
        ],
        waiting=[
            inbox.item_of(row)
            for row in c.execute(text("SELECT * FROM inbox_item WHERE delivered_at IS NULL"))
        ],
        asks=asks.open_asks(c),
        held={
            row.id
            for row in c.execute(text("SELECT id FROM conversation WHERE held_at IS NOT NULL"))
        },
        forms=[
            asks.ask_of(row)
            for row in c.execute(
                text("SELECT * FROM ask WHERE kind = 'form' AND status = 'resolved'")
            )
        ],
        unread={
            row.ref_id
            for row in c.execute(
                text("""SELECT ref_id FROM inbox_item WHERE kind = 'form'
                    AND delivered_at IS NOT NULL AND turn_id IS NULL""")
            )
        },
        shown=[
            row.request_id
            for row in c.execute(
                text("""SELECT json_extract(metadata, '$.replyToRequestId') AS request_id
                    FROM message WHERE metadata LIKE '%replyToRequestId%'""")
            )
        ],
    )


def open_below(seen: Seen, request_id: str) -> bool:
    """Tell, without the service's own query, whether something still works on a request."""
    return (
        any(t.ended_at is None and t.thread.serves == request_id for t in seen.turns.values())
        or any(
            r.status is ReplyStatus.WAITING and r.opened.serves == request_id
            for r in seen.rows.values()
        )
        or any(item.opened.serves == request_id for item in seen.waiting)
        or any(ask.parent_request_id == request_id for ask in seen.asks)
    )


def nothing_waits_for_ever(seen: Seen) -> None:
    for row in seen.rows.values():
        if row.status is ReplyStatus.WAITING:
            assert open_below(seen, row.request_id), row


def nothing_is_answered_too_early(seen: Seen) -> None:
    """A request that ended well has nothing open; its text is of the last turn that served it."""
    for row in seen.rows.values():
        if row.outcome in (Outcome.COMPLETED, Outcome.EMPTY):
            assert not open_below(seen, row.request_id), row
        if row.outcome is Outcome.COMPLETED and row.reply_text != "late":
            served = [
                t for t in seen.turns.values() if t.ended_at and t.thread.serves == row.request_id
            ]
            last = max(served, key=lambda t: (t.ended_at, t.position))
            assert row.reply_text == f"output of {last.id}"


def a_broken_turn_is_answered_at_once(seen: Seen) -> None:
    """No request waits any more once a turn that served it has failed, been stopped or got lost."""
    for turn in seen.turns.values():
        row = seen.rows.get(turn.thread.serves or "")
        if row is not None and turn.ended_at is not None and turn.status not in ENDED_WELL:
            assert row.status is not ReplyStatus.WAITING, (row, turn)


def the_waits_form_a_tree_in_order_of_creation(seen: Seen) -> None:
    order = {request_id: i for i, request_id in enumerate(seen.rows)}
    for row in seen.rows.values():
        if row.opened.serves is not None:
            assert order[row.opened.serves] < order[row.request_id]


def an_idle_conversation_takes_in_what_waits(seen: Seen, deleted: Collection[str]) -> None:
    busy = {t.conversation_id for t in seen.turns.values() if t.ended_at is None}
    for item in seen.waiting:
        assert item.conversation_id in {*busy, *seen.held, *deleted}, item


def an_ask_says_what_is_held_and_nothing_else(seen: Seen, deleted: Collection[str]) -> None:
    """A person is asked where replies are held, exactly there, and never in a deleted one."""
    asked = {ask.conversation_id for ask in seen.asks if ask.kind is AskKind.REPLIES_HELD}
    waiting = {item.conversation_id for item in seen.waiting} - set(deleted)
    busy = {t.conversation_id for t in seen.turns.values() if t.ended_at is None}
    assert (waiting & seen.held) - busy <= asked <= waiting
    assert not {ask.conversation_id for ask in seen.asks} & set(deleted)


def each_reply_is_in_one_continuation_or_one_open_ask(
    seen: Seen, deleted: Collection[str], dismissed: Collection[str]
) -> None:
    asked = {ask.subject for ask in seen.asks if ask.kind is AskKind.CONTINUE_AGAIN}
    for row in seen.rows.values():
        if row.status is not ReplyStatus.RETURNED or not row.source_auto_run:
            continue
        [carrier] = [seen.turns[t] for t, request in seen.carried if request == row.request_id]
        assert carrier.conversation_id == row.source_conversation_id
        assert row.request_id in carrier.prompt
        finished = [t for t in seen.turns.values() if _finished_with(t, row)]
        assert finished == ([carrier] if carrier.status in ENDED_WELL else [])
        if carrier.ended_at is not None and carrier.status not in ENDED_WELL:
            gone = carrier.conversation_id in deleted or carrier.id in dismissed
            assert carrier.id in asked or gone, (row, carrier)


def each_form_is_worked_on_once_or_in_one_open_ask(
    seen: Seen, deleted: Collection[str], dismissed: Collection[str]
) -> None:
    asked = {ask.subject for ask in seen.asks if ask.kind is AskKind.CONTINUE_AGAIN}
    waiting = {item.ref_id for item in seen.waiting}
    for form in seen.forms:
        carriers = [seen.turns[turn_id] for turn_id, ref_id in seen.carried if ref_id == form.id]
        places = len(carriers) + (form.id in waiting) + (form.id in seen.unread)
        assert places == 1, (form, carriers)
        finished = [t for t in seen.turns.values() if _has_read(t, form)]
        for carrier in carriers:
            assert form.id in carrier.prompt
            assert finished == ([carrier] if carrier.status in ENDED_WELL else [])
            if carrier.ended_at is not None and carrier.status not in ENDED_WELL:
                gone = carrier.conversation_id in deleted or carrier.id in dismissed
                assert carrier.id in asked or gone, (form, carrier)


def no_form_is_open_for_what_is_over(seen: Seen) -> None:
    """Whatever was asked for a request that came to no good end has closed by itself with it."""
    for ask in seen.asks:
        row = seen.rows.get(ask.parent_request_id or "")
        if ask.kind is AskKind.FORM and row is not None and row.completed_at is not None:
            assert row.outcome not in (Outcome.COMPLETED, Outcome.EMPTY), (ask, row)
            assert ask.created_at > row.completed_at, (ask, row)


def _has_read(turn: Turn, form: Ask) -> bool:
    own = turn.conversation_id == form.conversation_id
    return own and turn.status in ENDED_WELL and f"{form.id}\n" in turn.prompt


def _finished_with(turn: Turn, row: PendingReply) -> bool:
    """Tell whether a completed turn of the source read this reply."""
    return (
        turn.conversation_id == row.source_conversation_id
        and turn.status in ENDED_WELL
        and turn.thread.serves != row.request_id
        and f"{row.request_id}\n" in turn.prompt
    )


def no_answer_reaches_the_wrong_requester(seen: Seen) -> None:
    for turn_id, request_id in seen.carried:
        serves = seen.turns[turn_id].thread.serves
        if serves is not None and request_id in seen.rows:
            assert seen.rows[request_id].opened.serves == serves


def each_return_is_shown_exactly_once(seen: Seen) -> None:
    returned = [r.request_id for r in seen.rows.values() if r.status is ReplyStatus.RETURNED]
    assert sorted(seen.shown) == sorted(returned)
