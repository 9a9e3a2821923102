"""The feed: one loop for all browsers, nothing lost between two connections, nothing piles up."""

import json
from collections.abc import AsyncIterator, MutableMapping
from contextlib import asynccontextmanager
from typing import Any

import anyio
import httpx2
import pytest
from structlog.testing import capture_logs

from ccweb.conversations import messages
from ccweb.conversations.model import EventKind
from ccweb.hub import events
from ccweb.hub.app import create_app
from ccweb.hub.events import Feed, Line
from tests.hub.pages.conftest import Web
from tests.relay.world import HOST, World

ELSEWHERE = "conv_elsewhere"


@asynccontextmanager
async def a_feed(world: World) -> AsyncIterator[Feed]:
    feed = Feed(world.db)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(feed.follow)
        yield feed
        tasks.cancel_scope.cancel()


def say(world: World, conversation_id: str, text: str, turn_id: str = "turn_x") -> None:
    with world.tx() as c:
        messages.tell(
            c, world.m, EventKind.DELTA, [conversation_id], turn_id=turn_id, data={"text": text}
        )


async def first(lines: AsyncIterator[list[Line] | int], count: int) -> list[dict[str, Any]]:
    """Return the first lines that come, in five seconds at most."""
    found: list[dict[str, Any]] = []
    with anyio.fail_after(5):
        while len(found) < count:
            batch = await anext(lines)
            assert not isinstance(batch, int)
            found += [json.loads(line.body) for line in batch]
    return found


def last(world: World) -> int:
    return events.last_position(world.db.reader)


@pytest.mark.requirement("R-A1")
async def test_a_delta_reaches_a_page_as_soon_as_another_process_has_written_it(
    world: World,
) -> None:
    a = world.conversation("A")
    async with a_feed(world) as feed:
        lines = feed.lines(last(world), a)
        say(world, a, "one ")
        say(world, a, "two")
        found = await first(lines, 2)
    assert [(line["kind"], line["text"]) for line in found] == [
        ("delta", "one "),
        ("delta", "two"),
    ]


@pytest.mark.requirement("R-U1")
async def test_what_comes_between_a_page_and_the_start_of_the_loop_is_not_missed(
    world: World,
) -> None:
    a = world.conversation("A")
    feed = Feed(world.db)
    async with anyio.create_task_group() as tasks:
        found: list[dict[str, Any]] = []

        async def listen() -> None:
            found.extend(await first(feed.lines(last(world), a), 1))
            tasks.cancel_scope.cancel()

        tasks.start_soon(listen)
        await anyio.lowlevel.checkpoint()
        await anyio.lowlevel.checkpoint()
        say(world, a, "between")
        tasks.start_soon(feed.follow)
    assert [line["text"] for line in found] == ["between"]


async def test_deltas_of_other_conversations_stay_away_and_everything_else_comes(
    world: World,
) -> None:
    a = world.conversation("A")
    async with a_feed(world) as feed:
        lines = feed.lines(last(world), ELSEWHERE)
        say(world, a, "not for you")
        b = world.conversation("B")
        [line] = await first(lines, 1)
    assert (line["kind"], line["conversationId"]) == ("conversation", b)


@pytest.mark.requirement("R-U1")
async def test_a_page_that_comes_back_gets_what_it_has_missed_even_from_a_new_hub(
    world: World,
) -> None:
    a = world.conversation("A")
    seen = last(world)
    world.write(a)
    missed = last(world) - seen
    async with a_feed(world) as feed:
        found = await first(feed.lines(seen, a), missed)
    assert [line["position"] for line in found] == list(range(seen + 1, seen + missed + 1))


@pytest.mark.parametrize("position", [10**9, 0])
async def test_a_page_that_is_too_far_back_or_ahead_is_told_to_begin_anew(
    world: World, position: int
) -> None:
    a = world.conversation("A")
    rows = [
        {"c": a, "d": "{}", "k": EventKind.CONVERSATION.value} for _ in range(events.KEPT_LINES + 1)
    ]
    with world.tx() as c:
        c.exec_driver_sql(
            "INSERT INTO event (conversation_id, kind, data, created_at) VALUES (:c, :k, :d, 0)",
            rows,
        )
    async with a_feed(world) as feed:
        with anyio.fail_after(5):
            assert await anext(feed.lines(position, a)) == last(world)


async def test_a_slow_page_holds_nothing_but_its_position(world: World) -> None:
    a = world.conversation("A")
    async with a_feed(world) as feed:
        slow, quick = feed.lines(last(world), a), feed.lines(last(world), a)
        say(world, a, "0")
        await first(slow, 1)
        for number in range(1, 40):
            say(world, a, str(number))
        assert len(await first(quick, 40)) == 40
        assert [line["text"] for line in await first(slow, 39)] == [str(n) for n in range(1, 40)]


