"""A form stands where a person is, says what it takes, and shows afterwards what was answered."""

import re
from typing import Any

import pytest

from ccweb.asks import forms
from ccweb.hub import rendering, timeline
from ccweb.hub.forms import largest, least
from ccweb_contract.enums import FieldType, Lang, TurnStatus
from ccweb_contract.errors import ErrorCode
from tests.hub.pages.conftest import Web
from tests.relay.world import PERSON, World


def field(kind: FieldType, **given: Any) -> dict[str, Any]:
    """Return a field that is named and labelled by its type."""
    return {"name": kind.value, "label": f"A {kind.value}", "type": kind.value} | given


CITIES = [{"value": "b", "label": "Berlin"}, {"value": "s", "label": "Shanghai", "chosen": True}]
EVERY = (
    field(FieldType.TEXT, required=True, maxLength=30, default="as before", help="On the card."),
    field(FieldType.TEXTAREA),
    field(FieldType.NUMBER, whole=True, minimum=0.5, maximum=9.5),
    field(FieldType.DATE, earliest="2026-02-01", latest="2026-12-24"),
    field(FieldType.BOOLEAN, default="true"),
    field(FieldType.SELECT, options=CITIES),
    field(FieldType.MULTISELECT, options=CITIES, fewest=1, most=2),
)
ANSWERS = {
    "text": "Ada",
    "number": "7",
    "date": "2026-03-01",
    "boolean": False,
    "select": "b",
    "multiselect": ["b", "s"],
}


def tag(html: str, kind: FieldType) -> str:
    """Return the control of a field as it is written in the page."""
    part = html.split(f'data-field="{kind.value}"', 1)[1]
    found = re.search(r"<(input|select|textarea)[^>]*>", part)
    assert found
    return found[0]


@pytest.mark.requirement("R-U4")
@pytest.mark.requirement("R-U5")
async def test_every_field_is_a_labelled_control_with_its_limits_and_help(
    world: World, web: Web
) -> None:
    a = world.conversation("A")
    world.form(world.started(a), *EVERY)
    html = await web.html(f"/parts/conversations/{a}")
    for kind, parts in {
        FieldType.TEXT: ('type="text"', 'maxlength="30"', 'value="as before"', " required"),
        FieldType.TEXTAREA: ("<textarea", 'dir="auto"', 'maxlength="20000"'),
        FieldType.NUMBER: ('min="1"', 'max="9"', 'step="1"', 'inputmode="numeric"'),
        FieldType.DATE: ('type="date"', 'min="2026-02-01"', 'max="2026-12-24"'),
        FieldType.BOOLEAN: ('type="checkbox"', " checked"),
        FieldType.SELECT: ("<select",),
        FieldType.MULTISELECT: ('type="checkbox"',),
    }.items():
        for part in parts:
            assert part in tag(html, kind), kind
    said = (
        "On the card.",
        "At most 30 characters.",
        "From 1 to 9.",
        "From 2026-02-01 to 2026-12-24.",
        "Choose 1 to 2.",
        '<em class="field-required">required</em>',
        '<option value="s" selected>Shanghai</option>',
    )
    for part in said:
        assert part in html
    for control in re.findall(r'class="control" id="([^"]+)"[^>]*aria-describedby="([^"]+)"', html):
        for named in (f'for="{control[0]}"', *(f'id="{name}"' for name in control[1].split())):
            assert html.count(named) == 1


@pytest.mark.requirement("R-U4")
@pytest.mark.requirement("R-U3")
async def test_a_form_stays_open_after_its_turn_wherever_a_person_looks(
    world: World, web: Web
) -> None:
    a = world.conversation("Ada")
    turn = world.started(a)
    form = world.form(turn, title="Gift cards")
    world.end(turn)
    html = await web.html(f"/conversations/{a}")
    assert html.count(f'data-answer="/asks/{form.id}/answer"') == 1
    assert html.index("done") < html.index("Which colour?")
    assert f'data-key="head-fill-{form.id}"' in html
    sidebar = await web.html("/parts/sidebar")
    assert "Gift cards" in sidebar
    assert f'data-ask="{form.id}"' in sidebar
    assert f"/asks/{form.id}/resume" not in html
    dialog = await web.html(f"/parts/asks/{form.id}")
    assert 'data-open="yes"' in dialog
    assert "Asked by" in dialog
    assert f'data-answer="/asks/{form.id}/answer"' in dialog


@pytest.mark.requirement("R-U4")
async def test_an_answered_form_shows_what_was_answered_in_the_words_of_its_fields(
    world: World, web: Web
) -> None:
    a = world.conversation("A")
    form = world.form(world.started(a), *EVERY)
    await web.post(f"/asks/{form.id}/answer", answers=ANSWERS)
    html = await web.html(f"/parts/conversations/{a}")
    for part in ("Answered", "You", "A select", ">Berlin<", "<li>Shanghai</li>", ">No<", ">7<"):
        assert part in html
    assert "Not answered" in html
    for part in ("ccweb-form", "head-fill", 'class="decision"'):
        assert part not in html
    assert "Needs you" not in await web.html("/parts/sidebar")
    assert ">Berlin<" in await web.html(f"/parts/asks/{form.id}")


