"""The feature list tools as callers see them: every row of the table of errors, every status."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from ccweb.access import service as access
from ccweb.access.model import Agent, Browser, Caller, Script
from ccweb.conversations.model import Turn
from ccweb.planning.model import Repository
from ccweb.planning.projects import service as projects
from ccweb.planning.research import store as work_store
from ccweb.tools.answer import Answer, Refusal
from ccweb.tools.dispatch import Call, Dispatcher
from ccweb_contract.enums import Door, PlanStatus, TokenScope
from ccweb_contract.errors import ErrorCode
from ccweb_contract.tools import TOOLS, ToolName
from tests.planning.plan_world import LIST, add_tree, evidence_of, remove, set_list
from tests.planning.world import Planning, a_planning_world, an_answer
from tests.relay.world import HOST
from tests.tools.desk import fits

CREATE = ToolName.CREATE_FEATURE_TECH_PLAN
CONFIRM = ToolName.CONFIRM_FEATURE_TECH_PLAN
GET = ToolName.GET_FEATURE_TECH_PLAN
BRANCH = "feature/gift-cards"
FIELDS = {
    "run_id",
    "session_id",
    "status",
    "questions",
    "classification",
    "routing",
    "feature_count",
    "truncated",
    "project_id",
    "source",
}
"""What every answer about a project's list holds."""


@dataclass
class Office:
    """The planning world with a dispatcher in front and the owner as caller."""

    world: Planning
    shop: Repository
    stock: Repository

    @property
    def ada(self) -> Browser:
        return Browser(person_id=self.world.human.person_id, name="Ada")

    def person(self, name: str) -> Browser:
        with self.world.tx() as c:
            return Browser(person_id=access.add_person(c, self.world.m, name).id, name=name)

    async def call(
        self, tool: str, *, caller: Caller | None = None, run_id: str | None = None, **given: Any
    ) -> Answer:
        dispatcher = Dispatcher(
            self.world.db, self.world.settings, host_id=HOST, clock=lambda: self.world.m
        )
        call = Call(
            tool=tool, arguments=given, door=Door.HTTP, caller=caller or self.ada, run_id=run_id
        )
        answer = await dispatcher.call(call)
        await dispatcher.run_log.flush()
        return answer

    async def result(self, tool: ToolName, **given: Any) -> dict[str, Any]:
        answer = await self.call(tool, **given)
        assert answer.result is not None, answer.refusal
        assert fits(TOOLS[tool], answer.result)
        return dict(answer.result)

    async def refusal(self, tool: ToolName, **given: Any) -> Refusal:
        before = self.rows()
        answer = await self.call(tool, **given)
        assert answer.refusal is not None, answer.result
        assert self.rows() == before, "a refusal changes nothing"
        return answer.refusal

    async def begun(self, **given: Any) -> dict[str, Any]:
        return await self.result(CREATE, **(given or {"project_id": self.world.shop.id}))

    async def researching(self) -> str:
        session_id = str((await self.begun())["session_id"])
        await self.result(CONFIRM, session_id=session_id)
        return session_id

    def rows(self) -> list[tuple[object, ...]]:
        tables = ("feature_plan", "research", "pending_reply", "turn", "conversation")
        return [
            tuple(row)
            for table in tables
            for row in self.world.db.reader.exec_driver_sql(f"SELECT * FROM {table}")
        ]

    def end(self, said: str | None = None) -> None:
        """End what agents do for plans; nobody takes what came of it."""
        for turn in self.world.working():
            self.world.end(turn, text=said if said is not None else self._evidence(turn))

    def _evidence(self, turn: Turn) -> str:
        return evidence_of("stock" if '"stock"' in turn.prompt else "shop")


@pytest.fixture
def office(tmp_path: Path) -> Iterator[Office]:
    """Return a world whose project has a list, a branch and two repositories."""
    world = a_planning_world(tmp_path)
    set_list(world, LIST)
    with world.tx() as c:
        projects.bind_branch(c, world.shop.id, BRANCH)
    shop, stock = (add_tree(world, tmp_path, name) for name in ("shop", "stock"))
    yield Office(world=world, shop=shop, stock=stock)
    world.db.close()


