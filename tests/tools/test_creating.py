"""Creating a conversation: what is inherited, and what only a person may ask for."""

from dataclasses import replace
from pathlib import Path

import pytest

from ccweb.access.model import Agent
from ccweb.conversations import folders, hosts
from ccweb.conversations import service as conversations
from ccweb.conversations.hosts import Model, Offer
from ccweb.conversations.model import Conversation
from ccweb.conversations.service import NewConversation
from ccweb_contract.enums import (
    AgentKind,
    ConversationStatus,
    PermissionMode,
    ReplyStatus,
    TokenScope,
)
from ccweb_contract.errors import ErrorCode
from ccweb_contract.tools import TOOLS, ToolName
from tests.relay.world import HOST
from tests.tools.desk import Desk, fits

CREATE = ToolName.CCWEB_CREATE_CONVERSATION


def a_parent(
    desk: Desk,
    *,
    mode: PermissionMode = PermissionMode.ASK,
    agent: AgentKind = AgentKind.DEMO,
    model: str | None = None,
    effort: str | None = None,
) -> Agent:
    """Return the agent of a conversation that works in a real folder."""
    new = NewConversation(
        title="Parent",
        agent=agent,
        cwd=str(desk.project),
        permission_mode=mode,
        host_id=HOST,
        model=model,
        effort=effort,
    )
    with desk.tx() as c:
        parent_id = conversations.create(c, desk.m, new).id
    return desk.agent(parent_id)


def offer(desk: Desk, *kinds: AgentKind) -> None:
    with desk.tx() as c:
        hosts.seen(c, desk.m, HOST, kinds)


async def created(desk: Desk, caller: object, **arguments: object) -> Conversation:
    result = await desk.result(caller, CREATE, **{"title": "New"} | arguments)  # type: ignore[arg-type]
    assert fits(TOOLS[CREATE], result)
    return conversations.existing(desk.db.reader, result["conversationId"])


async def test_an_agent_passes_on_its_kind_folder_mode_and_model(desk: Desk) -> None:
    offer(desk, AgentKind.CODEX)
    agent = a_parent(desk, mode=PermissionMode.ACCEPT_EDITS, agent=AgentKind.CODEX, model="gpt-5.5")
    child = await created(desk, agent, title="  Child  ")
    assert (child.title, child.agent, child.cwd, child.permission_mode, child.model) == (
        "Child",
        AgentKind.CODEX,
        str(desk.project),
        PermissionMode.ACCEPT_EDITS,
        "gpt-5.5",
    )


async def test_a_model_is_not_passed_on_to_another_kind(desk: Desk) -> None:
    offer(desk, AgentKind.CODEX, AgentKind.DEMO)
    agent = a_parent(desk, agent=AgentKind.CODEX, model="gpt-5.5")
    assert (await created(desk, agent, agent="demo")).model is None


async def test_a_person_gets_the_demo_agent_in_a_workspace_folder(desk: Desk) -> None:
    child = await created(desk, desk.browser())
    assert (child.agent, child.permission_mode) == (AgentKind.DEMO, PermissionMode.ASK)
    assert Path(child.cwd).is_dir()
    assert Path(child.cwd).is_relative_to(desk.settings.data_dir)
    assert child.cwd != str(desk.settings.data_dir)


@pytest.mark.requirement("R-U4")
async def test_a_folder_has_one_name_however_the_data_folder_is_reached(
    desk: Desk, tmp_path: Path
) -> None:
    reached = tmp_path / "reached"
    reached.symlink_to(tmp_path, target_is_directory=True)
    desk.settings = replace(desk.settings, data_dir=reached)
    child = await created(desk, desk.browser())
    assert child.cwd == str((tmp_path / "workspace").resolve())


@pytest.mark.requirement("R-M1")
async def test_a_first_message_with_a_reply_is_a_request(desk: Desk) -> None:
    agent = a_parent(desk)
    result = await desk.result(
        agent, CREATE, title="Helper", initialMessage="count", requestReply=True
    )
    assert fits(TOOLS[CREATE], result)
    row = desk.reply(result["requestId"])
    assert (row.original_request, row.status) == ("count", ReplyStatus.WAITING)
    assert row.target_conversation_id == result["conversationId"]
    assert row.source_conversation_id == agent.conversation_id


