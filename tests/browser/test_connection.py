"""The page on a bad line: a hub that goes away or dies, a session that ends, many tabs."""

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.conftest import Watch
from tests.browser.harness import Server
from tests.browser.workspace import Workspace
from tests.processes import children


@pytest.mark.requirement("R-U1")
def test_a_page_that_opens_in_the_middle_of_an_answer_shows_all_of_it(page: Page) -> None:
    at = Workspace(page)
    at.open("Builder")
    at.write("/say Here is **one** thing.\n/wait 3\n/say And another.")
    expect(page.locator("ccweb-stream")).to_contain_text("Here is")
    page.reload()
    expect(page.locator("ccweb-stream")).to_contain_text("Here is")
    expect(page.locator(".output").last).to_contain_text("And another.")
    expect(page.locator(".output").last.locator("strong")).to_have_text("one")


@pytest.mark.requirement("R-U1")
def test_a_page_says_when_the_hub_is_away_and_catches_up_when_it_is_back(
    page: Page, watch: Watch
) -> None:
    at = Workspace(page)
    at.open("Builder")
    at.ask("/say before")
    page.context.set_offline(True)
    page.evaluate("dispatchEvent(new Event('pagehide'))")
    page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', {persisted: true}))")
    expect(page.locator("#away")).to_be_visible()
    at.box.fill("kept")
    at.box.press("Enter")
    expect(page.locator(".toast.bad")).to_be_visible()
    expect(at.box).to_have_value("kept")
    page.context.set_offline(False)
    expect(page.locator("#away")).to_be_hidden()
    at.box.press("Enter")
    expect(page.locator(".said").last).to_contain_text("kept")
    watch.complaints.clear()


@pytest.mark.requirement("R-U1")
def test_the_same_answer_three_times_is_shown_three_times(page: Page) -> None:
    at = Workspace(page)
    at.open("Builder")
    for _ in range(3):
        at.ask("/say Done.")
    expect(page.locator(".output")).to_contain_text(["Done.", "Done.", "Done."])


@pytest.mark.requirement("R-S1")
def test_a_session_that_has_ended_leads_to_the_sign_in(
    page: Page, server: Server, watch: Watch
) -> None:
    at = Workspace(page)
    at.open("Builder")
    page.context.clear_cookies()
    page.evaluate("dispatchEvent(new Event('pagehide'))")
    page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', {persisted: true}))")
    page.wait_for_url(f"{server.origin}/sign-in?next=%2Fconversations%2F*")
    watch.complaints.clear()


@pytest.mark.requirement("R-U1")
@pytest.mark.requirement("R-A4")
def test_a_page_outlives_the_death_of_its_hub_and_misses_nothing(
    page: Page, server: Server, watch: Watch
) -> None:
    at = Workspace(page)
    at.open("Builder")
    at.write("/wait 4\n/say worked on")
    expect(at.state).to_have_text("Running")
    [hub] = children(server.process.pid, "hub")
    hub.kill()
    expect(page.locator(".output").last).to_contain_text("worked on")
    expect(page.locator("#away")).to_be_hidden()
    at.ask("/say and again")
    watch.complaints.clear()


@pytest.mark.requirement("R-U1")
def test_many_open_tabs_of_one_browser_all_stay_alive(page: Page) -> None:
    others = [page.context.new_page() for _ in range(4)]
    for other in others:
        other.goto(page.url)
    at = Workspace(page)
    at.open("Builder")
    at.write("/wait 60")
    for other in others:
        expect(Workspace(other).row("Builder")).to_contain_text("Running")
        other.close()


@pytest.mark.requirement("R-U1")
def test_a_page_says_so_when_its_conversation_is_deleted_elsewhere(
    page: Page, watch: Watch
) -> None:
    at = Workspace(page)
    at.open("Builder")
    other = page.context.new_page()
    other.goto(page.url)
    Workspace(other).is_live()
    other.get_by_label("More actions").click()
    other.get_by_role("button", name="Delete").click()
    other.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("There is no such page")
    other.close()
    watch.complaints.clear()


@pytest.mark.requirement("R-U1")
def test_a_message_is_not_lost_when_the_page_closes_before_the_hub_has_answered(
    page: Page,
) -> None:
    at = Workspace(page)
    at.open("Builder")
    unanswered: list[Route] = []
    page.route("**/messages", lambda route: unanswered.append(route))
    at.box.fill("/say kept")
    at.box.press("Enter")
    expect(page.locator("#composer-hint")).to_have_text("Sending…")
    assert len(unanswered) == 1
    page.reload()
    at.is_live()
    expect(at.box).to_have_value("/say kept")
    page.unroute("**/messages")
    at.ask("/say kept")
    page.reload()
    at.is_live()
    expect(at.box).to_have_value("")
    expect(page.locator(".said")).to_have_count(1)


@pytest.mark.requirement("R-M11", "FC-29")
def test_a_message_sent_again_after_its_answer_was_lost_stands_there_once(
    page: Page, watch: Watch
) -> None:
    at = Workspace(page)
    at.open("Builder")

    def lose_the_answer(route: Route) -> None:
        route.fetch()
        route.abort()

    page.route("**/messages", lose_the_answer, times=1)
    at.box.fill("/say only once")
    at.box.press("Enter")
    expect(page.locator(".toast.bad")).to_be_visible()
    at.box.press("Enter")
    expect(at.box).to_have_value("")
    expect(page.locator(".output").last).to_contain_text("only once")
    expect(page.locator(".said", has_text="only once")).to_have_count(1)
    watch.complaints.clear()