async def test_long_lines_take_no_more_memory_and_still_reach_a_page_that_is_behind(
    world: World,
) -> None:
    a, long = world.conversation("A"), events.KEPT_CHARS // 3
    async with a_feed(world) as feed:
        slow, quick = feed.lines(last(world), a), feed.lines(last(world), a)
        say(world, a, "0")
        await first(slow, 1)
        for number in range(1, 9):
            say(world, a, str(number) * long)
        await first(quick, 9)
        assert sum(len(line.body) for line in feed.kept) <= events.KEPT_CHARS
        assert [line["text"][:1] for line in await first(slow, 8)] == list("12345678")


@pytest.mark.requirement("R-S3")
async def test_the_feed_goes_on_after_the_database_could_not_be_read(world: World) -> None:
    a = world.conversation("A")
    async with a_feed(world) as feed:
        lines = feed.lines(last(world), a)
        say(world, a, "before")
        await first(lines, 1)
        with world.tx() as c:
            c.exec_driver_sql("ALTER TABLE event RENAME TO event_away")
        with capture_logs() as told, anyio.fail_after(5):
            while not told:
                await anyio.lowlevel.checkpoint()
        assert [entry["event"] for entry in told] == ["feed_stalled"]
        with world.tx() as c:
            c.exec_driver_sql("ALTER TABLE event_away RENAME TO event")
        say(world, a, "after")
        assert [line["text"] for line in await first(lines, 1)] == ["after"]


async def test_the_feed_is_pruned_by_a_hub_that_nobody_looks_at(world: World) -> None:
    say(world, a := world.conversation("A"), "gone", (over := world.started(a)).id)
    world.end(over)
    with world.tx() as c:
        c.exec_driver_sql("UPDATE turn SET ended_at = 1")
    app = create_app(world.db, world.settings, host_id=HOST)
    async with app.router.lifespan_context(app):
        with anyio.fail_after(5):
            while world.db.reader.exec_driver_sql(
                "SELECT count(*) FROM event WHERE kind = 'delta'"
            ).scalar():
                await anyio.lowlevel.checkpoint()


async def test_deltas_of_a_turn_that_is_over_are_pruned_and_those_of_a_running_one_stay(
    world: World,
) -> None:
    a, b = world.conversation("A"), world.conversation("B")
    over, running = world.started(a), world.started(b)
    say(world, a, "gone", over.id)
    say(world, b, "kept", running.id)
    world.end(over)
    world.now = world.now.replace(year=world.now.year + 1)
    with world.tx() as c:
        events.prune(c, world.m)
        left = c.exec_driver_sql("SELECT data FROM event WHERE kind = 'delta'").scalars().all()
    assert [json.loads(data)["text"] for data in left] == ["kept"]


@pytest.mark.parametrize("after", ["x", "-1", "1" * 30, "１"])
async def test_a_position_that_is_no_number_is_refused(web: Web, after: str) -> None:
    answer = await web.http.get("/events", params={"after": after})
    assert answer.status_code == 400


@pytest.mark.requirement("R-S1")
async def test_a_stream_gives_nothing_more_once_its_session_has_ended(
    world: World, web: Web
) -> None:
    a = world.conversation("A")
    app = web.http._transport.app  # type: ignore[attr-defined]
    heard: list[bytes] = []
    cookie = f"{next(iter(web.http.cookies))}={next(iter(web.http.cookies.values()))}"
    scope = {
        "type": "http",
        "method": "GET",
        "path": "/events",
        "query_string": f"after={last(world)}&conversation={a}".encode(),
        "headers": [(b"host", b"127.0.0.1:8002"), (b"cookie", cookie.encode())],
        "server": ("127.0.0.1", 8002),
        "scheme": "http",
    }

    async def receive() -> dict[str, Any]:
        await anyio.sleep_forever()
        return {}

    async def send(message: MutableMapping[str, Any]) -> None:
        heard.append(message.get("body", b""))

    async def ended() -> None:
        with anyio.fail_after(5):
            await app(scope, receive, send)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(ended)
        with anyio.fail_after(5):
            say(world, a, "mine")
            while b"mine" not in b"".join(heard):
                await anyio.lowlevel.checkpoint()
        await web.post("/sign-out")
        say(world, a, "secret")
    assert b"secret" not in b"".join(heard)


@pytest.mark.requirement("R-S1")
async def test_nobody_follows_the_feed_without_a_sign_in(visitor: httpx2.AsyncClient) -> None:
    answer = await visitor.get("/events")
    assert answer.status_code == 401