async def test_a_first_message_without_a_reply_is_one_way(desk: Desk) -> None:
    result = await desk.result(a_parent(desk), CREATE, title="Helper", initialMessage="go")
    assert "messageId" in result
    assert "requestId" not in result


async def test_a_persons_first_message_starts_work(desk: Desk) -> None:
    result = await desk.result(desk.browser(), CREATE, title="Helper", initialMessage="go")
    (line,) = (await desk.result(desk.browser(), ToolName.CCWEB_LIST_CONVERSATIONS))[
        "conversations"
    ]
    assert (line["conversationId"], line["status"]) == (
        result["conversationId"],
        ConversationStatus.QUEUED.value,
    )


@pytest.mark.requirement("R-S2")
@pytest.mark.parametrize("own", list(PermissionMode))
@pytest.mark.parametrize("wanted", list(PermissionMode))
async def test_an_agent_creates_nothing_more_permissive_than_itself(
    desk: Desk, own: PermissionMode, wanted: PermissionMode
) -> None:
    order = [
        PermissionMode.PLAN,
        PermissionMode.ASK,
        PermissionMode.ACCEPT_EDITS,
        PermissionMode.SKIP_PERMISSIONS,
    ]
    agent = a_parent(desk, mode=own)
    answer = await desk.call(agent, CREATE, title="Child", permissionMode=wanted.value)
    if order.index(wanted) <= order.index(own):
        assert answer.refusal is None
    else:
        assert answer.refusal is not None
        assert answer.refusal.code is ErrorCode.HUMAN_REQUIRED


@pytest.mark.requirement("R-S2", "R-S5")
async def test_only_a_person_chooses_that_permissions_are_skipped(desk: Desk) -> None:
    mode = PermissionMode.SKIP_PERMISSIONS.value
    script = desk.script()
    assert (await desk.refusal(script, CREATE, title="x", permissionMode=mode)).code is (
        ErrorCode.HUMAN_REQUIRED
    )
    deciding = desk.script(scopes=[TokenScope.TOOLS, TokenScope.APPROVE])
    for caller in (desk.browser(), deciding):
        child = await created(desk, caller, permissionMode=mode)
        assert child.permission_mode is PermissionMode.SKIP_PERMISSIONS


async def test_an_agent_may_work_below_a_folder_that_is_in_use(desk: Desk) -> None:
    below = desk.project / "src"
    below.mkdir()
    assert (await created(desk, a_parent(desk), cwd=str(below))).cwd == str(below)


