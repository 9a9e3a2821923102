"""A person's answers to a form, as the page sends them and is told what is wrong with them."""

import json
from typing import Any

import pytest

from ccweb.asks.fields import Fault
from ccweb.hub import strings
from ccweb_contract.enums import FieldType, Lang
from ccweb_contract.errors import HTTP_STATUS, ErrorCode
from tests.hub.pages.conftest import Web
from tests.relay.world import World

FIELDS = (
    {"name": "who", "label": "Who?", "type": FieldType.TEXT.value, "required": True},
    {"name": "most", "label": "Most", "type": FieldType.NUMBER.value, "maximum": 5},
)
FORGED = {"who": "Ada", "constructor": "x", "a\ud800": "y"}


@pytest.mark.requirement("R-U4", "R-S4")
async def test_each_answer_that_does_not_fit_is_told_by_the_name_of_its_field(
    world: World, web: Web
) -> None:
    ask = world.form(world.started(world.conversation("A")), *FIELDS)
    answers: dict[str, Any] = {"who": " ", "most": "6"}
    answer = await web.http.post(f"/asks/{ask.id}/answer", json={"answers": answers})
    words = strings.words(Lang.EN)
    assert answer.status_code == HTTP_STATUS[ErrorCode.INVALID_PARAMS]
    assert answer.json()["error_code"] == ErrorCode.INVALID_PARAMS
    assert answer.json()["problems"] == {
        "who": words["form.fault.missing"],
        "most": words["form.fault.large"].format(limit="5"),
    }
    assert world.asks() == [ask]


@pytest.mark.requirement("R-U4")
@pytest.mark.parametrize("lang", Lang)
def test_the_page_has_words_for_everything_that_can_be_wrong(lang: Lang) -> None:
    words = strings.words(lang)
    assert all(words[f"form.fault.{fault}"].format(limit="1") for fault in Fault)


@pytest.mark.requirement("R-U4", "R-M7")
async def test_the_same_answers_sent_twice_continue_once(world: World, web: Web) -> None:
    a = world.conversation("A")
    turn = world.started(a)
    ask = world.form(turn, *FIELDS)
    world.end(turn)
    for _ in range(2):
        await web.post(f"/asks/{ask.id}/answer", answers={"who": "Ada", "most": 3})
    assert world.carried(world.claim_in(a)) == [ask.id]
    assert world.open_turns(a)[1:] == []
    refused = await web.refused(f"/asks/{ask.id}/answer", note="no")
    assert refused == (409, ErrorCode.ASK_CLOSED)


@pytest.mark.requirement("R-U4")
async def test_a_form_is_declined_by_its_dismissal_and_cannot_be_resumed(
    world: World, web: Web
) -> None:
    a = world.conversation("A")
    turn = world.started(a)
    ask = world.form(turn, *FIELDS)
    world.end(turn)
    assert await web.refused(f"/asks/{ask.id}/resume") == (400, ErrorCode.INVALID_PARAMS)
    await web.post(f"/asks/{ask.id}/dismiss")
    assert world.ask(ask.id).answer == {"answers": None, "note": ""}
    assert world.carried(world.claim_in(a)) == [ask.id]


@pytest.mark.requirement("R-S4")
@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({"answers": ["Ada"]}, ErrorCode.INVALID_PARAMS),
        ({"answers": "Ada"}, ErrorCode.INVALID_PARAMS),
        ({"answers": FORGED}, ErrorCode.INVALID_PARAMS),
        ({"answers": {"who": "a\x00b"}}, ErrorCode.INVALID_PARAMS),
        ({"note": 5}, ErrorCode.INVALID_PARAMS),
        ({"note": "n" * 65537}, ErrorCode.CONTENT_TOO_LARGE),
    ],
)
async def test_what_is_no_answer_to_a_form_changes_nothing(
    world: World, web: Web, given: dict[str, Any], code: ErrorCode
) -> None:
    ask = world.form(world.started(world.conversation("A")), *FIELDS)
    answer = await web.http.post(
        f"/asks/{ask.id}/answer",
        content=json.dumps(given),  # escaped, so that half a pair can be sent
        headers={"Content-Type": "application/json"},
    )
    assert (answer.status_code, answer.json()["error_code"]) == (HTTP_STATUS[code], code)
    assert world.asks() == [ask]
