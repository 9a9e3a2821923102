"""The seam of the page's tests: the hub in process, over a small world, with a signed-in person."""

from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import pytest

from ccweb.access import service as access
from ccweb.clock import system_clock
from ccweb.hub.app import create_app
from tests.relay.world import HOST, World, a_world

ORIGIN = "http://127.0.0.1:8002"


@dataclass
class Web:
    """A browser without a window: it has the cookie of a person and sends an Origin."""

    http: httpx2.AsyncClient
    person_id: str

    async def html(self, path: str, /, **parameters: Any) -> str:
        answer = await self.http.get(path, params=parameters)
        assert answer.status_code == 200, answer.text
        return answer.text

    async def post(self, path: str, /, **body: Any) -> dict[str, Any]:
        answer = await self.http.post(path, json=body)
        assert answer.status_code == 200, answer.text
        given: dict[str, Any] = answer.json()
        return given

    async def refused(self, path: str, /, **body: Any) -> tuple[int, str]:
        """Return the status and the code of a post that must be refused."""
        answer = await self.http.post(path, json=body)
        assert set(answer.json()) == {"error_code", "detail", "remedy"}
        return answer.status_code, answer.json()["error_code"]


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    """Return a world at the present time."""
    world = a_world(tmp_path)
    world.now = system_clock()
    yield world
    world.db.close()


@pytest.fixture
async def visitor(world: World) -> AsyncIterator[httpx2.AsyncClient]:
    """Return a browser that nobody has signed in to."""
    app = create_app(world.db, world.settings, host_id=HOST)
    transport = httpx2.ASGITransport(app=app, raise_app_exceptions=False)
    async with (
        app.router.lifespan_context(app),
        httpx2.AsyncClient(
            transport=transport, base_url=ORIGIN, headers={"Origin": ORIGIN}
        ) as http,
    ):
        yield http


@pytest.fixture
async def web(world: World, visitor: httpx2.AsyncClient) -> Web:
    """Return a browser that the owner has signed in to with a ticket."""
    with world.tx() as c:
        owner = access.owner(c, world.m)
        ticket = access.new_ticket(c, world.m, world.settings, owner.id)
    answer = await visitor.post("/sign-in", data={"ticket": ticket})
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    return Web(http=visitor, person_id=owner.id)
