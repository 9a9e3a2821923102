"""The tools of the task board: which board they mean, what they show, and who does what."""

from pathlib import Path
from typing import Any

import pytest

from ccweb.access.model import Agent
from ccweb.conversations import folders
from ccweb.conversations import service as conversations
from ccweb.conversations.service import NewConversation
from ccweb_contract.enums import AgentKind, PermissionMode, TaskState
from ccweb_contract.errors import ErrorCode
from ccweb_contract.tools import TOOLS, ToolName
from tests.relay.world import HOST
from tests.tools.desk import Desk, fits

CREATE = ToolName.CCWEB_CREATE_CONVERSATION
GET = ToolName.CCWEB_GET_BOARD
ADD_COLUMN = ToolName.CCWEB_CREATE_COLUMN
CHANGE_COLUMN = ToolName.CCWEB_UPDATE_COLUMN
ADD = ToolName.CCWEB_CREATE_TASK
CHANGE = ToolName.CCWEB_UPDATE_TASK
MOVE = ToolName.CCWEB_MOVE_TASK
COMMENT = ToolName.CCWEB_COMMENT_TASK


def an_agent(desk: Desk, cwd: Path | None = None) -> Agent:
    """Return the agent of a conversation that works in a real folder."""
    new = NewConversation(
        title="Builder",
        agent=AgentKind.DEMO,
        cwd=str(cwd or desk.project),
        permission_mode=PermissionMode.ASK,
        host_id=HOST,
    )
    with desk.tx() as c:
        created = conversations.create(c, desk.m, new)
    return desk.agent(created.id)


async def result(desk: Desk, caller: object, tool: ToolName, **arguments: object) -> dict[str, Any]:
    """Return a result that keeps what the tool promises."""
    answer = await desk.result(caller, tool, **arguments)  # type: ignore[arg-type]
    assert fits(TOOLS[tool], answer)
    return answer


def column_of(board: dict[str, Any], state: TaskState) -> str:
    return next(str(one["columnId"]) for one in board["columns"] if one["state"] == state.value)


# --- which board --------------------------------------------------------------------------------


async def test_an_agent_gets_the_board_of_its_directory(desk: Desk) -> None:
    board = await result(desk, an_agent(desk), GET)
    assert board["board"]["cwd"] == str(desk.project)
    assert board["board"]["title"] == "project"
    assert [column["state"] for column in board["columns"]] == [state.value for state in TaskState]
    assert board["tasks"] == []
    assert "nextCursor" not in board


async def test_agents_of_one_directory_share_its_board_with_people(desk: Desk) -> None:
    task = await result(desk, an_agent(desk), ADD, title="ours")
    for caller, named in (
        (an_agent(desk), {}),
        (desk.browser(), {"cwd": str(desk.project)}),
        (desk.script(), {"boardId": task["boardId"]}),
    ):
        board = await result(desk, caller, GET, **named)
        assert [one["taskId"] for one in board["tasks"]] == [task["taskId"]]


