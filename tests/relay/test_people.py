"""People come first: writing, stopping, continuing, cancelling, deleting (R-M10, R-M11)."""

from datetime import timedelta
from pathlib import Path

import pytest

from ccweb.errors import (
    AlreadyEnded,
    AlreadyReturned,
    AskClosed,
    ConversationNotFound,
    InvalidParams,
    LoopGuard,
    RequestNotFound,
    TurnOver,
)
from ccweb.relay import store
from ccweb_contract.enums import AskKind, Outcome, ReplyMode, ReplyStatus, TurnKind, TurnStatus
from tests.relay.world import World, a_world


def a_waiting_request(world: World) -> tuple[str, str, str]:
    """Return source, target and request of a delegation whose target runs."""
    a, b = world.conversation("A"), world.conversation("B")
    source = world.started(a)
    request = world.request(source, b)
    world.end(source)
    world.claim()
    return a, b, request


@pytest.mark.requirement("R-M11", "FC-33", "FC-40")
def test_a_persons_message_is_never_refused_and_waits_its_turn(world: World) -> None:
    a = world.conversation("A")
    running = world.started(a, "one")
    world.write(a, "two")
    world.write(a, "three")
    assert [t.prompt for t in world.open_turns(a)] == ["one", "two", "three"]
    world.end(running)
    assert world.claim_in(a).prompt == "two"


@pytest.mark.requirement("R-M11")
def test_a_queued_message_can_be_taken_back_but_not_one_that_runs(world: World) -> None:
    a = world.conversation("A")
    running = world.started(a, "one")
    queued = world.write(a, "two")
    world.take_back(queued)
    with pytest.raises(TurnOver):
        world.take_back(running.id)
    world.end(running)
    assert (world.claim(), world.turn(queued).status) == ([], TurnStatus.INTERRUPTED)


@pytest.mark.requirement("R-M11")
def test_stop_asks_the_host_to_end_the_turn_and_holds_replies_until_the_person_writes(
    world: World,
) -> None:
    a, b = world.conversation("A"), world.conversation("B")
    source = world.started(a)
    request = world.request(source, b)
    world.stop(a)
    assert world.turn(source.id).stop_requested_at is not None
    world.end(source, "half", status=TurnStatus.INTERRUPTED)
    world.end(world.claim_in(b), "the answer")
    assert (world.reply(request).status, world.open_turns(a)) == (ReplyStatus.READY, [])
    assert [ask.kind for ask in world.asks(a)] == [AskKind.REPLIES_HELD]
    written = world.started(a, "go on then")
    assert world.asks(a) == []
    world.end(written)
    assert "the answer" in world.claim_in(a).prompt


@pytest.mark.requirement("R-M11")
def test_continue_lets_a_held_conversation_take_in_what_waits(world: World) -> None:
    a, b, _ = a_waiting_request(world)
    world.stop(a)
    world.end(world.claim_in(b), "the answer")
    [ask] = world.asks(a)
    world.resume(ask)
    assert "the answer" in world.claim_in(a).prompt
    assert not world.held(a)


@pytest.mark.requirement("R-M11", "R-M7")
def test_a_stopped_continuation_becomes_continue_again(world: World) -> None:
    a, b, request = a_waiting_request(world)
    world.end(world.claim_in(b), "the answer")
    continuation = world.claim_in(a)
    world.stop(a)
    world.end(continuation, "", status=TurnStatus.INTERRUPTED)
    assert [(x.kind, x.subject) for x in world.asks(a)] == [
        (AskKind.CONTINUE_AGAIN, continuation.id)
    ]
    world.go_on(a)
    assert world.carried(world.claim_in(a)) == [request]


def a_request_held_by_a_stop(world: World) -> tuple[str, str, str]:
    """Return the stopped target, its request and what it had delegated, which is answered."""
    _, b, request = a_waiting_request(world)
    d = world.conversation("D")
    target = world.claim_in(b)
    below = world.request(target, d)
    world.end(target, "as far as I could")
    world.stop(b)
    world.end(world.claim_in(d), "too late")
    return b, request, below


