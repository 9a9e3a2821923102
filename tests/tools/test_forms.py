"""The tools of forms: who may ask, who may look, and what is told."""

from typing import Any

import pytest

from ccweb.access.model import Agent
from ccweb.asks import store as asks
from ccweb_contract.enums import AskKind, ConversationStatus, FieldType, FormStatus
from ccweb_contract.errors import ErrorCode
from ccweb_contract.tools import TOOLS, ToolName
from tests.relay.world import PERSON
from tests.tools.desk import Desk, fits

REQUEST = ToolName.CCWEB_REQUEST_FORM
GET = ToolName.CCWEB_GET_FORM
TITLE = "<b>Cards</b> \u202e卡"
OPTIONS = [{"value": "EUR", "label": "Euro"}, {"value": "CNY", "chosen": True}]
FIELDS: list[dict[str, Any]] = [
    {"name": "currency", "label": "Which?", "type": "select", "required": True, "options": OPTIONS},
    {"name": "limit", "label": "Most", "type": "number", "minimum": 0, "whole": True},
    {"name": "days", "label": "Days", "type": "multiselect", "options": OPTIONS, "most": 2},
    {"name": "why", "label": "Why", "type": "textarea", "help": "In short", "maxLength": 50},
]


async def asked(desk: Desk, caller: Any) -> str:
    result = await desk.result(caller, REQUEST, title=TITLE, intro="*Please*", fields=FIELDS)
    assert fits(TOOLS[REQUEST], result)
    assert result["status"] == FormStatus.WAITING.value
    return str(result["formId"])


async def got(desk: Desk, caller: Any, form_id: str) -> dict[str, Any]:
    result = await desk.result(caller, GET, formId=form_id)
    assert fits(TOOLS[GET], result)
    return result


@pytest.fixture
def agent(desk: Desk) -> Agent:
    """Return the agent of a conversation, at work."""
    return desk.agent(desk.conversation("A"))


@pytest.mark.requirement("R-U4")
async def test_an_agent_gets_an_id_at_once_and_its_form_as_it_gave_it(
    desk: Desk, agent: Agent
) -> None:
    form_id = await asked(desk, agent)
    assert desk.ask(form_id).detail == {"title": TITLE, "intro": "*Please*", "fields": FIELDS}
    told = {"formId": form_id, "title": TITLE, "status": FormStatus.WAITING.value}
    assert await got(desk, agent, form_id) == told


@pytest.mark.requirement("R-U4")
async def test_a_look_at_an_answered_form_shows_the_answers_in_the_order_of_its_fields(
    desk: Desk, agent: Agent
) -> None:
    ask = desk.ask(await asked(desk, agent))
    desk.answer(ask, {"limit": 12, "days": ["CNY", "EUR"], "currency": "EUR"})
    found = await got(desk, agent, ask.id)
    assert found["status"] == FormStatus.ANSWERED.value
    assert found["answers"] == [
        {"name": "currency", "label": "Which?", "type": "select", "value": "EUR"},
        {"name": "limit", "label": "Most", "type": "number", "value": "12"},
        {"name": "days", "label": "Days", "type": "multiselect", "values": ["EUR", "CNY"]},
        {"name": "why", "label": "Why", "type": "textarea"},
    ]
    assert "closedAt" in found


@pytest.mark.requirement("R-U4")
async def test_a_look_tells_a_declined_form_from_one_that_is_no_longer_needed(
    desk: Desk, agent: Agent
) -> None:
    with_reason, without, needless = [desk.ask(await asked(desk, agent)) for _ in range(3)]
    desk.answer(with_reason, note="not now")
    desk.answer(without)
    with desk.tx() as c:
        asks.close_all(c, desk.m, agent.conversation_id)
    told = [await got(desk, agent, one.id) for one in (with_reason, without, needless)]
    assert [(one["status"], one.get("reason")) for one in told] == [
        (FormStatus.DECLINED.value, "not now"),
        (FormStatus.DECLINED.value, None),
        (FormStatus.CLOSED.value, None),
    ]


