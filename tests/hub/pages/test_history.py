"""The page of sessions made outside: what hosts answer, and what it says when they do not."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import anyio
import pytest

from ccweb.access import service as access
from ccweb.conversations import errands, hosts, outside
from ccweb.conversations.errands import ErrandKind
from ccweb.conversations.outside import OutsideSession
from ccweb.db.tables.history import Elsewhere
from ccweb.errors import Unavailable
from ccweb.host.errands import Errands
from ccweb.hub import history
from ccweb_contract.enums import AgentKind, MessageRole
from tests.hub.pages.conftest import Web
from tests.relay.world import HOST, World

SESSION = {
    "program": "claude",
    "sessionId": "9930ce5a",
    "title": "Tower <of> Babel",
    "cwd": "/srv/tower",
    "folderIsGone": True,
    "changedAt": 1,
    "sizeBytes": 10,
    "elsewhere": "at work",
    "conversationId": None,
}


@asynccontextmanager
async def a_host(
    world: World, host_id: str = HOST, **answers: Callable[[Any], dict[str, Any]]
) -> AsyncIterator[list[Any]]:
    """Run a host that answers errands until the block ends; yield what it was given."""
    given: list[Any] = []
    with world.tx() as c:
        hosts.ensure(c, world.m, host_id, host_id)
        hosts.seen(c, world.m, host_id, [AgentKind.CLAUDE])

    def does(kind: str) -> Callable[[Any], Any]:
        async def do(asked: Any) -> dict[str, Any]:
            given.append(asked)
            return answers[kind](asked)

        return do

    work = Errands(
        world.db,
        host_id,
        {ErrandKind.LIST_SESSIONS: does("listed"), ErrandKind.OPEN_SESSION: does("opened")},
    )
    async with anyio.create_task_group() as tasks:

        async def run() -> None:
            while True:
                await work.do_next()

        tasks.start_soon(run)
        yield given
        tasks.cancel_scope.cancel()


def listed(*sessions: dict[str, Any], more: bool = False) -> Callable[[Any], dict[str, Any]]:
    return lambda _: {"sessions": list(sessions), "more": more}


async def test_the_sessions_of_a_host_are_listed_with_how_they_stand(
    world: World, web: Web
) -> None:
    here = SESSION | {"sessionId": "x", "title": "Bridge", "conversationId": "conv_1"}
    async with a_host(world, listed=listed(SESSION, here)) as given:
        page = await web.html("/history", query="tower")
    assert given == [{"query": "tower"}]
    assert "Tower &lt;of&gt; Babel" in page
    assert 'data-session="9930ce5a"' in page
    assert 'href="/conversations/conv_1"' in page
    assert [page.count(word) for word in ("at work elsewhere", "its folder is gone")] == [2, 2]
    with world.db.connect() as c:
        assert errands.any_waiting(c, HOST) is False


async def test_every_host_that_runs_has_its_own_shelf(world: World, web: Web) -> None:
    async with (
        a_host(world, listed=listed(SESSION, more=True)),
        a_host(world, "host_other", listed=listed()),
    ):
        page = await web.html("/history")
    assert "host_other" in page
    assert "There are no sessions" in page
    assert "These are the latest 1" in page


async def test_without_a_host_the_page_says_how_to_start_one(
    world: World, web: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(history, "_STARTING_S", 0.1)
    with world.tx() as c:
        c.exec_driver_sql("UPDATE host SET seen_at = 0")
    assert "<code>ccweb host</code>" in await web.html("/history")


async def test_a_host_that_does_not_answer_is_named(
    world: World, web: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(errands, "PATIENCE_S", 0.1)
    with world.tx() as c:
        hosts.seen(c, world.m, HOST, [])
    page = await web.html("/history")
    assert "does not answer" in page
    with world.db.connect() as c:
        assert errands.any_waiting(c, HOST) is False


async def test_opening_a_session_leads_to_its_conversation(world: World, web: Web) -> None:
    async with a_host(world, opened=lambda _: {"conversationId": "conv_1"}) as given:
        answer = await web.post(
            "/history/open", hostId=HOST, program="claude", sessionId="9930ce5a"
        )
    assert answer == {"url": "/conversations/conv_1"}
    assert given == [{"program": "claude", "sessionId": "9930ce5a", "personId": web.person_id}]


async def test_a_session_that_is_gone_is_refused(world: World, web: Web) -> None:
    async with a_host(world, opened=lambda _: {"conversationId": None}):
        refused = await web.refused("/history/open", hostId=HOST, program="claude", sessionId="x")
    assert refused[0] == 400


async def test_a_host_that_is_away_is_not_asked(world: World, web: Web) -> None:
    refused = await web.refused("/history/open", hostId="none", program="claude", sessionId="x")
    assert refused[1] == Unavailable.code


@pytest.mark.requirement("R-S1")
async def test_a_stranger_learns_of_no_session(world: World, visitor: Any) -> None:
    assert (await visitor.get("/history")).status_code in (303, 401)
    body = {"hostId": HOST, "program": "claude", "sessionId": "x"}
    assert (await visitor.post("/history/open", json=body)).status_code == 401


@pytest.mark.parametrize("elsewhere", Elsewhere)
async def test_a_conversation_says_who_has_its_session_open(
    world: World, web: Web, elsewhere: Elsewhere
) -> None:
    talk_id = world.conversation("Tower")
    with world.tx() as c:
        access.owner(c, world.m)
        outside.add(
            c,
            OutsideSession(
                conversation_id=talk_id,
                program="claude",
                session_id="9930ce5a",
                path="/srv/ada/x.jsonl",
                read_bytes=0,
                elsewhere=elsewhere,
            ),
        )
    page = await web.html(f"/parts/conversations/{talk_id}")
    assert "outside ccweb" in page
    assert ("notice call" in page) is (elsewhere is Elsewhere.AT_WORK)


async def test_what_was_said_outside_is_shown_like_everything_else(world: World, web: Web) -> None:
    talk_id = world.conversation("Tower")
    said = [
        (MessageRole.ASSISTANT, "before all"),
        (MessageRole.USER, "a question"),
        (MessageRole.ASSISTANT, "an **answer**"),
        (MessageRole.ASSISTANT, "and more"),
        (MessageRole.USER, "unanswered"),
    ]
    with world.tx() as c:
        for role, text in said:
            outside.say(c, world.m, talk_id, role, text, person_id=web.person_id)
        assert not outside.is_continued(c, talk_id)
    page = await web.html(f"/parts/conversations/{talk_id}")
    places = [page.index(text) for _, text in said[:2]]
    places += [page.index("<strong>answer</strong>"), page.index("and more")]
    assert [*places, page.index("unanswered")] == sorted([*places, page.index("unanswered")])
    assert page.count("Completed") == 2
