"""The loop of the hub that takes what planning's requests came to."""

from collections.abc import Callable

import anyio
import pytest

from ccweb.hub import outcomes
from ccweb.planning.model import Repository
from ccweb_contract.enums import BlueprintStatus, TaskState, TurnStatus
from tests.planning.conftest import till, world
from tests.planning.sources import feishu_world
from tests.planning.sources.feishu_server import Server
from tests.planning.sources.feishu_world import server
from tests.planning.world import Planning, an_answer

__all__ = ["server", "till", "world"]

pytestmark = pytest.mark.anyio


async def eventually(is_so: Callable[[], bool]) -> None:
    """Return once something is so; a test fails that waits for it too long."""
    with anyio.fail_after(10):
        while not is_so():
            await anyio.sleep(0.005)


@pytest.mark.requirement("R-P9")
async def test_an_outcome_is_taken_as_soon_as_an_agent_has_ended(
    world: Planning, till: Repository
) -> None:
    artifact = world.create(till)
    turn = world.working()[0]
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(outcomes.follow, world.db, world.settings)
        await anyio.sleep(0)
        world.end(turn, an_answer())
        await eventually(
            lambda: world.read(artifact.id).artifact.status is BlueprintStatus.PENDING_REVIEW
        )
        tasks.cancel_scope.cancel()


@pytest.mark.requirement("R-P9")
async def test_an_outcome_from_before_the_hub_started_is_taken(
    world: Planning, till: Repository
) -> None:
    artifact = world.create(till)
    world.end(world.working()[0], an_answer())
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(outcomes.follow, world.db, world.settings)
        await eventually(
            lambda: world.read(artifact.id).artifact.status is BlueprintStatus.PENDING_REVIEW
        )
        tasks.cancel_scope.cancel()


@pytest.mark.requirement("R-P9")
async def test_two_hubs_take_an_outcome_once(world: Planning, till: Repository) -> None:
    artifact = world.create(till)
    world.end(world.working()[0], an_answer())
    request_id = world.read(artifact.id).candidates[0][0].request_id
    assert request_id is not None
    taken: list[bool] = []

    async def take() -> None:
        taken.append(await outcomes.take(world.db, world.settings, request_id))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(take)
        tasks.start_soon(take)
    assert sorted(taken) == [False, True]
    assert len(world.versions(artifact.id)) == 1


@pytest.mark.requirement("R-P7")
async def test_the_work_on_a_task_that_is_cancelled_is_stopped(
    world: Planning, till: Repository
) -> None:
    artifact = world.create(till)
    turn = world.working()[0]
    world.set_task(TaskState.CANCELLED)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(outcomes.follow, world.db, world.settings)
        await eventually(lambda: world.turn(turn.id).stop_requested_at is not None)
        tasks.cancel_scope.cancel()
    assert world.turn(turn.id).status is TurnStatus.RUNNING
    assert world.read(artifact.id).artifact.status is BlueprintStatus.RESEARCHING


@pytest.mark.requirement("R-P7")
async def test_the_outcome_for_an_item_that_was_cancelled_meanwhile_changes_nothing(
    world: Planning, till: Repository, server: Server
) -> None:
    feishu_world.plan_from(world, server)
    world.create(till)
    turn = world.working()[0]
    before = world.rows()
    feishu_world.cancel(server)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(outcomes.follow, world.db, world.settings)
        world.end(turn, an_answer())
        await eventually(lambda: world.rows("outbox") == [])
        tasks.cancel_scope.cancel()
    assert world.rows() == before
    assert feishu_world.is_known_cancelled(world)


@pytest.mark.requirement("R-P7")
async def test_an_outcome_waits_for_a_source_that_cannot_be_reached_and_keeps_no_other_back(
    world: Planning, till: Repository, server: Server
) -> None:
    on_the_board = world.create(till)
    first = world.working()[0]
    feishu_world.plan_from(world, server)
    elsewhere = world.create(till, key="of Feishu")
    second = next(turn for turn in world.working() if turn.id != first.id)
    server.down = True
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(outcomes.follow, world.db, world.settings)
        world.end(second, an_answer())
        world.end(first, an_answer())
        await eventually(lambda: world.status(on_the_board.id) is BlueprintStatus.PENDING_REVIEW)
        assert world.status(elsewhere.id) is BlueprintStatus.RESEARCHING
        server.down = False
        await eventually(lambda: world.status(elsewhere.id) is BlueprintStatus.PENDING_REVIEW)
        tasks.cancel_scope.cancel()
