"""The pages of planning: what they show, what they let a person decide, and whom they refuse."""

import hashlib
import re
from html import unescape

import pytest
from sqlalchemy import text

from ccweb.asks import store as asks
from ccweb.asks.rules import ABOUT_BLUEPRINTS
from ccweb.hub import strings
from ccweb.planning.blueprints import deciding, state
from ccweb.planning.errors import DecisionRequired
from ccweb.planning.model import Command, Repository, Shown
from ccweb.relay.model import Source
from ccweb_contract.enums import (
    BlueprintStatus,
    Lang,
    ReworkScope,
    TaskState,
)
from ccweb_contract.errors import ErrorCode
from ccweb_contract.tools import ToolName
from tests.hub.pages.conftest import Web
from tests.hub.pages.planned import shop, till, visit_as, world
from tests.planning.world import TASK, Planning, an_answer

__all__ = ["shop", "till", "world"]

pytestmark = pytest.mark.requirement("R-U4, planning")


def named(shown: Shown) -> dict[str, str]:
    """Return what an approval of the page posts."""
    return {
        "versionId": shown.version_id,
        "contentHash": shown.content_hash,
        "planId": shown.plan_id,
    }


def slot(html: str, name: str) -> str:
    """Return one piece of a page."""
    (found,) = re.findall(rf'data-slot="{name}"(.*?)(?=data-slot=|$)', html, re.DOTALL)
    return str(found)


# --- blueprints ---------------------------------------------------------------------------------


async def test_with_no_blueprint_the_list_tells_the_first_steps_with_their_commands(
    web: Web,
) -> None:
    html = await web.html("/blueprints")
    assert "ccweb project add shop" in html
    for tool in (ToolName.GET_FEISHU_WORK_ITEM_CONTEXT, ToolName.CREATE_FEISHU_TECHNICAL_PLAN):
        assert f"ccweb call {tool}" in html


async def test_the_list_shows_each_blueprint_and_filters_by_project_and_status(
    world: Planning, web: Web, till: Repository
) -> None:
    artifact = world.reviewed(till)
    row = f'href="/blueprints/{artifact.id}"'
    assert row in await web.html("/blueprints")
    assert row in await web.html("/parts/blueprints", status="pending_review")
    assert row in await web.html("/blueprints", project=world.shop.id)
    assert row not in await web.html("/blueprints", status="confirmed")
    assert row not in await web.html("/blueprints", project="project_other")
    assert row in await web.html("/blueprints", status="no such state")


@pytest.mark.requirement("R-P5")
async def test_failed_research_is_shown_with_what_is_missing_and_can_be_run_again(
    world: Planning, web: Web, till: Repository, shop: Repository
) -> None:
    artifact = world.create(till, shop)
    html = await web.html(f"/blueprints/{artifact.id}")
    assert html.count('data-tone="busy"') >= 2
    world.finish_work("<b>prose</b>", "prose")
    world.finish_work("prose", "prose")
    assert world.read(artifact.id).artifact.status is BlueprintStatus.RESEARCH_FAILED

    top = slot(await web.html(f"/parts/blueprints/{artifact.id}"), "top")
    words = strings.words(Lang.EN)
    for part in ("responsibility", "fitness.reasons", "current_state_summary"):
        assert words[f"bp.part.{part}"] in top
    assert "till" in top
    assert "shop" in top
    await web.post(f"/blueprints/{artifact.id}/research")
    assert world.read(artifact.id).artifact.status is BlueprintStatus.RESEARCHING


@pytest.mark.requirement("R-P4")
async def test_questions_are_answered_one_by_one_and_then_the_text_is_there(
    world: Planning, web: Web, till: Repository, shop: Repository
) -> None:
    artifact = world.create(till, shop)
    world.finish_work(an_answer(questions=["Which <currency>?"]))
    where, what = world.open_questions(artifact.id)
    html = slot(await web.html(f"/blueprints/{artifact.id}"), "questions")
    assert f'type="checkbox" name="body" value="{till.id}"' in html
    assert strings.words(Lang.EN)["bp.recommended"] in html
    assert "Which &lt;currency&gt;?" in html

    path = f"/blueprints/{artifact.id}/threads"
    assert await web.refused(f"{path}/{where}/answer", body="elsewhere") == (
        400,
        ErrorCode.INVALID_PARAMS,
    )
    assert await web.refused(f"{path}/{what}/answer", body=" ") == (400, ErrorCode.INVALID_PARAMS)
    await web.post(f"{path}/{where}/answer", body=till.id)
    assert world.open_questions(artifact.id) == [what]
    await web.post(f"{path}/{what}/answer", body="Euro")
    assert await web.refused(f"{path}/{what}/answer", body="Yen") == (409, ErrorCode.WRONG_ORDER)
    html = await web.html(f"/parts/blueprints/{artifact.id}")
    assert "Euro" in slot(html, "answers")
    assert 'data-plan-dialog="approve"' in slot(html, "decision")


