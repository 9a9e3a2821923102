"""What the hub answers to a page that gets lost, never comes, or comes when it is out of date."""

from pathlib import Path

import pytest
from playwright.sync_api import APIResponse, Page, Route, expect

from tests.browser.boards import BoardPage, behind, centre, change, conversation_in
from tests.browser.conftest import Watch
from tests.browser.harness import Server
from tests.browser.workspace import Workspace

IMPATIENT = """() => {
  const timeout = AbortSignal.timeout.bind(AbortSignal);
  AbortSignal.timeout = () => timeout(300);
}"""
"""Half a minute is too long for a test."""
FOLLOW_CARD = """() => {
  window.places = [];
  new MutationObserver(() => {
    const cards = [...document.querySelectorAll(".column .task-card")];
    const column = cards.find((card) => card.textContent.includes("one")).closest(".column");
    const place = column.dataset.title;
    if (window.places.at(-1) !== place) window.places.push(place);
  }).observe(document.getElementById("columns"), {childList: true, subtree: true});
}"""


@pytest.mark.requirement("R-U1")
def test_an_answer_that_got_lost_on_its_way_is_fetched_again(page: Page, watch: Watch) -> None:
    at = Workspace(page)
    at.open("Builder")
    page.route("**/parts/conversations/*", lambda route: route.abort())
    at.write("/wait 1\n/say Here I am.")
    expect(at.row("Builder").locator(".row-state")).to_have_text("Running")
    expect(at.row("Builder").locator(".row-state")).to_have_text("Idle")  # nothing more is told
    page.unroute("**/parts/conversations/*")
    expect(page.locator(".output").last).to_contain_text("Here I am.")
    watch.complaints.clear()


@pytest.mark.requirement("R-U1")
def test_an_answer_that_never_comes_does_not_hold_the_page(page: Page, watch: Watch) -> None:
    at = Workspace(page)
    at.open("Builder")
    page.evaluate(IMPATIENT)
    unanswered: list[Route] = []
    page.route("**/parts/conversations/*", lambda route: unanswered.append(route), times=1)
    at.write("/say Here I am.")
    expect(page.locator(".output").last).to_contain_text("Here I am.")
    assert unanswered
    watch.complaints.clear()


@pytest.mark.requirement("R-U4")
def test_a_dropped_card_stays_where_it_is_whatever_an_older_answer_says(
    signed_in: Page, server: Server, tmp_path: Path
) -> None:
    with behind(server) as (c, m):
        conversation_id = conversation_in(c, m, tmp_path)
    signed_in.goto(f"{server.origin}/boards/of/{conversation_id}")
    Workspace(signed_in).is_live()
    board = BoardPage(page=signed_in, server=server)
    board.add("one")
    board.add("two")
    older: list[tuple[Route, APIResponse]] = []
    signed_in.route(
        "**/parts/boards/*", lambda route: older.append((route, route.fetch())), times=1
    )
    with signed_in.expect_request("**/parts/boards/*"):
        change(board, "two", text="More words.")
    signed_in.evaluate(FOLLOW_CARD)
    signed_in.mouse.move(*centre(board.link("one")))
    signed_in.mouse.down()
    signed_in.mouse.move(*centre(board.column("In progress").locator(".column-body")), steps=5)
    with signed_in.expect_response("**/tasks/*/move"):
        signed_in.mouse.up()
    [(route, answer)] = older
    with signed_in.expect_request("**/parts/boards/*"):  # what it says is asked for once more
        route.fulfill(response=answer)
    expect(board.cards("In progress")).to_have_text(["one"])
    assert signed_in.evaluate("window.places.filter(place => place === 'In progress')") == [
        "In progress"
    ]
