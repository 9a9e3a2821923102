"""What a person can choose for a conversation, when it is made and later."""

import re

import pytest

from ccweb.conversations import hosts, store
from ccweb.conversations.hosts import Model, Offer
from ccweb.conversations.model import Conversation
from ccweb_contract.enums import AgentKind, PermissionMode
from ccweb_contract.errors import ErrorCode
from tests.hub.pages.conftest import Web
from tests.relay.world import HOST, World

CLAUDE = Offer(
    agent=AgentKind.CLAUDE,
    version="2.1.332",
    models=(
        Model(name="opus", title="Opus 5.5", efforts=("low", "high")),
        Model(name="haiku", title="Haiku 5"),
    ),
    modes=(PermissionMode.PLAN, PermissionMode.ASK, PermissionMode.SKIP_PERMISSIONS),
)
CODEX = Offer(agent=AgentKind.CODEX, problem="Install it with `npm install -g codex`.")


@pytest.fixture
def offering(world: World) -> World:
    """Return a world whose host can run Claude Code and says why not Codex."""
    with world.tx() as c:
        hosts.seen(c, world.m, HOST, [AgentKind.CLAUDE, AgentKind.DEMO])
        hosts.set_offers(c, HOST, [CLAUDE, CODEX])
    return world


def conversation(world: World, conversation_id: str) -> Conversation:
    found = store.get(world.db.reader, conversation_id)
    assert found is not None
    return found


@pytest.mark.requirement("R-A5")
async def test_the_form_offers_what_runs_and_says_why_the_rest_does_not(
    offering: World, web: Web
) -> None:
    html = await web.html("/parts/agents")
    kinds = re.findall(r'name="agent" value="(\w+)"', html)
    assert kinds == ["claude", "demo", "codex", "codex_app"]
    assert "Install it with <code>npm install -g codex</code>." in html
    assert "not offered by a running host" in html
    assert "2.1.332" in html


@pytest.mark.requirement("R-S2")
async def test_each_agent_has_the_settings_that_it_offers(offering: World, web: Web) -> None:
    html = await web.html("/parts/agents")
    claude, demo = re.findall(r"<fieldset.*?</fieldset>", html, re.S)
    assert re.findall(r'<option value="([^"]*)"', claude) == [
        *("", "opus", "haiku"),
        *("", "low", "high"),
        *("plan", "ask", "skip_permissions"),
    ]
    assert 'value="low" data-models="opus"' in claude
    assert "without asking" in claude
    assert re.findall(r'<option value="([^"]*)"', demo) == list(PermissionMode)
    assert "disabled" not in claude.split(">")[0]
    assert "disabled" in demo.split(">")[0]


@pytest.mark.requirement("R-U1")
async def test_a_conversation_begins_with_what_was_chosen(offering: World, web: Web) -> None:
    answer = await web.post(
        "/conversations",
        title="New",
        agent="claude",
        model="opus",
        effort="high",
        permissionMode="plan",
        content="begin",
    )
    made = conversation(offering, answer["url"].rpartition("/")[2])
    assert (made.model, made.effort, made.permission_mode) == ("opus", "high", PermissionMode.PLAN)
    assert [message.text for message in offering.messages(made.id)] == ["begin"]


@pytest.mark.requirement("R-U1")
async def test_a_conversation_can_run_with_something_else_from_its_next_turn_on(
    offering: World, web: Web
) -> None:
    a = offering.conversation("A", AgentKind.CLAUDE)
    path = f"/conversations/{a}/configure"
    await web.post(path, model="opus", effort="low", permissionMode="skip_permissions")
    changed = conversation(offering, a)
    assert (changed.model, changed.effort, changed.permission_mode) == (
        "opus",
        "low",
        PermissionMode.SKIP_PERMISSIONS,
    )
    part = await web.html(f"/parts/conversations/{a}/settings")
    assert re.findall(r'<option value="(\w+)"[^>]* selected', part) == [
        "opus",
        "low",
        "skip_permissions",
    ]
    assert "opus · low" in (await web.html(f"/parts/conversations/{a}")).replace("\n", "")
    await web.post(path, model="", permissionMode="ask")
    assert conversation(offering, a).model is None


@pytest.mark.requirement("R-S4")
async def test_what_is_not_offered_is_refused_and_changes_nothing(
    offering: World, web: Web
) -> None:
    a = offering.conversation("A", AgentKind.CLAUDE)
    before = conversation(offering, a)
    for given in (
        {"permissionMode": "accept_edits"},
        {"permissionMode": "all"},
        {"permissionMode": "ask", "model": "gpt"},
        {"permissionMode": "ask", "model": "opus", "effort": "most"},
        {"model": "opus"},
    ):
        refused = await web.refused(f"/conversations/{a}/configure", **given)
        assert refused == (400, ErrorCode.INVALID_PARAMS)
    assert conversation(offering, a) == before


@pytest.mark.requirement("R-U1")
async def test_a_model_that_is_not_offered_any_more_stays_chosen(offering: World, web: Web) -> None:
    a = offering.conversation("A", AgentKind.CLAUDE)
    with offering.tx() as c:
        store.set_choice(c, a, model="opus-4", effort="high", permission_mode=PermissionMode.ASK)
    part = await web.html(f"/parts/conversations/{a}/settings")
    assert re.findall(r'<option value="([\w-]+)"[^>]* selected', part) == ["opus-4", "high", "ask"]


@pytest.mark.requirement("R-U1")
async def test_what_is_not_offered_any_more_is_kept_when_something_else_changes(
    offering: World, web: Web
) -> None:
    a = offering.conversation("A", AgentKind.CLAUDE)
    with offering.tx() as c:
        mode = PermissionMode.ACCEPT_EDITS
        store.set_choice(c, a, model="opus", effort="most", permission_mode=mode)
    part = await web.html(f"/parts/conversations/{a}/settings")
    shown = re.findall(r'<option value="([\w-]+)"[^>]* selected', part)
    assert shown == ["opus", "most", "accept_edits"]
    path = f"/conversations/{a}/configure"
    await web.post(path, model="opus", effort="most", permissionMode="ask")
    assert conversation(offering, a).effort == "most"
    assert conversation(offering, a).permission_mode is PermissionMode.ASK
    refused = await web.refused(path, model="haiku", effort="most", permissionMode="accept_edits")
    assert refused == (400, ErrorCode.INVALID_PARAMS)


@pytest.mark.requirement("R-A5")
async def test_the_settings_say_why_an_agent_cannot_run(offering: World, web: Web) -> None:
    a = offering.conversation("A", AgentKind.CODEX)
    assert "npm install -g codex" in await web.html(f"/parts/conversations/{a}/settings")
