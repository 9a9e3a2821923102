"""Pages and parts: who sees them, what they hold, and what they never load."""

import json
import re
from datetime import timedelta
from importlib.resources import files

import httpx2
import pytest
from sqlalchemy import event

from ccweb.access import service as access
from ccweb.asks.rules import ASKED_BY_AGENTS
from ccweb.conversations import hosts
from ccweb.hub import events, strings
from ccweb.hub.rendering import TONES
from ccweb_contract import enums
from ccweb_contract.aliases import ALIASES
from ccweb_contract.enums import AgentKind, Lang, TurnStatus
from tests.hub.pages.conftest import Web
from tests.relay.world import HOST, World

_STATIC = files("ccweb.hub").joinpath("static")
_TEMPLATES = files("ccweb.hub").joinpath("templates")


@pytest.mark.requirement("R-S1")
@pytest.mark.parametrize("path", ["/", "/parts/sidebar", "/turns/t/prompt", "/events"])
async def test_a_stranger_sees_the_sign_in_page_and_nothing_else(
    visitor: httpx2.AsyncClient, path: str
) -> None:
    page = await visitor.get(path, headers={"Accept": "text/html"})
    script = await visitor.get(path)
    assert (page.status_code, page.headers["location"].partition("?")[0]) == (303, "/sign-in")
    assert script.status_code == 401


@pytest.mark.requirement("R-S1")
async def test_a_ticket_opens_the_page_once(world: World, web: Web) -> None:
    assert "New conversation" in await web.html("/")
    again = await web.http.post("/sign-in", data={"ticket": "used or wrong"})
    assert again.status_code == 401
    assert "ccweb link" in again.text


@pytest.mark.requirement("R-S1")
async def test_the_whole_printed_address_is_as_good_as_its_ticket(
    world: World, visitor: httpx2.AsyncClient
) -> None:
    with world.tx() as c:
        ticket = access.new_ticket(c, world.m, world.settings, access.owner(c, world.m).id)
    pasted = f" {visitor.base_url}/sign-in#ticket={ticket}\n"
    answer = await visitor.post("/sign-in", data={"ticket": pasted})
    assert (answer.status_code, answer.headers.get("location")) == (303, "/")


@pytest.mark.requirement("R-S1")
@pytest.mark.parametrize(
    ("wanted", "given"),
    [
        ("/conversations/c", "/conversations/c"),
        ("//elsewhere.example", "/"),
        ("https://elsewhere.example", "/"),
        ("/\\elsewhere.example", "/"),
        ("/\t/elsewhere.example", "/"),  # browsers drop the tab, which leaves another host
        ("/\n\\elsewhere.example", "/"),
        ("/sign-in", "/"),
    ],
)
async def test_a_sign_in_leads_to_a_page_of_ours_only(web: Web, wanted: str, given: str) -> None:
    answer = await web.http.get("/sign-in", params={"next": wanted})
    assert (answer.status_code, answer.headers["location"]) == (303, given)


@pytest.mark.requirement("R-S1")
async def test_signing_out_ends_the_session(web: Web) -> None:
    await web.post("/sign-out")
    assert (await web.http.get("/")).status_code in (303, 401)


@pytest.mark.requirement("R-U5")
async def test_every_page_forbids_foreign_and_inline_code(
    world: World, web: Web, visitor: httpx2.AsyncClient
) -> None:
    a = world.conversation("A")
    for path in ("/", f"/conversations/{a}", "/static/app.js", "/sign-in", "/contract.js"):
        headers = (await visitor.get(path)).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
    html = await web.html(f"/conversations/{a}")
    assert not re.search(r"<script(?! (type=\"module\" )?src=\"/)", html)
    assert not re.search(r"\son\w+=|\sstyle=|(?:src|href)=\"(?!/|#)", html)


@pytest.mark.requirement("R-U1")
async def test_a_conversation_shows_its_title_messages_and_state(world: World, web: Web) -> None:
    a = world.conversation("Plan <b>")
    turn = world.started(a, "please **look**")
    html = await web.html(f"/conversations/{a}")
    assert '<h1 class="head-title">Plan &lt;b&gt;</h1>' in html
    assert "please <strong>look</strong>" in html
    assert 'data-tone="busy"' in html
    assert f'id="{turn.id}-stream"' in html