@pytest.mark.requirement("R-P3")
async def test_the_file_of_a_version_is_the_very_bytes_of_its_hash(
    world: Planning, web: Web, till: Repository
) -> None:
    artifact = world.reviewed(till)
    world.send_back(artifact.id, comment="Mehr über <Geschenkkarten> 礼品卡")
    for one in world.versions(artifact.id):
        answer = await web.http.get(f"/blueprints/{artifact.id}/versions/{one.number}")
        assert answer.headers["content-type"].startswith("text/plain")
        assert hashlib.sha256(answer.content).hexdigest() == one.content_hash
    missing = await web.http.get(f"/blueprints/{artifact.id}/versions/3")
    assert missing.status_code == 404


async def test_an_older_version_is_shown_but_not_offered_for_a_decision(
    world: Planning, web: Web, till: Repository
) -> None:
    artifact = world.reviewed(till)
    world.send_back(artifact.id, comment="Also gift cards, please.")
    old = await web.html(f"/blueprints/{artifact.id}", version=1)
    assert 'data-plan-dialog="approve"' not in slot(old, "decision")
    assert f'href="/blueprints/{artifact.id}#text"' in slot(old, "decision")
    raw = await web.html(f"/blueprints/{artifact.id}", version=2, view="raw")
    assert world.versions(artifact.id)[1].markdown.split("\n", 1)[0] in slot(raw, "text")
    diff = slot(await web.html(f"/blueprints/{artifact.id}", version=2, view="diff"), "text")
    assert 'data-change="added"' in diff
    assert "Also gift cards, please." in diff
    for strange in ({"version": "99"}, {"version": "x"}, {"view": "diff", "base": "7"}):
        assert "Also gift cards, please." in await web.html(f"/blueprints/{artifact.id}", **strange)


@pytest.mark.requirement("R-P4")
async def test_an_approval_names_what_was_shown_and_anything_else_is_stale(
    world: Planning, web: Web, till: Repository
) -> None:
    artifact = world.reviewed(till)
    shown = world.shown(artifact.id)
    html = slot(await web.html(f"/blueprints/{artifact.id}"), "decision")
    for value in named(shown).values():
        assert value in html
    path = f"/blueprints/{artifact.id}"
    world.send_back(artifact.id)
    assert await web.refused(f"{path}/approve", **named(shown)) == (409, ErrorCode.STALE)
    assert await web.refused(
        f"{path}/send-back", comment="x", scope=ReworkScope.TEXT.value, **named(shown)
    ) == (409, ErrorCode.STALE)
    assert await web.refused(f"{path}/approve") == (400, ErrorCode.INVALID_PARAMS)
    assert len(world.versions(artifact.id)) == 2

    await web.post(f"{path}/approve", **named(world.shown(artifact.id)))
    old = slot(await web.html(path, version=1), "decision")
    approved = strings.words(Lang.EN)["bp.not_present_approved"].format(number=2)
    assert approved in old
    assert strings.words(Lang.EN)["bp.not_present_text"] not in old
    coding = slot(await web.html(path), "coding")
    assert world.shown(artifact.id).content_hash in coding
    assert f'data-code="{till.id}"' in coding


@pytest.mark.requirement("R-P4")
async def test_coding_begins_by_a_person_for_a_confirmed_text_only(
    world: Planning, web: Web, till: Repository
) -> None:
    artifact = world.reviewed(till)
    path = f"/blueprints/{artifact.id}/code"
    assert await web.refused(path, repositoryId=till.id) == (409, ErrorCode.WRONG_ORDER)
    world.approve(artifact.id)
    assert await web.refused(path, repositoryId="r") == (400, ErrorCode.INVALID_PARAMS)
    await web.post(path, repositoryId=till.id)
    coding = slot(await web.html(f"/blueprints/{artifact.id}"), "coding")
    assert 'href="/conversations/' in coding
    assert f'data-code="{till.id}"' not in coding
    world.finish_work("All <done>.")
    coding = slot(await web.html(f"/blueprints/{artifact.id}"), "coding")
    assert "All &lt;done&gt;." in coding
    assert 'data-tone="well"' in coding


