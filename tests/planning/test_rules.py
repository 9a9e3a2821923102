"""The gates and the states of a blueprint, each command in each state."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest

from ccweb.errors import CcwebError, HumanRequired
from ccweb.planning.blueprints import rules
from ccweb.planning.blueprints.rules import BlueprintEvent
from ccweb.planning.errors import EvidenceIncomplete, OrphanReadOnly, Stale, WrongOrder
from ccweb.planning.model import Command, Facts, Shown
from ccweb_contract.enums import BlueprintStatus, ReworkScope, ThreadStatus

SHOWN = Shown(version_id="version_1", content_hash="abc", plan_id="plan_1")
OPEN: Mapping[Command, set[BlueprintStatus | None]] = {
    Command.CREATE: {None},
    Command.ANSWER: {BlueprintStatus.CLARIFYING},
    Command.SEND_BACK: {BlueprintStatus.PENDING_REVIEW},
    Command.APPROVE: {BlueprintStatus.PENDING_REVIEW},
    Command.RESEARCH: {BlueprintStatus.RESEARCH_FAILED, BlueprintStatus.CLARIFYING},
    Command.TAKE_RESEARCH: {BlueprintStatus.RESEARCHING},
    Command.DISPATCH: {BlueprintStatus.CONFIRMED},
}
STATES: Sequence[BlueprintStatus | None] = (None, *BlueprintStatus)
EVERYWHERE = pytest.mark.parametrize("status", STATES)
EVERYTHING = pytest.mark.parametrize("command", Command)


def facts(status: BlueprintStatus | None) -> Facts:
    """Return facts with which every gate but that of order is open."""
    return Facts(
        artifact_id="artifact_1",
        status=status,
        lacking={},
        current=SHOWN,
        shown=SHOWN,
        thread=ThreadStatus.OPEN,
    )


def refused(command: Command, given: Facts) -> type[CcwebError] | None:
    try:
        rules.check(command, given)
    except CcwebError as error:
        return type(error)
    return None


@EVERYWHERE
@EVERYTHING
@pytest.mark.requirement("R-P4")
def test_each_command_is_a_step_in_its_own_states_only(
    command: Command, status: BlueprintStatus | None
) -> None:
    expected: type[CcwebError] | None = None if status in OPEN[command] else WrongOrder
    if command is Command.APPROVE and status is BlueprintStatus.CONFIRMED:
        expected = Stale
    assert refused(command, facts(status)) is expected


@EVERYWHERE
@EVERYTHING
@pytest.mark.requirement("R-P7")
def test_everything_about_a_cancelled_work_item_is_refused_in_every_state(
    command: Command, status: BlueprintStatus | None
) -> None:
    assert refused(command, replace(facts(status), cancelled=True)) is OrphanReadOnly
    worst = replace(
        facts(status), cancelled=True, human=False, lacking={"till": ["responsibility"]}, shown=None
    )
    assert refused(command, worst) is OrphanReadOnly


@EVERYWHERE
@pytest.mark.parametrize("command", [Command.ANSWER, Command.APPROVE, Command.DISPATCH])
@pytest.mark.requirement("R-P5")
def test_nothing_is_answered_approved_or_dispatched_without_evidence(
    command: Command, status: BlueprintStatus | None
) -> None:
    lacking = {"till": ["fitness.reasons"]}
    with pytest.raises(EvidenceIncomplete) as refusal:
        rules.check(command, replace(facts(status), lacking=lacking))
    assert refusal.value.lacking == lacking


@EVERYWHERE
@pytest.mark.parametrize(
    "shown",
    [
        None,
        replace(SHOWN, version_id="version_0"),
        replace(SHOWN, content_hash="abd"),
        replace(SHOWN, plan_id="plan_2"),
    ],
)
@pytest.mark.requirement("R-P4")
def test_an_approval_of_something_else_is_stale_in_every_state(
    shown: Shown | None, status: BlueprintStatus | None
) -> None:
    assert refused(Command.APPROVE, replace(facts(status), shown=shown)) is Stale


@EVERYWHERE
@EVERYTHING
@pytest.mark.requirement("R-P4")
def test_only_people_decide_and_nobody_is_asked_for_what_is_impossible(
    command: Command, status: BlueprintStatus | None
) -> None:
    given = facts(status)
    decides = command in (Command.ANSWER, Command.SEND_BACK, Command.APPROVE, Command.DISPATCH)
    possible = refused(command, given)
    expected = possible or (HumanRequired if decides else None)
    assert refused(command, replace(given, human=False)) is expected


@pytest.mark.parametrize("thread", [None, ThreadStatus.ANSWERED, ThreadStatus.WITHDRAWN])
@pytest.mark.requirement("R-P4")
def test_a_question_is_answered_once(thread: ThreadStatus | None) -> None:
    given = replace(facts(BlueprintStatus.CLARIFYING), thread=thread)
    assert refused(Command.ANSWER, given) is WrongOrder


@pytest.mark.parametrize("event", BlueprintEvent)
@pytest.mark.parametrize("status", BlueprintStatus)
@pytest.mark.requirement("R-P4")
def test_nothing_moves_outside_the_table_and_nothing_leaves_confirmed(
    status: BlueprintStatus, event: BlueprintEvent
) -> None:
    expected = rules.TRANSITIONS.get((status, event))
    if expected is None:
        with pytest.raises(KeyError):
            rules.after(status, event)
    else:
        assert rules.after(status, event) is expected
    assert status is not BlueprintStatus.CONFIRMED or expected is None


def test_only_an_approval_leads_to_confirmed() -> None:
    ways = [key for key, to in rules.TRANSITIONS.items() if to is BlueprintStatus.CONFIRMED]
    assert ways == [(BlueprintStatus.PENDING_REVIEW, BlueprintEvent.APPROVED)]


def test_each_scope_of_sending_back_is_a_move_of_its_own() -> None:
    assert rules.SENT_BACK.keys() == set(ReworkScope)
    assert {
        scope: rules.after(BlueprintStatus.PENDING_REVIEW, event)
        for scope, event in rules.SENT_BACK.items()
    } == {
        ReworkScope.TEXT: BlueprintStatus.PENDING_REVIEW,
        ReworkScope.CLARIFICATION: BlueprintStatus.CLARIFYING,
        ReworkScope.RESEARCH: BlueprintStatus.RESEARCHING,
    }
