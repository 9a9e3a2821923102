"""The task board by hand: written, dragged, moved by keys, changed by others meanwhile."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from ccweb_contract.enums import TaskState
from tests.browser.boards import UNNAMED, BoardPage, behind, centre, change, conversation_in, fill
from tests.browser.conftest import Watch
from tests.browser.harness import DESKTOP_DARK, DESKTOP_LIGHT, PHONE_DARK, PHONE_LIGHT, Server
from tests.browser.test_looks import FAINT_TEXTS
from tests.browser.workspace import Workspace

pytestmark = pytest.mark.requirement("R-U4")


@pytest.fixture
def board(signed_in: Page, server: Server, tmp_path: Path) -> BoardPage:
    """Return the board of a new folder, opened from a conversation that works there."""
    with behind(server) as (c, m):
        conversation_id = conversation_in(c, m, tmp_path)
    signed_in.goto(f"{server.origin}/boards/of/{conversation_id}")
    expect(signed_in.locator("body[data-live]")).to_be_attached()
    return BoardPage(page=signed_in, server=server)


@pytest.mark.parametrize("look", [DESKTOP_LIGHT, PHONE_DARK], ids=str)
def test_a_board_is_empty_then_has_tasks_that_are_found_again(
    board: BoardPage, watch: Watch, tmp_path: Path
) -> None:
    board.page.get_by_role("link", name="All boards").click()
    board.page.route("**/static/board.js", lambda route: route.abort())
    board.page.get_by_role("link", name=str(tmp_path)).click()
    early = board.column("To do").get_by_role("textbox")
    early.fill("before the scripts are there")
    early.press("Enter")
    expect(early).to_have_value("before the scripts are there")
    expect(board.page).to_have_url(re.compile(f"/boards/{board.board_id}$"))
    board.page.unroute("**/static/board.js")
    board.page.reload()
    expect(board.page.locator("body[data-live]")).to_be_attached()
    watch.complaints.clear()
    expect(board.page.locator(".board-hint")).to_contain_text("Nothing on this board yet")
    board.add("Accept gift cards")
    shown = "<b>Bold</b> شراء⟨U+202E⟩ بطاقات"
    board.add(shown.replace("⟨U+202E⟩", "\u202e"), shown=shown)
    board.add("y" * 200)
    expect(board.page.locator(".board-hint")).to_be_hidden()
    assert board.overflow() <= 0

    board.page.get_by_role("searchbox").fill("GIFT")
    expect(board.cards("To do")).to_have_text(["Accept gift cards"])
    expect(board.page).to_have_url(re.compile(r"\?query=GIFT$"))
    board.page.reload()
    expect(board.cards("To do")).to_have_text(["Accept gift cards"])
    board.page.get_by_role("searchbox").fill("nothing like it")
    board.page.get_by_role("link", name="Show all").click()
    expect(board.cards("To do")).to_have_count(3)
    board.page.locator("[name=assignee]").select_option("nobody")
    expect(board.cards("To do")).to_have_count(3)
    assert board.overflow() <= 0
    assert board.page.evaluate(FAINT_TEXTS) == []
    assert board.page.evaluate(UNNAMED) == []


def test_a_card_is_dragged_and_a_drag_is_given_up(board: BoardPage) -> None:
    mouse = board.page.mouse
    for title in ("one", "two", "three"):
        board.add(title)
    mouse.move(*centre(board.link("three")))
    mouse.down()
    x, y = centre(board.link("one"))
    mouse.move(x, y - 12, steps=5)
    mark = board.page.locator(".task-mark").bounding_box()
    card = board.page.locator(".task-card[data-dragged]").bounding_box()
    assert mark and card and mark["height"] == card["height"]
    mouse.up()
    expect(board.cards("To do")).to_have_text(["three", "one", "two"])
    board.says("three stands at place 1 of 3 in To do now")
    expect(board.page.locator("#task")).to_be_hidden()

    mouse.move(*centre(board.link("one")))
    mouse.down()
    mouse.move(*centre(board.column("Done")), steps=5)
    expect(board.column("Done")).to_have_attribute("data-target", "")
    board.page.keyboard.press("Escape")
    mouse.up()
    expect(board.page.locator(".task-ghost")).to_have_count(0)
    assert board.task("one").state is TaskState.TODO

    mouse.move(*centre(board.link("one")))
    mouse.down()
    mouse.move(*centre(board.column("Done")), steps=5)
    mouse.up()
    expect(board.cards("Done")).to_have_text(["one"])
    board.page.reload()
    expect(board.cards("To do")).to_have_text(["three", "two"])
    expect(board.cards("Done")).to_have_text(["one"])


@pytest.mark.parametrize("look", [PHONE_LIGHT], ids=str)
def test_a_finger_rests_on_a_card_to_drag_it_and_else_opens_it(board: BoardPage) -> None:
    for title in ("one", "two"):
        board.add(title)
    board.finger("touchStart", *centre(board.link("two")))
    expect(board.page.locator(".task-ghost")).to_be_visible()
    x, y = centre(board.link("one"))
    board.finger("touchMove", x, y - 12)
    expect(board.page.locator(".task-mark + .task-card .task-name")).to_have_text("one")
    board.finger("touchEnd")
    expect(board.cards("To do")).to_have_text(["two", "one"])
    board.says("two stands at place 1 of 2 in To do now")

    board.page.get_by_role("button", name="Add column").tap()
    asked = board.page.get_by_role("dialog", name="Add column")
    asked.get_by_role("button", name="Cancel").tap()
    board.link("one").tap()
    expect(board.page.locator("#task-title")).to_have_text("one")
    board.page.locator("#task-move summary").tap()
    board.page.get_by_role("button", name="Done", exact=True).tap()
    expect(board.page.locator(".task-where")).to_have_text("Done")
    board.page.get_by_role("button", name="Close").tap()
    board.page.locator(".board-tabs a", has_text="Done").tap()
    expect(board.link("one")).to_be_in_viewport(ratio=1)
    expect(board.page.locator(".board-tabs [aria-current]")).to_contain_text("Done")


def test_cards_are_moved_by_keyboard_and_each_step_is_told(board: BoardPage) -> None:
    for title in ("one", "two", "three"):
        board.add(title)
    keys = board.page.keyboard
    board.link("one").focus()
    keys.press("ArrowDown")
    expect(board.link("two")).to_be_focused()
    keys.press("Space")
    board.says("Lifted two. Place 2 of 3 in To do.")
    keys.press("ArrowUp")
    board.says("two: place 1 of 3 in To do")
    keys.press("Escape")
    board.says("two is back in its place")
    expect(board.cards("To do")).to_have_text(["one", "two", "three"])
    expect(board.link("two")).to_be_focused()

    keys.press("Space")
    keys.press("ArrowRight")
    board.says("two: place 1 of 1 in In progress")
    keys.press("Space")
    board.says("two stands at place 1 of 1 in In progress now")
    expect(board.link("two")).to_be_focused()
    assert board.task("two").state is TaskState.IN_PROGRESS
    keys.press("ArrowLeft")
    expect(board.link("one")).to_be_focused()
    keys.press("Enter")
    expect(board.page.locator("#task-title")).to_have_text("one")
    menu = board.page.locator("#task-move summary")
    menu.press("Enter")
    keys.press("Tab")
    keys.press("Escape")
    expect(menu).to_be_focused()
    expect(board.page.get_by_role("group", name="Move to…")).to_be_hidden()
    keys.press("Escape")
    expect(board.page.locator("#task")).to_be_hidden()
    expect(board.link("one")).to_be_focused()


@pytest.mark.parametrize("look", [DESKTOP_DARK, PHONE_LIGHT], ids=str)
def test_a_task_is_edited_commented_and_cancelled_for_good(board: BoardPage) -> None:
    board.add("Accept gift cards")
    panel = board.open("Accept gift cards")
    assert "/tasks/" in board.page.url
    panel.get_by_role("button", name="Add a description").click()
    panel.get_by_role("textbox", name="Description").fill(
        "The till **must** take them.\n<img src=x>"
    )
    panel.get_by_role("button", name="Save").click()
    expect(panel.locator(".task-text strong")).to_have_text("must")
    expect(panel.locator(".task-text")).to_contain_text("<img src=x>")
    panel.get_by_role("textbox", name="Write a comment").fill("`soon` please")
    panel.get_by_role("button", name="Comment", exact=True).click()
    expect(panel.locator(".task-comment code")).to_have_text("soon")
    expect(panel.get_by_role("textbox", name="Write a comment")).to_have_value("")
    panel.locator("[data-assign]").select_option(index=1)
    board.says("Saved")
    panel.locator("#task-changes summary").click()
    expect(panel.locator(".task-history li .task-change")).to_contain_text(
        ["gave it to", "changed the description", "wrote this task"]
    )
    assert board.overflow() <= 0
    assert board.page.evaluate(FAINT_TEXTS) == []

    panel.locator("#task-move summary").click()
    panel.get_by_role("button", name="Cancel task…").click()
    asked = board.page.get_by_role("dialog", name="Cancel this task?")
    expect(asked.get_by_role("button", name="Keep it")).to_be_focused()
    asked.get_by_label("Reason").fill("nobody wants them")
    asked.get_by_role("button", name="Cancel for good").click()
    expect(panel.locator(".task-final")).to_contain_text("That is final")
    expect(panel.locator(".task-comment").last).to_contain_text("nobody wants them")
    expect(
        panel.locator("[data-edit-task], [data-assign], #task-comment, #task-move")
    ).to_have_count(0)
    panel.get_by_role("button", name="Close").click()
    expect(board.cards("To do")).to_have_count(0)
    assert board.task("Accept gift cards").state is TaskState.CANCELLED


def test_a_card_dropped_on_what_is_cancelled_is_asked_about_first(board: BoardPage) -> None:
    board.add("one")
    cancelled = board.column("Cancelled")
    expect(cancelled.locator(".column-body")).to_be_hidden()
    board.page.mouse.move(*centre(board.link("one")))
    board.page.mouse.down()
    board.page.mouse.move(*centre(cancelled), steps=5)
    board.page.mouse.up()
    asked = board.page.get_by_role("dialog", name="Cancel this task?")
    expect(asked).to_contain_text("one")
    asked.get_by_role("button", name="Keep it").click()
    expect(board.cards("To do")).to_have_text(["one"])
    assert board.task("one").state is TaskState.TODO
    cancelled.get_by_role("button", name="Fold Cancelled").click()
    expect(cancelled.locator(".column-body")).to_be_visible()
    expect(cancelled).to_be_in_viewport(ratio=1)
    assert board.page.locator("#columns").evaluate("e => e.scrollWidth - e.clientWidth") == 0
    board.page.reload()
    expect(cancelled.locator(".column-body")).to_be_visible()


def test_what_two_write_at_once_is_shown_to_both_and_none_is_lost(
    board: BoardPage, watch: Watch
) -> None:
    board.add("one")
    panel = board.open("one")
    panel.get_by_role("button", name="Edit title and text").click()
    panel.get_by_role("textbox", name="Description").fill("mine")
    change(board, "one", text="theirs")
    expect(panel.locator(".task-conflict")).to_be_visible()
    expect(panel.locator(".task-theirs")).to_have_text("theirs")
    expect(panel.get_by_role("textbox", name="Description")).to_have_value("mine")
    panel.get_by_role("textbox", name="Title").press("Enter")
    board.says("Choose first")
    panel.get_by_role("button", name="Close").click()
    panel = board.open("one")
    expect(panel.get_by_role("textbox", name="Description")).to_have_value("mine")
    panel.get_by_role("button", name="Save mine instead").click()
    expect(panel.locator(".task-text")).to_have_text("mine")

    board.page.route("**/parts/**", lambda route: route.abort())  # what changes is not seen
    change(board, "one", title="uno")
    panel.locator("#task-move summary").click()
    panel.get_by_role("button", name="Done", exact=True).click()
    expect(board.page.locator(".toast.bad")).to_contain_text("changed it meanwhile")
    board.page.unroute("**/parts/**")
    panel.get_by_role("button", name="Close").click()
    expect(board.cards("To do")).to_have_text(["uno"])

    board.page.route("**/parts/**", lambda route: route.abort())
    with board.page.expect_event("requestfailed"):
        change(board, "uno", title="due")
    board.page.unroute("**/parts/**")
    expect(board.cards("To do")).to_have_text(["due"])
    watch.complaints.clear()


def test_a_change_by_others_takes_neither_a_card_in_hand_nor_the_place_of_reading(
    board: BoardPage, watch: Watch
) -> None:
    fill(board, *(f"Task {number}." for number in range(40)))
    expect(board.cards("To do")).to_have_count(40)
    body = board.column("To do").locator(".column-body")
    board.link("Task 30.").scroll_into_view_if_needed()
    scrolled = body.evaluate("body => body.scrollTop")
    assert scrolled > 0
    board.link("Task 30.").focus()
    change(board, "Task 31.", title="Told")
    expect(board.link("Told")).to_be_visible()
    expect(board.link("Task 30.")).to_be_focused()
    assert body.evaluate("body => body.scrollTop") == scrolled

    board.page.reload()
    mouse = board.page.mouse
    mouse.move(*centre(board.link("Task 1.")))
    mouse.down()
    mouse.move(*centre(board.column("Done")), steps=5)
    change(board, "Task 2.", title="Told too")
    change(board, "Task 1.", text="and this one")
    expect(board.page.locator(".task-ghost")).to_be_visible()
    mouse.up()
    expect(board.link("Told too")).to_be_visible()
    expect(board.page.locator(".toast.bad")).to_contain_text("changed it meanwhile")
    expect(board.cards("Done")).to_have_count(0)
    watch.complaints.clear()


def test_what_an_agent_does_is_seen_at_once_and_takes_nothing_from_a_person(
    board: BoardPage, server: Server, tmp_path: Path
) -> None:
    board.add("one")
    folder, address = tmp_path.name, board.page.url
    box = board.column("Done").get_by_role("textbox")
    box.fill("half a thou")
    other = board.page.context.new_page()
    other.goto(server.origin)
    workspace = Workspace(other)
    workspace.open(folder)
    workspace.write("/task From an agent")
    expect(board.cards("To do")).to_have_text(["one", "From an agent"])
    expect(box).to_be_focused()
    expect(box).to_have_value("half a thou")
    other.get_by_role("link", name="Board of this folder").click()
    other.wait_for_url(address)
    other.close()


def test_a_conversation_begins_with_a_task_and_its_state_is_on_the_card(board: BoardPage) -> None:
    board.add("Count the files")
    panel = board.open("Count the files")
    panel.get_by_role("button", name="Add a description").click()
    panel.get_by_role("textbox", name="Description").fill("/ask-permission ls")
    panel.get_by_role("button", name="Save").click()
    panel.get_by_role("button", name="Start a conversation").click()
    asked = board.page.get_by_role("dialog", name="Start a conversation")
    expect(asked.locator("[name=agent]:checked")).to_have_value("demo")
    asked.get_by_role("button", name="Start", exact=True).click()
    row = panel.locator(".task-link-row")
    expect(row.locator(".state")).to_have_text("Needs you")
    expect(panel.locator("[data-assign] option:checked")).to_have_text("Count the files")
    expect(board.page.locator(".task-card .task-work")).to_contain_text("Needs you")
    row.get_by_role("link").click()
    expect(board.page.locator(".head-title")).to_have_text("Count the files")
    expect(board.page.locator(".said")).to_contain_text("/ask-permission ls")


def test_columns_are_added_changed_reordered_and_deleted(board: BoardPage) -> None:
    page = board.page
    page.get_by_role("button", name="Add column").click()
    asked = page.get_by_role("dialog", name="Add column")
    asked.get_by_label("Name").fill("Review")
    asked.get_by_label("State of its tasks").select_option("in_progress")
    asked.get_by_role("button", name="Save").click()
    board.column("Review").locator("summary").click()
    page.get_by_role("button", name="Move left").click()
    names = page.locator(".column h2")
    expect(names).to_have_text(["To do", "In progress", "Blocked", "Done", "Review", "Cancelled"])
    board.add("one", column="Review")
    board.column("Review").locator("summary").click()
    expect(board.column("Review").get_by_role("button", name="Delete")).to_have_count(0)
    board.column("Review").get_by_role("button", name="Edit…").click()
    asked = page.get_by_role("dialog", name="Edit column")
    expect(asked.get_by_label("State of its tasks")).to_be_disabled()
    asked.get_by_label("Name").fill("In review")
    asked.get_by_role("button", name="Save").click()
    expect(board.cards("In review")).to_have_text(["one"])
    board.column("Blocked").locator("summary").click()
    board.column("Blocked").get_by_role("button", name="Delete").click()
    expect(names).to_have_text(["To do", "In progress", "Done", "In review", "Cancelled"])


SCROLL_ON = """body => {
  body.scrollTop = body.scrollHeight;
  for (let times = 0; times < 3; times += 1) body.dispatchEvent(new Event("scroll"));
}"""


@pytest.mark.parametrize("look", [DESKTOP_DARK], ids=str)
def test_a_thousand_tasks_open_at_once_and_more_come_on_scrolling(board: BoardPage) -> None:
    fill(board, *(f"Task {number}" for number in range(1000)))
    board.page.reload()
    expect(board.cards("To do")).to_have_count(50)
    expect(board.column("To do").locator(".column-count")).to_have_text("1000")
    board.column("To do").locator(".column-body").evaluate(SCROLL_ON)
    expect(board.cards("To do")).to_have_count(100)  # however often it was asked meanwhile
    board.link("Task 99").scroll_into_view_if_needed()
    expect(board.cards("To do")).to_have_count(150)
    board.page.get_by_role("searchbox").fill("task 99")
    expect(board.cards("To do")).to_have_count(11)
