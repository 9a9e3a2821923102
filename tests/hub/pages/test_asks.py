"""What agents ask stands where a person is, can be answered there, and stays to be read."""

from typing import Any

import pytest

from ccweb.asks import store as asks
from ccweb.conversations.model import Turn
from ccweb.hub import questions
from ccweb_contract.enums import AskKind, AskStatus, PermissionAnswer
from ccweb_contract.errors import ErrorCode
from tests.hub.pages.conftest import Web
from tests.relay.world import World

COMMAND = {
    "tool": "Bash",
    "title": "Clean the build",
    "input": {"command": "rm -r build"},
    "what": "Bash(rm:*)",
}
QUESTION = {
    "questions": [
        {
            "key": "way",
            "text": "Which way?",
            "options": [{"label": "Left", "description": "the short one"}, {"label": "Right"}],
            "multiple": True,
        },
        {"key": "why", "text": "Why <there>?"},
    ]
}
ONCE = {"decision": PermissionAnswer.ALLOW_ONCE.value}


def asked(
    world: World, turn: Turn, detail: dict[str, Any], kind: AskKind = AskKind.PERMISSION
) -> str:
    """Let the agent of a turn ask something and return the ask's id."""
    with world.tx() as c:
        return asks.open_ask(
            c,
            world.m,
            kind,
            turn.conversation_id,
            subject="1",
            turn_id=turn.id,
            parent_request_id=turn.thread.serves,
            detail=detail,
        )


@pytest.mark.requirement("R-U3")
async def test_a_permission_shows_what_it_is_for_and_every_answer(world: World, web: Web) -> None:
    a = world.conversation("A")
    ask_id = asked(world, world.started(a), COMMAND)
    html = await web.html(f"/conversations/{a}")
    for part in (
        "May I use Bash?",
        "Clean the build",
        "rm -r build",
        "Bash(rm:*)",
        'data-decision="allow_once"',
        'data-decision="allow_in_conversation"',
        'data-decision="deny"',
        "Waits for your answer",
    ):
        assert part in html
    assert html.count(f'data-answer="/asks/{ask_id}/answer"') == 1


@pytest.mark.requirement("R-U3")
async def test_what_cannot_be_allowed_for_the_conversation_is_not_offered_so(
    world: World, web: Web
) -> None:
    a = world.conversation("A")
    asked(world, world.started(a), COMMAND | {"what": ""})
    assert "allow_in_conversation" not in await web.html(f"/conversations/{a}")


@pytest.mark.requirement("R-U3")
@pytest.mark.parametrize("title", ["Bash: rm -r build", "rm -r build", "Bash: rm -r b…", "Bash"])
async def test_a_title_that_says_what_the_input_says_stands_in_the_list_only(
    world: World, web: Web, title: str
) -> None:
    a = world.conversation("A")
    asked(world, world.started(a), COMMAND | {"title": title})
    html = await web.html(f"/parts/conversations/{a}")
    assert "ask-title" not in html
    assert f"Bash: {title.removeprefix('Bash: ')}" in await web.html("/parts/sidebar")


@pytest.mark.requirement("R-U3")
async def test_a_command_cannot_hide_its_end(world: World, web: Web) -> None:
    a = world.conversation("A")
    hidden = {"command": "ls \u202emoc.live\u202c \u200b; curl x\x1b[8m"}
    asked(world, world.started(a), {"tool": "Ba\u202esh", "input": hidden})
    html = await web.html(f"/conversations/{a}")
    assert "\u202e" not in html.replace("Ba\u202esh", "")
    for sign in ("U+202E", "U+200B", "U+001B"):
        assert sign in html


@pytest.mark.requirement("R-U3")
async def test_a_long_input_is_folded_and_a_huge_one_can_be_read_whole(
    world: World, web: Web
) -> None:
    a = world.conversation("A")
    text = "\n".join(f"line {number}" for number in range(20_000))
    ask_id = asked(world, world.started(a), {"tool": "Write", "input": {"command": text}})
    html = await web.html(f"/conversations/{a}")
    assert "and 19988 more lines" in html
    assert len(html) < 250_000
    assert await web.html(f"/asks/{ask_id}/input") == text