@pytest.mark.requirement("R-M11", "R-M4", "R-M5")
def test_dismissed_held_replies_are_shown_and_hold_nothing_any_more(world: World) -> None:
    b, request, below = a_request_held_by_a_stop(world)
    [ask] = world.asks(b)
    world.dismiss(ask)
    assert world.reply(below).status is ReplyStatus.RETURNED
    assert not world.reply(below).source_auto_run
    assert world.messages(b)[-1].text == "too late"
    assert world.reply(request).reply_text == "as far as I could"
    assert world.asks(b) == []


@pytest.mark.requirement("R-M10", "R-M11")
def test_no_ask_is_left_when_the_held_replies_are_cancelled(world: World) -> None:
    b, _, below = a_request_held_by_a_stop(world)
    world.cancel(below, by_source=True)
    assert world.asks(b) == []


@pytest.mark.requirement("R-M11", "FC-8")
def test_stopping_a_target_returns_what_there_is_to_its_source(world: World) -> None:
    a, b, request = a_waiting_request(world)
    world.stop(b)
    world.end(world.claim_in(b), "half an answer", status=TurnStatus.INTERRUPTED)
    row = world.reply(request)
    assert (row.outcome, row.reply_text) == (Outcome.INTERRUPTED, "half an answer")
    assert "half an answer" in world.claim_in(a).prompt


@pytest.mark.requirement("R-M11")
def test_stop_all_ends_the_whole_tree_below(world: World) -> None:
    a, b, outer = a_waiting_request(world)
    d = world.conversation("D")
    middle = world.claim_in(b)
    inner = world.request(middle, d)
    world.end(middle)
    leaf = world.claim_in(d)
    world.stop_all(a)
    assert [(world.reply(r).status, world.reply(r).outcome) for r in (outer, inner)] == [
        (ReplyStatus.FAILED, Outcome.CANCELLED)
    ] * 2
    assert world.turn(leaf.id).stop_requested_at is not None
    assert (world.open_turns(a), world.open_turns(b)) == ([], [])


@pytest.mark.requirement("R-M10")
def test_a_sources_own_cancel_withdraws_a_queued_turn_and_does_not_continue_the_source(
    world: World,
) -> None:
    a, b = world.conversation("A"), world.conversation("B")
    source = world.started(a)
    request = world.request(source, b)
    [queued] = world.open_turns(b)
    row = world.cancel(request, by_source=True)
    world.end(source)
    assert (row.status, row.outcome) == (ReplyStatus.FAILED, Outcome.CANCELLED)
    assert (world.turn(queued.id).status, world.claim()) == (TurnStatus.INTERRUPTED, [])


@pytest.mark.requirement("R-M10")
def test_a_persons_cancel_comes_back_to_the_source_as_cancelled(world: World) -> None:
    a, b, request = a_waiting_request(world)
    world.cancel(request, by_source=False)
    assert world.reply(request).outcome is Outcome.CANCELLED
    assert request in world.claim_in(a).prompt
    world.end(world.claim_in(b), "changes nothing")
    assert world.reply(request).reply_text == ""


@pytest.mark.requirement("R-M10")
def test_interrupting_the_target_stops_it_and_cancels_what_it_had_opened(world: World) -> None:
    _, b, outer = a_waiting_request(world)
    d = world.conversation("D")
    middle = world.claim_in(b)
    inner = world.request(middle, d)
    leaf = world.claim_in(d)
    world.cancel(outer, by_source=True, interrupt=True)
    assert world.turn(middle.id).stop_requested_at is not None
    assert world.turn(leaf.id).stop_requested_at is not None
    assert world.reply(inner).status is ReplyStatus.FAILED


