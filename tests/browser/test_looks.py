"""The page for every eye, hand and window: contrast, width, keyboard, screen reader."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.harness import in_every_look, on_phone_and_desktop
from tests.browser.workspace import Workspace

FAINT_TEXTS = """() => {
  const probe = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
  const pixel = colour => {
    probe.clearRect(0, 0, 1, 1);
    probe.fillStyle = colour;
    probe.fillRect(0, 0, 1, 1);
    return [...probe.getImageData(0, 0, 1, 1).data];
  };
  const light = rgba => rgba.slice(0, 3)
    .map(v => v / 255)
    .map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const ground = element => {
    for (let e = element; e; e = e.parentElement) {
      const colour = pixel(getComputedStyle(e).backgroundColor);
      if (colour[3] === 255) return colour;
    }
    return [255, 255, 255, 255];
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const faint = [];
  while (walker.nextNode()) {
    const text = walker.currentNode.data.trim(), e = walker.currentNode.parentElement;
    if (!text || !e.checkVisibility() || e.closest("svg, option, .visually-hidden")) continue;
    const [a, b] = [light(pixel(getComputedStyle(e).color)), light(ground(e))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) faint.push(`${ratio.toFixed(2)} ${e.className}: ${text}`);
  }
  return faint;
}"""
"""The texts whose contrast with what lies behind them is under 4.5 to 1."""


@pytest.mark.requirement("R-U5")
def test_a_delegation_can_be_driven_by_the_keyboard_alone(page: Page) -> None:
    at = Workspace(page)
    page.keyboard.press("Tab")
    for _ in range(12):
        if page.evaluate("document.activeElement.matches('.row')"):
            break
        page.keyboard.press("Tab")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    expect(page.locator(".head-title")).to_be_visible()
    if page.locator(".head-title").inner_text() == "Reviewer":
        at.open("Planner")
    expect(at.box).to_be_focused()
    page.keyboard.type(r"/delegate Reviewer: look\n/say seen")
    page.keyboard.press("Enter")
    expect(at.station("Continued", "done")).to_be_visible()
    for _ in range(30):
        if page.evaluate("document.activeElement.matches('.reply > summary')"):
            break
        page.keyboard.press("Shift+Tab")
    page.keyboard.press("Enter")
    expect(page.locator(".pair-reply")).to_be_visible()
    outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert outline == "solid"


@pytest.mark.requirement("R-U5")
def test_a_screen_reader_finds_landmarks_names_and_hears_an_answer(page: Page) -> None:
    at = Workspace(page)
    at.open("Builder")
    for role in ("main", "navigation", "search", "complementary"):
        expect(page.get_by_role(role).first).to_be_visible()
    unnamed = page.evaluate(
        """() => [...document.querySelectorAll("button, input, textarea, select, a, summary")]
          .filter(e => e.checkVisibility())
          .filter(e => !(e.ariaLabel || e.textContent.trim() || e.labels?.length))
          .map(e => e.outerHTML)"""
    )
    assert unnamed == []
    at.write("/say a clear answer")
    expect(page.locator("#announcer")).to_contain_text("a clear answer")


@pytest.mark.requirement("R-U5")
@in_every_look
def test_text_stands_out_from_its_ground_in_every_look(page: Page) -> None:
    at = Workspace(page)
    at.open("Builder")
    at.ask("/say some **text** and `code`")
    low = page.evaluate(FAINT_TEXTS)
    assert low == []


@pytest.mark.requirement("R-U5")
@on_phone_and_desktop
def test_nothing_is_wider_than_the_window(page: Page) -> None:
    at = Workspace(page)
    assert at.overflow() <= 0
    at.open("Builder")
    at.ask("/say " + "W" * 300 + " `" + "c" * 200 + "`")
    assert at.overflow() <= 0
    page.get_by_label("More actions").click()
    assert at.overflow() <= 0


@pytest.mark.requirement("R-U5")
def test_a_chosen_look_stays(page: Page) -> None:
    button = page.get_by_role("button", name="Change colours")
    button.click()
    button.click()
    page.reload()
    Workspace(page).is_live()
    assert page.evaluate("getComputedStyle(document.body).colorScheme") == "dark"
    button.click()
    assert page.evaluate("document.documentElement.dataset.theme") is None


LONG_TITLE = "A very long title " * 6 + "Donaudampfschifffahrtsgesellschaft" * 2


@pytest.mark.requirement("R-U5")
@on_phone_and_desktop
def test_a_very_long_title_leaves_room_for_everything_beside_it(page: Page) -> None:
    at = Workspace(page)
    at.open("Builder")
    usual = at.box.evaluate("box => box.offsetHeight")
    at.ask("/say A host is there.")  # before one is, no conversation can be created
    page.evaluate(
        """title => fetch("/conversations", {
          method: "POST",
          headers: {"Content-Type": "application/json"},
          body: JSON.stringify({title, agent: "demo", content: "/say hello"}),
        })""",
        LONG_TITLE,
    )
    page.goto("/".join(page.url.split("/")[:3]))
    row = at.row(LONG_TITLE)
    expect(row.locator(".unread")).to_be_in_viewport(ratio=1)
    assert at.overflow() <= 0
    row.click()
    expect(at.box).to_have_attribute("placeholder", f"Write to {LONG_TITLE}…")
    assert at.overflow() <= 0
    assert at.box.evaluate("box => box.offsetHeight") == usual


@pytest.mark.requirement("R-U5")
def test_a_paragraph_runs_in_the_direction_of_its_script(page: Page) -> None:
    at = Workspace(page)
    at.open("Builder")
    at.ask("/say مرحبا بالعالم.\n/say Hello.")
    starts = (
        page.locator(".output")
        .last.locator("p")
        .evaluate_all(
            """paragraphs => paragraphs.map(p => {
          const text = document.createRange();
          text.selectNodeContents(p);
          const box = p.getBoundingClientRect(), line = text.getBoundingClientRect();
          return Math.abs(line.right - box.right) < 2 ? "right" : "left";
        })"""
        )
    )
    assert starts == ["right", "left"]


@pytest.mark.requirement("R-U5")
@on_phone_and_desktop
def test_a_wide_table_scrolls_and_leaves_its_words_whole(page: Page) -> None:
    at = Workspace(page)
    at.open("Builder")
    row = "| " + " | ".join(["consideration"] * 9) + " |"
    at.write(f"/say read\n\n{row}\n|{'---|' * 9}\n{row}")
    lines = page.locator(".said td").first.evaluate(
        """cell => {
          const text = document.createRange();
          text.selectNodeContents(cell);
          return text.getClientRects().length;
        }"""
    )
    assert lines == 1
    assert page.locator(".said table").evaluate("table => table.scrollWidth > table.clientWidth")
    assert at.overflow() <= 0


@pytest.mark.requirement("R-U5")
@pytest.mark.requirement("R-M11")
@on_phone_and_desktop
def test_the_buttons_of_a_stopped_conversation_cover_none_of_its_facts(page: Page) -> None:
    at = Workspace(page)
    at.open("Planner")
    at.ask("/delegate Builder: /wait 60")
    at.write("/wait 60")
    page.get_by_role("button", name="Stop", exact=True).click()
    expect(page.get_by_role("button", name="Continue")).to_be_visible()
    expect(page.get_by_role("button", name="Stop all")).to_be_visible()
    covered = page.evaluate(
        """() => {
          const buttons = [...document.querySelectorAll(".head-actions > *")];
          const meets = (a, b) => a.left < b.right && b.left < a.right
            && a.top < b.bottom && b.top < a.bottom;
          return [...document.querySelectorAll(".head-meta > *")].filter(fact => buttons.some(
            button => meets(fact.getBoundingClientRect(), button.getBoundingClientRect())
          )).map(fact => fact.textContent.trim());
        }"""
    )
    assert covered == []


@pytest.mark.requirement("R-U5")
def test_the_focus_survives_the_button_that_had_it(page: Page) -> None:
    at = Workspace(page)
    at.open("Builder")
    at.write("/wait 60")
    expect(at.state).to_have_text("Running")
    at.write("/say later")
    for name in ("Remove", "Stop"):
        button = page.get_by_role("button", name=name, exact=True)
        button.press("Enter")
        expect(button).to_have_count(0)
        expect(at.box).to_be_focused()
    menu = page.get_by_label("More actions")
    menu.press("Enter")
    page.get_by_role("button", name="Rename").press("Enter")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(menu).to_be_focused()
