"""The door of `/mcp` opens behind the pages: who is early waits, and a broken one ends the hub."""

import anyio
import httpx2
import pytest

from ccweb.hub import late
from ccweb.hub.app import create_app, server
from tests.hub.doors.conftest import ORIGIN, bearer
from tests.relay.world import HOST
from tests.tools.desk import Desk

PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
ASKED = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}


async def test_who_calls_before_the_door_is_open_waits_for_it(desk: Desk) -> None:
    app = create_app(desk.db, desk.settings, host_id=HOST)
    transport = httpx2.ASGITransport(app=app)
    answers: list[int] = []

    async def call() -> None:
        headers = ASKED | bearer(desk.token().secret)
        async with httpx2.AsyncClient(transport=transport, base_url=ORIGIN) as http:
            answers.append((await http.post("/mcp", json=PING, headers=headers)).status_code)

    with anyio.fail_after(10):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(call)
            await anyio.lowlevel.checkpoint()
            assert answers == []
            async with app.router.lifespan_context(app):
                while not answers:
                    await anyio.sleep(0)
    assert answers == [200]


async def test_a_door_that_cannot_be_opened_ends_the_hub(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(late, "_MODULE", "ccweb.hub.nowhere")
    app = create_app(desk.db, desk.settings, host_id=HOST)
    running = server(app, desk.settings)
    with anyio.fail_after(10), pytest.raises(ExceptionGroup, match="unhandled"):
        async with app.router.lifespan_context(app):
            await anyio.sleep_forever()
    assert running.should_exit
