"""A world to plan in behind the pages, with repositories on disk and more than one person."""

from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from ccweb.access import service as access
from ccweb.clock import system_clock
from ccweb.planning.model import Repository
from tests.hub.pages.conftest import ORIGIN, Web
from tests.planning.world import Planning, a_planning_world


@pytest.fixture
def world(tmp_path: Path) -> Iterator[Planning]:
    """Return a world to plan in, at the present time."""
    world = a_planning_world(tmp_path)
    world.now = system_clock()
    yield world
    world.db.close()


@pytest.fixture
def till(world: Planning, tmp_path: Path) -> Repository:
    return world.repository(tmp_path, "till")


@pytest.fixture
def shop(world: Planning, tmp_path: Path) -> Repository:
    return world.repository(tmp_path, "shop")


async def visit_as(world: Planning, web: Web, name: str) -> Web:
    """Return the browser of another person, over the same hub."""
    with world.tx() as c:
        other = access.add_person(c, world.m, name)
        ticket = access.new_ticket(c, world.m, world.settings, other.id)
    http = httpx2.AsyncClient(
        transport=web.http._transport, base_url=ORIGIN, headers={"Origin": ORIGIN}
    )
    assert (await http.post("/sign-in", data={"ticket": ticket})).status_code == 303
    return Web(http=http, person_id=other.id)
