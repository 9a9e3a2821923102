"""An agent asks, a person answers: in the conversation, on the card, from the list, anywhere."""

import json

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Watch
from tests.browser.harness import Server, in_every_look, on_phone_and_desktop
from tests.browser.test_looks import FAINT_TEXTS
from tests.browser.workspace import Workspace
from tests.processes import children

ASK = "/say I look first.\n/use Bash ls -la build\n/ask-permission rm -r build\n/say Over."


def another_page(page: Page, title: str) -> Workspace:
    """Open a conversation in another window of the same person."""
    other = page.context.new_page()
    other.goto("/".join(page.url.split("/")[:3]))
    at = Workspace(other)
    at.is_live()
    at.open(title)
    return at


@pytest.mark.requirement("R-U3")
@pytest.mark.requirement("R-U1")
@in_every_look
def test_an_ask_appears_live_and_its_agent_goes_on_with_the_answer(page: Page) -> None:
    at = Workspace(page)
    at.open("Builder")
    at.write(ASK)
    ask = page.locator(".timeline .ask")
    expect(ask).to_contain_text("May I use Bash?")
    expect(ask.get_by_role("button", name="Deny")).to_be_in_viewport(ratio=1)
    expect(at.state).to_have_text("Needs you")
    assert at.overflow() <= 0
    assert page.evaluate(FAINT_TEXTS) == []
    ask.get_by_role("button", name="Allow once").click()
    expect(page.locator(".output").last).to_contain_text("I was permitted")
    expect(ask).to_have_count(0)
    expect(page.locator(".decision")).to_contain_text("Allowed once")
    at.is_idle()
    assert page.evaluate(FAINT_TEXTS) == []
    seen = page.locator(".timeline").inner_text()
    page.reload()
    at.is_live()
    assert page.locator(".timeline").inner_text() == seen


HIDDEN_TEXTS = """() => [...document.querySelectorAll(".step summary, .ask *, dialog[open] .ask *")]
  .filter(part => {
    const edge = part.closest(".ask, .entry").getBoundingClientRect().right;
    const cut = part.matches("pre") && part.scrollWidth > part.clientWidth;
    return cut || (part.checkVisibility() && part.getBoundingClientRect().right > edge + 8);
  }).map(part => part.outerHTML.slice(0, 80))"""


@pytest.mark.requirement("R-U3")
@on_phone_and_desktop
def test_words_without_a_gap_hide_nothing_of_what_is_asked(page: Page) -> None:
    at = Workspace(page)
    long = "path/" * 60
    at.open("Builder")
    at.write(f"/use Read {long}\n/ask-permission rm {long}\n/ask {long}? | {long} | no")
    ask = page.locator(".timeline .ask")
    expect(ask).to_be_visible()
    assert page.evaluate(HIDDEN_TEXTS) == []
    ask.get_by_role("button", name="Allow once").click()
    expect(ask.get_by_role("radio")).to_have_count(2)
    assert page.evaluate(HIDDEN_TEXTS) == []


@pytest.mark.requirement("R-U3")
def test_an_answer_in_another_browser_closes_the_ask_everywhere(page: Page) -> None:
    at = Workspace(page)
    at.open("Builder")
    at.write(ASK)
    expect(page.locator(".timeline .ask")).to_be_visible()
    other = another_page(page, "Builder")
    other.page.locator(".need").get_by_role("button", name="Answer…").click()
    dialog = other.page.get_by_role("dialog")
    expect(dialog).to_contain_text("rm -r build")
    page.locator(".ask-note").fill("not now")
    page.locator(".ask-note").press("Enter")
    expect(dialog).to_contain_text("Denied")
    expect(other.page.locator(".timeline .ask")).to_have_count(0)
    expect(other.page.locator(".decision").last).to_contain_text("“not now”")
    expect(other.page.locator(".need")).to_have_count(0)
    expect(page.locator(".output").last).to_contain_text("You said: not now")
    other.page.close()


@pytest.mark.requirement("R-U3")
def test_an_answer_that_comes_too_late_is_told_kindly(page: Page, watch: Watch) -> None:
    at = Workspace(page)
    at.open("Builder")
    at.write(ASK)
    button = page.locator(".timeline .ask").get_by_role("button", name="Allow once")
    expect(button).to_be_visible()
    address = page.locator(".ask-form").get_attribute("data-answer")
    page.context.set_offline(True)
    page.evaluate("dispatchEvent(new Event('pagehide'))")  # this page hears of nothing from now on
    page.context.set_offline(False)
    page.evaluate(
        """address => fetch(address, {method: "POST", body: JSON.stringify({decision: "deny"}),
          headers: {"Content-Type": "application/json"}})""",
        address,
    )
    button.click()
    expect(page.locator(".toast")).to_contain_text("answered this already")
    watch.complaints.clear()


