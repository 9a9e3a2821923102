"""The page of access tokens: what it lists, and who may let which token decide."""

import re

import httpx2
import pytest

from ccweb.access import service as access
from ccweb.access.model import NewToken
from ccweb.hub import strings
from ccweb.planning.model import Repository
from ccweb_contract.enums import Door, Lang, TokenScope
from ccweb_contract.errors import ErrorCode
from ccweb_contract.tools import ToolName
from ccweb_contract.version import CONTRACT_HASH
from tests.hub.pages.conftest import Web
from tests.hub.pages.planned import till, visit_as, world
from tests.planning.world import Planning

__all__ = ["till", "world"]

pytestmark = pytest.mark.requirement("R-S5")

WRONG = (400, ErrorCode.INVALID_PARAMS)
WORDS = strings.words(Lang.EN)


def a_token(
    world: Planning, person_id: str, name: str = "CI", conversation_id: str | None = None
) -> NewToken:
    with world.tx() as c:
        return access.create_token(
            c, world.m, person_id=person_id, name=name, conversation_id=conversation_id
        )


def scopes(world: Planning, token: NewToken) -> frozenset[TokenScope]:
    (found,) = [one for one in access.tokens(world.db.reader) if one.id == token.id]
    return found.scopes


def rows(html: str) -> list[str]:
    """Return the tokens that the page lists."""
    (listed,) = re.findall(r'<ul class="plan-items plan-tokens">(.*?)</ul>', html, re.DOTALL)
    return re.findall(r"<li>(.*?)</li>", listed, re.DOTALL)


async def test_with_no_token_the_page_tells_how_one_is_made(web: Web) -> None:
    html = await web.html("/tokens")
    assert WORDS["tokens.none"] in html
    assert "ccweb token create" in html
    assert 'href="/tokens"' in await web.html("/")


async def test_the_page_lists_a_persons_tokens_without_a_secret(world: Planning, web: Web) -> None:
    planner = world.conversation("Planner")
    own = a_token(world, web.person_id, "<b>CI</b>")
    with world.tx() as c:
        access.record_contract(
            c, world.m, holder_id=own.id, door=Door.MCP, contract_hash=CONTRACT_HASH
        )
    of_planner = a_token(world, web.person_id, "Claude Code", planner)
    html = await web.html("/tokens")
    by_id = {token.id: row for token in (own, of_planner) for row in rows(html) if token.id in row}
    assert "&lt;b&gt;CI&lt;/b&gt;" in by_id[own.id]
    assert WORDS["tokens.connected"] in by_id[own.id]
    assert f'data-dialog="give-{own.id}"' in by_id[own.id]
    assert f'href="/conversations/{planner}"' in by_id[of_planner.id]
    assert WORDS["tokens.connected"] not in by_id[of_planner.id]
    assert "give-" not in by_id[of_planner.id]
    for token in (own, of_planner):
        assert token.secret not in html


@pytest.mark.requirement("R-P4")
async def test_the_right_to_decide_is_given_and_taken_back(world: Planning, web: Web) -> None:
    token = a_token(world, web.person_id)
    path = f"/tokens/{token.id}/decide"
    for _ in range(2):
        assert await web.post(path, allowed=True) == {"url": "/tokens"}
        assert scopes(world, token) == {TokenScope.TOOLS, TokenScope.APPROVE}
    (row,) = rows(await web.html("/tokens"))
    assert WORDS["tokens.scope.approve"] in row

    await web.post(path, allowed=False)
    assert scopes(world, token) == {TokenScope.TOOLS}
    (row,) = rows(await web.html("/tokens"))
    assert WORDS["tokens.scope.approve"] not in row