@pytest.mark.requirement("R-U1")
async def test_what_happens_while_a_page_is_put_together_is_told_to_it_afterwards(
    world: World, web: Web
) -> None:
    a = world.conversation("A")
    turn = world.started(a)

    engine, ended = world.db.reader.engine, list[bool]()
    before = events.last_position(world.db.reader)

    def end_after_the_turns_were_read(
        _connection: object, _cursor: object, statement: str, *_: object
    ) -> None:
        if "FROM turn WHERE conversation_id" in statement and not ended:
            ended.append(True)
            world.end(turn)

    event.listen(engine, "after_cursor_execute", end_after_the_turns_were_read)
    html = await web.html(f"/conversations/{a}")
    event.remove(engine, "after_cursor_execute", end_after_the_turns_were_read)
    assert world.turn(turn.id).status is TurnStatus.COMPLETED
    assert f'id="{turn.id}-stream"' in html
    assert f'data-position="{before}"' in html


async def test_a_conversation_that_is_not_there_says_so(web: Web) -> None:
    answer = await web.http.get("/conversations/nonesuch")
    assert answer.status_code == 404
    assert "There is no such page" in answer.text


@pytest.mark.requirement("R-M1")
async def test_a_person_can_read_the_very_text_that_the_agent_was_given(
    world: World, web: Web
) -> None:
    a, b = world.conversation("A"), world.conversation("B")
    first = world.started(a)
    world.request(first, b)
    turn = world.claim_in(b)
    assert await web.html(f"/turns/{turn.id}/prompt") == turn.prompt
    assert f'data-load="/turns/{turn.id}/prompt"' in await web.html(f"/conversations/{b}")


async def test_the_whole_of_a_cut_text_can_be_read(world: World, web: Web) -> None:
    a, b = world.conversation("A"), world.conversation("B")
    world.end(world.started(a), "x" * 100_000)
    message = world.messages(a)[-1]
    assert len(await web.html(f"/conversations/{a}/messages/{message.id}")) == 100_000
    foreign = await web.http.get(f"/conversations/{b}/messages/{message.id}")
    assert foreign.status_code == 404


async def test_what_a_page_knows_already_comes_without_content(world: World, web: Web) -> None:
    a = world.conversation("A")
    world.end(world.started(a, "a question"))
    path = f"/parts/conversations/{a}"
    whole = await web.html(path)
    known = ",".join(re.findall(r'data-version="(\w+)"', whole))
    rest = await web.html(path, known=known)
    assert "a question" in whole
    assert "a question" not in rest
    assert re.findall(r'id="e-[^"]+"', rest) == re.findall(r'id="e-[^"]+"', whole)


@pytest.mark.requirement("R-U3")
async def test_what_needs_a_person_stands_over_the_list(world: World, web: Web) -> None:
    a, b = world.conversation("A"), world.conversation("B")
    first = world.started(a)
    world.request(first, b)
    world.end(first)
    world.stop(a)
    world.end(world.claim_in(b))
    [ask] = world.asks()
    html = await web.html("/parts/sidebar")
    assert f"/asks/{ask.id}/resume" in html
    assert html.index("Needs you") < html.index('class="rows"')
    assert "1 reply ready" in html


@pytest.mark.requirement("R-U3")
async def test_one_button_lets_held_replies_in(world: World, web: Web) -> None:
    a, b = world.conversation("A"), world.conversation("B")
    first = world.started(a)
    world.request(first, b)
    world.end(first)
    world.stop(a)
    assert (await web.html(f"/conversations/{a}")).count(">Continue</button>") == 1
    world.end(world.claim_in(b))
    assert (await web.html(f"/parts/conversations/{a}")).count(">Continue</button>") == 1


@pytest.mark.requirement("R-U5")
def test_both_languages_have_the_same_words_with_the_same_gaps() -> None:
    english, chinese = strings.words(Lang.EN), strings.words(Lang.ZH)

    def gaps(text: str) -> list[str]:
        return sorted(set(re.findall(r"\{\w+\}", text)))

    assert list(english) == list(chinese)
    assert {key: gaps(english[key]) for key in english} == {
        key: gaps(chinese[key]) for key in english
    }


