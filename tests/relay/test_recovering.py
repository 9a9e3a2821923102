"""Recovering: retries, lost leases, late output, and what must never happen twice."""

import pytest
from sqlalchemy import text
from sqlalchemy.exc import IntegrityError

from ccweb.relay import service as relay
from ccweb_contract.enums import (
    AskKind,
    Outcome,
    ReplyStatus,
    TurnKind,
    TurnStatus,
)
from tests.relay.world import RUN, World


@pytest.mark.requirement("R-M7", "FC-24")
def test_delivering_again_changes_nothing(world: World) -> None:
    a, b = world.conversation("A"), world.conversation("B")
    source = world.started(a)
    world.request(source, b)
    world.end(source)
    target = world.claim_in(b)
    world.end(target)
    before = (world.messages(a), world.open_turns(a))
    with world.tx() as c:
        relay.sweep(c, world.m, world.settings)
    assert not world.end(target, "")
    assert (world.messages(a), world.open_turns(a)) == before


@pytest.mark.requirement("R-M7")
@pytest.mark.parametrize("status", [TurnStatus.LOST, TurnStatus.FAILED])
def test_a_continuation_that_never_began_is_tried_three_times_and_then_asked_about(
    world: World, status: TurnStatus
) -> None:
    a, b = world.conversation("A"), world.conversation("B")
    source = world.started(a)
    world.request(source, b)
    world.end(source)
    world.end(world.claim_in(b))
    attempts = []
    for _ in range(3):
        turn = world.claim_in(a)
        attempts.append((turn.id, turn.attempt))
        world.end(turn, "", status=status)
    assert attempts == [(turn.id, 1), (turn.id, 2), (turn.id, 3)]
    assert [(ask.kind, ask.subject) for ask in world.asks(a)] == [(AskKind.CONTINUE_AGAIN, turn.id)]


@pytest.mark.requirement("R-M7", "R-A4")
def test_a_continuation_that_has_begun_is_never_run_again(world: World) -> None:
    a, b = world.conversation("A"), world.conversation("B")
    source = world.started(a)
    world.request(source, b)
    world.end(source)
    world.end(world.claim_in(b))
    turn = world.claim_in(a)
    world.begin(turn)
    world.lose(world.turn(turn.id))
    assert world.open_turns(a) == []
    assert [ask.subject for ask in world.asks(a)] == [turn.id]


@pytest.mark.requirement("R-M7")
def test_the_next_turn_carries_the_unfinished_replies_first_and_the_ask_closes(
    world: World,
) -> None:
    a, b = world.conversation("A"), world.conversation("B")
    source = world.started(a)
    request = world.request(source, b)
    world.end(source)
    world.end(world.claim_in(b), "the precious answer")
    broken = world.claim_in(a)
    world.begin(broken)
    world.end(broken, "", status=TurnStatus.FAILED)
    turn = world.started(a, "and now this")
    assert turn.prompt.index("the precious answer") < turn.prompt.index("and now this")
    assert (world.asks(a), world.carried(turn)) == ([], [request])


@pytest.mark.requirement("R-M7")
def test_a_turn_for_another_requester_does_not_carry_them(world: World) -> None:
    a, b, d = (world.conversation(title) for title in "ABD")
    source = world.started(a)
    world.request(source, b)
    world.end(source)
    world.end(world.claim_in(b), "the precious answer")
    broken = world.claim_in(a)
    world.begin(broken)
    world.end(broken, "", status=TurnStatus.FAILED)
    world.request(world.started(d), a)
    serving = world.claim_in(a)
    assert "the precious answer" not in serving.prompt
    assert len(world.asks(a)) == 1


@pytest.mark.requirement("R-M7")
def test_continue_again_runs_the_same_replies_in_a_new_turn(world: World) -> None:
    a, b = world.conversation("A"), world.conversation("B")
    source = world.started(a)
    request = world.request(source, b)
    world.end(source)
    world.end(world.claim_in(b), "the precious answer")
    broken = world.claim_in(a)
    world.begin(broken)
    world.end(broken, "", status=TurnStatus.FAILED)
    [ask] = world.asks(a)
    world.resume(ask)
    again = world.claim_in(a)
    assert (again.kind, world.carried(again)) == (TurnKind.CONTINUATION, [request])
    assert "the precious answer" in again.prompt


