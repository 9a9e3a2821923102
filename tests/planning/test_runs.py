"""Runs: opened by the first call, gone on with by id, and every call written down (R-P1)."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import anyio
import pytest
from sqlalchemy import text

from ccweb.access.model import Caller
from ccweb.planning import runs
from ccweb.planning.errors import ArtifactNotFound
from ccweb.planning.runs import DONE, ListedCall
from ccweb.tools.answer import RUN_FIELD, Answer, Result
from ccweb.tools.context import Context
from ccweb.tools.dispatch import Call, Dispatcher
from ccweb.tools.handlers import HANDLERS, Handler
from ccweb_contract.enums import Door, TokenScope
from ccweb_contract.errors import ErrorCode
from ccweb_contract.tools import ToolName
from tests.relay.world import HOST
from tests.tools.desk import Desk, a_desk

READ, WRITE = ToolName.GET_TECHNICAL_BLUEPRINT, ToolName.START_REPO_RESEARCH
OTHER = ToolName.CCWEB_LIST_CONVERSATIONS
ARTIFACT = "artifact_1"


def _found(x: Context, given: Any) -> Result:
    """Stand for any planning tool: what it does makes no difference to its run."""
    if given.artifact_id != ARTIFACT:
        raise ArtifactNotFound(artifact_id=given.artifact_id)
    return {"artifact_id": given.artifact_id}


class Planner:
    """A desk whose dispatcher lives on, as a hub's does."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self.dispatcher = Dispatcher(desk.db, desk.settings, host_id=HOST, clock=lambda: desk.m)

    async def call(
        self,
        caller: Caller,
        tool: ToolName = READ,
        *,
        door: Door = Door.HTTP,
        run_id: str | None = None,
        arguments: Any = None,
    ) -> Answer:
        given = {"artifact_id": ARTIFACT} if arguments is None else arguments
        return await self.dispatcher.call(
            Call(tool=tool, arguments=given, door=door, caller=caller, run_id=run_id)
        )

    async def run(self, caller: Caller, tool: ToolName = READ, **how: Any) -> str:
        """Make a call and return the run that its answer names."""
        answer = await self.call(caller, tool, **how)
        assert answer.result is not None, answer.refusal
        run_id = answer.result[RUN_FIELD]
        assert isinstance(run_id, str)
        return run_id

    async def calls(self, run_id: str) -> list[ListedCall]:
        """Return the calls of a run, once all that is noted is written."""
        await self.dispatcher.run_log.flush()
        with self.desk.db.connect() as c:
            return runs.calls(c, run_id)

    def count(self) -> int:
        with self.desk.db.connect() as c:
            found: int = c.execute(text("SELECT count(*) FROM planning_run")).scalar_one()
            return found


@pytest.fixture
def planner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Planner]:
    """Return a planner with a tool that reads and one that writes."""
    for tool, writes in ((READ, False), (WRITE, True)):
        monkeypatch.setitem(_handlers(), tool, Handler(run=_found, writes=writes))
    desk = a_desk(tmp_path)
    yield Planner(desk)
    desk.db.close()


def _handlers() -> dict[ToolName, Handler]:
    handlers: Mapping[ToolName, Handler] = HANDLERS
    assert isinstance(handlers, dict)
    return handlers


def code(answer: Answer) -> ErrorCode:
    assert answer.refusal is not None, answer.result
    return answer.refusal.code


@pytest.mark.requirement("R-P1")
async def test_the_first_call_opens_a_run_and_later_ones_go_on_with_it(planner: Planner) -> None:
    script = planner.desk.script()
    run_id = await planner.run(script, WRITE)
    assert await planner.run(script, READ, run_id=run_id) == run_id
    assert await planner.run(script, WRITE, run_id=run_id) == run_id
    assert [call.tool for call in await planner.calls(run_id)] == [WRITE, READ, WRITE]
    assert planner.count() == 1


@pytest.mark.requirement("R-P1")
async def test_a_call_is_listed_with_its_time_caller_door_tool_and_outcome(
    planner: Planner,
) -> None:
    desk = planner.desk
    script, browser = desk.script(), desk.browser()
    run_id = await planner.run(browser, WRITE, door=Door.HTTP)
    await planner.call(script, READ, run_id=run_id, arguments={"artifact_id": "artifact_2"})
    first, second = await planner.calls(run_id)
    assert (first.caller_id, first.door, first.outcome) == (browser.person_id, Door.HTTP, DONE)
    assert (first.about_id, second.about_id) == (ARTIFACT, "artifact_2")
    assert (second.caller_id, second.caller_name) == (script.token_id, "test")
    assert second.outcome == ErrorCode.ARTIFACT_NOT_FOUND
    assert second.created_at > first.created_at


@pytest.mark.requirement("R-P1")
async def test_tools_of_other_groups_open_no_run_and_ignore_its_header(planner: Planner) -> None:
    script = planner.desk.script()
    for run_id in (None, "run_none", "nonsense\n"):
        answer = await planner.call(script, OTHER, run_id=run_id, arguments={})
        assert answer.result is not None
        assert RUN_FIELD not in answer.result
    assert planner.count() == 0