# --- every status -------------------------------------------------------------------------------


@pytest.mark.requirement("R-P8")
async def test_a_creation_answers_with_questions_and_no_plan(office: Office) -> None:
    begun = await office.begun(branch_name=BRANCH)

    assert begun.keys() == FIELDS
    assert (begun["status"], begun["source"]) == (PlanStatus.AWAITING_CONFIRMATION, "branch")
    assert begun["classification"]["summary"] == {"new": 0, "modify": 2, "unclear": 1}
    assert [one["task_status"] for one in begun["routing"]] == ["queued", "queued"]
    assert await office.result(GET, session_id=begun["session_id"], run_id=begun["run_id"]) == begun


@pytest.mark.requirement("R-P8")
async def test_a_plan_of_a_text_alone_has_no_project(office: Office) -> None:
    begun = await office.begun(feature_list_text=LIST, repository_id=office.shop.id)
    assert begun.keys() == FIELDS - {"project_id"}
    assert begun["source"] == "text"
    assert [one["name"] for one in begun["routing"]] == ["shop"]


@pytest.mark.requirement("R-P8")
async def test_each_reading_moves_the_work_a_step_and_none_stands_still_for_it(
    office: Office,
) -> None:
    session_id = await office.researching()
    assert (await office.result(GET, session_id=session_id))["status"] == PlanStatus.RESEARCHING
    office.end()
    assert (await office.result(GET, session_id=session_id))["status"] == PlanStatus.COMPLETED
    assert office.world.take_all() == 0, "the reading has taken what there was"


@pytest.mark.requirement("R-P8")
async def test_a_completed_plan_holds_its_value_its_text_and_its_version(office: Office) -> None:
    session_id = await office.researching()
    office.end()
    done = await office.result(GET, session_id=session_id)

    assert done.keys() == FIELDS | {"plan", "markdown", "artifact_version_id"}
    assert [one["name"] for one in done["plan"]["repositories"]] == ["shop", "stock"]
    assert "# Plan of a feature list" in done["markdown"]
    again = await office.result(GET, session_id=session_id, run_id=done["run_id"])
    assert again == done


@pytest.mark.requirement("R-P8")
async def test_a_failed_plan_says_why_and_holds_no_plan(office: Office) -> None:
    session_id = await office.researching()
    for _ in range(2):
        office.end("I cannot read it.")
        told = await office.result(GET, session_id=session_id)

    assert told.keys() == FIELDS | {"error"}
    assert told["status"] == PlanStatus.FAILED
    assert told["error"]["error_code"] == ErrorCode.EVIDENCE_INCOMPLETE
    assert "shop: It holds no JSON object." in told["error"]["detail"]
    assert [one["error"] for one in told["routing"]] == ["It holds no JSON object."] * 2


@pytest.mark.requirement("R-P8")
async def test_an_answer_of_ten_megabytes_is_taken_by_a_reading(office: Office) -> None:
    session_id = await office.researching()
    office.end("prose " * 1_700_000 + an_answer(evidence_files=["README.md"]))
    done = await office.result(GET, session_id=session_id)
    assert done["status"] == PlanStatus.COMPLETED


@pytest.mark.requirement("R-P8")
async def test_a_confirmation_is_answered_again_with_the_same(office: Office) -> None:
    begun = await office.begun()
    answers = [{"question_id": "q1", "selected": [office.shop.id]}]
    given = {"session_id": begun["session_id"], "answers": answers}

    first = await office.result(CONFIRM, **given)
    assert first["status"] == PlanStatus.RESEARCHING
    assert [one["task_status"] for one in first["routing"]] == ["running", "queued"]
    assert await office.result(CONFIRM, **given, run_id=first["run_id"]) == first


# --- every refusal ------------------------------------------------------------------------------


