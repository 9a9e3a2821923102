"""The states of a feature list plan."""

import pytest

from ccweb.planning.plans.rules import TRANSITIONS, PlanEvent, move
from ccweb_contract.enums import PlanStatus


@pytest.mark.requirement("R-P8")
def test_a_plan_goes_from_its_questions_over_research_to_one_of_two_ends() -> None:
    ends = set(PlanStatus) - {before for before, _ in TRANSITIONS}
    assert ends == {PlanStatus.COMPLETED, PlanStatus.FAILED}
    assert [move(event) for event in PlanEvent] == [
        (PlanStatus.AWAITING_CONFIRMATION, PlanStatus.RESEARCHING),
        (PlanStatus.RESEARCHING, PlanStatus.COMPLETED),
        (PlanStatus.RESEARCHING, PlanStatus.FAILED),
    ]