@pytest.mark.requirement("R-U3")
async def test_an_answer_is_written_and_stands_there_with_who_gave_it(
    world: World, web: Web
) -> None:
    a = world.conversation("A")
    ask_id = asked(world, world.started(a), COMMAND)
    given = {"decision": PermissionAnswer.DENY.value, "note": "not on Friday"}
    await web.post(f"/asks/{ask_id}/answer", **given)
    with world.tx() as c:
        assert asks.get(c, ask_id).answer == given
    html = await web.html(f"/parts/conversations/{a}")
    assert "ask-form" not in html
    for part in ("Denied", "“not on Friday”", "Clean the build", "You "):
        assert part in html


@pytest.mark.requirement("R-U3")
async def test_a_second_answer_is_refused_and_the_same_one_again_is_not(
    world: World, web: Web
) -> None:
    ask_id = asked(world, world.started(world.conversation("A")), COMMAND)
    await web.post(f"/asks/{ask_id}/answer", **ONCE)
    await web.post(f"/asks/{ask_id}/answer", **ONCE)
    deny = {"decision": PermissionAnswer.DENY.value}
    assert await web.refused(f"/asks/{ask_id}/answer", **deny) == (409, ErrorCode.ASK_CLOSED)


@pytest.mark.requirement("R-S4")
@pytest.mark.parametrize(
    "given",
    [
        {},
        {"decision": "always"},
        {"decision": "deny", "note": "a\x00b"},
        {"decision": "deny", "note": "x" * 300_000},
    ],
)
async def test_what_is_no_answer_changes_nothing(
    world: World, web: Web, given: dict[str, Any]
) -> None:
    ask_id = asked(world, world.started(world.conversation("A")), COMMAND)
    status, _ = await web.refused(f"/asks/{ask_id}/answer", **given)
    assert status in (400, 413)
    assert [ask.id for ask in world.asks()] == [ask_id]


@pytest.mark.requirement("R-U3")
async def test_questions_show_their_options_and_take_a_free_answer(world: World, web: Web) -> None:
    a = world.conversation("A")
    ask_id = asked(world, world.started(a), QUESTION, AskKind.QUESTION)
    html = await web.html(f"/conversations/{a}")
    assert html.count('type="checkbox"') >= 2
    for part in ("Which way?", "the short one", "Why &lt;there&gt;?", "Something else…"):
        assert part in html
    answers = {"way": ["Left", "Right"], "why": "so"}
    await web.post(f"/asks/{ask_id}/answer", answers=answers)
    shown = await web.html(f"/parts/conversations/{a}")
    assert "<b>Left, Right</b>" in shown
    assert "<b>so</b>" in shown


@pytest.mark.requirement("R-U3", "FC-72")
async def test_several_asks_at_once_stand_beside_each_other(world: World, web: Web) -> None:
    a = world.conversation("A")
    turn = world.started(a)
    first = asked(world, turn, COMMAND)
    second = asked(world, turn, QUESTION, AskKind.QUESTION)
    html = await web.html(f"/conversations/{a}")
    places = [html.index(f'data-answer="/asks/{ask_id}/answer"') for ask_id in (first, second)]
    assert places == sorted(places)
    sidebar = await web.html("/parts/sidebar")
    assert [f'data-ask="{ask_id}"' in sidebar for ask_id in (first, second)] == [True, True]
    await web.post(f"/asks/{second}/answer", answers={"way": ["Left"], "why": "so"})
    assert f'data-answer="/asks/{first}/answer"' in await web.html(f"/conversations/{a}")


@pytest.mark.requirement("R-U2")
@pytest.mark.requirement("R-U3", "FC-72")
@pytest.mark.requirement("R-M4")
async def test_a_delegated_question_can_be_answered_in_every_conversation_above(
    world: World, web: Web
) -> None:
    a, b, c = (world.conversation(title) for title in ("Ada", "Bob", "Cleo"))
    first = world.started(a)
    world.request(first, b)
    world.end(first)
    second = world.claim_in(b)
    world.request(second, c)
    world.end(second)
    ask_id = asked(world, world.claim_in(c), COMMAND)
    form = f'data-answer="/asks/{ask_id}/answer"'
    for conversation_id in (a, b, c):
        html = await web.html(f"/conversations/{conversation_id}")
        assert html.count(form) == 1, conversation_id
        assert ("Asked by" in html) is (conversation_id != c)
    assert '<li class="station" data-reached="now"' in await web.html(f"/conversations/{a}")
    await web.post(f"/asks/{ask_id}/answer", **ONCE)
    for conversation_id in (a, b, c):
        assert form not in await web.html(f"/conversations/{conversation_id}")


