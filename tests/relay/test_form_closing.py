"""Forms of requests: what they hold open, and when they close by themselves."""

import pytest

from ccweb.asks.model import Ask
from ccweb.errors import AskClosed, TurnOver
from ccweb_contract.enums import FormStatus, Outcome, ReplyStatus, TurnStatus
from tests.relay.world import World


def a_request_with_a_form(world: World) -> tuple[str, str, str, Ask]:
    """Return source, target, request and the form that the target's turn ended with."""
    a, b = world.conversation("A"), world.conversation("B")
    source = world.started(a)
    request = world.request(source, b)
    world.end(source)
    target = world.claim_in(b)
    ask = world.form(target)
    world.end(target, "I have asked a person")
    return a, b, request, ask


@pytest.mark.requirement("R-M5")
def test_a_request_is_held_until_the_answers_have_been_worked_on(world: World) -> None:
    a, b, request, ask = a_request_with_a_form(world)
    assert world.reply(request).status is ReplyStatus.WAITING
    world.answer(ask, {"colour": "red"})
    continuation = world.claim_in(b)
    assert world.reply(request).status is ReplyStatus.WAITING
    world.end(continuation, "red it is")
    row = world.reply(request)
    assert (row.status, row.reply_text) == (ReplyStatus.RETURNED, "red it is")
    assert "red it is" in world.claim_in(a).prompt


@pytest.mark.requirement("R-M5")
def test_a_form_asked_outside_a_turn_holds_nothing_and_begins_a_chain_of_its_own(
    world: World,
) -> None:
    a, b = world.conversation("A"), world.conversation("B")
    source = world.started(a)
    request = world.request(source, b)
    target = world.claim_in(b)
    ask = world.form(b)
    world.end(target, "done")
    assert (ask.turn_id, world.reply(request).reply_text) == (None, "done")
    world.answer(ask, {"colour": "red"})
    thread = world.claim_in(b).thread
    assert (thread.serves, thread.hop) == (None, 0)
    assert thread.chain_id not in (source.thread.chain_id, target.thread.chain_id)


@pytest.mark.requirement("R-M5", "R-U4")
@pytest.mark.parametrize("broken", [TurnStatus.FAILED, TurnStatus.INTERRUPTED, TurnStatus.LOST])
def test_forms_of_a_request_that_breaks_close_by_themselves(
    world: World, broken: TurnStatus
) -> None:
    _, b, _, ask = a_request_with_a_form(world)
    more = world.form(world.started(b))
    turn = world.claim_in(b)
    world.end(turn)
    answered = world.answer(ask, {"colour": "red"})
    continuation = world.claim_in(b)
    late = world.form(continuation)
    if broken is TurnStatus.LOST:
        world.lose(world.turn(continuation.id))
    else:
        world.end(continuation, status=broken)
    assert (world.ask(late.id).closed_by, world.form_status(late)) == (None, FormStatus.CLOSED)
    assert world.form_status(answered) is FormStatus.ANSWERED
    assert world.form_status(more) is FormStatus.WAITING
    with pytest.raises(AskClosed):
        world.answer(late, {"colour": "red"})


@pytest.mark.requirement("R-M5")
def test_answers_for_a_request_that_breaks_meanwhile_continue_nobody(world: World) -> None:
    a, b = world.conversation("A"), world.conversation("B")
    source = world.started(a)
    request = world.request(source, b)
    target = world.claim_in(b)
    ask = world.form(target)
    world.answer(ask, {"colour": "red"})
    shown = len(world.messages(b))
    world.end(target, "", status=TurnStatus.FAILED)
    assert world.reply(request).outcome is Outcome.FAILED
    assert (world.inbox(b), world.open_turns(b), len(world.messages(b))) == ([], [], shown)
    assert world.form_status(ask) is FormStatus.ANSWERED


@pytest.mark.requirement("R-M10", "R-U4")
@pytest.mark.parametrize("by_source", [True, False])
@pytest.mark.parametrize("interrupt", [True, False])
def test_forms_of_a_cancelled_request_close_and_continue_nobody(
    world: World, by_source: bool, interrupt: bool
) -> None:
    _, b, request, ask = a_request_with_a_form(world)
    world.cancel(request, by_source=by_source, interrupt=interrupt)
    assert world.form_status(ask) is FormStatus.CLOSED
    assert (world.inbox(b), world.open_turns(b)) == ([], [])


@pytest.mark.requirement("R-M10")
@pytest.mark.parametrize("end", ["source", "target"])
def test_forms_close_when_an_end_of_their_request_is_deleted(world: World, end: str) -> None:
    a, b, _, ask = a_request_with_a_form(world)
    world.delete(a if end == "source" else b)
    assert world.form_status(ask) is FormStatus.CLOSED
    with pytest.raises(AskClosed):
        world.answer(ask, {"colour": "red"})


@pytest.mark.requirement("R-M10")
def test_a_turn_that_outlives_its_conversation_asks_nobody(world: World) -> None:
    a = world.conversation("A")
    turn = world.started(a)
    world.delete(a)
    for source in (turn, a):
        with pytest.raises(TurnOver):
            world.form(source)
    assert world.asks() == []
