"""An agent asks by a form: it is filled in, kept while half filled in, sent once, and worked on."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, Request, expect

from ccweb_contract.enums import FieldType
from tests.browser.conftest import Watch
from tests.browser.harness import DESKTOP_DARK, PHONE_LIGHT, Server
from tests.browser.test_asking import another_page
from tests.browser.test_looks import FAINT_TEXTS
from tests.browser.workspace import Workspace
from tests.processes import children

FORM = "/say I need to know more.\n/form The trip | Where to? | When? | Who?"
OPTIONS = [{"value": "b", "label": "Berlin"}, {"value": "s", "label": "上海"}, {"value": "r"}]


def asked(page: Page, text: str = FORM) -> Locator:
    """Let the agent of a conversation ask and return its form."""
    at = Workspace(page)
    at.open("Builder")
    at.write(text)
    form = page.locator(".timeline .ask")
    expect(form).to_be_visible()
    expect(at.state).to_have_text("Needs you")
    return form


def requested(page: Page, server: Server, *fields: dict[str, Any]) -> Locator:
    """Ask for a form from a shell, as the conversation that is open, and return it."""
    given = json.dumps({"title": "Gift cards", "fields": fields})
    subprocess.run(
        [
            str(Path(sys.executable).with_name("ccweb")),
            *("call", "ccweb_request_form", given, "--as", page.url.rsplit("/", 1)[1]),
            *("--data-dir", str(server.data_dir)),
        ],
        check=True,
        capture_output=True,
        timeout=20,
        env=os.environ | {"CCWEB_URL": server.origin},
    )
    form = page.locator(".timeline .ask")
    expect(form).to_be_visible()
    return form


@pytest.mark.requirement("R-U4")
@pytest.mark.requirement("R-U5")
@pytest.mark.parametrize("look", [DESKTOP_DARK, PHONE_LIGHT], ids=str)
def test_a_form_is_filled_in_by_the_keyboard_and_its_conversation_goes_on(page: Page) -> None:
    form = asked(page)
    at = Workspace(page)
    expect(page.locator("#announcer")).to_contain_text("The trip")
    assert at.overflow() <= 0
    assert page.evaluate(FAINT_TEXTS) == []
    where, when, who = (form.get_by_label(name) for name in ("Where to?", "When?", "Who?"))
    expect(where).to_have_attribute("required", "")
    when.fill("May")
    when.press("Enter")
    expect(where).to_be_focused()  # it is required, and the browser says so
    where.fill("Lübeck")
    where.press("Enter")
    expect(who).to_be_focused()
    who.fill("Ada")
    who.press("Enter")
    closed = page.locator(".timeline .form-closed")
    expect(closed).to_contain_text("Lübeck")
    expect(closed).to_contain_text("Answered")
    expect(page.locator(".output").last).to_contain_text("My form has come back")
    expect(page.locator(".output").last).to_contain_text("Lübeck")
    expect(page.locator(".need")).to_have_count(0)
    at.is_idle()
    assert page.evaluate(FAINT_TEXTS) == []
    seen = page.locator(".timeline").inner_text()
    page.reload()
    at.is_live()
    assert page.locator(".timeline").inner_text() == seen


@pytest.mark.requirement("R-U4")
def test_the_end_of_the_turn_does_not_take_the_focus_from_who_has_begun_to_answer(
    page: Page,
) -> None:
    at = Workspace(page)
    at.open("Builder")
    at.write("/form The trip\n/wait 2\n/say That is all.")
    field = page.locator(".timeline .ask").get_by_label("The trip")
    field.press_sequentially("Lü")
    expect(page.locator(".output").last).to_contain_text("That is all")
    expect(page.locator(".timeline .fact-state")).to_have_count(1)
    expect(field).to_be_focused()
    page.keyboard.type("beck")
    expect(field).to_have_value("Lübeck")


@pytest.mark.requirement("R-U4")
def test_what_is_half_filled_in_outlives_news_the_death_of_the_hub_and_a_reload(
    page: Page, server: Server, watch: Watch
) -> None:
    at = Workspace(page)
    form = asked(page)
    form.get_by_label("Where to?").fill("Lüb")
    at.write("/say meanwhile")
    expect(page.locator(".output").last).to_contain_text("meanwhile")
    [hub] = children(server.process.pid, "hub")
    hub.kill()
    expect(page.locator("#away")).to_be_visible()
    expect(page.locator("#away")).to_be_hidden()
    expect(form.get_by_label("Where to?")).to_have_value("Lüb")
    page.reload()
    at.is_live()
    expect(form.get_by_label("Where to?")).to_have_value("Lüb")
    page.locator(".notice").get_by_role("button", name="Fill in…").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_label("Where to?")).to_have_value("Lüb")
    dialog.get_by_label("Where to?").fill("Lübeck")
    expect(form.get_by_label("Where to?")).to_have_value("Lübeck")
    dialog.get_by_role("button", name="Send answers").click()
    expect(dialog).to_have_count(0)
    expect(page.locator(".timeline .form-closed")).to_contain_text("Lübeck")
    assert page.evaluate("Object.keys(localStorage).filter(key => key.includes('form'))") == []
    watch.complaints.clear()


@pytest.mark.requirement("R-U4")
def test_an_answer_in_another_browser_closes_the_form_and_its_dialog_here(page: Page) -> None:
    form = asked(page, "/form The trip")
    other = another_page(page, "Reviewer")
    other.page.locator(".need").get_by_role("button", name="Fill in…").click()
    dialog = other.page.get_by_role("dialog")
    expect(dialog).to_contain_text("Asked by Builder")
    form.get_by_label("The trip").fill("Lübeck")
    form.get_by_label("The trip").press("Enter")
    expect(dialog.locator(".form-closed")).to_contain_text("Lübeck")
    expect(other.page.locator(".need")).to_have_count(0)
    other.page.close()


@pytest.mark.requirement("R-U4")
@pytest.mark.requirement("R-S4")
def test_a_double_press_sends_once_and_a_refusal_stands_at_its_field(
    page: Page, server: Server, watch: Watch
) -> None:
    Workspace(page).open("Builder")
    inherited = {"name": "constructor", "label": "Who?", "type": FieldType.TEXT.value}
    trip = {"name": "trip", "label": "The trip", "type": FieldType.TEXT.value, "required": True}
    form = requested(page, server, inherited, trip)
    sent: list[Request] = []
    page.on("request", lambda r: sent.append(r) if r.url.endswith("/answer") else None)
    box = form.get_by_label("The trip")
    box.fill("   ")  # the browser takes it for an answer, the hub does not
    form.get_by_role("button", name="Send answers").click()
    expect(form.get_by_role("alert")).to_have_text("Please answer this.")
    expect(box).to_be_focused()
    expect(box).to_have_attribute("aria-invalid", "true")
    watch.complaints.clear()  # the browser notes the refusal
    box.fill("Lübeck")
    expect(form.get_by_role("alert")).to_have_count(0)
    form.get_by_role("button", name="Send answers").dblclick()
    expect(page.locator(".timeline .form-closed")).to_be_visible()
    assert len(sent) == 2


@pytest.mark.requirement("R-U4")
def test_a_form_is_declined_with_a_reason(page: Page) -> None:
    form = asked(page)
    form.get_by_text("Decline…").click()
    form.get_by_label("Reason").fill("Not mine to say")
    form.get_by_role("button", name="Decline the form").click()
    closed = page.locator(".timeline .form-closed")
    expect(closed).to_contain_text("Declined to answer")
    expect(closed).to_contain_text("Not mine to say")
    expect(page.locator(".output").last).to_contain_text("Not mine to say")


def every_field(count: int = 1) -> list[dict[str, Any]]:
    """Return fields of every type, each some times."""
    limits: dict[FieldType, dict[str, Any]] = {
        FieldType.TEXT: {"maxLength": 10},
        FieldType.NUMBER: {"minimum": 1, "maximum": 9, "whole": True, "required": True},
        FieldType.DATE: {"earliest": "2026-02-01"},
        FieldType.SELECT: {"options": OPTIONS, "default": "s"},
        FieldType.MULTISELECT: {"options": OPTIONS, "fewest": 2, "required": True},
    }
    return [
        {"name": f"{kind}{number}", "label": f"{kind} {number}", "type": kind.value}
        | limits.get(kind, {})
        for number in range(count)
        for kind in FieldType
    ]


WRONG = "document.querySelector('.timeline form').querySelectorAll(':invalid').length"


@pytest.mark.requirement("R-U4")
def test_the_page_checks_the_limits_of_every_field_before_it_sends(
    page: Page, server: Server
) -> None:
    at = Workspace(page)
    at.open("Builder")
    form = requested(page, server, *every_field())
    send = form.get_by_role("button", name="Send answers")
    number = form.get_by_label("number 0")
    number.fill("9.5")
    send.click()
    expect(number).to_be_focused()
    number.fill("9")
    form.get_by_label("Berlin").check()
    send.click()
    expect(form.get_by_label("Berlin")).to_be_focused()
    said = form.get_by_label("Berlin").evaluate("box => box.validationMessage")
    assert said == "Choose at least 2."
    form.locator("[data-type=multiselect]").get_by_label("上海").check()
    form.get_by_label("date 0").fill("2026-01-31")
    send.click()
    expect(form.get_by_label("date 0")).to_be_focused()
    form.get_by_label("date 0").fill("2026-02-01")
    form.get_by_label("text 0").press_sequentially("123456789012")
    expect(form.get_by_label("text 0")).to_have_value("1234567890")
    expect(form.locator(".field-count").first).to_have_text("10 of 10 characters")
    form.get_by_label("boolean 0").check()
    form.get_by_label("textarea 0").fill("one\ntwo")
    send.click()
    fold = page.locator(".timeline .form-closed")
    fold.get_by_text("The 7 answers").click()
    given = fold.locator("dd").all_inner_texts()
    assert given[:3] == ["1234567890", "one\ntwo", "9"]
    assert [" ".join(text.split()) for text in given[3:]] == [
        "2026-02-01",
        "Yes",
        "上海",
        "Berlin 上海",
    ]


@pytest.mark.requirement("R-U4")
@pytest.mark.requirement("R-U5")
@pytest.mark.parametrize("look", [PHONE_LIGHT], ids=str)
def test_a_long_form_is_read_from_its_beginning_and_leads_to_what_is_missing(
    page: Page, server: Server
) -> None:
    at = Workspace(page)
    at.open("Builder")
    form = requested(page, server, *every_field(7))
    expect(form.locator(".ask-head")).to_be_in_viewport(ratio=1)
    assert at.overflow() <= 0
    assert page.evaluate(WRONG) > 7
    form.get_by_role("button", name="Send answers").click()
    expect(form.get_by_label("number 0")).to_be_focused()
    expect(form.get_by_label("number 0")).to_be_in_viewport(ratio=1)
