"""friday's canonical tools: what they answer, to whom, and with which code they refuse."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from ccweb.access import service as access
from ccweb.access.model import Browser
from ccweb.clock import system_clock
from ccweb.planning.model import Repository
from ccweb_contract.enums import (
    AskKind,
    BlueprintStatus,
    CandidateRole,
    Door,
    ReworkScope,
    TaskState,
    TokenScope,
)
from ccweb_contract.errors import HTTP_STATUS, ErrorCode
from ccweb_contract.tools import TOOLS, ToolName
from tests.planning.world import BOARD, FILE, TASK, Planning, an_answer, an_empty_world, settle_in
from tests.tools.desk import Desk, fits

FETCH = ToolName.GET_FEISHU_WORK_ITEM_CONTEXT
CREATE = ToolName.CREATE_FEISHU_TECHNICAL_PLAN
GET = ToolName.GET_TECHNICAL_BLUEPRINT
ANSWER = ToolName.ANSWER_BLUEPRINT_CLARIFICATION
SEND_BACK = ToolName.REQUEST_TECHNICAL_BLUEPRINT_CHANGES
APPROVE = ToolName.APPROVE_TECHNICAL_BLUEPRINT
RESEARCH = ToolName.START_REPO_RESEARCH


@dataclass
class PlanningDesk(Planning, Desk):
    """A shop with the dispatcher in front."""

    @property
    def ada(self) -> Browser:
        return Browser(person_id=self.human.person_id, name="Ada")

    async def told(self, caller: Any, tool: ToolName, **arguments: Any) -> dict[str, Any]:
        """Return a result that keeps what the tool promises."""
        answer = await self.result(caller, tool, **arguments)
        assert fits(TOOLS[tool], answer)
        return answer

    async def code(self, caller: Any, tool: ToolName, **arguments: Any) -> ErrorCode:
        return (await self.refusal(caller, tool, **arguments)).code

    def own_agent(self) -> Any:
        return self.agent(self.conversation("Planner"))

    async def begun(self, caller: Any) -> dict[str, Any]:
        """Fetch the task and begin its blueprint, as a client does."""
        context = await self.told(caller, FETCH, work_item_id=TASK)
        return await self.told(
            caller,
            CREATE,
            context_id=context["context_id"],
            idempotency_key="task_1-created",
            blueprint_project_id=context["blueprint_project_id"],
        )

    def approval(self, artifact_id: str) -> dict[str, str]:
        """Return the arguments with which the present text is approved."""
        shown = self.shown(artifact_id)
        return {
            "artifact_id": artifact_id,
            "artifact_version_id": shown.version_id,
            "content_hash": shown.content_hash,
            "technical_plan_id": shown.plan_id,
        }


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[PlanningDesk]:
    """Return a desk at the present time, with a task and a project without repositories."""
    world = an_empty_world(tmp_path)
    desk = PlanningDesk(db=world.db, settings=world.settings, now=system_clock(), ids=world.ids)
    settle_in(desk)
    yield desk
    desk.db.close()


@pytest.fixture
def till(desk: PlanningDesk, tmp_path: Path) -> Repository:
    """Return the repository of the project."""
    return desk.repository(tmp_path, "till")


# --- the story ----------------------------------------------------------------------------------


@pytest.mark.requirement("R-P2", "R-P3", "R-P4")
async def test_the_whole_way_from_a_task_to_an_approval(
    desk: PlanningDesk, till: Repository
) -> None:
    agent = desk.own_agent()
    begun = await desk.begun(agent)
    artifact_id = begun["blueprint_artifact_id"]
    assert begun["status"] == BlueprintStatus.RESEARCHING
    reading = await desk.told(agent, GET, artifact_id=artifact_id)
    assert reading["technical_plan_id"] == begun["technical_plan_id"]
    assert reading["project_id"] == begun["project_id"] == desk.shop.id
    assert "markdown" not in reading
    desk.finish_work(an_answer(questions=["Which cards?"]))
    (thread,) = (await desk.told(agent, GET, artifact_id=artifact_id))["threads"]
    assert thread["answerable"]
    answered = await desk.told(desk.ada, ANSWER, thread_id=thread["thread_id"], body="All")
    assert answered["status"] == BlueprintStatus.PENDING_REVIEW
    assert answered["threads"][0]["answered_by"] == "Ada"
    assert not answered["threads"][0]["answerable"]
    back = await desk.told(
        desk.ada,
        SEND_BACK,
        artifact_id=artifact_id,
        comment="Say more.",
        rework_scope=ReworkScope.TEXT.value,
    )
    assert (back["version"], back["status"]) == (2, BlueprintStatus.PENDING_REVIEW)
    approved = await desk.told(
        desk.ada,
        APPROVE,
        artifact_id=artifact_id,
        artifact_version_id=back["artifact_version_id"],
        content_hash=back["content_hash"],
        technical_plan_id=back["technical_plan_id"],
    )
    read = await desk.told(agent, GET, artifact_id=artifact_id)
    assert read["confirmed"] == approved["confirmed"]
    assert approved["confirmed"]["confirmed_by"] == "Ada"


@pytest.mark.requirement("R-P2")
async def test_a_fetched_item_tells_space_and_project_apart(
    desk: PlanningDesk, till: Repository
) -> None:
    context = await desk.told(desk.ada, FETCH, work_item_id=TASK)
    assert (context["project_id"], context["space_id"]) == (BOARD, BOARD)
    assert context["blueprint_project_id"] == desk.shop.id
    assert "blueprint_artifact_id" not in context
    begun = await desk.begun(desk.ada)
    context = await desk.told(desk.ada, FETCH, work_item_id=TASK)
    assert context["blueprint_artifact_id"] == begun["blueprint_artifact_id"]


@pytest.mark.requirement("R-P3")
async def test_evidence_is_told_with_what_is_missing(desk: PlanningDesk, till: Repository) -> None:
    artifact_id = (await desk.begun(desk.ada))["blueprint_artifact_id"]
    (before,) = (await desk.told(desk.ada, GET, artifact_id=artifact_id))["candidates"]
    assert len(before["missing_fields"]) == 3
    desk.finish_work()
    (after,) = (await desk.told(desk.ada, GET, artifact_id=artifact_id))["candidates"]
    assert after["role"] == CandidateRole.DIRECT
    assert (after["missing_fields"], after["evidence_files"]) == ([], [FILE])


# --- refusals -----------------------------------------------------------------------------------


@pytest.mark.requirement("R-P6")
async def test_what_is_missing_is_never_a_404(desk: PlanningDesk, till: Repository) -> None:
    context = await desk.told(desk.ada, FETCH, work_item_id=TASK)
    create = {"idempotency_key": "k", "blueprint_project_id": desk.shop.id}
    approval = {"artifact_version_id": "v", "content_hash": "h", "technical_plan_id": "p"}
    refusals = [
        await desk.refusal(desk.ada, FETCH, work_item_id="task_other"),
        await desk.refusal(desk.ada, CREATE, context_id="context_other", **create),
        await desk.refusal(
            desk.ada,
            CREATE,
            context_id=context["context_id"],
            **create | {"blueprint_project_id": "project_other"},
        ),
        await desk.refusal(desk.ada, GET, artifact_id="artifact_other"),
        await desk.refusal(desk.ada, ANSWER, thread_id="thread_other", body="yes"),
        await desk.refusal(
            desk.ada, ANSWER, thread_id="thread_other", body="yes", artifact_id="artifact_other"
        ),
        await desk.refusal(
            desk.ada, SEND_BACK, artifact_id="artifact_other", comment="no", rework_scope="text"
        ),
        await desk.refusal(desk.ada, APPROVE, artifact_id="artifact_other", **approval),
        await desk.refusal(desk.ada, RESEARCH, artifact_id="artifact_other"),
    ]
    codes = [refusal.code for refusal in refusals]
    assert codes == [
        ErrorCode.WORK_ITEM_NOT_FOUND,
        ErrorCode.CONTEXT_NOT_FOUND,
        ErrorCode.PROJECT_MISMATCH,
        ErrorCode.ARTIFACT_NOT_FOUND,
        ErrorCode.THREAD_NOT_FOUND,
        ErrorCode.ARTIFACT_NOT_FOUND,
        ErrorCode.ARTIFACT_NOT_FOUND,
        ErrorCode.ARTIFACT_NOT_FOUND,
        ErrorCode.ARTIFACT_NOT_FOUND,
    ]
    assert 404 not in {refusal.http_status for refusal in refusals}


@pytest.mark.requirement("R-P2")
async def test_the_space_in_place_of_the_project_is_refused_in_words(
    desk: PlanningDesk, till: Repository
) -> None:
    context = await desk.told(desk.ada, FETCH, work_item_id=TASK)
    refusal = await desk.refusal(
        desk.ada,
        CREATE,
        context_id=context["context_id"],
        idempotency_key="k",
        blueprint_project_id=context["project_id"],
    )
    assert refusal.code is ErrorCode.PROJECT_MISMATCH
    assert "space" in refusal.detail


@pytest.mark.requirement("R-P4")
async def test_agents_decide_nothing_and_a_person_is_asked(
    desk: PlanningDesk, till: Repository
) -> None:
    agent = desk.own_agent()
    artifact_id = (await desk.begun(agent))["blueprint_artifact_id"]
    desk.finish_work(an_answer(questions=["Which cards?"]))
    (thread_id,) = desk.open_questions(artifact_id)
    refusal = await desk.refusal(agent, ANSWER, thread_id=thread_id, body="All")
    (ask,) = desk.asks(agent.conversation_id)
    assert refusal.code is ErrorCode.HUMAN_REQUIRED
    assert refusal.http_status == 403
    assert ask.id in refusal.detail and ask.kind is AskKind.BLUEPRINT_QUESTION
    assert desk.open_questions(artifact_id) == [thread_id]
    desk.answer_question(thread_id, "All")
    send_back = {"comment": "no", "rework_scope": ReworkScope.TEXT.value}
    for tool, arguments in ((APPROVE, desk.approval(artifact_id)), (SEND_BACK, send_back)):
        given = {"artifact_id": artifact_id} | arguments
        assert await desk.code(agent, tool, **given) is ErrorCode.HUMAN_REQUIRED
    kinds = [one.kind for one in desk.asks(agent.conversation_id)]
    assert kinds == [AskKind.BLUEPRINT_APPROVAL]
    assert desk.read(artifact_id).confirmation is None


@pytest.mark.requirement("R-P4")
async def test_a_token_decides_only_with_the_scope_that_a_person_gave_it(
    desk: PlanningDesk, till: Repository
) -> None:
    artifact_id = (await desk.begun(desk.ada))["blueprint_artifact_id"]
    desk.finish_work()
    approval = desk.approval(artifact_id)
    assert await desk.code(desk.script(), APPROVE, **approval) is ErrorCode.HUMAN_REQUIRED
    able = desk.script(scopes=(TokenScope.TOOLS, TokenScope.APPROVE))
    await desk.told(able, APPROVE, **approval)
    assert desk.read(artifact_id).confirmation is not None


@pytest.mark.requirement("R-P4")
async def test_an_agent_is_told_what_is_stale_before_anybody_is_asked(
    desk: PlanningDesk, till: Repository
) -> None:
    agent = desk.own_agent()
    artifact_id = (await desk.begun(agent))["blueprint_artifact_id"]
    desk.finish_work()
    stale = desk.approval(artifact_id) | {"content_hash": "abc"}
    assert await desk.code(agent, APPROVE, **stale) is ErrorCode.STALE
    assert desk.asks(agent.conversation_id) == []


@pytest.mark.parametrize("status", BlueprintStatus)
@pytest.mark.requirement("R-P7")
async def test_every_prohibition_holds_for_a_cancelled_task_at_every_door(
    desk: PlanningDesk, till: Repository, status: BlueprintStatus
) -> None:
    artifact_id = await brought_to(desk, status)
    context = await desk.told(desk.ada, FETCH, work_item_id=TASK)
    threads = desk.read(artifact_id).threads
    version = desk.read(artifact_id).version
    approval = desk.approval(artifact_id) if version else A_GUESS | {"artifact_id": artifact_id}
    calls: list[tuple[ToolName, dict[str, str]]] = [
        (
            CREATE,
            {
                "context_id": context["context_id"],
                "idempotency_key": "another",
                "blueprint_project_id": desk.shop.id,
            },
        ),
        (SEND_BACK, {"artifact_id": artifact_id, "comment": "no", "rework_scope": "text"}),
        (APPROVE, approval),
        (RESEARCH, {"artifact_id": artifact_id}),
    ]
    calls += [(ANSWER, {"thread_id": one.id, "body": "yes"}) for one in threads]
    agent = desk.own_agent()
    desk.set_task(TaskState.CANCELLED)
    before = planning_rows(desk)
    for caller in (desk.ada, agent, desk.script()):
        for door in (Door.MCP, Door.HTTP):
            for tool, arguments in calls:
                answer = await desk.call(caller, tool, door=door, **arguments)
                assert answer.refusal is not None
                assert answer.refusal.code is ErrorCode.ORPHAN_READ_ONLY
                assert answer.http_status == 409
    assert planning_rows(desk) == before
    read = await desk.told(agent, GET, artifact_id=artifact_id)
    assert read["orphan"] and not any(one["answerable"] for one in read["threads"])


A_GUESS = {"artifact_version_id": "v", "content_hash": "h", "technical_plan_id": "p"}


async def brought_to(desk: PlanningDesk, status: BlueprintStatus) -> str:
    """Return a blueprint in a state, come there on the way that people take."""
    artifact_id: str = (await desk.begun(desk.ada))["blueprint_artifact_id"]
    match status:
        case BlueprintStatus.RESEARCHING:
            pass
        case BlueprintStatus.RESEARCH_FAILED:
            desk.finish_work("prose")
            desk.finish_work("prose")
        case BlueprintStatus.CLARIFYING:
            desk.finish_work(an_answer(questions=["Which cards?"]))
        case BlueprintStatus.PENDING_REVIEW:
            desk.finish_work()
        case BlueprintStatus.CONFIRMED:
            desk.finish_work()
            desk.approve(artifact_id)
    assert desk.read(artifact_id).artifact.status is status
    return artifact_id


def planning_rows(desk: PlanningDesk) -> dict[str, list[tuple[Any, ...]]]:
    """Return what planning has written, but for the runs that list every call."""
    tables = ("artifact", "artifact_version", "clarification", "rework", "confirmation")
    everything = desk.everything()
    return {name: everything[name] for name in (*tables, "research", "coding", "ask", "outbox")}


@pytest.mark.requirement("R-P1")
async def test_who_may_not_read_the_project_may_do_nothing_with_it(
    desk: PlanningDesk, till: Repository
) -> None:
    artifact_id = (await desk.begun(desk.ada))["blueprint_artifact_id"]
    desk.finish_work(an_answer(questions=["Which cards?"]))
    (thread_id,) = desk.open_questions(artifact_id)
    with desk.tx() as c:
        stranger = access.add_person(c, desk.m, "Eve")
    eve = Browser(person_id=stranger.id, name="Eve")
    context = await desk.told(desk.ada, FETCH, work_item_id=TASK)
    for tool, arguments in (
        (FETCH, {"work_item_id": TASK}),
        (
            CREATE,
            {
                "context_id": context["context_id"],
                "idempotency_key": "k",
                "blueprint_project_id": desk.shop.id,
            },
        ),
        (GET, {"artifact_id": artifact_id}),
        (ANSWER, {"thread_id": thread_id, "body": "yes"}),
        (SEND_BACK, {"artifact_id": artifact_id, "comment": "no", "rework_scope": "text"}),
        (APPROVE, A_GUESS | {"artifact_id": artifact_id}),
        (RESEARCH, {"artifact_id": artifact_id}),
    ):
        assert await desk.code(eve, tool, **arguments) is ErrorCode.FORBIDDEN


@pytest.mark.requirement("R-P6")
def test_a_404_of_a_canonical_tool_means_only_that_it_is_not_there() -> None:
    canonical = (FETCH, CREATE, GET, ANSWER, SEND_BACK, APPROVE, RESEARCH)
    codes = {code for tool in canonical for code in TOOLS[tool].errors}
    assert {code for code in codes if HTTP_STATUS[code] == 404} == {ErrorCode.UNKNOWN_TOOL}