@pytest.mark.requirement("R-P7")
@pytest.mark.parametrize("begun", ["researching", "clarifying", "reviewed", "approved"])
async def test_an_orphan_is_read_only_in_every_state(
    world: Planning, web: Web, till: Repository, begun: str
) -> None:
    if begun == "researching":
        artifact_id = world.create(till).id
    elif begun == "clarifying":
        artifact_id = world.clarifying(till)
    else:
        artifact_id = world.reviewed(till).id
    if begun == "approved":
        world.approve(artifact_id)
    thread_ids = world.open_questions(artifact_id) or ["thread"]
    world.set_task(TaskState.CANCELLED)

    html = await web.html(f"/blueprints/{artifact_id}")
    parts = html.split("<dialog", 1)[0]
    assert strings.words(Lang.EN)["bp.orphan"] in parts
    for control in ("data-plan-dialog", "data-research", "data-code", "data-answer-to"):
        assert control not in parts
    path = f"/blueprints/{artifact_id}"
    refused = (409, ErrorCode.ORPHAN_READ_ONLY)
    assert await web.refused(f"{path}/research") == refused
    assert await web.refused(f"{path}/code", repositoryId=till.id) == refused
    if begun == "clarifying":
        assert await web.refused(f"{path}/threads/{thread_ids[0]}/answer", body="x") == refused
    if begun in ("reviewed", "approved"):
        shown = named(world.shown(artifact_id))
        assert await web.refused(f"{path}/approve", **shown) == refused
        scope = ReworkScope.TEXT.value
        assert await web.refused(f"{path}/send-back", comment="x", scope=scope, **shown) == refused


async def test_what_a_blueprint_asks_stands_once_in_the_list_and_leads_to_its_page(
    world: Planning, web: Web, till: Repository
) -> None:
    artifact = world.reviewed(till)
    agent = world.conversation("Planner")
    turn = world.started(agent)
    with world.tx() as c, pytest.raises(DecisionRequired):
        read = state.read(c, artifact.id)
        source = Source(conversation_id=agent, lease=turn.lease)
        shown = state.current(read)
        deciding.ask_instead(c, world.m, read, Command.APPROVE, source=source, shown=shown)
    with world.tx() as c:
        deciding_asks = [one for one in asks.open_asks(c) if one.kind in ABOUT_BLUEPRINTS]
    assert len({one.subject for one in deciding_asks}) == 1

    sidebar = await web.html("/parts/sidebar")
    assert sidebar.count('class="need-link"') == 1
    assert f'href="/blueprints/{artifact.id}"' in sidebar
    head = await web.html(f"/parts/conversations/{agent}")
    assert f'href="/blueprints/{artifact.id}"' in head
    other = await visit_as(world, web, "Eve")
    assert "need-link" not in await other.html("/parts/sidebar")


async def test_a_task_names_its_blueprint_by_what_that_plans(
    world: Planning, web: Web, till: Repository
) -> None:
    artifact = world.create(till)
    link = f'href="/blueprints/{artifact.id}" data-key="link-{artifact.id}">'
    assert f"{link}<bdi>Accept gift cards</bdi>" in await web.html(f"/parts/tasks/{TASK}")


@pytest.mark.requirement("R-P4")
@pytest.mark.parametrize("view", ["text", "raw", "diff"])
async def test_no_sign_that_hides_or_turns_words_stays_unseen(
    world: Planning, web: Web, till: Repository, view: str
) -> None:
    hidden = "\u202egnp.\u200bexe"
    with world.tx() as c:
        c.execute(
            text("UPDATE task SET title = :title, text = :text WHERE id = :id"),
            {"id": TASK, "title": f"Fix {hidden}", "text": f"&#x202E; {hidden}"},
        )
    artifact = world.create(till)
    evidence = {"belongs": True, "reasons": [f"&#x202E;{hidden}", f"[x]: <a> '{hidden}'"]}
    world.finish_work(an_answer(responsibility=hidden, fitness=evidence))
    world.send_back(artifact.id, comment=f"&#x202E;{hidden}")
    for path in ("/blueprints", f"/blueprints/{artifact.id}?view={view}"):
        html = unescape(await web.html(path))
        assert not set(hidden) & {"\u202e", "\u200b"} & set(html)
        assert "\u27e8U+202E\u27e9gnp." in html


# --- who may ------------------------------------------------------------------------------------


async def test_nobody_else_reads_or_decides_a_blueprint_and_readers_do(
    world: Planning, web: Web, till: Repository
) -> None:
    artifact = world.reviewed(till)
    eve = await visit_as(world, web, "Eve")
    path = f"/blueprints/{artifact.id}"
    for page in (path, f"{path}/versions/1", f"/projects/{world.shop.id}"):
        assert (await eve.http.get(page)).status_code == 403
    assert artifact.id not in await eve.html("/blueprints")
    assert world.shop.id not in await eve.html("/projects")
    shown = named(world.shown(artifact.id))
    assert await eve.refused(f"{path}/approve", **shown) == (403, ErrorCode.FORBIDDEN)

    await web.post(f"/projects/{world.shop.id}/readers", personId=eve.person_id)
    await eve.html(path)
    change = await eve.refused(f"/projects/{world.shop.id}/branches", branch="main")
    assert change == (403, ErrorCode.FORBIDDEN)
    await eve.post(f"{path}/approve", **shown)
    assert world.read(artifact.id).confirmation is not None


async def test_what_is_not_there_is_a_page_that_says_so(web: Web) -> None:
    for path in ("/blueprints/x", "/projects/x", "/runs/x", "/plans/x", "/blueprints/x/versions/1"):
        assert (await web.http.get(path)).status_code == 404