@pytest.mark.requirement("R-P8")
@pytest.mark.parametrize(
    "given",
    [
        {},
        {"project_id": ""},
        {"project_id": "  ", "branch_name": " "},
        {"project_id": "project_1", "branch_name": BRANCH},
        {"branch_name": BRANCH, "feature_list_text": LIST},
        {"project_id": 7},
        {"feature_list_text": LIST, "repository_ids": []},
        {"feature_list_text": LIST, "repository_id": "repository_none"},
        {"feature_list_text": LIST, "more": 1},
    ],
)
async def test_wrong_arguments_of_a_creation_are_refused(
    office: Office, given: dict[str, Any]
) -> None:
    told = await office.refusal(CREATE, **given)
    assert (told.code, told.http_status) == (ErrorCode.INVALID_PARAMS, 400)


@pytest.mark.requirement("R-P8")
@pytest.mark.parametrize(
    ("given", "code", "status"),
    [
        ({"project_id": "project_none"}, ErrorCode.PROJECT_NOT_FOUND, 404),
        ({"project_id": "board_1"}, ErrorCode.PROJECT_NOT_FOUND, 404),
        ({"branch_name": "main"}, ErrorCode.BRANCH_NOT_BOUND, 400),
        ({"feature_list_text": "Only a sentence of prose."}, ErrorCode.EMPTY_FEATURE_LIST, 400),
    ],
)
async def test_a_source_that_leads_nowhere_is_refused_by_its_code(
    office: Office, given: dict[str, str], code: ErrorCode, status: int
) -> None:
    told = await office.refusal(CREATE, **given)
    assert (told.code, told.http_status) == (code, status)


@pytest.mark.requirement("R-P8")
async def test_a_project_without_a_list_is_refused(office: Office) -> None:
    set_list(office.world, "")
    told = await office.refusal(CREATE, project_id=office.world.shop.id)
    assert (told.code, told.http_status) == (ErrorCode.EMPTY_FEATURE_LIST, 400)


@pytest.mark.requirement("R-P8")
@pytest.mark.parametrize("tool", [CONFIRM, GET])
async def test_an_unknown_session_is_not_found(office: Office, tool: ToolName) -> None:
    told = await office.refusal(tool, session_id="session_none")
    assert (told.code, told.http_status) == (ErrorCode.SESSION_NOT_FOUND, 404)


@pytest.mark.requirement("R-P8")
@pytest.mark.parametrize("tool", [CONFIRM, GET])
@pytest.mark.parametrize("what", ["artifact", "plan", "context", "project", "request"])
async def test_the_id_of_something_else_is_no_session(
    office: Office, tool: ToolName, what: str
) -> None:
    artifact = office.world.create(office.shop)
    [(research, _)] = work_store.of(office.world.db.reader, artifact.id)
    ids = {
        "artifact": artifact.id,
        "plan": artifact.plan_id,
        "context": artifact.context_id,
        "project": office.world.shop.id,
        "request": research.request_id,
    }
    told = await office.refusal(tool, session_id=ids[what])
    assert (told.code, told.http_status) == (ErrorCode.NOT_FEATURE_SOLUTION_SESSION, 400)


@pytest.mark.requirement("R-P8")
async def test_who_may_not_read_is_forbidden_everything(office: Office) -> None:
    session_id = (await office.begun())["session_id"]
    bob = office.person("Bob")
    for tool, given in (
        (CREATE, {"project_id": office.world.shop.id}),
        (CREATE, {"branch_name": BRANCH}),
        (CREATE, {"feature_list_text": LIST, "repository_id": office.shop.id}),
        (CONFIRM, {"session_id": session_id}),
        (GET, {"session_id": session_id}),
    ):
        told = await office.refusal(tool, caller=bob, **given)
        assert (told.code, told.http_status) == (ErrorCode.FORBIDDEN, 403), given