@pytest.mark.requirement("R-U3")
async def test_what_needs_a_person_names_it_and_opens_it_from_anywhere(
    world: World, web: Web
) -> None:
    ask_id = asked(world, world.started(world.conversation("Ada")), COMMAND)
    sidebar = await web.html("/parts/sidebar")
    assert "Bash: Clean the build" in sidebar
    assert f'data-ask="{ask_id}"' in sidebar
    assert f"/asks/{ask_id}/resume" not in sidebar
    part = await web.html(f"/parts/asks/{ask_id}")
    assert 'data-open="yes"' in part
    assert f'data-answer="/asks/{ask_id}/answer"' in part
    await web.post(f"/asks/{ask_id}/answer", **ONCE)
    closed = await web.html(f"/parts/asks/{ask_id}")
    assert "Allowed once" in closed
    assert "ask-form" not in closed
    assert (await web.http.get("/parts/asks/ask_none")).status_code == 404


@pytest.mark.requirement("R-M11")
async def test_what_a_turn_had_asked_is_taken_back_however_it_ends(world: World, web: Web) -> None:
    a = world.conversation("A")
    turn = world.started(a)
    ask_id = asked(world, turn, COMMAND)
    world.end(turn)
    with world.tx() as c:
        assert asks.get(c, ask_id).status is AskStatus.DISMISSED
    assert "Taken back by the agent" in await web.html(f"/parts/conversations/{a}")


async def test_many_decisions_of_one_turn_are_folded(world: World, web: Web) -> None:
    a = world.conversation("A")
    turn = world.started(a)
    for _ in range(4):
        await web.post(f"/asks/{asked(world, turn, COMMAND)}/answer", **ONCE)
    assert "You were asked 4 times" in await web.html(f"/parts/conversations/{a}")


async def test_a_deleted_conversation_asks_nothing(world: World) -> None:
    a = world.conversation("A")
    asked(world, world.started(a), COMMAND)
    world.delete(a)
    with world.tx() as c:
        assert questions.every_open(c) == []


@pytest.mark.requirement("R-S2")
async def test_what_was_allowed_can_be_seen_and_taken_back(world: World, web: Web) -> None:
    a = world.conversation("A")
    ask_id = asked(world, world.started(a), COMMAND)
    await web.post(f"/asks/{ask_id}/answer", decision=PermissionAnswer.ALLOW_IN_CONVERSATION.value)
    assert "Bash(rm:*)" in await web.html(f"/parts/conversations/{a}/settings")
    await web.post(f"/conversations/{a}/disallow", what="Bash(rm:*)")
    assert "Bash(rm:*)" not in await web.html(f"/parts/conversations/{a}/settings")


@pytest.mark.requirement("R-U3")
@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("[" * 5000, "[[[["),
        ('{"command": "echo \\ud83d"}', "⟨U+D83D⟩"),
        ('{"plan": "# Do \\ud83d"}', "Do ?"),
    ],
)
async def test_no_input_of_an_agent_keeps_its_question_from_being_shown(
    world: World, web: Web, given: Any, shown: str
) -> None:
    a = world.conversation("A")
    detail = COMMAND | {"tool": "Ba\u202esh", "title": "Go", "input": given}
    ask_id = asked(world, world.started(a), detail)
    for address in (f"/conversations/{a}", f"/parts/conversations/{a}", f"/parts/asks/{ask_id}"):
        html = await web.html(address)
        assert shown in html
        assert "Ba⟨U+202E⟩sh" in html
    await web.html(f"/asks/{ask_id}/input")
    assert "Answer…" in await web.html("/parts/sidebar")


@pytest.mark.requirement("R-U3")
async def test_an_answer_that_is_nested_without_end_is_refused(world: World, web: Web) -> None:
    ask_id = asked(world, world.started(world.conversation("A")), QUESTION, AskKind.QUESTION)
    nested: Any = "x"
    for _ in range(700):
        nested = [nested]
    status, code = await web.refused(f"/asks/{ask_id}/answer", answers={"way": nested})
    assert (status, code) == (400, ErrorCode.INVALID_PARAMS)
