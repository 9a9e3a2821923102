"""The pages of projects, runs and feature list plans: what they show, keep and refuse."""

from pathlib import Path

import pytest
from markupsafe import escape

from ccweb.access.model import Browser
from ccweb.hub import strings
from ccweb.planning import runs
from ccweb.planning.model import ProjectId, Repository
from ccweb.planning.plans import service as plans
from ccweb.planning.plans import studying as plan_reading
from ccweb.planning.projects import service as projects
from ccweb.planning.projects import store as project_store
from ccweb.planning.runs import MadeCall
from ccweb_contract.enums import (
    AgentKind,
    Door,
    Lang,
)
from ccweb_contract.errors import ErrorCode
from ccweb_contract.tools import ToolName
from tests.hub.pages.conftest import Web
from tests.hub.pages.planned import shop, till, visit_as, world
from tests.planning.world import Planning

__all__ = ["shop", "till", "world"]

pytestmark = pytest.mark.requirement("R-U4, planning")


async def test_a_project_is_made_and_changed_on_its_page(
    world: Planning, web: Web, tmp_path: Path
) -> None:
    made = await web.post("/projects", name="bank")
    path = made["url"]
    project_id = ProjectId(made["projectId"])
    folder = tmp_path / "bank"
    folder.mkdir()
    await web.post(f"{path}/repositories", path=str(folder), agent=AgentKind.DEMO.value)
    await web.post(f"{path}/branches", branch="feature/loans")
    await web.post(f"{path}/spaces", source="feishu", spaceId="space-7")
    await web.post(f"{path}/features", featureList="## Loans\n- Ask for one\n- Pay it back")
    html = await web.html(path)
    for part in (str(folder), "feature/loans", "space-7", "2 features", "Ask for one"):
        assert part in html

    (repository,) = project_store.repositories(world.db.reader, project_id)
    await web.post(f"{path}/repositories/{repository.id}/remove")
    await web.post(f"{path}/branches/unbind", branch="feature/loans")
    await web.post(f"{path}/spaces/unbind", source="feishu", spaceId="space-7")
    html = await web.html(f"/parts{path}")
    for part in (str(folder), "feature/loans</code>", "space-7"):
        assert part not in html


async def test_what_no_project_can_hold_is_refused_and_changes_nothing(
    world: Planning, web: Web, tmp_path: Path
) -> None:
    path = f"/projects/{world.shop.id}"
    agent = AgentKind.DEMO.value
    wrong = (400, ErrorCode.INVALID_PARAMS)
    for bad in ("", "relative", str(tmp_path / "gone"), __file__, "~nobody/x"):
        assert await web.refused(f"{path}/repositories", path=bad, agent=agent) == wrong
    assert await web.refused(f"{path}/repositories", path=str(tmp_path), agent="x") == wrong
    assert await web.refused(f"{path}/branches", branch="a b") == wrong
    assert await web.refused(f"{path}/branches/unbind", branch="main") == wrong
    assert await web.refused(f"{path}/readers", personId="x") == wrong
    assert await web.refused(f"{path}/readers/remove", personId="x") == wrong
    assert await web.refused(f"{path}/features", featureList="x" * 262_145) == wrong
    assert await web.refused(f"{path}/spaces", source="feishu", spaceId="") == wrong
    assert await web.refused(f"{path}/spaces", source="board", spaceId=world.shop.id) == (
        400,
        ErrorCode.PROJECT_MISMATCH,
    )
    assert await web.refused("/projects", name=" ") == wrong
    assert project_store.repositories(world.db.reader, world.shop.id) == []


async def test_a_repository_of_another_project_is_not_removed_through_this_one(
    world: Planning, web: Web, till: Repository
) -> None:
    other = await web.post("/projects", name="bank")
    path = f"{other['url']}/repositories/{till.id}/remove"
    assert await web.refused(path) == (400, ErrorCode.INVALID_PARAMS)
    assert project_store.repositories(world.db.reader, world.shop.id) == [till]


async def test_the_preview_shows_how_a_list_is_read_and_keeps_nothing(
    world: Planning, web: Web
) -> None:
    given = "# Kasse\n- Karten & Geld\n- 礼品卡"
    html = (await web.post("/features/preview", featureList=given))["html"]
    assert "2 features" in html
    assert "Karten &amp; Geld" in html
    long = "\n".join(f"- feature {number}" for number in range(600))
    html = (await web.post("/features/preview", featureList=long))["html"]
    assert strings.words(Lang.EN)["project.truncated"].format(count=500) in html
    assert projects.by_id(world.db.reader, world.shop.id).feature_list == ""


async def test_a_run_lists_its_calls_with_refusals_marked(
    world: Planning, web: Web, till: Repository
) -> None:
    artifact = world.create(till)
    agent = world.conversation("Planner")
    with world.tx() as c:
        run_id = runs.begin(c, world.m, holder_id=agent)
        runs.record(
            c,
            world.m,
            [
                MadeCall(
                    run_id=run_id,
                    tool=ToolName.GET_TECHNICAL_BLUEPRINT,
                    door=Door.MCP,
                    caller_id=agent,
                    refused=refused,
                    about_id=artifact.id,
                    created_at_ms=world.m.now_ms,
                )
                for refused in (None, ErrorCode.HUMAN_REQUIRED)
            ],
        )
    html = await web.html(f"/runs/{run_id}")
    assert html.count(ToolName.GET_TECHNICAL_BLUEPRINT) == 2
    assert html.count(strings.words(Lang.EN)["run.refused"]) == 1
    assert f'href="/blueprints/{artifact.id}"' in html
    assert f'href="/conversations/{agent}"' in html
    assert f'href="/runs/{run_id}"' in await web.html(f"/blueprints/{artifact.id}")


async def test_the_run_of_another_person_is_not_shown(world: Planning, web: Web) -> None:
    eve = await visit_as(world, web, "Eve")
    with world.tx() as c:
        run_id = runs.begin(c, world.m, holder_id=web.person_id)
        own = runs.begin(c, world.m, holder_id=eve.person_id)
    assert (await eve.http.get(f"/runs/{run_id}")).status_code == 404
    await eve.html(f"/runs/{own}")
    await web.html(f"/runs/{own}")


async def test_the_plan_of_a_feature_list_shows_its_features_questions_and_answers(
    world: Planning, web: Web, till: Repository
) -> None:
    with world.tx() as c:
        projects.set_feature_list(c, world.shop.id, "## Till\n- Pay by till\n- Fly to the moon")
    browser = Browser(person_id=web.person_id, name="Ada")
    of = plan_reading.located(
        world.db.reader,
        browser,
        project_id=world.shop.id,
        branch_name="",
        text="",
        repository_ids=[],
    )
    studied = plan_reading.study(of, Lang.EN)
    with world.tx() as c:
        session = plans.begin(c, world.m, world.settings, studied, caller=browser)
    html = await web.html(f"/plans/{session.id}")
    for part in ("Pay by till", "Fly to the moon", session.questions[0].question):
        assert escape(part) in html
    eve = await visit_as(world, web, "Eve")
    assert (await eve.http.get(f"/plans/{session.id}")).status_code == 403