@pytest.mark.requirement("R-U4")
async def test_a_declined_form_shows_the_reason_and_a_closed_one_that_nobody_needs_it(
    world: World, web: Web
) -> None:
    a, b = world.conversation("A"), world.conversation("B")
    source = world.started(a)
    request = world.request(source, b)
    world.end(source)
    target = world.claim_in(b)
    declined, withdrawn = world.form(target), world.form(target, title="Later")
    await web.post(f"/asks/{declined.id}/answer", answers=None, note="ask <finance>")
    world.cancel(request, by_source=False)
    html = await web.html(f"/parts/conversations/{b}")
    for part in ("Declined to answer", "“ask &lt;finance&gt;”", "No longer needed"):
        assert part in html
    assert "ccweb-form" not in html
    assert "No longer needed" in await web.html(f"/parts/asks/{withdrawn.id}")


@pytest.mark.requirement("R-U4")
@pytest.mark.requirement("R-S4")
async def test_answers_that_do_not_fit_name_each_field_and_change_nothing(
    world: World, web: Web
) -> None:
    form = world.form(world.started(world.conversation("A")), *EVERY)
    wrong = ANSWERS | {"text": "  ", "number": "11", "select": "x", "date": "2026-02-30"}
    refused = await web.http.post(f"/asks/{form.id}/answer", json={"answers": wrong})
    assert (refused.status_code, refused.json()["error_code"]) == (400, ErrorCode.INVALID_PARAMS)
    assert refused.json()["problems"].keys() == {"text", "number", "select", "date"}
    assert world.ask(form.id).closed_at is None


@pytest.mark.requirement("R-U4")
@pytest.mark.requirement("R-M4")
async def test_the_card_of_the_request_that_waits_for_a_form_opens_it(
    world: World, web: Web
) -> None:
    a, b = world.conversation("Ada"), world.conversation("Bob")
    source = world.started(a)
    world.request(source, b)
    world.end(source)
    target = world.claim_in(b)
    form = world.form(target, title="Gift cards")
    world.end(target)
    html = await web.html(f"/conversations/{a}")
    assert f'data-ask="{form.id}" data-key="card-fill-{form.id}"' in html
    assert "ccweb-form" not in html


@pytest.mark.requirement("R-U4")
async def test_a_form_from_outside_a_turn_stands_in_its_conversation(
    world: World, web: Web
) -> None:
    a = world.conversation("A")
    world.end(world.started(a))
    form = world.form(a)
    assert f"/asks/{form.id}/answer" in await web.html(f"/parts/conversations/{a}")
    await web.post(f"/asks/{form.id}/answer", answers={"colour": "blue"})
    assert "blue" in await web.html(f"/parts/conversations/{a}")


@pytest.mark.requirement("R-U4")
@pytest.mark.requirement("R-S4")
async def test_nothing_that_an_agent_writes_into_a_form_is_markup(world: World, web: Web) -> None:
    a = world.conversation("A")
    evil = "</textarea><script>alert(1)</script>\u202etxt\u200b"
    option = {"value": evil, "label": f"two {evil}"}
    fields = (
        field(FieldType.TEXT, label=evil, help=evil, default=evil),
        field(FieldType.TEXTAREA, default=f"\n{evil}"),
        field(FieldType.SELECT, options=[option]),
    )
    form = world.form(world.started(a), *fields, title=evil)
    for address in (f"/conversations/{a}", f"/parts/asks/{form.id}", "/parts/sidebar"):
        assert "<script>alert" not in await web.html(address)
    html = await web.html(f"/parts/conversations/{a}")
    assert "\n\n&lt;/textarea&gt;" in html
    await web.post(f"/asks/{form.id}/answer", answers={"text": evil, "select": evil})
    html = await web.html(f"/parts/conversations/{a}")
    assert "<script>alert" not in html
    assert "two &lt;/textarea&gt;" in html


@pytest.mark.requirement("R-M11")
async def test_an_open_form_does_not_hide_that_replies_are_held(world: World, web: Web) -> None:
    a = world.conversation("A")
    turn = world.started(a)
    world.form(turn)
    world.stop(a)
    world.end(turn)
    assert ">Continue</button>" in await web.html(f"/parts/conversations/{a}")
    assert "You stopped this conversation" in await web.html(f"/parts/conversations/{a}")


@pytest.mark.requirement("R-M11", "R-U5")
async def test_answers_for_a_stopped_conversation_are_said_to_be_kept(
    world: World, web: Web
) -> None:
    a = world.conversation("A")
    turn = world.started(a)
    ask = world.form(turn)
    world.stop(a)
    world.end(turn, status=TurnStatus.INTERRUPTED)
    await web.post(f"/asks/{ask.id}/answer", answers={"colour": "red"})
    head = await web.html(f"/parts/conversations/{a}")
    assert "your answers to forms, is kept until you press Continue" in head


async def test_a_running_turn_waits_for_no_form(world: World, web: Web) -> None:
    a = world.conversation("A")
    world.form(world.started(a))
    assert "Waits for your answer" not in await web.html(f"/parts/conversations/{a}")


@pytest.mark.requirement("R-U5")
def test_the_page_speaks_of_a_form_in_the_language_of_the_person(world: World) -> None:
    a = world.conversation("A")
    world.form(world.started(a), *EVERY)
    shown = timeline.read(world.db.reader, a)
    entries = rendering.entries(shown, Lang.ZH, here=a, person_id=PERSON)
    html = "".join(entry.html for entry in entries)
    for part in ("必填", "最多 30 个字符。", "1 到 9。", "请选 1 到 2 项。", "提交答案"):
        assert part in html


def test_the_limits_of_a_whole_number_are_whole() -> None:
    limited = field(FieldType.NUMBER, whole=True, minimum=-1.5, maximum=2.5)
    [number] = forms.read({"title": "x", "fields": [limited]}).fields
    assert (least(number), largest(number)) == ("-1", "2")
