"""The list of conversations: its order, its states, its pages."""

import pytest

from ccweb.access import service as access
from ccweb.asks import store as asks
from ccweb.conversations import service as conversations
from ccweb.errors import AuthenticationFailed
from ccweb_contract.enums import AskKind, ConversationStatus
from ccweb_contract.errors import ErrorCode
from ccweb_contract.tools import TOOLS, ToolName
from tests.tools.desk import Desk, fits

LIST = ToolName.CCWEB_LIST_CONVERSATIONS


async def titles(desk: Desk, **arguments: object) -> list[str]:
    result = await desk.result(desk.browser(), LIST, **arguments)
    assert fits(TOOLS[LIST], result)
    return [line["title"] for line in result["conversations"]]


async def test_the_most_recently_active_comes_first(desk: Desk) -> None:
    first, second = desk.conversation("first"), desk.conversation("second")
    assert await titles(desk) == ["second", "first"]
    desk.write(first)
    assert await titles(desk) == ["first", "second"]
    desk.delete(second)
    assert await titles(desk) == ["first"]


@pytest.mark.requirement("FC-58")
async def test_the_state_comes_from_turns_and_asks(desk: Desk) -> None:
    ids = {title: desk.conversation(title) for title in ("idle", "running", "queued", "asking")}
    desk.started(ids["running"])
    desk.write(ids["running"], "more")
    desk.started(ids["asking"])
    with desk.tx() as c:
        asks.open_ask(c, desk.m, AskKind.LOOP_PAUSED, ids["asking"])
    desk.write(ids["queued"])
    result = await desk.result(desk.browser(), LIST)
    states = {line["title"]: line["status"] for line in result["conversations"]}
    assert states == {
        "idle": ConversationStatus.IDLE.value,
        "running": ConversationStatus.RUNNING.value,
        "queued": ConversationStatus.QUEUED.value,
        "asking": ConversationStatus.NEEDS_YOU.value,
    }
    assert await titles(desk, status="idle") == ["idle"]
    assert sorted(await titles(desk, status="busy")) == ["asking", "queued", "running"]


async def test_an_archived_conversation_is_not_listed(desk: Desk) -> None:
    put_away = desk.conversation("old")
    desk.conversation("new")
    with desk.tx() as c:
        conversations.archive(c, desk.m, put_away, archived=True)
    assert await titles(desk) == ["new"]


@pytest.mark.parametrize("query", ["ärger", "ÄRGER", "im b", "Büro"])
async def test_a_title_is_found_in_any_case_of_any_script(desk: Desk, query: str) -> None:
    desk.conversation("Ärger im Büro")
    desk.conversation("文档 100%_done")
    assert await titles(desk, query=query) == ["Ärger im Büro"]
    assert await titles(desk, query="档 100%_") == ["文档 100%_done"]
    assert await titles(desk, query="%") == ["文档 100%_done"]


async def test_pages_join_without_gap_or_repetition(desk: Desk) -> None:
    expected = [f"c{i}" for i in range(9, -1, -1)]
    for title in reversed(expected):
        desk.conversation(title)
    seen, cursor, pages = list[str](), None, 0
    while pages == 0 or cursor:
        arguments = {"limit": 3} | ({"cursor": cursor} if cursor else {})
        result = await desk.result(desk.browser(), LIST, **arguments)
        seen += [line["title"] for line in result["conversations"]]
        cursor, pages = result.get("nextCursor"), pages + 1
    assert seen == expected
    assert pages == 4


async def test_a_full_last_page_has_no_cursor(desk: Desk) -> None:
    for i in range(4):
        desk.conversation(f"c{i}")
    assert "nextCursor" not in await desk.result(desk.browser(), LIST, limit=4)


async def test_what_comes_and_goes_between_two_pages_shifts_nothing(desk: Desk) -> None:
    ids = {f"c{i}": desk.conversation(f"c{i}") for i in range(6)}
    page = await desk.result(desk.browser(), LIST, limit=3)
    assert [line["title"] for line in page["conversations"]] == ["c5", "c4", "c3"]
    desk.conversation("new")
    desk.delete(ids["c3"])
    desk.delete(ids["c5"])
    assert await titles(desk, limit=3, cursor=page["nextCursor"]) == ["c2", "c1", "c0"]


async def test_conversations_of_the_same_moment_are_paged_too(desk: Desk) -> None:
    for i in range(5):
        desk.conversation(f"c{i}")
    with desk.tx() as c:
        c.exec_driver_sql("UPDATE conversation SET updated_at = 7")
    first = await desk.result(desk.browser(), LIST, limit=2)
    assert await titles(desk, limit=9, cursor=first["nextCursor"]) == ["c2", "c1", "c0"]


async def test_same_directory_is_the_callers(desk: Desk) -> None:
    agent = desk.agent(desk.conversation("here"))
    with desk.tx() as c:
        c.exec_driver_sql("UPDATE conversation SET cwd = '/srv/here'")
    desk.conversation("elsewhere")
    result = await desk.result(agent, LIST, scope="same_directory")
    assert [line["title"] for line in result["conversations"]] == ["here"]
    refusal = await desk.refusal(desk.browser(), LIST, scope="same_directory")
    assert refusal.code is ErrorCode.INVALID_PARAMS


async def test_nobody_is_listed_by_a_stranger(desk: Desk) -> None:
    """A token of a conversation that was deleted opens nothing any more."""
    conversation_id = desk.conversation("gone")
    secret = desk.token(conversation_id).secret
    desk.delete(conversation_id)
    with desk.db.connect() as c, pytest.raises(AuthenticationFailed):
        access.authenticate(c, desk.m, secret)
