"""The page in daily use: writing, streaming, the list of conversations."""

import re

import pytest
from playwright.sync_api import Page, expect

from ccweb_contract.aliases import ALIASES
from ccweb_contract.tools import COMPOSER_ITEMS
from tests.browser.conftest import Watch
from tests.browser.workspace import Workspace


@pytest.mark.requirement("R-U1")
def test_an_example_fills_the_message_box_ready_to_send(page: Page) -> None:
    page.locator(".example").first.click()
    at = Workspace(page)
    expect(at.box).to_have_value(re.compile(r"^/delegate \w+: "))
    expect(at.box).to_be_focused()
    at.box.press("Enter")
    expect(at.cards).to_have_count(1)


@pytest.mark.requirement("R-A1")
@pytest.mark.requirement("R-U1")
def test_an_answer_streams_in_word_by_word_as_markdown(page: Page) -> None:
    at = Workspace(page)
    at.open("Builder")
    page.evaluate(
        """() => {
          window.lengths = new Set();
          new MutationObserver(() => {
            const stream = document.querySelector("ccweb-stream");
            if (stream) window.lengths.add(stream.textContent.length);
          }).observe(document.body, {childList: true, subtree: true, characterData: true});
        }"""
    )
    at.ask("Hello, what can you do?")
    assert page.evaluate("window.lengths.size") > 5
    expect(page.locator("ccweb-stream")).to_have_count(0)
    expect(page.locator(".output").last.locator("table")).to_have_count(1)


@pytest.mark.requirement("R-U1")
@pytest.mark.requirement("FC-40")
def test_a_message_during_a_turn_is_queued_said_so_and_removable(page: Page) -> None:
    at = Workspace(page)
    at.open("Builder")
    at.write("/wait 30")
    expect(at.state).to_have_text("Running")
    expect(page.locator("#composer-hint")).to_contain_text("queued")
    at.write("/say second")
    waiting = page.locator(".said.waits")
    expect(waiting).to_contain_text("second")
    waiting.get_by_role("button", name="Remove").click()
    expect(page.locator(".said.withdrawn")).to_contain_text("Removed before it ran")
    page.get_by_role("button", name="Stop", exact=True).click()
    expect(page.locator(".facts").last).to_contain_text("Stopped")


@pytest.mark.requirement("R-U1")
def test_enter_belongs_to_the_input_method_while_it_composes(page: Page) -> None:
    at = Workspace(page)
    at.open("Builder")
    client = page.context.new_cdp_session(page)
    at.box.focus()
    client.send(
        "Input.imeSetComposition", {"text": "nihao", "selectionStart": 5, "selectionEnd": 5}
    )
    at.box.evaluate(
        """box => box.dispatchEvent(new KeyboardEvent("keydown",
          {key: "Enter", keyCode: 229, isComposing: true, bubbles: true, cancelable: true}))"""
    )
    expect(page.locator(".said")).to_have_count(0)
    client.send("Input.insertText", {"text": "你好"})
    expect(at.box).to_have_value("你好")
    at.box.press("Enter")
    expect(page.locator(".said")).to_contain_text("你好")


@pytest.mark.requirement("R-U1")
def test_shift_enter_starts_a_line_and_drafts_survive_a_reload_each_in_its_place(
    page: Page,
) -> None:
    at = Workspace(page)
    at.open("Builder")
    at.box.press_sequentially("one")
    at.box.press("Shift+Enter")
    at.box.press_sequentially("two")
    at.open("Planner")
    expect(at.box).to_have_value("")
    page.reload()
    at.is_live()
    at.open("Builder")
    expect(at.box).to_have_value("one\ntwo")


@pytest.mark.requirement("R-U1")
@pytest.mark.requirement("R-D3")
def test_a_slash_offers_the_tools_of_the_contract_and_never_an_alias(page: Page) -> None:
    at = Workspace(page)
    at.open("Builder")
    at.box.press_sequentially("use /")
    menu = page.get_by_role("listbox", name="Tools")
    ids = menu.locator("[role=option] code").all_text_contents()
    assert ids == [item.id for item in COMPOSER_ITEMS]
    assert not any(alias in menu.inner_text() for alias in ALIASES)
    at.box.press_sequentially("list_conv")
    expect(menu.locator("[role=option]")).to_have_count(1)
    expect(at.box).to_have_attribute("aria-activedescendant", "candidate-0")
    at.box.press("Enter")
    expect(at.box).to_have_value("use mcp:ccweb/ccweb_list_conversations ")
    expect(menu).to_be_hidden()
    at.box.press_sequentially("/")
    at.box.press("Escape")
    expect(menu).to_be_hidden()
    expect(page.locator(".said")).to_have_count(0)


