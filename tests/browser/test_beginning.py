"""The first steps of a person who has just started ccweb."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Watch
from tests.browser.harness import Server
from tests.fakes.program import install


@pytest.fixture
def server(new_server: Server) -> Server:
    """Return a ccweb whose ticket nobody has used."""
    return new_server


@pytest.mark.requirement("R-S1")
def test_a_ticket_signs_one_browser_in_and_leaves_no_trace_in_its_address(
    blank_page: Page, server: Server, watch: Watch
) -> None:
    page = blank_page
    page.goto(server.sign_in_url)
    page.wait_for_selector("body[data-live]")
    expect(page.get_by_role("heading", level=1)).to_have_text("Let one conversation ask another")
    assert page.url == f"{server.origin}/"
    page.context.clear_cookies()
    page.goto("about:blank")
    page.goto(server.sign_in_url)
    expect(page.get_by_role("alert")).to_contain_text("used or is too old")
    assert "#" not in page.url
    watch.complaints.clear()


UNTIL_OFFERED = """async wanted => {
  for (let tries = 0; tries < 200; tries++) {
    if ((await (await fetch("/parts/agents")).text()).includes(wanted)) return;
    await new Promise(go => setTimeout(go, 100));
  }
  throw new Error(`no agent says ${wanted}`);
}"""


@pytest.fixture
def claude(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder in which the server looks for Claude Code, which is not there yet."""
    monkeypatch.setenv("CCWEB_CLAUDE_PATH", str(tmp_path / "claude"))
    return tmp_path


@pytest.mark.requirement("R-A5")
def test_the_form_begins_with_the_first_agent_that_runs_not_with_what_it_was_drawn_with(
    claude: Path, page: Page
) -> None:
    agents = page.locator("#agent-choices")
    page.evaluate(UNTIL_OFFERED, " checked")
    page.reload()
    expect(agents.get_by_role("radio", name="Demo", include_hidden=True)).to_be_checked()
    install(claude, "claude", "2.1.332 (Claude Code)")
    page.evaluate(UNTIL_OFFERED, 'value="claude" checked')
    page.get_by_role("button", name="New conversation").click()
    expect(agents.get_by_role("radio", name="Claude Code")).to_be_checked()
    expect(agents.locator("fieldset:enabled").get_by_label("Model")).to_be_visible()
    agents.get_by_role("radio", name="Demo").check()
    page.keyboard.press("Escape")
    page.get_by_role("button", name="New conversation").click()
    expect(agents.locator("fieldset:enabled").get_by_label("Model")).to_be_hidden()
    expect(agents.get_by_role("radio", name="Demo")).to_be_checked()