@pytest.mark.requirement("R-M10")
def test_interrupting_spares_a_turn_that_serves_something_else(world: World) -> None:
    a, b = world.conversation("A"), world.conversation("B")
    source = world.started(a)
    request = world.request(source, b)
    held = world.claim_in(b)
    d = world.conversation("D")
    world.request(held, d)
    world.end(held)
    other = world.started(b, "a person's own work")
    world.cancel(request, by_source=True, interrupt=True)
    assert world.turn(other.id).stop_requested_at is None


@pytest.mark.requirement("R-M10", "R-M5")
def test_a_cancelled_request_releases_what_it_held_in_the_same_transaction(world: World) -> None:
    _, b, outer = a_waiting_request(world)
    d = world.conversation("D")
    middle = world.claim_in(b)
    inner = world.request(middle, d)
    world.end(middle, "all but D's part")
    assert world.reply(outer).status is ReplyStatus.WAITING
    world.cancel(inner, by_source=True)
    assert world.reply(outer).reply_text == "all but D's part"


@pytest.mark.requirement("R-M10", "R-M5")
def test_a_clock_set_back_does_not_change_which_text_answers(world: World) -> None:
    _, b, request = a_waiting_request(world)
    d = world.conversation("D")
    target = world.claim_in(b)
    world.request(target, d)
    world.end(target, "delegated")
    world.end(world.claim_in(d))
    world.now -= timedelta(hours=1)
    continuation = world.claim_in(b)
    second = world.request(continuation, d)
    world.end(continuation, "the answer")
    world.cancel(second, by_source=True)
    assert world.reply(request).reply_text == "the answer"


@pytest.mark.requirement("R-M10")
def test_a_returned_or_ended_request_cannot_be_cancelled(world: World) -> None:
    _, b, request = a_waiting_request(world)
    world.end(world.claim_in(b))
    with pytest.raises(AlreadyReturned):
        world.cancel(request, by_source=True)
    _, _, other = a_waiting_request(world)
    world.cancel(other, by_source=True)
    with pytest.raises(AlreadyEnded):
        world.cancel(other, by_source=True)
    with pytest.raises(RequestNotFound):
        world.cancel("req_nowhere", by_source=True)


@pytest.mark.requirement("R-M10")
def test_a_ready_reply_can_still_be_cancelled_and_is_not_delivered(world: World) -> None:
    a, b = world.conversation("A"), world.conversation("B")
    source = world.started(a)
    request = world.request(source, b)
    world.end(world.claim_in(b))
    world.cancel(request, by_source=True)
    world.end(source)
    assert (world.open_turns(a), world.inbox(a)) == ([], [])


@pytest.mark.requirement("R-M10", "R-M4")
def test_deleting_the_target_comes_back_as_deleted(world: World) -> None:
    a, b, request = a_waiting_request(world)
    running = world.claim_in(b)
    world.delete(b)
    assert world.reply(request).outcome is Outcome.DELETED
    assert world.claim_in(a).kind is TurnKind.CONTINUATION
    assert world.turn(running.id).stop_requested_at is not None


@pytest.mark.requirement("R-M10", "FC-64")
def test_deleting_the_source_fails_its_rows_and_does_not_stop_the_target(world: World) -> None:
    a, b, request = a_waiting_request(world)
    target = world.claim_in(b)
    world.delete(a)
    row = world.reply(request)
    assert (row.status, row.outcome) == (ReplyStatus.FAILED, Outcome.DELETED)
    assert world.turn(target.id).stop_requested_at is None
    assert world.end(target, "for nobody")


@pytest.mark.requirement("R-M10", "R-M7")
def test_a_continuation_that_ends_in_a_deleted_conversation_asks_nobody(world: World) -> None:
    a, b, _ = a_waiting_request(world)
    world.end(world.claim_in(b))
    continuation = world.claim_in(a)
    world.begin(continuation)
    world.delete(a)
    world.end(continuation, "half", TurnStatus.INTERRUPTED)
    assert world.asks() == []