@pytest.mark.requirement("R-P4")
async def test_a_token_that_was_let_decide_approves_until_it_is_taken_back(
    world: Planning, web: Web, visitor: httpx2.AsyncClient, till: Repository
) -> None:
    artifact, token = world.reviewed(till), a_token(world, web.person_id)
    shown = world.shown(artifact.id)

    async def approval() -> httpx2.Response:
        return await visitor.post(
            f"/api/mcp/tools/{ToolName.APPROVE_TECHNICAL_BLUEPRINT}/",
            json={
                "artifact_id": artifact.id,
                "artifact_version_id": shown.version_id,
                "content_hash": shown.content_hash,
                "technical_plan_id": shown.plan_id,
            },
            headers={"Authorization": f"Bearer {token.secret}"},
        )

    async def assert_refused() -> None:
        answer = await approval()
        assert (answer.status_code, answer.json()["error_code"]) == (
            403,
            ErrorCode.HUMAN_REQUIRED,
        )

    await assert_refused()
    for allowed in (True, False):
        await web.post(f"/tokens/{token.id}/decide", allowed=allowed)
    await assert_refused()
    await web.post(f"/tokens/{token.id}/decide", allowed=True)
    assert (await approval()).status_code == 200
    confirmation = world.read(artifact.id).confirmation
    assert confirmation is not None
    assert confirmation.person_id == web.person_id


@pytest.mark.requirement("R-P4")
async def test_a_conversations_token_is_never_let_decide(world: Planning, web: Web) -> None:
    token = a_token(world, web.person_id, conversation_id=world.conversation("Planner"))
    assert await web.refused(f"/tokens/{token.id}/decide", allowed=True) == WRONG
    assert scopes(world, token) == {TokenScope.TOOLS}


async def test_the_token_of_another_person_is_neither_shown_nor_changed(
    world: Planning, web: Web
) -> None:
    eve = await visit_as(world, web, "Eve")
    token = a_token(world, web.person_id)
    assert token.id not in await eve.html("/tokens")
    assert await eve.refused(f"/tokens/{token.id}/decide", allowed=True) == WRONG
    assert await eve.refused(f"/tokens/{token.id}/revoke") == WRONG
    assert scopes(world, token) == {TokenScope.TOOLS}
    with world.tx() as c:
        access.authenticate(c, world.m, token.secret)


@pytest.mark.requirement("R-P4")
async def test_a_token_that_decides_can_neither_give_that_on_nor_read_the_page(
    world: Planning, web: Web
) -> None:
    able, other = a_token(world, web.person_id), a_token(world, web.person_id)
    await web.post(f"/tokens/{able.id}/decide", allowed=True)
    await web.post("/sign-out")
    headers = {"Authorization": f"Bearer {able.secret}"}
    for path in (f"/tokens/{other.id}/decide", f"/tokens/{other.id}/revoke"):
        answer = await web.http.post(path, json={"allowed": True}, headers=headers)
        assert answer.status_code == 401
        assert answer.json()["error_code"] == ErrorCode.AUTHENTICATION_FAILED
    assert (await web.http.get("/tokens", headers=headers)).status_code == 401
    assert scopes(world, other) == {TokenScope.TOOLS}


async def test_a_revoked_token_is_gone_and_stays_so(world: Planning, web: Web) -> None:
    token, kept = a_token(world, web.person_id), a_token(world, web.person_id)
    assert await web.post(f"/tokens/{token.id}/revoke") == {"url": "/tokens"}
    (row,) = rows(await web.html("/tokens"))
    assert kept.id in row
    assert await web.refused(f"/tokens/{token.id}/revoke") == WRONG
    assert await web.refused(f"/tokens/{token.id}/decide", allowed=True) == WRONG
    answer = await web.http.get(
        "/api/openapi.json", headers={"Authorization": f"Bearer {token.secret}", "Cookie": ""}
    )
    assert answer.status_code == 401


async def test_a_post_from_elsewhere_or_without_a_clear_word_changes_nothing(
    world: Planning, web: Web
) -> None:
    token = a_token(world, web.person_id)
    path = f"/tokens/{token.id}/decide"
    assert await web.refused(path) == WRONG
    assert await web.refused(path, allowed="yes") == WRONG
    answer = await web.http.post(path, data={"allowed": "true"})
    assert answer.status_code == 400
    foreign = await web.http.post(
        path, json={"allowed": True}, headers={"Origin": "https://evil.example"}
    )
    assert foreign.status_code == 403
    assert scopes(world, token) == {TokenScope.TOOLS}