@pytest.mark.requirement("R-U3")
def test_a_question_is_answered_with_an_option_or_in_ones_own_words(page: Page) -> None:
    at = Workspace(page)
    at.open("Builder")
    at.write("/ask Which database? | SQLite | PostgreSQL\n/ask Until when?\n/ask And then?")
    ask = page.locator(".timeline .ask")
    ask.get_by_role("button", name="Send answer").click()
    expect(ask.get_by_role("alert")).to_contain_text("Answer every question")
    ask.get_by_placeholder("Something else…").fill("MySQL")
    ask.get_by_role("radio", name="PostgreSQL").check()
    expect(ask.get_by_placeholder("Something else…")).to_have_value("")
    ask.get_by_role("button", name="Send answer").click()
    expect(page.locator(".timeline")).to_contain_text("You answered: PostgreSQL")
    expect(ask).to_contain_text("Until when?")
    ask.get_by_label("Until when?").fill("Friday\nnoon")
    ask.get_by_role("button", name="Send answer").click()
    expect(ask).to_contain_text("And then?")
    ask.get_by_role("button", name="Decline").click()
    output = page.locator(".output").last
    expect(output).to_contain_text("You declined")
    expect(page.locator(".decision")).to_contain_text(
        ["PostgreSQL", "Friday noon", "Declined to answer"]
    )


@pytest.mark.requirement("R-U2")
@pytest.mark.requirement("R-U3")
def test_a_delegated_ask_is_answered_on_the_card_of_the_source(page: Page) -> None:
    at = Workspace(page)
    at.open("Planner")
    at.write(r"/delegate Reviewer: clean up\n/ask-permission git clean -fdx\n/say Clean.")
    ask = at.cards.locator(".ask")
    expect(ask).to_contain_text("git clean -fdx")
    expect(ask).to_contain_text("Asked by Reviewer")
    expect(at.station("Needs you", "now")).to_be_visible()
    ask.get_by_role("button", name="Allow in this conversation").click()
    expect(at.station("Continued", "done")).to_be_visible()
    expect(ask).to_have_count(0)
    at.write(r"/delegate Reviewer: again\n/ask-permission git clean -fdx\n/say Clean.")
    expect(at.cards).to_have_count(2)
    expect(at.station("Continued", "done")).to_be_visible()
    expect(page.locator(".need")).to_have_count(0)


@pytest.mark.requirement("R-U3")
@pytest.mark.requirement("R-A4")
def test_an_ask_outlives_a_reload_and_the_death_of_the_hub(
    page: Page, server: Server, watch: Watch
) -> None:
    at = Workspace(page)
    at.open("Builder")
    at.write(ASK)
    note = page.locator(".ask-note")
    expect(note).to_be_visible()
    page.reload()
    at.is_live()
    note.fill("half a thou")
    [hub] = children(server.process.pid, "hub")
    hub.kill()
    expect(page.locator("#away")).to_be_visible()
    expect(page.locator("#away")).to_be_hidden()
    expect(note).to_have_value("half a thou")
    page.locator(".timeline .ask").get_by_role("button", name="Allow once").click()
    expect(page.locator(".output").last).to_contain_text("I was permitted")
    watch.complaints.clear()


@pytest.mark.requirement("R-U1")
def test_what_is_typed_into_a_card_survives_what_changes_around_it(page: Page) -> None:
    at = Workspace(page)
    at.open("Planner")
    at.write(r"/delegate Reviewer: one\n/ask First?\n/say Over.")
    free = at.cards.locator(".ask-free")
    expect(free).to_be_visible()
    free.fill("I am still wri")
    at.write("/say meanwhile")
    expect(page.locator(".output").last).to_contain_text("meanwhile")
    expect(free).to_have_value("I am still wri")


@pytest.mark.requirement("R-M11")
def test_stop_takes_the_question_back(page: Page) -> None:
    at = Workspace(page)
    at.open("Builder")
    at.write("/ask Which?")
    expect(page.locator(".timeline .ask")).to_be_visible()
    page.get_by_role("button", name="Stop", exact=True).click()
    expect(page.locator(".decision")).to_contain_text("Taken back")
    expect(page.locator(".timeline .ask")).to_have_count(0)