async def test_a_directory_has_one_board_by_whatever_path(desk: Desk, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(desk.project)
    made = await desk.result(desk.browser(), CREATE, title="Builder", cwd=str(link))
    agent = desk.agent(made["conversationId"])
    own = await result(desk, agent, GET)
    named = await result(desk, agent, GET, cwd=str(link / ".." / "link"))
    assert own["board"] == named["board"]
    assert own["board"]["cwd"] == str(desk.project)


@pytest.mark.requirement("R-U4")
async def test_an_agent_and_the_page_keep_one_board_when_its_folder_has_moved(
    desk: Desk, tmp_path: Path
) -> None:
    folder, moved = tmp_path / "shop", tmp_path / "till"
    folder.mkdir()
    agent = an_agent(desk, folder)
    before = await result(desk, agent, GET)
    folder.rename(moved)
    folder.symlink_to(moved)
    assert (await result(desk, agent, GET))["board"] == before["board"]


async def test_a_person_says_which_board(desk: Desk) -> None:
    for tool, arguments in (
        (GET, {}),
        (ADD, {"title": "x"}),
        (ADD_COLUMN, {"title": "x", "state": "todo"}),
    ):
        refusal = await desk.refusal(desk.browser(), tool, **arguments)
        assert refusal.code is ErrorCode.INVALID_PARAMS


async def test_a_board_is_named_in_one_way(desk: Desk) -> None:
    agent = an_agent(desk)
    board_id = (await result(desk, agent, GET))["board"]["boardId"]
    refusal = await desk.refusal(agent, GET, boardId=board_id, cwd=str(desk.project))
    assert refusal.code is ErrorCode.INVALID_PARAMS
    refusal = await desk.refusal(agent, GET, boardId="board_x")
    assert refusal.code is ErrorCode.BOARD_NOT_FOUND


async def test_an_agent_makes_no_board_where_no_person_works(desk: Desk, tmp_path: Path) -> None:
    agent = an_agent(desk)
    foreign = tmp_path / "foreign"
    foreign.mkdir()
    before = desk.everything()
    refusal = await desk.refusal(agent, GET, cwd=str(foreign))
    assert refusal.code is ErrorCode.HUMAN_REQUIRED
    assert desk.everything() == before
    with desk.tx() as c:
        folders.register(c, desk.m, str(foreign), person_id=desk.owner_id_in(c))
    board = await result(desk, agent, GET, cwd=str(foreign))
    assert board["board"]["cwd"] == str(foreign.resolve())


@pytest.mark.requirement("R-S4")
@pytest.mark.parametrize("cwd", ["relative", "/nowhere/at/all"])
async def test_a_folder_that_is_none_has_no_board(desk: Desk, cwd: str) -> None:
    refusal = await desk.refusal(desk.browser(), GET, cwd=cwd)
    assert refusal.code is ErrorCode.INVALID_PARAMS


async def test_an_agent_may_use_any_board_by_its_id(desk: Desk, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    board = await result(desk, desk.browser(), GET, cwd=str(other))
    task = await result(desk, an_agent(desk), ADD, boardId=board["board"]["boardId"], title="x")
    assert task["boardId"] == board["board"]["boardId"]


# --- reading ------------------------------------------------------------------------------------


async def test_a_board_is_read_page_by_page_without_loss(desk: Desk) -> None:
    agent = an_agent(desk)
    board = await result(desk, agent, GET)
    for number in range(7):
        state = TaskState.TODO if number < 4 else TaskState.DONE
        await result(desk, agent, ADD, title=str(number), state=state.value)
    titles: list[str] = []
    arguments: dict[str, Any] = {"limit": 2}
    while True:
        page = await result(desk, agent, GET, **arguments)
        titles += [task["title"] for task in page["tasks"]]
        if "nextCursor" not in page:
            break
        arguments["cursor"] = page["nextCursor"]
    assert titles == [str(number) for number in range(7)]
    assert board["columns"][0]["tasks"] == 0
    assert page["columns"][0]["tasks"] == 4


async def test_what_moves_between_two_pages_shifts_nothing(desk: Desk) -> None:
    agent = an_agent(desk)
    board = await result(desk, agent, GET)
    tasks = [await result(desk, agent, ADD, title=str(number)) for number in range(4)]
    first = await result(desk, agent, GET, limit=2)
    for task in tasks[:2]:
        await result(
            desk,
            agent,
            MOVE,
            taskId=task["taskId"],
            expectedVersion=1,
            columnId=column_of(board, TaskState.CANCELLED),
        )
    second = await result(desk, agent, GET, limit=2, cursor=first["nextCursor"])
    assert [task["title"] for task in second["tasks"]] == ["2", "3"]


async def test_a_page_can_end_at_a_task_whose_place_is_long(desk: Desk) -> None:
    agent = an_agent(desk)
    first, _ = [await result(desk, agent, ADD, title=title) for title in ("a", "z")]
    long_rank = "n0" + "0" * 600 + "i"
    with desk.tx() as c:
        c.exec_driver_sql("UPDATE task SET rank = ? WHERE id = ?", (long_rank, first["taskId"]))
    page = await result(desk, agent, GET, limit=1)
    rest = await result(desk, agent, GET, limit=1, cursor=page["nextCursor"])
    assert [task["title"] for task in (*page["tasks"], *rest["tasks"])] == ["a", "z"]


@pytest.mark.requirement("R-S4")
@pytest.mark.parametrize("cursor", ["x", "n0.", ".n0", "N0.N0", "n0.n0.n0", "n0.n0\n", "task_x"])
async def test_a_cursor_of_somebody_else_is_refused(desk: Desk, cursor: str) -> None:
    refusal = await desk.refusal(an_agent(desk), GET, cursor=cursor)
    assert refusal.code is ErrorCode.INVALID_PARAMS


async def test_a_board_is_filtered_by_state_and_text(desk: Desk) -> None:
    agent = an_agent(desk)
    await result(desk, agent, ADD, title="Straße", text="one")
    await result(desk, agent, ADD, title="two", state="done")
    for wanted, expected in (
        ({"state": "done"}, ["two"]),
        ({"query": "STRASSE"}, ["Straße"]),
        ({"query": "ONE"}, ["Straße"]),
        ({"query": ""}, ["Straße", "two"]),
    ):
        board = await result(desk, agent, GET, **wanted)
        assert [task["title"] for task in board["tasks"]] == expected


async def test_one_task_is_read_in_full_with_comments_and_history(desk: Desk) -> None:
    agent = an_agent(desk)
    task = await result(
        desk,
        agent,
        ADD,
        title="Accept gift cards",
        text="All of it.",
        assignee={"kind": "person"},
        links=[{"kind": "conversation", "id": agent.conversation_id}],
        metadata=[{"name": "b", "value": "1"}, {"name": "a", "value": ""}],
    )
    await result(desk, desk.browser(), COMMENT, taskId=task["taskId"], text="why?")
    await result(
        desk, desk.browser(), CHANGE, taskId=task["taskId"], expectedVersion=1, title="Gift cards"
    )
    read = await result(desk, agent, GET, taskId=task["taskId"])
    assert read["tasks"] == []
    found = read["task"]
    assert (found["title"], found["text"], found["version"]) == ("Gift cards", "All of it.", 2)
    assert found["metadata"] == [{"name": "b", "value": "1"}, {"name": "a", "value": ""}]
    assert found["links"] == [{"kind": "conversation", "id": agent.conversation_id}]
    assert found["assignee"] == {
        "kind": "person",
        "id": desk.owner_id(),
        "name": found["assignee"]["name"],
    }
    assert [one["text"] for one in found["allComments"]] == ["why?"]
    created, changed = found["changes"]
    assert created["author"] == {
        "kind": "conversation",
        "id": agent.conversation_id,
        "name": "Builder",
    }
    assert (changed["author"]["kind"], changed["fields"]) == ("person", ["title"])


async def test_a_person_reads_a_task_without_naming_its_board(desk: Desk, tmp_path: Path) -> None:
    task = await result(desk, an_agent(desk), ADD, title="x")
    read = await result(desk, desk.browser(), GET, taskId=task["taskId"])
    assert read["board"]["boardId"] == task["boardId"]
    refusal = await desk.refusal(desk.browser(), GET, taskId=task["taskId"], cwd=str(tmp_path))
    assert refusal.code is ErrorCode.TASK_NOT_FOUND


# --- changing -----------------------------------------------------------------------------------


async def test_columns_are_created_and_changed(desk: Desk) -> None:
    agent = an_agent(desk)
    board = await result(desk, agent, GET)
    done = column_of(board, TaskState.DONE)
    column = await result(
        desk, agent, ADD_COLUMN, title="Review", state="in_progress", beforeColumnId=done
    )
    changed = await result(
        desk,
        agent,
        CHANGE_COLUMN,
        columnId=column["columnId"],
        expectedVersion=1,
        description="read by somebody else",
        state="blocked",
    )
    assert changed == column | {
        "description": "read by somebody else",
        "state": "blocked",
        "version": 2,
    }
    board = await result(desk, agent, GET)
    assert [one["title"] for one in board["columns"]][3:5] == ["Review", "Done"]


async def test_a_task_is_moved_and_its_old_version_is_refused(desk: Desk) -> None:
    agent = an_agent(desk)
    board = await result(desk, agent, GET)
    first = await result(desk, agent, ADD, title="first", state="done")
    task = await result(desk, agent, ADD, title="x", metadata=[{"name": "a", "value": "1"}])
    given = {
        "taskId": task["taskId"],
        "expectedVersion": 1,
        "columnId": column_of(board, TaskState.DONE),
        "beforeTaskId": first["taskId"],
    }
    moved = await result(desk, agent, MOVE, **given)
    assert (moved["state"], moved["version"]) == ("done", 2)
    shown = await result(desk, agent, GET, state="done")
    assert [one["title"] for one in shown["tasks"]] == ["x", "first"]
    refusal = await desk.refusal(agent, MOVE, **given)
    assert refusal.code is ErrorCode.CONFLICT
    assert "version 2" in refusal.detail


@pytest.mark.requirement("R-P7, task")
async def test_neither_agent_nor_person_reopens_a_cancelled_task(desk: Desk) -> None:
    agent = an_agent(desk)
    board = await result(desk, agent, GET)
    task = await result(desk, agent, ADD, title="x", state="cancelled")
    known = {"taskId": task["taskId"]}
    version = known | {"expectedVersion": 1}
    before = desk.everything()
    for caller in (agent, desk.browser(), desk.script()):
        for tool, arguments in (
            (CHANGE, version | {"state": "todo"}),
            (CHANGE, version | {"title": "x"}),
            (MOVE, version | {"columnId": column_of(board, TaskState.TODO)}),
            (COMMENT, known | {"text": "after all"}),
        ):
            refusal = await desk.refusal(caller, tool, **arguments)
            assert refusal.code is ErrorCode.TASK_CANCELLED
    after = desk.everything()
    assert {name: after[name] for name in before if name != "token"} == {
        name: before[name] for name in before if name != "token"
    }


@pytest.mark.requirement("R-S4")
@pytest.mark.parametrize(
    "arguments",
    [
        {"title": "x" * 10_000},
        {"title": " \u2003"},
        {"title": "x", "taskId": "task_mine"},
        {"title": "x", "metadata": [{"name": "a", "value": "1"}, {"name": "a", "value": "2"}]},
        {"title": "x", "links": [{"kind": "blueprint", "id": "b"}] * 2},
        {"title": "x", "assignee": {"kind": "conversation"}},
        {"title": "x", "assignee": {"kind": "person", "id": "person_x"}},
        {"title": "x\x00"},
    ],
)
async def test_a_bad_task_is_refused_and_nothing_is_written(
    desk: Desk, arguments: dict[str, Any]
) -> None:
    agent = an_agent(desk)
    before = desk.everything()
    refusal = await desk.refusal(agent, ADD, **arguments)
    assert refusal.code is ErrorCode.INVALID_PARAMS
    assert desk.everything() == before


@pytest.mark.requirement("R-D6")
@pytest.mark.parametrize("tool", [GET, ADD, ADD_COLUMN])
async def test_a_turn_that_has_ended_writes_nothing_on_a_board(desk: Desk, tool: ToolName) -> None:
    agent = an_agent(desk)
    assert agent.lease is not None
    desk.end(desk.turn(agent.lease.turn_id))
    before = desk.everything()
    arguments = {GET: {}, ADD: {"title": "x"}, ADD_COLUMN: {"title": "x", "state": "todo"}}[tool]
    assert (await desk.refusal(agent, tool, **arguments)).code is ErrorCode.TURN_OVER
    assert desk.everything() == before


@pytest.mark.requirement("R-D2")
async def test_what_is_not_there_is_told_before_what_is_final_or_has_changed(desk: Desk) -> None:
    agent = an_agent(desk)
    board = await result(desk, agent, GET)
    given_up = await result(desk, agent, ADD, title="old", state=TaskState.CANCELLED.value)
    named = {"taskId": given_up["taskId"], "expectedVersion": 9}
    link = {"kind": "conversation", "id": "none"}
    column = {"columnId": board["columns"][0]["columnId"], "expectedVersion": 9}
    calls: list[tuple[ToolName, dict[str, Any], ErrorCode]] = [
        (MOVE, named | {"columnId": "none"}, ErrorCode.COLUMN_NOT_FOUND),
        (
            MOVE,
            named | {"columnId": given_up["columnId"], "beforeTaskId": "none"},
            ErrorCode.TASK_NOT_FOUND,
        ),
        (CHANGE, named | {"links": [link]}, ErrorCode.CONVERSATION_NOT_FOUND),
        (CHANGE, named | {"assignee": link}, ErrorCode.CONVERSATION_NOT_FOUND),
        (CHANGE, named | {"assignee": {"kind": "person", "id": "none"}}, ErrorCode.INVALID_PARAMS),
        (CHANGE_COLUMN, column | {"beforeColumnId": "none"}, ErrorCode.COLUMN_NOT_FOUND),
        (CHANGE, named | {"title": "new"}, ErrorCode.TASK_CANCELLED),
        (CHANGE_COLUMN, column, ErrorCode.CONFLICT),
    ]
    for tool, arguments, code in calls:
        refusal = await desk.refusal(agent, tool, **arguments)
        assert (tool, arguments, refusal.code) == (tool, arguments, code)