@pytest.mark.requirement("R-M11")
def test_writing_into_a_deleted_conversation_is_refused(world: World) -> None:
    a = world.conversation("A")
    world.delete(a)
    with pytest.raises(ConversationNotFound):
        world.write(a)


@pytest.mark.requirement("R-M2")
def test_a_decided_ask_stays_decided(world: World) -> None:
    a, b, _ = a_waiting_request(world)
    world.stop(a)
    world.end(world.claim_in(b))
    [ask] = world.asks(a)
    world.resume(ask)
    with pytest.raises(AskClosed):
        world.dismiss(ask)


def a_request_held_by_a_pause(world: World) -> tuple[str, str]:
    """Return target and request of a delegation whose target was refused a send as a loop."""
    a, b, d = (world.conversation(title) for title in "ABD")
    source = world.started(a)
    request = world.request(source, b)
    world.end(source)
    target = world.claim_in(b)
    with world.tx() as c:
        store.count_send(c, d, b)
        for _ in range(world.settings.pair_limit):
            store.count_send(c, b, d)
    with pytest.raises(LoopGuard):
        world.send(target, d)
    world.end(target, "as far as I could")
    return b, request


@pytest.mark.requirement("R-M2", "R-M5")
def test_a_pause_holds_the_request_that_its_turn_serves_until_it_is_dismissed(
    world: World,
) -> None:
    b, request = a_request_held_by_a_pause(world)
    assert world.reply(request).status is ReplyStatus.WAITING
    [ask] = world.asks(b)
    world.dismiss(ask)
    assert world.reply(request).reply_text == "as far as I could"


@pytest.mark.requirement("R-M10")
def test_interrupting_the_target_closes_what_it_had_asked(world: World) -> None:
    b, request = a_request_held_by_a_pause(world)
    world.cancel(request, by_source=True, interrupt=True)
    assert world.asks(b) == []


@pytest.mark.requirement("R-M2", "R-M5")
def test_a_resumed_pause_continues_for_the_same_requester(world: World) -> None:
    b, request = a_request_held_by_a_pause(world)
    [ask] = world.asks(b)
    world.resume(ask)
    continuation = world.claim_in(b)
    assert continuation.thread.serves == request
    world.end(continuation, "the whole of it")
    assert world.reply(request).reply_text == "the whole of it"


@pytest.mark.requirement("R-M2")
def test_resuming_a_pause_counts_anew_in_the_chain_that_was_refused(tmp_path: Path) -> None:
    world = a_world(tmp_path, chain_limit=2)
    a, b, d, z = (world.conversation(title) for title in "ABDZ")
    turn = world.started(a)
    world.request(turn, b)
    with pytest.raises(LoopGuard):
        world.request(turn, d)
    world.end(turn)
    world.send(z, a, reply_mode=ReplyMode.ONE_WAY)
    [ask] = world.asks(a)
    world.resume(ask)
    world.end(world.claim_in(a))
    decision = world.claim_in(a)
    assert decision.kind is TurnKind.CONTINUATION
    assert world.request(decision, d)
    world.db.close()


@pytest.mark.requirement("R-M11", "FC-29")
def test_a_message_that_is_sent_again_after_a_lost_answer_is_written_once(world: World) -> None:
    a = world.conversation("A")
    first = world.write(a, "once", key="k1")
    world.end(world.claim_in(a))
    assert world.write(a, "once", key="k1") == first
    assert ([m.text for m in world.messages(a)], world.open_turns(a)) == (["once", "done"], [])


@pytest.mark.requirement("R-S4")
def test_a_key_of_another_message_is_refused(world: World) -> None:
    a, b = world.conversation("A"), world.conversation("B")
    world.write(a, "mine", key="k1")
    with pytest.raises(InvalidParams):
        world.write(b, "other", key="k1")
    assert world.messages(b) == []
