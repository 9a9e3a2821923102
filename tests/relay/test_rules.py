"""The rules of a request: every move of the table, and that returned and failed are final."""

from itertools import product

import pytest

from ccweb.relay import rules
from ccweb.relay.rules import TRANSITIONS, ReplyEvent
from ccweb_contract.enums import Outcome, ReplyStatus, TurnStatus


@pytest.mark.requirement("R-M3", "R-M10")
def test_returned_and_failed_are_final() -> None:
    for status, event in product((ReplyStatus.RETURNED, ReplyStatus.FAILED), ReplyEvent):
        assert rules.after(status, event) is None


@pytest.mark.requirement("R-M7")
def test_only_a_ready_reply_can_be_delivered() -> None:
    delivered = [status for status, event in TRANSITIONS if event is ReplyEvent.DELIVERED]
    assert delivered == [ReplyStatus.READY]


@pytest.mark.requirement("R-M4")
def test_every_end_of_a_turn_has_an_outcome() -> None:
    assert set(rules.OUTCOMES) == set(TurnStatus) - {TurnStatus.QUEUED, TurnStatus.RUNNING}


@pytest.mark.requirement("R-M5")
@pytest.mark.parametrize(
    ("end", "holds"),
    [
        (TurnStatus.COMPLETED, True),
        (TurnStatus.EMPTY, True),
        (TurnStatus.FAILED, False),
        (TurnStatus.INTERRUPTED, False),
        (TurnStatus.LOST, False),
    ],
)
def test_only_a_turn_that_ended_well_holds(end: TurnStatus, holds: bool) -> None:
    assert rules.is_held(end, open_below=True) is holds
    assert not rules.is_held(end, open_below=False)


@pytest.mark.requirement("R-M13")
def test_late_output_replaces_only_an_undelivered_lost_reply() -> None:
    allowed = [
        (status, outcome)
        for status, outcome in product(ReplyStatus, Outcome)
        if rules.takes_late_output(status, outcome)
    ]
    assert allowed == [(ReplyStatus.READY, Outcome.LOST)]


@pytest.mark.requirement("R-M2")
@pytest.mark.parametrize(
    ("forward", "backward", "looping"),
    [(13, 0, False), (12, 1, True), (6, 6, False), (7, 6, True), (1, 12, True)],
)
def test_a_pair_loops_when_both_initiate_more_often_than_the_limit(
    forward: int, backward: int, looping: bool
) -> None:
    assert rules.pair_is_looping(forward, backward, 12) is looping
