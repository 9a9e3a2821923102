"""A whole delegation by clicking: the card in both conversations, the reply, the continuation."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.harness import in_every_look, on_phone_and_desktop
from tests.browser.workspace import Workspace

REQUEST = r"/delegate Reviewer: Look at **this** plan.\n/wait 1.5\n/say The plan is sound."


@pytest.mark.requirement("R-U1")
@pytest.mark.requirement("R-U2")
@pytest.mark.requirement("AC3")
@in_every_look
def test_a_request_goes_out_and_its_answer_comes_back_by_itself(page: Page) -> None:
    at = Workspace(page)
    at.open("Planner")
    at.write(REQUEST)
    expect(at.station("Working", "now")).to_be_visible()
    expect(at.cards).to_have_count(1)
    expect(at.station("Continued", "done")).to_be_visible()
    at.is_idle()
    reply = page.locator(".reply")
    expect(reply).to_contain_text("The plan is sound.")
    expect(page.locator(".continued")).to_contain_text("ccweb continued this conversation")
    assert at.overflow() <= 0


@pytest.mark.requirement("R-U2")
def test_both_conversations_show_the_same_request_with_the_same_steps(page: Page) -> None:
    at = Workspace(page)
    at.open("Planner")
    at.write(REQUEST)
    expect(at.station("Continued", "done")).to_be_visible()
    steps = at.cards.locator(".station").all_text_contents()
    text = at.cards.locator(".request .prose").text_content()
    at.cards.locator("h3 a").click()
    expect(page.locator(".head-title")).to_have_text("Reviewer")
    expect(at.cards.locator(".request .prose")).to_have_text(text or "")
    expect(at.cards.locator(".station")).to_have_text(steps)
    expect(at.cards.locator("h3")).to_contain_text("Planner")


@pytest.mark.requirement("R-U2")
@on_phone_and_desktop
def test_a_reply_unfolds_beside_its_request_and_stays_as_it_was_left(page: Page) -> None:
    at = Workspace(page)
    at.open("Planner")
    at.write(REQUEST)
    reply = page.locator("details.reply")
    expect(reply).not_to_have_attribute("open", "")
    reply.locator("summary").click()
    request, answer = reply.locator(".pair-request"), reply.locator(".pair-reply")
    expect(request).to_contain_text("Look at this plan.")
    expect(answer).to_contain_text("The plan is sound.")
    left, right = request.bounding_box(), answer.bounding_box()
    assert left
    assert right
    narrow = (page.viewport_size or {"width": 0})["width"] < 768
    assert (right["y"] > left["y"]) is narrow
    assert (right["x"] > left["x"]) is not narrow
    page.reload()
    expect(reply).to_have_attribute("open", "")


@pytest.mark.requirement("R-U2")
def test_a_person_can_read_the_prompt_of_a_turn_that_ccweb_started(page: Page) -> None:
    at = Workspace(page)
    at.open("Planner")
    at.write(REQUEST)
    prompt = page.locator(".continued details.prompt")
    prompt.locator("summary").click()
    expect(prompt.locator("pre")).to_contain_text("The plan is sound.")
    expect(prompt.locator("pre")).to_contain_text("ccweb has returned")


@pytest.mark.requirement("R-M10")
def test_a_request_is_cancelled_after_a_question(page: Page) -> None:
    at = Workspace(page)
    at.open("Planner")
    at.write(r"/delegate Reviewer: take long\n/wait 60")
    at.cards.get_by_role("button", name="Cancel request").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("checkbox").check()
    dialog.get_by_role("button", name="Cancel request").click()
    expect(page.locator(".reply")).to_contain_text("Cancelled")
    at.open("Reviewer")
    at.is_idle()


@pytest.mark.requirement("R-U2")
@pytest.mark.requirement("FC-20")
def test_a_failure_comes_back_with_its_reason(page: Page) -> None:
    at = Workspace(page)
    at.open("Planner")
    at.write(r"/delegate Builder: build\n/fail no compiler")
    reply = page.locator(".reply")
    expect(reply).to_contain_text("Failed")
    reply.locator("summary").click()
    expect(reply).to_contain_text("no compiler")
    at.open("Builder")
    trouble = page.locator(".trouble")
    expect(trouble).to_contain_text("no compiler")
    expect(trouble).to_contain_text("write again")


@pytest.mark.requirement("R-M11")
@pytest.mark.requirement("R-U3")
def test_stop_keeps_the_reply_until_the_person_continues(page: Page) -> None:
    at = Workspace(page)
    at.open("Planner")
    at.write(r"/delegate Reviewer: think\n/wait 2\n/say thought" + "\n/wait 60")
    expect(at.cards).to_have_count(1)
    page.get_by_role("button", name="Stop", exact=True).click()
    expect(page.locator(".need")).to_contain_text("Planner")
    expect(at.row("Planner")).to_contain_text("1 reply ready")
    expect(page).to_have_title(re.compile(r"^\(1\) "))
    page.locator("#head").get_by_role("button", name="Continue").click()
    expect(page.locator(".reply")).to_contain_text("thought")
    expect(page.locator(".need")).to_have_count(0)