@pytest.mark.requirement("R-U5")
def test_an_ask_is_heard_and_answered_by_the_keyboard_alone(page: Page) -> None:
    at = Workspace(page)
    at.open("Builder")
    at.write(ASK)
    expect(page.locator("#announcer")).to_contain_text("May I use Bash?")
    expect(at.box).to_be_focused()
    for _ in range(12):
        page.keyboard.press("Shift+Tab")
        if page.evaluate("document.activeElement.dataset.decision") == "allow_once":
            break
    page.keyboard.press("Enter")
    expect(page.locator(".decision")).to_contain_text("Allowed once")
    expect(at.box).to_be_focused()


@pytest.mark.requirement("R-U1")
def test_hundreds_of_steps_stay_fluid_and_unfold_live(page: Page) -> None:
    at = Workspace(page)
    at.open("Builder")
    lines = "\n".join(f"/use Bash command number {number}" for number in range(500))
    at.write(f"{lines}\n/ask-permission go on\n/use Bash the last one\n/say Ready.")
    page.evaluate("window.longest = 0")
    page.evaluate(
        """() => new PerformanceObserver(list => {
          for (const task of list.getEntries()) window.longest = Math.max(longest, task.duration);
        }).observe({type: "longtask"})"""
    )
    expect(page.locator(".timeline .ask")).to_be_visible()
    expect(page.locator(".latest .step")).to_have_count(6)
    page.locator(".work-fold > summary").click()
    expect(page.locator(".earlier .step")).to_have_count(495)
    page.locator(".timeline .ask").get_by_role("button", name="Allow once").click()
    expect(page.locator(".output").last).to_contain_text("Ready.")
    expect(page.locator(".earlier .step")).to_have_count(503)
    names = page.locator(".earlier .step-brief").all_text_contents()
    assert names[:500] == [f"command number {number}" for number in range(500)]
    assert names[501] == "the last one"
    assert page.evaluate("window.longest") < 500
    expect(page.locator(".work-count")).to_have_text("503 steps")
    page.reload()
    at.is_live()
    expect(page.locator(".earlier .step")).to_have_count(503)


@pytest.mark.requirement("R-U1")
def test_steps_that_were_moved_are_fetched_once_when_they_are_unfolded(page: Page) -> None:
    at = Workspace(page)
    at.open("Builder")
    at.ask("\n".join(f"/use Bash command number {number}" for number in range(9)))
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.locator("ccweb-steps").evaluate("steps => steps.parentElement.append(steps)")
    page.locator(".work-fold > summary").click()
    expect(page.locator(".earlier .step").first).to_be_visible()
    assert len([url for url in asked if "/steps?" in url]) == 1


@pytest.mark.requirement("R-U1")
def test_a_step_opens_with_its_output(page: Page) -> None:
    at = Workspace(page)
    at.open("Builder")
    at.ask("/use Bash npm test\n/say Green.")
    step = page.locator(".step")
    step.locator("summary").click()
    expect(step.locator(".step-body")).to_contain_text("The demo agent runs nothing")
    expect(step.locator(".code")).to_contain_text("npm test")


@pytest.mark.requirement("R-U1")
def test_the_settings_of_an_agent_are_changed_for_its_next_turn(page: Page) -> None:
    at = Workspace(page)
    at.open("Builder")
    at.ask("/say A host is there.")
    page.get_by_label("More actions").click()
    page.get_by_role("button", name="Agent settings").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("What it may do").select_option("skip_permissions")
    expect(dialog.locator(".mode-hint")).to_contain_text("without asking")
    dialog.get_by_role("button", name="Save").click()
    expect(page.locator(".head-mode")).to_have_text("No questions asked")


@pytest.mark.requirement("R-U1")
def test_a_failed_message_is_offered_to_be_written_again(page: Page) -> None:
    at = Workspace(page)
    at.open("Builder")
    at.ask("/fail no network")
    page.locator(".trouble").get_by_role("button", name="Write again").click()
    expect(at.box).to_have_value("/fail no network")
    expect(at.box).to_be_focused()


@pytest.mark.requirement("R-A1")
@pytest.mark.requirement("R-U1")
def test_text_never_leaves_the_page_while_it_becomes_a_step(page: Page) -> None:
    at = Workspace(page)
    at.open("Builder")
    page.evaluate(
        """() => {
          window.seen = [];
          const look = () => {
            const turn = document.querySelector(".timeline").textContent.split("/say End.").at(-1);
            window.seen.push([turn.includes("Looking."), turn.split("Looking.").length - 1]);
            requestAnimationFrame(look);
          };
          look();
        }"""
    )
    at.ask("/say Looking.\n/wait 0.6\n/use Bash ls\n/wait 0.6\n/say End.")
    seen = json.loads(page.evaluate("JSON.stringify(window.seen)"))
    first = next(index for index, (shown, _) in enumerate(seen) if shown)
    assert all(shown for shown, _ in seen[first:])
    assert max(count for _, count in seen) == 1
