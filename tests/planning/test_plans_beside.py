"""Plans of feature lists beside blueprints: none of them is a way around one (R-P6)."""

import pytest

from ccweb.planning.errors import UseCanonicalBlueprint
from ccweb.planning.model import Repository
from ccweb_contract.enums import PlanStatus, TaskState
from tests.planning.plan_world import LIST, an_answer_to, begin, confirm, finish, now
from tests.planning.test_plans import sessions, shop
from tests.planning.world import Planning

__all__ = ["shop"]


@pytest.mark.requirement("R-P6")
def test_a_project_with_a_blueprint_under_way_is_refused_and_the_refusal_names_it(
    world: Planning, shop: Repository
) -> None:
    artifact = world.create(shop)
    with pytest.raises(UseCanonicalBlueprint) as refusal:
        begin(world)
    assert refusal.value.artifact_id == artifact.id
    assert sessions(world) == 0


@pytest.mark.requirement("R-P6")
def test_a_text_alone_belongs_to_no_blueprint(world: Planning, shop: Repository) -> None:
    world.create(shop)
    assert begin(world, text=LIST).project_id is None


@pytest.mark.requirement("R-P6")
def test_a_text_is_no_way_around_the_blueprint_of_the_repository_that_is_named_with_it(
    world: Planning, shop: Repository
) -> None:
    artifact = world.create(shop)
    with pytest.raises(UseCanonicalBlueprint) as refusal:
        begin(world, text=LIST, repository_ids=[shop.id])
    assert refusal.value.artifact_id == artifact.id


@pytest.mark.requirement("R-P6")
def test_no_agent_reads_for_a_text_where_a_blueprint_has_begun_meanwhile(
    world: Planning, shop: Repository
) -> None:
    session = begin(world, text=LIST)
    world.create(shop)
    at_work = len(world.working())
    with pytest.raises(UseCanonicalBlueprint):
        confirm(world, session, an_answer_to("q1", shop.name))
    assert now(world, session) == session
    assert len(world.working()) == at_work


@pytest.mark.requirement("R-P6")
@pytest.mark.parametrize("how", ["confirmed", "cancelled"])
def test_a_blueprint_that_plans_nothing_any_more_shuts_nothing(
    world: Planning, shop: Repository, how: str
) -> None:
    artifact = world.create(shop)
    if how == "confirmed":
        finish(world)
        world.approve(artifact.id)
    else:
        world.set_task(TaskState.CANCELLED)
    assert begin(world).status is PlanStatus.AWAITING_CONFIRMATION
