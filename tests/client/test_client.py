"""The client: runs by header, a wait for research, and servers that are too old (R-P6, R-P10)."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import anyio
import anyio.to_thread
import pytest

from ccweb.client import Client
from ccweb.client.age import CANONICAL
from ccweb.planning import runs
from ccweb.tools.answer import RUN_FIELD, RUN_HEADER, Answer, Result
from ccweb.tools.context import Context
from ccweb.tools.handlers import HANDLERS, Handler
from ccweb_contract.enums import BlueprintStatus, Door, Lang
from ccweb_contract.errors import REMEDIES, ErrorCode
from ccweb_contract.tools import TOOLS, ToolGroup, ToolName
from tests.cli.commands import environment
from tests.cli.hub import running
from tests.client.old_server import Reply, Sent, error, result, serving
from tests.tools.desk import Desk, a_desk

READ: Final = ToolName.GET_TECHNICAL_BLUEPRINT
LEGACY: Final = ToolName.GET_FEATURE_TECH_PLAN
GIVEN: Final = {"artifact_id": "artifact_1"}
TOKEN: Final = "ccw_token"
WAIT_S: Final = 30


class Research:
    """A blueprint whose research is over after some looks at it."""

    def __init__(self, looks: int) -> None:
        self.left = looks

    def read(self, x: Context, given: Any) -> Result:
        self.left -= 1
        over = self.left < 0
        status = BlueprintStatus.PENDING_REVIEW if over else BlueprintStatus.RESEARCHING
        candidates = [{"task_status": "succeeded"}, {"task_status": "running"}]
        return {**GIVEN, "status": status.value, "candidates": candidates}


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    """Return a desk with one live host."""
    desk = a_desk(tmp_path)
    yield desk
    desk.db.close()


def researched(monkeypatch: pytest.MonkeyPatch, looks: int) -> None:
    """Let the blueprint tool answer that research goes on, so many times."""
    assert isinstance(HANDLERS, dict)
    monkeypatch.setitem(HANDLERS, READ, Handler(run=Research(looks).read, writes=False))


def code(answer: Answer) -> ErrorCode:
    assert answer.refusal is not None, answer.result
    return answer.refusal.code


async def called(client: Client, tool: str = READ, run_id: str | None = None) -> Answer:
    def call() -> Answer:
        return client.call(tool, GIVEN, run_id=run_id)

    with anyio.fail_after(WAIT_S):
        return await anyio.to_thread.run_sync(call)


def command(
    *arguments: str, cwd: Path, token: str = TOKEN, **settings: str
) -> subprocess.CompletedProcess[str]:
    """Run `ccweb call` in a folder."""
    return subprocess.run(
        [sys.executable, "-m", "ccweb.cli", "call", *arguments],
        env={**environment(cwd / "data", **settings), "CCWEB_TOKEN": token},
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=WAIT_S,
        check=False,
    )


# --- runs ---------------------------------------------------------------------------------------


@pytest.mark.requirement("R-P1", "R-P10")
@pytest.mark.parametrize(("mcp_status", "door"), [(0, Door.MCP), (404, Door.HTTP)])
async def test_a_run_goes_on_through_both_doors_and_its_calls_are_listed(
    desk: Desk, free_port: int, monkeypatch: pytest.MonkeyPatch, mcp_status: int, door: Door
) -> None:
    researched(monkeypatch, 0)
    async with running(desk, free_port, mcp_status=mcp_status) as hub:
        client = Client(hub.url, desk.token().secret)
        first = await called(client)
        assert first.result is not None
        run_id = first.result[RUN_FIELD]
        again = await called(client, run_id=run_id)
        assert again.result is not None
        assert again.result[RUN_FIELD] == run_id
        assert code(await called(client, run_id="run_none")) is ErrorCode.RUN_NOT_FOUND
        assert code(await called(client, "nothing", run_id=run_id)) is ErrorCode.UNKNOWN_TOOL
    with desk.db.connect() as c:
        calls = runs.calls(c, run_id)
    assert [(call.tool, call.door, call.outcome) for call in calls] == [
        (READ, door, runs.DONE),
        (READ, door, runs.DONE),
    ]


@pytest.mark.requirement("R-P1")
async def test_another_tokens_person_is_one_holder_and_a_conversation_another(
    desk: Desk, free_port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    researched(monkeypatch, 0)
    theirs = desk.token(desk.conversation("A")).secret
    async with running(desk, free_port) as hub:
        first = await called(Client(hub.url, desk.token().secret))
        assert first.result is not None
        run_id = first.result[RUN_FIELD]
        mine = await called(Client(hub.url, desk.token().secret), run_id=run_id)
        assert mine.result is not None
        foreign = await called(Client(hub.url, theirs), run_id=run_id)
        assert code(foreign) is ErrorCode.RUN_NOT_FOUND


@pytest.mark.requirement("R-S1")
@pytest.mark.parametrize("value", ["run_1\r\nX-Evil: 1", "run 1", "ラン"])
def test_what_no_header_can_carry_is_never_sent(value: str) -> None:
    with serving(lambda sent: result(sent, structuredContent={})) as server:
        with pytest.raises(ValueError, match="run id"):
            Client(server.url, TOKEN).call(READ, GIVEN, run_id=value)
        with pytest.raises(ValueError, match="token"):
            Client(server.url, value)
    assert server.sent == []


# --- waiting ------------------------------------------------------------------------------------


@pytest.mark.requirement("R-P10")
async def test_a_wait_calls_in_one_run_at_growing_pauses_until_research_is_over(
    desk: Desk, free_port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    researched(monkeypatch, 9)
    seen: list[Result] = []
    pauses: list[float] = []
    async with running(desk, free_port) as hub:
        client = Client(hub.url, desk.token().secret)

        def wait() -> Answer:
            return client.wait(READ, GIVEN, seen=seen.append, pause=pauses.append)

        with anyio.fail_after(WAIT_S):
            answer = await anyio.to_thread.run_sync(wait)
    assert answer.result is not None
    assert answer.result["status"] == BlueprintStatus.PENDING_REVIEW
    assert [one["status"] for one in seen] == [BlueprintStatus.RESEARCHING] * 9
    assert {one[RUN_FIELD] for one in seen} == {answer.result[RUN_FIELD]}
    assert pauses == sorted(pauses)
    assert (pauses[0], pauses[-1]) == (0.5, 5.0)


def test_a_wait_ends_with_a_refusal() -> None:
    with serving(lambda sent: (401, {"error_code": "authentication_failed"})) as server:
        answer = Client(server.url, TOKEN).wait(READ, GIVEN, pause=lambda _: None)
    assert code(answer) is ErrorCode.AUTHENTICATION_FAILED
    assert len(server.sent) == 1


async def test_call_with_wait_tells_its_progress_on_standard_error(
    desk: Desk, free_port: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    researched(monkeypatch, 1)
    token = desk.token().secret
    async with running(desk, free_port) as hub:

        def call() -> subprocess.CompletedProcess[str]:
            given = json.dumps(GIVEN)
            how = ("--wait", "--json")
            return command(READ, given, *how, cwd=tmp_path, token=token, CCWEB_URL=hub.url)

        with anyio.fail_after(WAIT_S):
            ended = await anyio.to_thread.run_sync(call)
    assert ended.returncode == 0
    assert json.loads(ended.stdout)["status"] == BlueprintStatus.PENDING_REVIEW
    assert ended.stderr.splitlines() == ["Researching: 1 of 2 repositories read"]


def test_only_tools_that_research_can_be_waited_for(tmp_path: Path) -> None:
    ended = command(ToolName.CCWEB_LIST_CONVERSATIONS, "--wait", cwd=tmp_path)
    assert (ended.returncode, ended.stdout, len(ended.stderr.splitlines())) == (2, "", 1)


# --- servers that are too old -------------------------------------------------------------------


def _unknown_error(sent: Sent) -> Reply:
    return error(sent, -32602, f"Unknown tool: {sent.body['params']['name']}")


def _unknown_code(sent: Sent) -> Reply:
    return error(sent, -32602, "There is none.", error_code="unknown_tool", detail="", remedy="")


def _unknown_result(sent: Sent) -> Reply:
    content = [{"type": "text", "text": "Unknown tool: it"}]
    return result(sent, content=content, isError=True)


def _no_mcp_and_404(sent: Sent) -> Reply:
    return 404, {"detail": "Not Found"}


def _no_mcp_and_a_page(sent: Sent) -> Reply:
    return 404, None


def _not_listed(sent: Sent) -> Reply:
    if sent.method != "tools/list":
        return error(sent, -32603, "Internal error")
    if "cursor" in sent.body["params"]:
        return result(sent, tools=[{"name": "other"}])
    return result(sent, tools=[{"name": LEGACY.value}], nextCursor="2")


OLD: Final = {
    "-32602": _unknown_error,
    "unknown_tool": _unknown_code,
    "a result in words": _unknown_result,
    "404": _no_mcp_and_404,
    "404 with a page": _no_mcp_and_a_page,
    "not listed": _not_listed,
}


def test_all_planning_tools_but_those_of_feature_lists_are_canonical() -> None:
    planning = {name for name, tool in TOOLS.items() if tool.group is ToolGroup.FRIDAY}
    assert {name for name in planning if "feature" not in name} == CANONICAL


@pytest.mark.requirement("R-P6", "R-P10", "FC-46")
@pytest.mark.parametrize("old", OLD)
@pytest.mark.parametrize("tool", sorted(CANONICAL))
def test_a_server_without_a_blueprint_tool_is_too_old_and_no_other_tool_is_tried(
    tool: str, old: str
) -> None:
    with serving(OLD[old]) as server:
        answer = Client(server.url, TOKEN).call(tool, GIVEN)
    assert code(answer) is ErrorCode.MCP_VERSION_TOO_OLD
    assert answer.refusal is not None
    assert answer.refusal.remedy == REMEDIES[ErrorCode.MCP_VERSION_TOO_OLD][Lang.EN]
    for sent in server.sent:
        assert (
            sent.path == f"/api/mcp/tools/{tool}/"
            or sent.method == "tools/list"
            or sent.body["params"]["name"] == tool
        )


@pytest.mark.requirement("R-P6")
@pytest.mark.parametrize("old", OLD)
def test_for_any_other_tool_an_unknown_name_is_just_that(old: str) -> None:
    with serving(OLD[old]) as server:
        answer = Client(server.url, TOKEN).call(LEGACY, {"session_id": "session_1"})
    assert code(answer) is not ErrorCode.MCP_VERSION_TOO_OLD


@pytest.mark.requirement("R-P6")
@pytest.mark.parametrize("listed", [True, None])
def test_an_error_of_a_server_that_lists_the_tool_or_shows_no_list_is_no_sign_of_age(
    listed: bool | None,
) -> None:
    def reply(sent: Sent) -> Reply:
        if sent.method == "tools/list" and listed:
            return result(sent, tools=[{"name": READ.value}])
        return error(sent, -32603, "Internal error")

    with serving(reply) as server:
        answer = Client(server.url, TOKEN).call(READ, GIVEN)
    assert code(answer) is not ErrorCode.MCP_VERSION_TOO_OLD


@pytest.mark.requirement("R-P6")
@pytest.mark.parametrize(
    ("status", "error_code"),
    [(400, ErrorCode.ARTIFACT_NOT_FOUND), (409, ErrorCode.STALE), (401, "authentication_failed")],
)
def test_a_refusal_of_a_present_server_stays_what_it_is(status: int, error_code: str) -> None:
    def reply(sent: Sent) -> Reply:
        if sent.path == "/mcp":
            return 404, {"detail": "Not Found"}
        return status, {"error_code": error_code, "detail": "x", "remedy": "y"}

    with serving(reply) as server:
        assert code(Client(server.url, TOKEN).call(READ, GIVEN)) == error_code


@pytest.mark.requirement("R-P6")
def test_the_command_says_so_with_the_remedy_and_ends_with_1(tmp_path: Path) -> None:
    with serving(_no_mcp_and_404) as server:
        ended = command(READ, json.dumps(GIVEN), cwd=tmp_path, CCWEB_URL=server.url)
    assert (ended.returncode, ended.stdout) == (1, "")
    assert ended.stderr.startswith(ErrorCode.MCP_VERSION_TOO_OLD)
    assert REMEDIES[ErrorCode.MCP_VERSION_TOO_OLD][Lang.EN] in ended.stderr


# --- the branch ---------------------------------------------------------------------------------


def a_checkout(path: Path, *, branch: str = "feature/礼品卡", committed: bool = True) -> Path:
    """Make a git repository on a branch."""
    identity = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
    steps: list[tuple[str, ...]] = [("init", "-q", "-b", branch)]
    if committed:
        steps.append((*identity, "commit", "-q", "--allow-empty", "-m", "First"))
    for step in steps:
        subprocess.run(["git", *step], cwd=path, check=True, timeout=WAIT_S)
    return path


@pytest.mark.requirement("R-P10", "R-P8")
def test_the_branch_of_the_folder_is_sent(tmp_path: Path) -> None:
    a_checkout(tmp_path)
    below = tmp_path / "below"
    below.mkdir()
    with serving(lambda sent: result(sent, structuredContent={})) as server:
        tool = ToolName.CREATE_FEATURE_TECH_PLAN
        ended = command(tool, "--branch", "--run", "run_1", cwd=below, CCWEB_URL=server.url)
    assert ended.returncode == 0, ended.stderr
    (sent,) = server.sent
    assert sent.body["params"]["arguments"] == {"branch_name": "feature/礼品卡"}
    assert sent.headers[RUN_HEADER.lower()] == "run_1"


@pytest.mark.requirement("R-P10")
@pytest.mark.parametrize("case", ["detached", "nothing committed", "no repository"])
def test_a_folder_on_no_branch_is_said_and_nothing_is_sent(tmp_path: Path, case: str) -> None:
    if case != "no repository":
        a_checkout(tmp_path, committed=case == "detached")
    if case == "detached":
        subprocess.run(["git", "checkout", "-q", "--detach"], cwd=tmp_path, check=True)
    with serving(lambda sent: result(sent, structuredContent={})) as server:
        tool = ToolName.CREATE_FEATURE_TECH_PLAN
        ended = command(tool, "--branch", cwd=tmp_path, CCWEB_URL=server.url)
    assert (ended.returncode, ended.stdout, len(ended.stderr.splitlines())) == (1, "", 1)
    assert str(tmp_path) in ended.stderr
    assert server.sent == []
