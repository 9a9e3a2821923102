"""The demo agent asks by form, creates tasks and shows pictures as a real client of the hub."""

from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from ccweb.access import service as access
from ccweb.asks import store as ask_store
from ccweb.asks.model import Ask
from ccweb.clock import moment
from ccweb.conversations.model import Turn
from ccweb.host import drawing
from ccweb.host.demo import DemoAgent
from ccweb.relay import service as relay
from ccweb_contract import prompts
from ccweb_contract.enums import FieldType, Lang, ReplyStatus, TaskState
from ccweb_contract.errors import ErrorCode
from ccweb_contract.tools import ToolName
from tests.host.test_demo import a_hub, answered, continued
from tests.host.workshop import Workshop


def decide(workshop: Workshop, ask: Ask, given: dict[str, Any]) -> None:
    with workshop.db.begin() as c:
        person = access.owner(c, moment())
        relay.answer(c, moment(), workshop.s, ask.id, given, person_id=person.id)


@pytest.mark.requirement("R-A3", "R-U4")
async def test_it_asks_by_form_and_repeats_the_answers_it_goes_on_with(workshop: Workshop) -> None:
    conversation = workshop.conversation()
    async with a_hub(workshop), workshop.hosting(DemoAgent(workshop.s)):
        turn = await workshop.until_ended(
            workshop.write(conversation, "/form Gift cards | Currency | 最高金额")
        )
        (ask,) = await workshop.until(lambda c: ask_store.open_asks(c, conversation.id))
        decide(workshop, ask, {"answers": {"field_1": "EUR", "field_2": ""}})
        await workshop.until(continued(conversation))
    requested = prompts.demo_form_requested(Lang.EN, title="Gift cards")
    assert [(field["label"], field["required"]) for field in ask.detail["fields"]] == [
        ("Currency", True),
        ("最高金额", False),
    ]
    told = prompts.form_answered(
        Lang.EN,
        form_id=ask.id,
        title="Gift cards",
        answers=[
            prompts.form_answer(Lang.EN, label="Currency", name="field_1", answer="EUR"),
            prompts.form_answer(Lang.EN, label="最高金额", name="field_2", answer=None),
        ],
    )
    final = prompts.demo_form_continued(Lang.EN, text=told)
    assert workshop.texts(conversation)[1:] == [requested, final]
    assert ask.turn_id == turn.id


@pytest.mark.requirement("R-A3", "R-U4")
async def test_it_goes_on_when_its_form_is_declined(workshop: Workshop) -> None:
    conversation = workshop.conversation()
    async with a_hub(workshop), workshop.hosting(DemoAgent(workshop.s)):
        workshop.write(conversation, "/form Why?")
        (ask,) = await workshop.until(lambda c: ask_store.open_asks(c, conversation.id))
        decide(workshop, ask, {"note": "no time"})
        await workshop.until(continued(conversation))
    told = prompts.form_declined(Lang.EN, form_id=ask.id, title="Why?", reason="no time")
    assert workshop.texts(conversation)[-1] == prompts.demo_form_continued(Lang.EN, text=told)
    [field] = ask.detail["fields"]
    assert (field["label"], field["type"]) == ("Why?", FieldType.TEXT.value)


@pytest.mark.requirement("R-A3", "R-M5")
async def test_what_it_was_asked_for_comes_back_with_the_answers(workshop: Workshop) -> None:
    source, target = workshop.conversation("A"), workshop.conversation("B")
    async with a_hub(workshop), workshop.hosting(DemoAgent(workshop.s)):
        workshop.request(source, target, "/form Which?")
        (ask,) = await workshop.until(lambda c: ask_store.open_asks(c, target.id))
        decide(workshop, ask, {"answers": {"field_1": "the left one"}})
        await workshop.until(continued(source))
    [(status, reply)] = workshop.rows("SELECT status, reply_text FROM pending_reply")
    assert status == ReplyStatus.RETURNED.value
    assert "the left one" in str(reply)


@pytest.mark.requirement("R-A3", "R-U4")
async def test_it_puts_a_task_on_the_board_of_its_directory(workshop: Workshop) -> None:
    async with a_hub(workshop):
        _, said = await answered(workshop, "/task 接受礼品卡 & more")
    [(task_id, title, state)] = workshop.rows(
        "SELECT t.id, t.title, k.state FROM task t JOIN board_column k ON k.id = t.column_id"
    )
    assert (title, state) == ("接受礼品卡 & more", TaskState.TODO.value)
    assert said == prompts.demo_task_created(Lang.EN, title=str(title), task_id=str(task_id))


@pytest.mark.requirement("R-A3", "R-U4")
async def test_it_shows_the_picture_that_it_draws_and_one_of_its_directory(
    workshop: Workshop,
) -> None:
    Image.new("RGB", (3, 2), "red").save(workshop.s.data_dir / "a b.png")
    async with a_hub(workshop):
        turn, said = await answered(workshop, "/show-image\n/show-image a b.png")
    drawn = prompts.demo_image_shown(Lang.EN, width=drawing.WIDTH, height=drawing.HEIGHT)
    assert said == f"{drawn}\n\n{prompts.demo_image_shown(Lang.EN, width=3, height=2)}"
    assert shown(workshop, turn) == [prompts.demo_image_caption(Lang.EN), ""]


def shown(workshop: Workshop, turn: Turn) -> list[object]:
    """Return the captions of the images of a turn."""
    rows = workshop.rows(
        "SELECT text FROM message WHERE turn_id = :id AND display_only ORDER BY position",
        id=turn.id,
    )
    return [text for (text,) in rows]


@pytest.mark.requirement("R-A3", "R-S4")
@pytest.mark.parametrize(
    ("line", "tool", "code"),
    [
        ("/task " + "x" * 201, ToolName.CCWEB_CREATE_TASK, ErrorCode.INVALID_PARAMS),
        ("/form x | " + "x" * 201, ToolName.CCWEB_REQUEST_FORM, ErrorCode.INVALID_PARAMS),
        ("/show-image no.png", ToolName.CCWEB_SHOW_IMAGE, ErrorCode.IMAGE_NOT_FOUND),
    ],
)
async def test_it_says_which_of_its_calls_was_refused(
    workshop: Workshop, line: str, tool: ToolName, code: ErrorCode
) -> None:
    async with a_hub(workshop):
        _, said = await answered(workshop, f"{line}\n/say and on")
    assert f"`{tool}`" in said
    assert f"`{code}`" in said
    assert said.endswith("\n\nand on")


@pytest.mark.requirement("R-A3")
def test_the_picture_is_the_same_each_time_and_one_that_others_can_read(tmp_path: Path) -> None:
    path = tmp_path / "drawn.png"
    path.write_bytes(drawing.landscape())
    with Image.open(path) as picture:
        picture.load()
        assert (picture.size, picture.format) == ((drawing.WIDTH, drawing.HEIGHT), "PNG")
        colours = picture.getcolors(maxcolors=1000)
    assert colours is not None
    assert len(colours) > 100
    assert path.read_bytes() == drawing.landscape()
