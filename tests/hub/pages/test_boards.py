"""The board's routes: what they show, what they change, and what they refuse."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from ccweb.board import service, store
from ccweb.board.model import (
    Assignee,
    Author,
    Board,
    BoardColumn,
    Link,
    NewTask,
    Task,
)
from ccweb.conversations import hosts, messages
from ccweb.conversations import store as conversations
from ccweb.hub.text import readable
from ccweb_contract import prompts
from ccweb_contract.enums import (
    AgentKind,
    AssigneeKind,
    Lang,
    LinkKind,
    SourceKind,
    TaskState,
)
from tests.hub.pages.conftest import Web
from tests.relay.world import HOST, PERSON, World

pytestmark = pytest.mark.requirement("R-U4")

ME = Author(kind=SourceKind.PERSON, id=PERSON)


@pytest.fixture
def board(world: World, tmp_path: Path) -> Board:
    """Return the board of a folder that exists."""
    with world.tx() as c:
        return service.board_at(c, world.m, HOST, str(tmp_path), lang=Lang.EN)


def columns(world: World, board: Board) -> dict[TaskState, BoardColumn]:
    with world.tx() as c:
        return {column.state: column for column in store.columns(c, board.id)}


def a_task(world: World, board: Board, title: str = "Accept gift cards", **what: Any) -> Task:
    with world.tx() as c:
        return service.create_task(c, world.m, board.id, NewTask(title=title, **what), author=ME)


def now(world: World, task: Task) -> Task:
    with world.tx() as c:
        return store.task(c, task.id)


def cards(html: str) -> list[str]:
    """Return the titles of the cards in their order, as HTML has them."""
    return re.findall(r'class="task-name" dir="auto">(.*?)</span>', html)


def offered(world: World) -> None:
    """Let the host offer the demo agent."""
    with world.tx() as c:
        hosts.seen(c, world.m, HOST, [AgentKind.DEMO])


async def test_the_board_of_a_conversations_folder_comes_into_being_once(
    world: World, web: Web
) -> None:
    conversation = world.conversation("Planner")
    assert f"/boards/of/{conversation}" in await web.html("/boards")
    first = await web.http.get(f"/boards/of/{conversation}")
    again = await web.http.get(f"/boards/of/{conversation}")
    address = first.headers["location"]
    assert (first.status_code, again.headers["location"]) == (303, address)
    listed = await web.html("/boards")
    assert f'href="{address}"' in listed
    assert f"/boards/of/{conversation}" not in listed
    page = await web.html(address)
    assert re.findall(r"<bdi>(To do|In progress|Blocked|Done|Cancelled)</bdi>", page)[:5] == [
        "To do",
        "In progress",
        "Blocked",
        "Done",
        "Cancelled",
    ]


async def test_a_page_of_no_board_and_of_a_task_elsewhere_says_so(
    world: World, web: Web, board: Board
) -> None:
    with world.tx() as c:
        other = service.board_at(c, world.m, HOST, "/srv/other", lang=Lang.EN)
    task = a_task(world, board)
    for path in (
        "/boards/nowhere",
        "/boards/of/nowhere",
        f"/boards/{board.id}/tasks/nowhere",
        f"/boards/{other.id}/tasks/{task.id}",
    ):
        answer = await web.http.get(path)
        assert (answer.status_code, "text/html" in answer.headers["content-type"]) == (404, True)
    assert "task-title" in await web.html(f"/boards/{board.id}/tasks/{task.id}")


async def test_the_filter_finds_text_in_any_case_states_and_assignees(
    world: World, web: Web, board: Board
) -> None:
    conversation = world.conversation("Planner")
    a_task(world, board, "Straße kehren", text="am Abend")
    a_task(world, board, "Other", state=TaskState.DONE, assignee=_of(conversation))
    part = f"/parts/boards/{board.id}"
    assert cards(await web.html(part)) == ["Straße kehren", "Other"]
    assert cards(await web.html(part, query="STRASSE")) == ["Straße kehren"]
    assert cards(await web.html(part, query="ABEND")) == ["Straße kehren"]
    assert cards(await web.html(part, state="done")) == ["Other"]
    assert cards(await web.html(part, assignee="nobody")) == ["Straße kehren"]
    assert cards(await web.html(part, assignee=f"conversation:{conversation}")) == ["Other"]
    assert cards(await web.html(part, state="no state", assignee="no one")) == [
        "Straße kehren",
        "Other",
    ]
    assert f'value="conversation:{conversation}"' in await web.html(f"/boards/{board.id}")


def _of(conversation_id: str) -> Assignee:
    return Assignee(kind=AssigneeKind.CONVERSATION, id=conversation_id)


async def test_a_column_shows_its_first_cards_and_as_many_more_as_are_asked_for(
    world: World, web: Web, board: Board
) -> None:
    tasks = [a_task(world, board, f"t{number}") for number in range(53)]
    column = columns(world, board)[TaskState.TODO]
    part = f"/parts/boards/{board.id}"
    first = await web.html(part)
    assert (len(cards(first)), "Show more (3)" in first) == (50, True)
    assert f'data-next="{tasks[50].id}"' in first
    assert len(cards(await web.html(part, limit=f"{column.id}:100"))) == 53
    for nonsense in (f"{column.id}:-1", f"{column.id}:{'9' * 30}", ":", ",,", f"{column.id}:٣"):
        assert len(cards(await web.html(part, limit=nonsense))) == 50


async def test_whatever_is_written_on_a_board_is_text(world: World, web: Web, board: Board) -> None:
    evil = "<img src=x onerror=alert(1)>\"'><script>alert(1)</script>"
    task = a_task(world, board, evil, text=f"{evil}\n\n[x](javascript:alert(1))")
    with world.tx() as c:
        service.comment(c, world.m, world.settings, task.id, evil, author=ME)
    await web.post(f"/boards/{board.id}/columns", title=evil[:100], state="todo", description=evil)
    for html in (
        await web.html(f"/boards/{board.id}/tasks/{task.id}"),
        await web.html(f"/parts/tasks/{task.id}"),
        await web.html(f"/parts/boards/{board.id}"),
    ):
        assert "<img" not in html
        assert "alert(1)</script>" not in html
        assert 'href="javascript' not in html


def test_titles_show_what_hides_and_keep_what_joins() -> None:
    assert readable("a\u200bb\u202ec") == "a⟨U+200B⟩b⟨U+202E⟩c"
    assert readable("👩\u200d💻 نمی\u200cخواهم") == "👩\u200d💻 نمی\u200cخواهم"
    assert readable("\u200d\u200d") == "⟨U+200D⟩⟨U+200D⟩"


async def test_a_person_writes_moves_and_changes_tasks(
    world: World, web: Web, board: Board
) -> None:
    column = columns(world, board)
    made = await web.post(
        f"/boards/{board.id}/tasks", title=" one ", columnId=column[TaskState.TODO].id
    )
    other = a_task(world, board, "two", column_id=column[TaskState.DONE].id)
    address = f"/tasks/{made['taskId']}"
    moved = await web.post(
        f"{address}/move",
        expectedVersion=1,
        columnId=column[TaskState.DONE].id,
        beforeTaskId=other.id,
    )
    edited = await web.post(
        address, expectedVersion=2, title="uno", text="# text", assignee=f"person:{web.person_id}"
    )
    assert (made["version"], moved["version"], edited["version"]) == (1, 2, 3)
    html = await web.html(f"/parts/boards/{board.id}")
    assert cards(html) == ["uno", "two"]
    panel = await web.html(f"/parts/tasks/{made['taskId']}")
    assert "moved it to Done" in panel
    assert "called it “uno”, changed the description, gave it to" in panel
    with world.tx() as c:
        authors = {change.author for change in store.changes(c, made["taskId"])}
    assert authors == {Author(kind=SourceKind.PERSON, id=web.person_id)}


async def test_an_old_version_and_a_wrong_post_change_nothing(
    world: World, web: Web, board: Board
) -> None:
    task = a_task(world, board)
    done = columns(world, board)[TaskState.DONE]
    address = f"/tasks/{task.id}"
    await web.post(address, expectedVersion=1, text="theirs")
    before = now(world, task)
    assert await web.refused(address, expectedVersion=1, text="mine") == (409, "conflict")
    move: Mapping[str, Any] = {"columnId": done.id, "expectedVersion": 1}
    assert await web.refused(f"{address}/move", **move) == (409, "conflict")
    assert await web.refused(f"{address}/cancel", expectedVersion=1) == (409, "conflict")
    wrong: list[tuple[str, dict[str, Any]]] = [
        (address, {"expectedVersion": "2", "title": "x"}),
        (address, {"expectedVersion": 2, "title": ""}),
        (address, {"expectedVersion": 2, "title": "x" * 10_000}),
        (address, {"expectedVersion": 2, "assignee": "everybody"}),
        (address, {"expectedVersion": 2, "assignee": "person:nobody"}),
        (f"{address}/move", {"expectedVersion": 2}),
        (f"{address}/comment", {"text": " "}),
        (f"{address}/link", {"kind": "planet", "id": "x"}),
        (f"{address}/link", {"kind": "blueprint", "id": ""}),
        (f"{address}/link", {"kind": "blueprint", "id": "x" * 129}),
        (f"{address}/start", {"agent": "nobody"}),
        (f"/boards/{board.id}/tasks", {"title": "x"}),
        (f"/boards/{board.id}/columns", {"title": "x", "state": "planned"}),
    ]
    for path, body in wrong:
        assert await web.refused(path, **body) == (400, "invalid_params"), (path, body)
    assert await web.refused("/tasks/nowhere/comment", text="x") == (404, "task_not_found")
    assert now(world, task) == before


@pytest.mark.requirement("R-P7, task")
async def test_a_column_that_has_come_to_cancel_takes_no_task_of_a_person_who_was_not_asked(
    world: World, web: Web, board: Board
) -> None:
    task, cancelled = a_task(world, board), columns(world, board)[TaskState.CANCELLED]
    new: Mapping[str, Any] = {"title": "new", "columnId": cancelled.id}
    assert await web.refused(f"/boards/{board.id}/tasks", **new) == (409, "conflict")
    move: Mapping[str, Any] = {"expectedVersion": 1, "columnId": cancelled.id}
    assert await web.refused(f"/tasks/{task.id}/move", **move) == (409, "conflict")
    assert now(world, task) == task
    assert columns(world, board)[TaskState.CANCELLED].tasks == 0
    await web.post(f"/tasks/{task.id}/cancel", expectedVersion=1)
    assert now(world, task).state is TaskState.CANCELLED


async def test_a_cancelled_task_is_final_and_has_no_controls(
    world: World, web: Web, board: Board
) -> None:
    task = a_task(world, board)
    address = f"/tasks/{task.id}"
    await web.post(f"{address}/cancel", expectedVersion=1, reason="nobody wants them")
    panel = await web.html(f"/parts/tasks/{task.id}")
    assert "nobody wants them" in panel
    for control in ("data-move-to", "data-edit-task", "data-assign", "task-comment-form"):
        assert control not in panel
    todo = columns(world, board)[TaskState.TODO]
    posts: list[tuple[str, dict[str, Any]]] = [
        (f"{address}/move", {"expectedVersion": 2, "columnId": todo.id}),
        (address, {"expectedVersion": 2, "title": "x"}),
        (f"{address}/comment", {"text": "x"}),
        (f"{address}/start", {"agent": "demo"}),
        (f"{address}/link", {"kind": "blueprint", "id": "x"}),
    ]
    for path, body in posts:
        assert await web.refused(path, **body) == (409, "task_cancelled")


async def test_columns_are_added_changed_placed_and_deleted_by_people(
    world: World, web: Web, board: Board
) -> None:
    todo = columns(world, board)[TaskState.TODO]
    await web.post(f"/boards/{board.id}/columns", title="Review", state="in_progress")
    with world.tx() as c:
        added = store.columns(c, board.id)[-1]
    await web.post(f"/columns/{added.id}", expectedVersion=1, title="In review", description="x")
    await web.post(f"/columns/{added.id}/place", expectedVersion=2, beforeColumnId=todo.id)
    a_task(world, board, column_id=added.id)
    assert await web.refused(f"/columns/{added.id}/delete", expectedVersion=3) == (
        409,
        "column_in_use",
    )
    assert await web.refused(f"/columns/{todo.id}/delete", expectedVersion=9) == (409, "conflict")
    await web.post(f"/columns/{todo.id}/delete", expectedVersion=1)
    with world.tx() as c:
        titles = [column.title for column in store.columns(c, board.id)]
    assert titles == ["In review", "In progress", "Blocked", "Done", "Cancelled"]


async def test_starting_a_conversation_makes_briefs_links_and_assigns_it_at_once(
    world: World, web: Web, board: Board
) -> None:
    offered(world)
    task = a_task(world, board, text="/say done")
    started = await web.post(f"/tasks/{task.id}/start", agent="demo", permissionMode="plan")
    conversation = started["conversationId"]
    after = now(world, task)
    assert after.links == (Link(kind=LinkKind.CONVERSATION, id=conversation),)
    assert (after.assignee, after.version) == (_of(conversation), 2)
    with world.tx() as c:
        made = conversations.get(c, conversation)
        first = messages.page(c, conversation, limit=1)[0]
    assert made is not None
    assert (made.title, made.cwd, made.permission_mode.value) == (task.title, board.cwd, "plan")
    brief = prompts.task_brief(Lang.EN, task_id=task.id, title=task.title, text="/say done")
    assert first.text == brief

    panel = await web.html(f"/parts/tasks/{task.id}")
    assert f'href="/conversations/{conversation}"' in panel
    card = await web.html(f"/parts/boards/{board.id}")
    assert f'data-conversation="{conversation}" data-tone="soon"' in card
    world.claim_in(conversation)
    card = await web.html(f"/parts/boards/{board.id}")
    assert f'data-conversation="{conversation}" data-tone="busy"' in card

    again = await web.post(f"/tasks/{task.id}/start", agent="demo")
    assert now(world, task).assignee == _of(conversation)
    assert now(world, task).links[1].id == again["conversationId"]


async def test_a_start_that_is_refused_leaves_no_conversation(
    world: World, web: Web, board: Board
) -> None:
    offered(world)
    task = a_task(world, board)
    status, code = await web.refused(f"/tasks/{task.id}/start", agent="claude")
    assert (status, code) == (409, "agent_unavailable")
    assert await web.refused(f"/tasks/{task.id}/start", agent="demo", model="x" * 200) == (
        400,
        "invalid_params",
    )
    assert task.title not in await web.html("/parts/sidebar")
    assert now(world, task) == task


async def test_links_show_what_they_lead_to_and_can_be_taken_away(
    world: World, web: Web, board: Board
) -> None:
    source, target = world.conversation("Planner"), world.conversation("Reviewer")
    request = world.request(world.started(source), target)
    task = a_task(world, board, links=(Link(kind=LinkKind.REQUEST, id=request),))
    address = f"/tasks/{task.id}"
    await web.post(f"{address}/link", kind="conversation", id=target)
    await web.post(f"{address}/link", kind="blueprint", id="bp_1")
    panel = await web.html(f"/parts/tasks/{task.id}")
    assert f'<a href="/conversations/{source}"' in panel
    assert re.search(rf'<a href="/conversations/{target}"[^>]*><bdi>Reviewer</bdi></a>', panel)
    assert "<bdi>bp_1</bdi>" in panel
    card = await web.html(f"/parts/boards/{board.id}")
    assert "<bdi>Reviewer</bdi>" in card, "A card must say whose state it shows."
    await web.post(f"{address}/unlink", kind="blueprint", id="bp_1", expectedVersion=3)
    await web.post(f"/conversations/{target}/delete")
    panel = await web.html(f"/parts/tasks/{task.id}")
    assert "bp_1" not in panel
    assert f'href="/conversations/{target}"' not in panel
    assert "deleted" in panel


async def test_nobody_but_a_signed_in_person_reaches_a_board(
    world: World, web: Web, board: Board
) -> None:
    task = a_task(world, board)
    web.http.cookies.clear()
    for path in ("/boards", f"/boards/{board.id}", f"/parts/tasks/{task.id}"):
        assert (await web.http.get(path)).status_code == 401
    answer = await web.http.post(f"/tasks/{task.id}/cancel", json={"expectedVersion": 1})
    assert answer.status_code == 401
    assert now(world, task) == task
