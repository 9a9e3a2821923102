"""What a person decides on a page holds for the work item as it is in that moment (R-P7)."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from ccweb.clock import system_clock
from ccweb.planning.model import Repository
from ccweb_contract.enums import ReworkScope
from ccweb_contract.errors import ErrorCode
from tests.hub.pages.conftest import Web
from tests.hub.pages.planned import till
from tests.hub.pages.test_planning import named
from tests.planning.sources import feishu_world
from tests.planning.sources.feishu_server import Server
from tests.planning.sources.feishu_world import server
from tests.planning.world import Planning, a_planning_world, an_answer

__all__ = ["server", "till"]

pytestmark = pytest.mark.requirement("R-P7")


@pytest.fixture
def world(tmp_path: Path, server: Server) -> Iterator[Planning]:
    """Return a world at the present time that plans a work item of Feishu."""
    world = a_planning_world(tmp_path)
    world.now = system_clock()
    feishu_world.plan_from(world, server)
    yield world
    world.db.close()


async def every_decision(
    world: Planning, web: Web, till: Repository, artifact_id: str
) -> set[tuple[int, str]]:
    """Return how each decision on a reviewed blueprint is refused."""
    shown = named(world.shown(artifact_id))
    posts = {
        "approve": shown,
        "send-back": shown | {"comment": "no", "scope": ReworkScope.TEXT.value},
        "research": {},
        "code": {"repositoryId": till.id},
    }
    path = f"/blueprints/{artifact_id}"
    return {await web.refused(f"{path}/{action}", **body) for action, body in posts.items()}


async def test_a_cancellation_that_nobody_has_fetched_refuses_what_a_person_decides(
    world: Planning, web: Web, till: Repository, server: Server
) -> None:
    artifact = world.reviewed(till)
    before = world.rows()
    feishu_world.cancel(server)
    refusals = await every_decision(world, web, till, artifact.id)
    assert refusals == {(409, ErrorCode.ORPHAN_READ_ONLY)}
    assert world.rows() == before
    assert world.read(artifact.id).orphan


async def test_no_agent_codes_for_an_item_that_was_cancelled_after_its_approval(
    world: Planning, web: Web, till: Repository, server: Server
) -> None:
    artifact = world.reviewed(till)
    world.approve(artifact.id)
    feishu_world.cancel(server)
    path = f"/blueprints/{artifact.id}/code"
    refused = await web.refused(path, repositoryId=till.id)
    assert refused == (409, ErrorCode.ORPHAN_READ_ONLY)
    assert world.rows("coding") == []
    assert world.working() == []


async def test_no_question_is_answered_for_an_item_that_was_cancelled(
    world: Planning, web: Web, till: Repository, server: Server
) -> None:
    artifact = world.create(till)
    world.finish_work(an_answer(questions=["Which cards?"]))
    (thread_id,) = world.open_questions(artifact.id)
    feishu_world.cancel(server)
    path = f"/blueprints/{artifact.id}/threads/{thread_id}/answer"
    assert await web.refused(path, body="All") == (409, ErrorCode.ORPHAN_READ_ONLY)
    assert world.open_questions(artifact.id) == [thread_id]


async def test_nothing_is_decided_while_the_source_cannot_be_reached(
    world: Planning, web: Web, till: Repository, server: Server
) -> None:
    artifact = world.reviewed(till)
    before = world.rows("work_context", "artifact", "confirmation", "rework", "research", "coding")
    server.down = True
    refusals = await every_decision(world, web, till, artifact.id)
    assert refusals == {(503, ErrorCode.UNAVAILABLE)}
    after = world.rows("work_context", "artifact", "confirmation", "rework", "research", "coding")
    assert after == before
    server.down = False
    await web.post(f"/blueprints/{artifact.id}/approve", **named(world.shown(artifact.id)))