@pytest.mark.requirement("R-U1")
def test_conversations_are_made_renamed_searched_archived_and_deleted(page: Page) -> None:
    at = Workspace(page)
    page.get_by_role("button", name="New conversation").click()
    dialog = page.get_by_role("dialog", name="New conversation")
    expect(dialog.get_by_role("radio", name="Demo")).to_be_checked()
    dialog.get_by_label("Title").fill("Scratch")
    dialog.get_by_label("First message").fill("/say made")
    dialog.get_by_role("button", name="Create").click()
    expect(page.locator(".output").last).to_contain_text("made")
    at.is_live()
    page.get_by_label("More actions").click()
    page.get_by_role("button", name="Rename").click()
    page.get_by_role("dialog").get_by_label("Title").fill("Workbench")
    page.get_by_role("dialog").get_by_role("button", name="Save").click()
    expect(page.locator(".head-title")).to_have_text("Workbench")
    page.get_by_label("Search conversations").fill("workb")
    expect(page.locator("a.row")).to_have_count(1)
    page.get_by_label("Search conversations").fill("")
    page.get_by_label("More actions").click()
    page.get_by_role("button", name="Archive", exact=True).click()
    expect(at.row("Workbench")).to_have_count(0)
    page.get_by_role("button", name="Archived").click()
    expect(at.row("Workbench")).to_be_visible()
    page.get_by_label("More actions").click()
    page.get_by_role("button", name="Delete").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    page.wait_for_url(re.compile(r"/$"))
    expect(at.row("Workbench")).to_have_count(0)


def test_a_refused_form_says_why_and_keeps_what_was_typed(page: Page, watch: Watch) -> None:
    page.get_by_role("button", name="New conversation").first.click()
    dialog = page.get_by_role("dialog", name="New conversation")
    dialog.get_by_label("Title").fill("Elsewhere")
    dialog.get_by_label("Folder").fill("no/such/folder")
    dialog.get_by_role("button", name="Create").click()
    expect(dialog.get_by_role("alert")).to_contain_text("absolute")
    expect(dialog.get_by_label("Title")).to_have_value("Elsewhere")
    assert any("400" in complaint for complaint in watch.complaints)
    watch.complaints.clear()


@pytest.mark.requirement("R-U1")
def test_earlier_messages_come_when_the_person_scrolls_up(page: Page) -> None:
    at = Workspace(page)
    at.open("Builder")
    page.evaluate(
        """async () => {
          for (let i = 0; i < 40; i++) {
            await fetch(`/conversations/${shell.dataset.conversation}/messages`, {
              method: "POST",
              headers: {"Content-Type": "application/json"},
              body: JSON.stringify({content: `/say answer number ${i}`}),
            });
          }
        }"""
    )
    newest = page.locator(".output", has_text="answer number 39")
    expect(newest).to_be_in_viewport()
    page.reload()
    at.is_live()
    expect(newest).to_be_in_viewport()
    expect(page.locator(".output", has_text="answer number 0")).to_have_count(0)
    page.locator("#scroll").evaluate("scroll => { scroll.scrollTop = 0; }")
    expect(page.locator(".said", has_text="answer number 0")).to_have_count(1)
    expect(page.locator(".output", has_text="answer number")).to_have_count(40)
    expect(newest).not_to_be_in_viewport()
    page.get_by_role("button", name="Newest").click()
    expect(newest).to_be_in_viewport()


@pytest.mark.parametrize("locale", ["zh-CN"])
def test_chinese_titles_and_texts_come_through(page: Page) -> None:
    page.get_by_role("button", name="New conversation").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("radio", name="Demo")).to_be_checked()
    dialog.get_by_label("Title").fill("评审员")
    dialog.get_by_label("First message").fill("/say 方案可行。")
    dialog.get_by_role("button", name="Create").click()
    expect(page.locator(".output").last).to_contain_text("方案可行。")


def test_a_dialog_closes_by_a_press_outside_and_not_by_a_selection_that_ends_there(
    page: Page,
) -> None:
    page.get_by_role("button", name="New conversation").click()
    dialog = page.get_by_role("dialog")
    title = dialog.get_by_label("Title")
    title.fill("a title to select")
    title.hover()
    page.mouse.down()
    page.mouse.move(5, 5)
    page.mouse.up()
    expect(dialog).to_be_visible()
    page.mouse.click(5, 5)
    expect(page.get_by_role("dialog")).to_have_count(0)