@pytest.mark.requirement("R-U4", "R-D6")
async def test_a_conversation_sees_its_own_forms_and_a_person_sees_all(
    desk: Desk, agent: Agent
) -> None:
    form_id = await asked(desk, agent)
    other = desk.agent(desk.conversation("B"))
    refused = await desk.refusal(other, GET, formId=form_id)
    assert refused.code is ErrorCode.FORM_NOT_FOUND
    for caller in (agent, desk.script(agent.conversation_id), desk.browser(), desk.script()):
        assert (await got(desk, caller, form_id))["formId"] == form_id


@pytest.mark.requirement("R-S4")
async def test_what_is_no_form_is_not_found(desk: Desk, agent: Agent) -> None:
    with desk.tx() as c:
        question = asks.open_ask(c, desk.m, AskKind.QUESTION, agent.conversation_id, subject="1")
    for unknown in ("ask_none", question):
        refused = await desk.refusal(agent, GET, formId=unknown)
        assert refused.code is ErrorCode.FORM_NOT_FOUND


@pytest.mark.requirement("R-U4")
async def test_a_token_of_a_conversation_asks_for_it_and_a_person_alone_cannot(
    desk: Desk,
) -> None:
    a = desk.conversation("A")
    desk.answer(desk.ask(await asked(desk, desk.script(a))), {"currency": "EUR"}, person_id=PERSON)
    assert "EUR" in desk.claim_in(a).prompt
    for nobody in (desk.browser(), desk.script()):
        refused = await desk.refusal(nobody, REQUEST, title=TITLE, fields=FIELDS)
        assert refused.code is ErrorCode.FORBIDDEN


@pytest.mark.requirement("R-D6")
async def test_an_agent_whose_turn_is_over_asks_nobody(desk: Desk) -> None:
    turn = desk.started(desk.conversation("A"))
    agent = desk.caller(desk.credential(turn))
    desk.ends_lease(turn)
    refused = await desk.refusal(agent, REQUEST, title=TITLE, fields=FIELDS)
    assert refused.code is ErrorCode.TURN_OVER
    assert desk.asks() == []


@pytest.mark.requirement("R-S4")
@pytest.mark.parametrize(
    "arguments",
    [
        {"fields": []},
        {"fields": [FIELDS[3] | {"name": f"f{i}"} for i in range(200)]},
        {"fields": [FIELDS[1], FIELDS[1]]},
        {"fields": [FIELDS[1] | {"name": "1st"}]},
        {"fields": [FIELDS[1] | {"name": "a" * 65}]},
        {"fields": [FIELDS[1] | {"type": "colour"}]},
        {"fields": [FIELDS[1] | {"placeholder": "x"}]},
        {"fields": [FIELDS[1] | {"minimum": "0"}]},
        {"fields": [FIELDS[1] | {"default": 5}]},
        {"fields": [FIELDS[0] | {"options": []}]},
        {"fields": [FIELDS[0] | {"options": [{"value": str(i)} for i in range(101)]}]},
        {"fields": [{"name": "x", "label": "X", "type": FieldType.SELECT.value}]},
        {"fields": [FIELDS[1] | {"label": " "}]},
        {"title": "\u2003"},
        {"title": "t" * 201},
        {"intro": "i" * 4001},
    ],
)
async def test_a_form_that_cannot_be_is_refused_and_opens_nothing(
    desk: Desk, agent: Agent, arguments: dict[str, Any]
) -> None:
    refused = await desk.refusal(agent, REQUEST, **({"title": TITLE, "fields": FIELDS} | arguments))
    assert refused.code is ErrorCode.INVALID_PARAMS
    assert desk.asks() == []


@pytest.mark.requirement("R-U4")
async def test_a_conversation_with_an_open_form_needs_a_person_and_still_takes_messages(
    desk: Desk,
) -> None:
    a, b = desk.conversation("A"), desk.conversation("B")
    await asked(desk, desk.script(a))
    listed = await desk.result(desk.browser(), ToolName.CCWEB_LIST_CONVERSATIONS, query="A")
    statuses = [one["status"] for one in listed["conversations"]]
    assert statuses == [ConversationStatus.NEEDS_YOU.value]
    sent = await desk.tell(desk.agent(b), a)
    assert sent["targetConversationId"] == a
