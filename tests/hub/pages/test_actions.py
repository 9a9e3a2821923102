"""What a person does on the page: each action changes what it says, each refusal can be read."""

from typing import Any

import pytest

from ccweb.access import service as access
from ccweb.conversations import hosts
from ccweb_contract.enums import AgentKind, Outcome, ReplyStatus, TurnKind, TurnStatus
from ccweb_contract.errors import ErrorCode
from tests.hub.pages.conftest import Web
from tests.relay.world import HOST, World


@pytest.mark.requirement("R-U1")
async def test_a_message_is_queued_and_is_never_refused_for_what_goes_on(
    world: World, web: Web
) -> None:
    a = world.conversation("A")
    world.started(a)
    answer = await web.post(f"/conversations/{a}/messages", content="and this")
    turn = world.turn(answer["turnId"])
    assert (turn.kind, turn.status, turn.prompt) == (
        TurnKind.PERSON,
        TurnStatus.QUEUED,
        "and this",
    )


async def test_a_queued_message_can_be_taken_back_in_its_own_conversation_only(
    world: World, web: Web
) -> None:
    a, b = world.conversation("A"), world.conversation("B")
    world.started(a)
    turn_id = world.write(a, "never mind")
    assert await web.refused(f"/conversations/{b}/turns/{turn_id}/take-back") == (
        404,
        ErrorCode.CONVERSATION_NOT_FOUND,
    )
    await web.post(f"/conversations/{a}/turns/{turn_id}/take-back")
    assert world.turn(turn_id).status is TurnStatus.INTERRUPTED


@pytest.mark.requirement("R-M11")
async def test_stop_holds_what_comes_back_and_continue_brings_it_in(world: World, web: Web) -> None:
    a, b = world.conversation("A"), world.conversation("B")
    first = world.started(a)
    request = world.request(first, b)
    world.end(first)
    await web.post(f"/conversations/{a}/stop")
    world.end(world.claim_in(b))
    assert (world.held(a), world.reply(request).status) == (True, ReplyStatus.READY)
    await web.post(f"/conversations/{a}/continue")
    assert (world.held(a), world.reply(request).status) == (False, ReplyStatus.RETURNED)


@pytest.mark.requirement("R-M11")
async def test_stop_all_ends_what_was_delegated_too(world: World, web: Web) -> None:
    a, b = world.conversation("A"), world.conversation("B")
    first = world.started(a)
    request = world.request(first, b)
    await web.post(f"/conversations/{a}/stop", all=True)
    assert world.reply(request).status is ReplyStatus.FAILED


@pytest.mark.requirement("R-M10")
@pytest.mark.parametrize("interrupts", [False, True])
async def test_a_person_can_cancel_a_request_and_stop_its_target(
    world: World, web: Web, interrupts: bool
) -> None:
    a, b = world.conversation("A"), world.conversation("B")
    first = world.started(a)
    request = world.request(first, b)
    world.end(first)
    turn = world.claim_in(b)
    await web.post(f"/requests/{request}/cancel", interruptTarget=interrupts)
    assert world.reply(request).outcome is Outcome.CANCELLED
    assert (world.turn(turn.id).stop_requested_at is not None) is interrupts
    assert await web.refused(f"/requests/{request}/cancel") == (409, ErrorCode.ALREADY_RETURNED)


@pytest.mark.requirement("R-U3")
async def test_an_ask_is_resumed_or_dismissed_once(world: World, web: Web) -> None:
    a, b = world.conversation("A"), world.conversation("B")
    first = world.started(a)
    world.request(first, b)
    world.end(first)
    world.stop(a)
    world.end(world.claim_in(b))
    [ask] = world.asks()
    await web.post(f"/asks/{ask.id}/resume")
    assert world.asks() == []
    assert await web.refused(f"/asks/{ask.id}/dismiss") == (409, ErrorCode.ASK_CLOSED)
    assert await web.refused("/asks/ask_x/resume") == (404, ErrorCode.ASK_NOT_FOUND)


async def test_a_conversation_is_renamed_archived_and_deleted(world: World, web: Web) -> None:
    a = world.conversation("A")
    await web.post(f"/conversations/{a}/rename", title="  Better  ")
    assert "Better" in await web.html("/parts/sidebar")
    await web.post(f"/conversations/{a}/archive", archived=True)
    assert "Better" not in await web.html("/parts/sidebar")
    assert "Better" in await web.html("/parts/sidebar", archived="yes")
    assert await web.post(f"/conversations/{a}/delete") == {"url": "/"}
    assert "Better" not in await web.html("/parts/sidebar", archived="yes")


async def test_reading_a_conversation_takes_its_mark_away(world: World, web: Web) -> None:
    a = world.conversation("A")
    world.end(world.started(a))
    assert "data-unread" in await web.html("/parts/sidebar")
    await web.post(f"/conversations/{a}/read", position=world.messages(a)[-1].position)
    assert "data-unread" not in await web.html("/parts/sidebar")


