"""Decisions are taken on the work item as its source has it in that moment, or not at all."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import pytest

from ccweb.clock import system_clock
from ccweb.planning.model import Repository
from ccweb.tools.answer import Answer
from ccweb.tools.dispatch import Call
from ccweb_contract.enums import BlueprintStatus, Door, ReworkScope
from ccweb_contract.errors import ErrorCode
from ccweb_contract.tools import ToolName
from tests.planning.sources import feishu_world
from tests.planning.sources.feishu_server import Server
from tests.planning.sources.feishu_world import server
from tests.planning.world import TASK, an_answer, an_empty_world, settle_in
from tests.tools.test_planning import (
    ANSWER,
    APPROVE,
    FETCH,
    GET,
    RESEARCH,
    SEND_BACK,
    PlanningDesk,
    till,
)

__all__ = ["server", "till"]

DECISIONS = {
    ANSWER: BlueprintStatus.CLARIFYING,
    RESEARCH: BlueprintStatus.CLARIFYING,
    SEND_BACK: BlueprintStatus.PENDING_REVIEW,
    APPROVE: BlueprintStatus.PENDING_REVIEW,
}
"""Each decision with a state in which it is the next step."""
RUNS = {"planning_run", "sqlite_sequence"}
"""What is written of a call that is refused."""
A_GUESS = {"artifact_version_id": "v", "content_hash": "h", "technical_plan_id": "p"}


@pytest.fixture
def desk(tmp_path: Path, server: Server) -> Iterator[PlanningDesk]:
    """Return a desk that plans a work item of Feishu."""
    world = an_empty_world(tmp_path)
    desk = PlanningDesk(db=world.db, settings=world.settings, now=system_clock(), ids=world.ids)
    settle_in(desk)
    feishu_world.plan_from(desk, server)
    yield desk
    desk.db.close()


def decision(desk: PlanningDesk, till: Repository, tool: ToolName) -> tuple[str, dict[str, Any]]:
    """Return a new blueprint, and the arguments of a decision that is its next step."""
    artifact_id = desk.create(till).id
    clarifying = DECISIONS[tool] is BlueprintStatus.CLARIFYING
    desk.finish_work(an_answer(questions=["Which cards?"] if clarifying else []))
    assert desk.status(artifact_id) is DECISIONS[tool]
    match tool:
        case ToolName.ANSWER_BLUEPRINT_CLARIFICATION:
            (thread_id,) = desk.open_questions(artifact_id)
            return artifact_id, {"thread_id": thread_id, "body": "All"}
        case ToolName.APPROVE_TECHNICAL_BLUEPRINT:
            return artifact_id, desk.approval(artifact_id)
        case ToolName.REQUEST_TECHNICAL_BLUEPRINT_CHANGES:
            given = {"comment": "no", "rework_scope": ReworkScope.TEXT.value}
            return artifact_id, {"artifact_id": artifact_id} | given
        case _:
            return artifact_id, {"artifact_id": artifact_id, "repository_ids": [till.id]}


@pytest.mark.requirement("R-P7")
@pytest.mark.parametrize("tool", DECISIONS)
async def test_a_cancellation_that_nobody_has_fetched_refuses_a_decision_and_is_remembered(
    desk: PlanningDesk, till: Repository, server: Server, tool: ToolName
) -> None:
    artifact_id, arguments = decision(desk, till, tool)
    before = desk.rows()
    feishu_world.cancel(server)
    for caller in (desk.own_agent(), desk.script(), desk.ada):
        assert await desk.code(caller, tool, **arguments) is ErrorCode.ORPHAN_READ_ONLY
    assert desk.rows() == before
    assert (await desk.told(desk.ada, GET, artifact_id=artifact_id))["orphan"]


@pytest.mark.requirement("R-P7")
@pytest.mark.parametrize("tool", DECISIONS)
async def test_nothing_is_decided_on_a_work_item_that_cannot_be_looked_at(
    desk: PlanningDesk, till: Repository, server: Server, tool: ToolName
) -> None:
    _, arguments = decision(desk, till, tool)
    before = desk.everything()
    server.down = True
    assert await desk.code(desk.ada, tool, **arguments) is ErrorCode.UNAVAILABLE
    after = desk.everything()
    assert {name for name in after if after[name] != before[name]} <= RUNS
    server.down = False
    await desk.told(desk.ada, tool, **arguments)


@pytest.mark.requirement("R-P7")
async def test_an_item_that_its_source_has_no_more_is_decided_on_by_nobody(
    desk: PlanningDesk, till: Repository, server: Server
) -> None:
    _, arguments = decision(desk, till, APPROVE)
    server.item["id"] = 1
    assert await desk.code(desk.ada, APPROVE, **arguments) is ErrorCode.WORK_ITEM_NOT_FOUND
    assert desk.rows("confirmation") == []


@pytest.mark.requirement("R-P1")
async def test_who_may_not_decide_asks_no_source(
    desk: PlanningDesk, till: Repository, server: Server
) -> None:
    decision(desk, till, APPROVE)
    asked = len(server.asked)
    for tool in (APPROVE, RESEARCH):
        arguments = {"artifact_id": "artifact_other"} | (A_GUESS if tool is APPROVE else {})
        assert await desk.code(desk.ada, tool, **arguments) is ErrorCode.ARTIFACT_NOT_FOUND
    assert len(server.asked) == asked


async def test_a_source_that_takes_its_time_holds_up_no_other_call(
    desk: PlanningDesk, till: Repository, server: Server
) -> None:
    _, approval = decision(desk, till, APPROVE)
    dispatcher = desk.dispatcher
    answers: list[Answer] = []

    async def call(tool: ToolName, **arguments: Any) -> None:
        one = Call(tool=tool, arguments=arguments, door=Door.MCP, caller=desk.ada)
        answers.append(await dispatcher.call(one))

    asked = len(server.asked)
    server.free.clear()
    with anyio.fail_after(10):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(partial(call, APPROVE, **approval))
            while len(server.asked) == asked:
                await anyio.sleep(0.005)
            await call(FETCH, work_item_id=TASK)
            assert [answer.refusal for answer in answers] == [None]
            server.free.set()
    assert [answer.refusal for answer in answers] == [None, None]
    assert len(desk.rows("confirmation")) == 1