@pytest.mark.requirement("R-P8")
@pytest.mark.parametrize(
    "answers",
    [
        [{"question_id": "q9", "selected": ["x"]}],
        [{"question_id": "q1", "selected": ["repository_none"]}],
        [{"question_id": "q1"}],
        [{"selected": ["x"]}],
        [{"question_id": "q1", "text": "x" * 10_000_000}],
        [{"question_id": "q1", "selected": "x"}],
        "yes",
        None,
    ],
    ids=range(8),
)
async def test_wrong_answers_are_refused_and_the_session_stays_as_it_is(
    office: Office, answers: Any
) -> None:
    session_id = (await office.begun())["session_id"]
    told = await office.refusal(CONFIRM, session_id=session_id, answers=answers)
    assert (told.code, told.http_status) == (ErrorCode.INVALID_PARAMS, 400)


@pytest.mark.requirement("R-P8")
async def test_other_answers_after_the_first_are_refused(office: Office) -> None:
    session_id = await office.researching()
    told = await office.refusal(
        CONFIRM, session_id=session_id, answers=[{"question_id": "q1", "selected": []}]
    )
    assert (told.code, told.http_status) == (ErrorCode.WRONG_ORDER, 409)


@pytest.mark.requirement("R-P8")
async def test_a_repository_that_has_gone_meanwhile_is_named(office: Office) -> None:
    session_id = (await office.begun())["session_id"]
    remove(office.world, office.stock)
    told = await office.refusal(CONFIRM, session_id=session_id)
    assert told.code is ErrorCode.INVALID_PARAMS
    assert "stock" in told.detail


@pytest.mark.requirement("R-P6")
async def test_once_the_project_has_a_blueprint_all_three_tools_refuse_and_name_it(
    office: Office,
) -> None:
    session_id = (await office.begun())["session_id"]
    text_session = (await office.begun(feature_list_text=LIST))["session_id"]
    artifact = office.world.create(office.shop)

    for tool, given in (
        (CREATE, {"project_id": office.world.shop.id}),
        (CREATE, {"branch_name": BRANCH}),
        (CONFIRM, {"session_id": session_id}),
        (GET, {"session_id": session_id}),
    ):
        told = await office.refusal(tool, **given)
        assert (told.code, told.http_status) == (ErrorCode.USE_CANONICAL_BLUEPRINT, 409)
        assert artifact.id in told.detail
    assert await office.result(GET, session_id=text_session)


# --- runs and callers ---------------------------------------------------------------------------


@pytest.mark.requirement("R-P1", "R-P8")
async def test_the_three_calls_of_a_workflow_are_one_run(office: Office) -> None:
    begun = await office.begun()
    run_id, session_id = begun["run_id"], begun["session_id"]
    confirmed = await office.result(CONFIRM, session_id=session_id, run_id=run_id)
    read = await office.result(GET, session_id=session_id, run_id=run_id)
    await office.refusal(CONFIRM, session_id=session_id, run_id=run_id, answers=[{}])

    assert {one["run_id"] for one in (confirmed, read)} == {run_id}
    listed = office.world.db.reader.exec_driver_sql(
        "SELECT tool, outcome, about_id FROM planning_call WHERE run_id = ? ORDER BY position",
        (run_id,),
    ).all()
    assert [tuple(one) for one in listed] == [
        (CREATE, "done", session_id),
        (CONFIRM, "done", session_id),
        (GET, "done", session_id),
        (CONFIRM, ErrorCode.INVALID_PARAMS, session_id),
    ]


@pytest.mark.requirement("R-P8")
async def test_a_script_and_an_agent_go_through_the_chain_as_a_person_does(office: Office) -> None:
    world = office.world
    conversation_id = world.conversation("Planner")
    turn = world.started(conversation_id)
    script = Script(
        token_id="token_1",
        person_id=world.human.person_id,
        conversation_id=None,
        scopes=frozenset({TokenScope.TOOLS}),
    )
    agent = Agent(conversation_id=conversation_id, lease=turn.lease, current=True)
    for caller in (script, agent):
        begun = await office.result(CREATE, caller=caller, project_id=world.shop.id)
        confirmed = await office.result(CONFIRM, caller=caller, session_id=begun["session_id"])
        assert confirmed["status"] == PlanStatus.RESEARCHING