async def test_an_agent_may_work_in_a_registered_folder(desk: Desk, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    agent = a_parent(desk)
    refusal = await desk.refusal(agent, CREATE, title="x", cwd=str(other))
    assert refusal.code is ErrorCode.HUMAN_REQUIRED
    with desk.tx() as c:
        folders.register(c, desk.m, str(other), person_id=desk.owner_id_in(c))
    assert (await created(desk, agent, cwd=str(other))).cwd == str(other)


@pytest.mark.parametrize(
    "escape",
    ["{project}/../elsewhere", "{project}/link", "{project}-twin", "/etc", "/"],
)
async def test_an_agent_does_not_leave_its_folders(desk: Desk, tmp_path: Path, escape: str) -> None:
    for name in ("elsewhere", "project-twin"):
        (tmp_path / name).mkdir()
    (desk.project / "link").symlink_to(tmp_path / "elsewhere")
    agent = a_parent(desk)
    before = desk.everything()
    refusal = await desk.refusal(agent, CREATE, title="x", cwd=escape.format(project=desk.project))
    assert refusal.code is ErrorCode.HUMAN_REQUIRED
    assert desk.everything() == before


@pytest.mark.parametrize("cwd", ["src", "./src", "~", "/srv/nowhere-at-all", ""])
async def test_a_folder_must_be_absolute_and_exist(desk: Desk, cwd: str) -> None:
    refusal = await desk.refusal(desk.browser(), CREATE, title="x", cwd=cwd)
    assert refusal.code is ErrorCode.INVALID_PARAMS
    assert "`cwd`" in refusal.detail


async def test_an_agent_that_the_host_does_not_offer_is_refused(desk: Desk) -> None:
    refusal = await desk.refusal(desk.browser(), CREATE, title="x", agent="claude")
    assert refusal.code is ErrorCode.AGENT_UNAVAILABLE
    assert AgentKind.DEMO in refusal.detail


OFFER = Offer(
    agent=AgentKind.CODEX,
    models=(
        Model(name="large", title="Large", efforts=("low", "high")),
        Model(name="small", title="Small", efforts=("low",)),
    ),
    modes=(PermissionMode.PLAN, PermissionMode.ASK),
)


def set_offer(desk: Desk, one: Offer) -> None:
    offer(desk, *([] if one.problem else [one.agent]), AgentKind.DEMO)
    with desk.tx() as c:
        hosts.set_offers(c, HOST, [one])


@pytest.mark.requirement("R-A5")
async def test_why_an_agent_cannot_run_is_said_in_the_words_of_its_offer(desk: Desk) -> None:
    set_offer(desk, Offer(agent=AgentKind.CLAUDE, problem="Install it with `get claude`."))
    refusal = await desk.refusal(desk.browser(), CREATE, title="x", agent="claude")
    assert refusal.code is ErrorCode.AGENT_UNAVAILABLE
    assert "Install it with `get claude`." in refusal.detail


@pytest.mark.parametrize(
    "chosen",
    [
        {"model": "large"},
        {"permissionMode": "plan"},
        {},
    ],
)
async def test_what_an_agent_offers_can_be_chosen(desk: Desk, chosen: dict[str, str]) -> None:
    set_offer(desk, OFFER)
    child = await created(desk, desk.browser(), agent="codex", **chosen)
    assert child.model == chosen.get("model")
    assert child.permission_mode == chosen.get("permissionMode", PermissionMode.ASK)


@pytest.mark.parametrize(
    "chosen",
    [
        {"model": "huge"},
        {"permissionMode": "accept_edits"},
    ],
)
async def test_what_an_agent_does_not_offer_is_refused_with_what_it_does(
    desk: Desk, chosen: dict[str, str]
) -> None:
    set_offer(desk, OFFER)
    before = desk.everything()
    refusal = await desk.refusal(desk.browser(), CREATE, title="x", agent="codex", **chosen)
    assert refusal.code is ErrorCode.INVALID_PARAMS
    [(field, given)] = chosen.items()
    assert f"`{field}` {given!r}" in refusal.detail
    assert desk.everything() == before


async def test_an_agent_that_lists_no_models_judges_them_by_itself(desk: Desk) -> None:
    set_offer(desk, replace(OFFER, models=()))
    child = await created(desk, desk.browser(), agent="codex", model="mine")
    assert child.model == "mine"


async def test_an_effort_is_passed_on_with_the_model_that_it_is_for(desk: Desk) -> None:
    set_offer(desk, OFFER)
    agent = a_parent(desk, agent=AgentKind.CODEX, model="large", effort="high")
    assert (await created(desk, agent)).effort == "high"
    assert (await created(desk, agent, model="small")).effort is None


async def test_without_a_host_nothing_can_be_created(desk: Desk) -> None:
    offer(desk)
    assert (await desk.refusal(desk.browser(), CREATE, title="x")).code is (
        ErrorCode.AGENT_UNAVAILABLE
    )


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"title": " "}, ErrorCode.INVALID_PARAMS),
        ({"title": "x" * 201}, ErrorCode.INVALID_PARAMS),
        ({"requestReply": True}, ErrorCode.INVALID_PARAMS),
        ({"requestReply": "yes", "initialMessage": "go"}, ErrorCode.INVALID_PARAMS),
        ({"requestReply": True, "initialMessage": "go"}, ErrorCode.SOURCE_REQUIRED),
        ({"initialMessage": "语" * 100_000}, ErrorCode.CONTENT_TOO_LARGE),
    ],
)
async def test_a_refused_creation_leaves_nothing_behind(
    desk: Desk, arguments: dict[str, object], code: ErrorCode
) -> None:
    person = desk.browser()
    before = desk.everything()
    refusal = await desk.refusal(person, CREATE, **{"title": "x"} | arguments)
    assert refusal.code is code
    assert desk.everything() == before
