"""Requests of the planning service: their outcomes lie in the outbox until they are taken, once."""

import pytest

from ccweb.conversations import store as conversations
from ccweb.relay import planned
from ccweb.relay.model import PendingReply
from ccweb_contract.enums import Outcome, ReplyStatus, SourceKind, TurnStatus
from tests.relay.world import World


def request(world: World, target_id: str) -> str:
    with world.tx() as c:
        target = conversations.get(c, target_id)
        assert target is not None
        return planned.request(
            c, world.m, world.settings, target, ref_id="research_1", title="Plan", prompt="Read it."
        )


def take(world: World, request_id: str) -> PendingReply | None:
    with world.tx() as c:
        return planned.take(c, world.m, request_id)


def waiting(world: World) -> list[str]:
    return planned.waiting(world.db.reader)


@pytest.mark.requirement("R-P9")
def test_an_outcome_lies_in_the_outbox_and_is_taken_once(world: World) -> None:
    target = world.conversation("Reader")
    request_id = request(world, target)
    assert world.reply(request_id).source_kind is SourceKind.PLANNING
    turn = world.claim_in(target)
    assert turn.prompt == "Read it."
    world.end(turn, "found")
    assert waiting(world) == [request_id]
    taken = take(world, request_id)
    assert taken is not None and (taken.outcome, taken.reply_text) == (Outcome.COMPLETED, "found")
    assert world.reply(request_id).status is ReplyStatus.RETURNED
    assert take(world, request_id) is None
    assert waiting(world) == []


@pytest.mark.requirement("R-P9")
def test_what_the_target_delegates_holds_its_answer(world: World) -> None:
    target, helper = world.conversation("Reader"), world.conversation("Helper")
    request_id = request(world, target)
    turn = world.claim_in(target)
    world.request(turn, helper)
    world.end(turn, "wait")
    assert waiting(world) == []
    world.end(world.claim_in(helper), "help")
    world.end(world.claim_in(target), "found with help")
    assert world.reply(request_id).reply_text == "found with help"
    assert waiting(world) == [request_id]


@pytest.mark.parametrize(
    ("end", "outcome"),
    [
        (TurnStatus.FAILED, Outcome.FAILED),
        (TurnStatus.INTERRUPTED, Outcome.INTERRUPTED),
        (TurnStatus.EMPTY, Outcome.EMPTY),
    ],
)
@pytest.mark.requirement("R-P9")
def test_every_end_comes_out(world: World, end: TurnStatus, outcome: Outcome) -> None:
    target = world.conversation("Reader")
    request_id = request(world, target)
    turn = world.claim_in(target)
    world.begin(turn)
    world.end(turn, "", status=end)
    taken = take(world, request_id)
    assert taken is not None and taken.outcome is outcome


@pytest.mark.requirement("R-P9")
def test_a_persons_cancel_comes_out_and_planning_s_own_does_not(world: World) -> None:
    first, second = world.conversation("Reader"), world.conversation("Other")
    by_person, by_planning = request(world, first), request(world, second)
    world.cancel(by_person, by_source=False)
    world.cancel(by_planning, by_source=True, interrupt=True)
    assert waiting(world) == [by_person]
    assert world.open_turns(second) == []


@pytest.mark.requirement("R-P9")
def test_an_outcome_that_planning_cancels_before_it_was_taken_is_gone(world: World) -> None:
    target = world.conversation("Reader")
    request_id = request(world, target)
    world.end(world.claim_in(target), "found")
    world.cancel(request_id, by_source=True)
    assert waiting(world) == []
    assert take(world, request_id) is None


@pytest.mark.requirement("R-P9")
def test_a_target_that_is_deleted_comes_out_as_deleted(world: World) -> None:
    target = world.conversation("Reader")
    request_id = request(world, target)
    world.delete(target)
    taken = take(world, request_id)
    assert taken is not None and taken.outcome is Outcome.DELETED