@pytest.mark.requirement("R-P1")
@pytest.mark.parametrize(
    "run_id", ["run_none", "run_", "run", "artifact_1", "run_1 ", "run_1\n", "run_%", "x" * 9000]
)
async def test_a_run_that_is_not_there_is_refused_and_changes_nothing(
    planner: Planner, run_id: str
) -> None:
    script = planner.desk.script()
    await planner.run(script, WRITE)
    before = planner.desk.everything()
    for tool in (READ, WRITE):
        assert code(await planner.call(script, tool, run_id=run_id)) is ErrorCode.RUN_NOT_FOUND
    await planner.dispatcher.run_log.flush()
    assert planner.desk.everything() == before


@pytest.mark.requirement("R-P1")
async def test_a_run_is_nobody_elses(planner: Planner) -> None:
    desk = planner.desk
    source = desk.conversation("Source")
    agent, other = desk.agent(source), desk.agent(desk.conversation("Other"))
    run_id = await planner.run(agent, WRITE)
    for stranger in (other, desk.script(), desk.browser()):
        refused = await planner.call(stranger, run_id=run_id)
        assert code(refused) is ErrorCode.RUN_NOT_FOUND
    assert await planner.run(desk.script(source), run_id=run_id) == run_id
    assert len(await planner.calls(run_id)) == 2


@pytest.mark.requirement("R-P1")
@pytest.mark.parametrize(
    ("arguments", "about_id"),
    [
        ({}, None),
        ([], None),
        ("x", None),
        ({"artifact_id": 1}, None),
        ({"artifact_id": ""}, None),
        ({"artifact_id": "x" * 100_000}, None),
        ({"artifact_id": ARTIFACT, "more": 1}, ARTIFACT),
    ],
)
async def test_a_call_with_wrong_arguments_is_listed_in_the_run_that_it_names(
    planner: Planner, arguments: Any, about_id: str | None
) -> None:
    script = planner.desk.script()
    run_id = await planner.run(script, WRITE)
    refused = await planner.call(script, run_id=run_id, arguments=arguments)
    assert code(refused) is ErrorCode.INVALID_PARAMS
    last = (await planner.calls(run_id))[-1]
    assert (last.outcome, last.about_id) == (ErrorCode.INVALID_PARAMS, about_id)
    assert code(await planner.call(script, arguments=arguments)) is ErrorCode.INVALID_PARAMS
    assert planner.count() == 1


@pytest.mark.requirement("R-P1")
async def test_a_token_without_the_right_is_listed_too(planner: Planner) -> None:
    desk = planner.desk
    run_id = await planner.run(desk.script(), WRITE)
    barred = desk.script(scopes=[TokenScope.APPROVE])
    assert code(await planner.call(barred, run_id=run_id)) is ErrorCode.FORBIDDEN
    assert [call.outcome for call in await planner.calls(run_id)] == [DONE, ErrorCode.FORBIDDEN]


@pytest.mark.requirement("R-P1")
async def test_an_agent_that_can_send_no_header_goes_on_with_its_run_about_the_same_thing(
    planner: Planner,
) -> None:
    desk = planner.desk
    agent, other = desk.agent(desk.conversation("A")), desk.agent(desk.conversation("B"))
    run_id = await planner.run(agent, WRITE, door=Door.MCP)
    assert await planner.run(agent, READ, door=Door.MCP) == run_id
    assert await planner.run(agent, READ, door=Door.INTERNAL) == run_id
    assert await planner.run(other, READ, door=Door.MCP) != run_id
    assert await planner.run(agent, READ, door=Door.HTTP) != run_id


@pytest.mark.requirement("R-P1")
async def test_what_changed_something_is_listed_with_the_change_itself(planner: Planner) -> None:
    """Whatever kills the hub afterwards, the change and its line are both there or both not."""
    run_id = await planner.run(planner.desk.script(), WRITE)
    with planner.desk.db.connect() as c:
        assert [call.outcome for call in runs.calls(c, run_id)] == [DONE]


@pytest.mark.requirement("R-P1")
async def test_reads_are_written_in_a_batch_soon_and_whatever_is_left_at_the_end(
    planner: Planner,
) -> None:
    script, log = planner.desk.script(), planner.dispatcher.run_log
    run_id = await planner.run(script, WRITE)

    def listed() -> int:
        with planner.desk.db.connect() as c:
            return len(runs.calls(c, run_id))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(log.keep)
        for _ in range(3):
            await planner.run(script, run_id=run_id)
        assert listed() == 1
        with anyio.fail_after(10):
            while listed() < 4:
                await anyio.sleep(0.005)
        await planner.run(script, run_id=run_id)
        tasks.cancel_scope.cancel()
    assert listed() == 5


async def test_calls_about_a_thing_are_found_over_all_runs(planner: Planner) -> None:
    desk = planner.desk
    first = await planner.run(desk.script(), WRITE)
    second = await planner.run(desk.agent(desk.conversation("A")), WRITE)
    with desk.db.connect() as c:
        assert [call.run_id for call in runs.calls_about(c, ARTIFACT)] == [first, second]
        assert runs.calls_about(c, "artifact_2") == []


async def test_what_no_column_holds_loses_no_other_call(planner: Planner) -> None:
    script = planner.desk.script()
    run_id = await planner.run(script)
    for unclean in ("half \ud800", "nul \x00"):
        answer = await planner.call(script, run_id=run_id, arguments={"artifact_id": unclean})
        assert code(answer) is ErrorCode.INVALID_PARAMS
    calls = [(call.outcome, call.about_id) for call in await planner.calls(run_id)]
    assert calls == [(DONE, ARTIFACT), *[(ErrorCode.INVALID_PARAMS, None)] * 2]