async def test_a_conversation_is_created_with_its_first_message(world: World, web: Web) -> None:
    with world.tx() as c:
        hosts.seen(c, world.m, HOST, [AgentKind.DEMO])
    answer = await web.post("/conversations", title="New", agent="demo", cwd="", content="begin")
    html = await web.html(answer["url"])
    assert "begin" in html


@pytest.mark.requirement("R-S4")
@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"title": ""}, ErrorCode.INVALID_PARAMS),
        ({"title": "x", "agent": "nonesuch"}, ErrorCode.INVALID_PARAMS),
        ({"title": "x", "cwd": "not/absolute"}, ErrorCode.INVALID_PARAMS),
        ({"title": "x", "agent": "claude"}, ErrorCode.AGENT_UNAVAILABLE),
    ],
)
async def test_a_conversation_that_cannot_be_made_is_refused(
    world: World, web: Web, body: dict[str, Any], code: ErrorCode
) -> None:
    assert (await web.refused("/conversations", **body))[1] == code
    assert 'class="row"' not in await web.html("/parts/sidebar")


@pytest.mark.requirement("R-S4")
@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("messages", {}),
        ("messages", {"content": ""}),
        ("messages", {"content": " \n"}),
        ("messages", {"content": 3}),
        ("messages", {"content": "nul \x00"}),
        ("rename", {"title": " "}),
        ("rename", {"title": "x" * 201}),
        ("archive", {"archived": "yes"}),
        ("stop", {"all": 1}),
        ("read", {"position": True}),
        ("read", {"position": -1}),
        ("read", {"position": 2**63}),
    ],
)
async def test_a_wrong_body_is_refused_and_changes_nothing(
    world: World, web: Web, path: str, body: dict[str, Any]
) -> None:
    a = world.conversation("A")
    refused = await web.refused(f"/conversations/{a}/{path}", **body)
    assert refused == (400, ErrorCode.INVALID_PARAMS)
    assert world.messages(a) == []
    assert "A" in await web.html("/parts/sidebar")


@pytest.mark.requirement("R-S4")
async def test_half_a_surrogate_pair_is_refused_as_no_text(world: World, web: Web) -> None:
    a = world.conversation("A")
    answer = await web.http.post(
        f"/conversations/{a}/messages",
        content=b'{"content": "\\ud800"}',
        headers={"Content-Type": "application/json"},
    )
    assert (answer.status_code, answer.json()["error_code"]) == (400, ErrorCode.INVALID_PARAMS)


@pytest.mark.requirement("R-S4")
async def test_a_message_over_the_limit_says_how_large_it_may_be(world: World, web: Web) -> None:
    a = world.conversation("A")
    refused = await web.refused(f"/conversations/{a}/messages", content="x" * 300_000)
    assert refused == (413, ErrorCode.CONTENT_TOO_LARGE)


@pytest.mark.requirement("R-S1")
@pytest.mark.requirement("FC-73")
@pytest.mark.parametrize("origin", [None, "http://elsewhere.example", "null"])
async def test_a_post_from_another_site_changes_nothing(
    world: World, web: Web, origin: str | None
) -> None:
    a = world.conversation("A")
    web.http.headers.pop("Origin")
    headers = {"Origin": origin} if origin else {}
    answer = await web.http.post(
        f"/conversations/{a}/messages", json={"content": "evil"}, headers=headers
    )
    assert (answer.status_code, world.messages(a)) == (403, [])


@pytest.mark.requirement("FC-73")
async def test_a_form_of_another_type_is_not_read(world: World, web: Web) -> None:
    a = world.conversation("A")
    answer = await web.http.post(f"/conversations/{a}/messages", data={"content": "evil"})
    assert (answer.status_code, world.messages(a)) == (400, [])


async def test_a_settled_part_of_a_text_is_rendered_like_the_whole(web: Web) -> None:
    answer = await web.post("/render", text="**a** <script>")
    assert answer == {"html": "<p><strong>a</strong> &lt;script&gt;</p>\n"}


@pytest.mark.requirement("R-S1")
async def test_an_agents_credential_opens_no_action(world: World, web: Web) -> None:
    a = world.conversation("A")
    with world.tx() as c:
        owner = access.owner(c, world.m)
        token = access.create_token(c, world.m, person_id=owner.id, name="t")
    await web.post("/sign-out")
    answer = await web.http.post(
        f"/conversations/{a}/messages",
        json={"content": "x"},
        headers={"Authorization": f"Bearer {token.secret}"},
    )
    assert (answer.status_code, world.messages(a)) == (401, [])


@pytest.mark.requirement("R-M11", "FC-29")
async def test_sending_again_with_the_same_key_writes_nothing_new(web: Web, world: World) -> None:
    a = world.conversation("A")
    path, key = f"/conversations/{a}/messages", "0123456789abcdef"
    first = await web.post(path, content="once", key=key)
    assert await web.post(path, content="once", key=key) == first
    assert [m.text for m in world.messages(a)] == ["once"]
    assert await web.refused(path, content="x", key="../../etc") == (400, "invalid_params")