@pytest.mark.requirement("R-M13")
def test_output_after_a_lost_lease_is_kept_as_late_and_replaces_only_an_undelivered_lost_reply(
    world: World,
) -> None:
    a, b = world.conversation("A"), world.conversation("B")
    source = world.started(a)
    request = world.request(source, b)
    target = world.claim_in(b)
    world.lose(target)
    assert world.reply(request).outcome is Outcome.LOST
    assert not world.end(target, "better late than never")
    row = world.reply(request)
    assert (row.outcome, row.reply_text) == (Outcome.COMPLETED, "better late than never")
    assert [m.late for m in world.messages(b)] == [False, True]
    world.end(source)
    assert "better late than never" in world.claim_in(a).prompt


@pytest.mark.requirement("R-M13")
def test_late_output_does_not_touch_a_reply_that_was_returned(world: World) -> None:
    a, b = world.conversation("A"), world.conversation("B")
    source = world.started(a)
    request = world.request(source, b)
    world.end(source)
    target = world.claim_in(b)
    world.lose(target)
    before = world.reply(request)
    world.end(target, "too late")
    assert world.reply(request) == before
    assert world.messages(b)[-1].late


@pytest.mark.requirement("R-M4", "R-M13", "FC-58", "FC-61")
def test_an_expired_lease_is_found_and_returned_as_lost(world: World) -> None:
    a, b = world.conversation("A"), world.conversation("B")
    source = world.started(a)
    request = world.request(source, b)
    world.end(source)
    target = world.claim_in(b)
    world.now = (target.lease_until or world.now).replace(year=2100)
    world.reap()
    assert (world.turn(target.id).status, world.reply(request).outcome) == (
        TurnStatus.LOST,
        Outcome.LOST,
    )


@pytest.mark.requirement("R-M4", "FC-15")
def test_a_request_whose_target_has_no_live_host_comes_back_after_a_minute(world: World) -> None:
    a, b = world.conversation("A"), world.conversation("B")
    source = world.started(a)
    request = world.request(source, b)
    world.reap()
    assert world.reply(request).status is ReplyStatus.WAITING
    world.now = world.now.replace(hour=5)
    world.reap()
    row = world.reply(request)
    assert (row.status, row.outcome) == (ReplyStatus.READY, Outcome.NO_HOST)


@pytest.mark.requirement("R-M4", "R-M5")
def test_a_request_held_behind_a_message_that_no_host_will_run_comes_back(world: World) -> None:
    a, b, d = (world.conversation(title) for title in "ABD")
    request = world.request(a, b)
    target = world.claim_in(b)
    below = world.request(target, d)
    world.end(target, "delegated")
    answering = world.claim_in(d)
    world.write(b)
    world.end(answering)
    assert world.reply(request).status is ReplyStatus.WAITING
    world.now = world.now.replace(hour=5)
    world.reap()
    assert world.reply(request).outcome is Outcome.NO_HOST
    assert world.reply(below).status is ReplyStatus.RETURNED


@pytest.mark.requirement("R-M12")
def test_two_claims_never_take_the_same_turn_nor_two_turns_of_one_conversation(
    world: World,
) -> None:
    a = world.conversation("A")
    world.write(a, "one")
    world.write(a, "two")
    first, second = world.claim(), world.claim()
    assert ([t.prompt for t in first], second) == (["one"], [])
    assert first[0].run_id == RUN


@pytest.mark.requirement("R-M12")
def test_the_database_itself_refuses_a_second_running_turn(world: World) -> None:
    a = world.conversation("A")
    world.started(a)
    world.write(a, "another")
    with pytest.raises(IntegrityError), world.tx() as c:
        c.execute(text("UPDATE turn SET status = 'running' WHERE status = 'queued'"))
    assert [t.status for t in world.open_turns(a)] == [TurnStatus.RUNNING, TurnStatus.QUEUED]


@pytest.mark.requirement("R-M7", "R-M13")
def test_an_end_that_is_reported_twice_is_kept_once(world: World) -> None:
    turn = world.started(world.conversation("A"))
    assert world.end(turn, "done")
    before = world.messages(turn.conversation_id)
    assert not world.end(turn, "done")
    assert world.messages(turn.conversation_id) == before