@pytest.mark.requirement("R-U5")
def test_every_state_that_a_page_can_show_has_a_name_and_a_look() -> None:
    named = {
        "status": enums.ConversationStatus,
        "agent": enums.AgentKind,
        "mode": enums.PermissionMode,
        "ask": enums.AskKind,
        "decided": enums.PermissionAnswer,
        "request": enums.ReplyStatus,
        "outcome": enums.Outcome,
        "turn": enums.TurnStatus,
        "task_state": enums.TaskState,
        "bp.research": enums.ResearchStatus,
        "bp.scope": enums.ReworkScope,
        "bp.source": enums.WorkItemSource,
        "bp.status": enums.BlueprintStatus,
        "plan.change": enums.ChangeType,
        "plan.source": enums.PlanSource,
        "plan.status": enums.PlanStatus,
        "run.door": enums.Door,
    }
    keys = {f"ask.resume.{kind.value}" for kind in set(enums.AskKind) - ASKED_BY_AGENTS}
    keys |= {
        f"failure.{failure.value}" for failure in set(enums.TurnFailure) - {enums.TurnFailure.OTHER}
    }
    keys |= {f"{area}.{member.value}" for area, members in named.items() for member in members}
    assert keys - set(strings.words(Lang.EN)) == set()
    assert set(TONES) == {*enums.ConversationStatus, *enums.TurnStatus}


def test_no_word_of_the_page_is_left_over() -> None:
    sources = [*_TEMPLATES.iterdir(), *_STATIC.iterdir()]
    text = "\n".join(p.read_text() for p in sources if p.name.endswith((".html", ".js")))
    asked = set(re.findall(r"""["'`]([a-z_]+(?:\.[a-z_0-9]+)*)["'`]""", text))
    by_value = ("status", "agent", "mode", "ask", "request", "outcome", "turn", "step", "reached")
    of_boards = ("task_state", "link", "change")
    of_planning = (
        "bp.part",
        "bp.place",
        "bp.research",
        "bp.scope",
        "bp.source",
        "bp.status",
        "bp.step",
        "bp.view",
        "plan.change",
        "plan.source",
        "plan.status",
        "run.door",
    )
    by_code = (
        "outside",
        "program",
        "example",
        "ago",
        "duration",
        "size",
        "number",
        "js.theme",
        "failure",
        "decided",
        "form.fault",
    )
    left_over = {
        key
        for key in strings.words(Lang.EN)
        if not key.startswith(
            tuple(f"{area}." for area in by_value + of_boards + of_planning + by_code)
        )
        and not {key, key.removeprefix("js."), key.rpartition(".")[0]} & asked
    }
    assert left_over == set()


@pytest.mark.requirement("R-C5")
@pytest.mark.requirement("R-D3")
async def test_the_page_takes_tools_from_the_contract_and_knows_no_alias(web: Web) -> None:
    module = (await web.http.get("/contract.js")).text
    assert "COMPOSER_ITEMS" in module
    scripts = [p.read_text() for p in _STATIC.iterdir() if p.name.endswith(".js")]
    for text in (module, await web.html("/"), *scripts):
        assert not any(alias in text for alias in ALIASES)


async def test_scripts_get_their_words_as_a_module(web: Web) -> None:
    module = (await web.http.get("/words.js")).text
    body = json.loads(module.removeprefix("export const {lang, words} = ").rstrip(";\n"))
    assert body["lang"] == "en"
    assert body["words"]["copy"] == "Copy"


async def test_only_agents_that_a_live_host_offers_can_be_chosen(world: World, web: Web) -> None:
    def choices(html: str) -> dict[str, str]:
        return {
            value: rest.strip()
            for value, rest in re.findall(r'name="agent" value="(\w+)"([^>]*)>', html)
        }

    with world.tx() as c:
        hosts.seen(c, world.m, HOST, [AgentKind.CODEX, AgentKind.DEMO])
    assert choices(await web.html("/parts/agents")) == {
        "claude": "disabled",
        "codex": "checked",
        "codex_app": "disabled",
        "demo": "",
    }
    world.now -= timedelta(minutes=5)
    with world.tx() as c:
        hosts.seen(c, world.m, HOST, [AgentKind.DEMO])
    assert set(choices(await web.html("/parts/agents")).values()) == {"disabled"}


async def test_hundreds_of_conversations_are_listed_up_to_a_limit(world: World, web: Web) -> None:
    for number in range(205):
        world.conversation(f"Number {number}")
    html = await web.html("/parts/sidebar")
    assert html.count('class="row"') == 200
    assert "The latest 200 are shown" in html
    assert html.count('class="row"') > (await web.html("/parts/sidebar", query="Number 20")).count(
        'class="row"'
    )


@pytest.mark.requirement("R-S4")
async def test_a_path_that_is_none_shows_people_a_page_and_programs_json(web: Web) -> None:
    shown = await web.http.get("/nope", headers={"Accept": "text/html,*/*"})
    told = await web.http.get("/nope", headers={"Accept": "application/json"})
    assert (shown.status_code, told.status_code) == (404, 404)
    assert "There is no such page" in shown.text
    assert told.json() == {"detail": "Not Found"}
