"""Earlier sessions by clicking: found, opened, and followed while they go on elsewhere."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.harness import Server, in_every_look, running_server
from tests.host.history_home import CLAUDE_ID, Home, claude_said


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    """Return the home of a person who has used both programs."""
    monkeypatch.setenv("HOME", str(tmp_path / "person"))
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME"):
        monkeypatch.delenv(name, raising=False)
    home = Home(path=tmp_path / "person")
    home.recorded()
    return home


@pytest.fixture
def server(home: Home, tmp_path: Path, free_port: int) -> Iterator[Server]:
    """Run ccweb on that person's machine."""
    with running_server("--demo", "--port", str(free_port), data_dir=tmp_path / "data") as server:
        yield server


@in_every_look
def test_a_session_is_found_opened_and_followed(page: Page, home: Home) -> None:
    before = home.everything()
    page.get_by_role("link", name="Earlier sessions").click()
    rows = page.locator(".history-row")
    expect(rows).to_have_count(2)
    page.get_by_role("searchbox").fill("there")
    page.get_by_role("searchbox").press("Enter")
    expect(rows).to_have_count(1)
    page.wait_for_load_state()  # before its script runs, a press on a row does nothing
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    rows.first.click()
    expect(page.locator(".head-title")).to_have_text("hello there")
    expect(page.locator(".notice")).to_contain_text("made outside ccweb")
    expect(page.locator(".said")).to_have_count(2)
    expect(page.locator(".output").first).to_contain_text("你好 done")
    expect(page.locator("#empty")).to_be_hidden()
    assert home.everything() == before

    session = home.path / ".claude/projects/-srv" / f"{CLAUDE_ID}.jsonl"
    written = Home(path=home.path / "draft").claude(
        CLAUDE_ID, [claude_said("user", "said in a terminal", "x", None)]
    )
    with session.open("ab") as more:
        more.write(written.read_bytes())
    expect(page.locator(".said").last).to_contain_text("said in a terminal")


def test_a_session_is_opened_by_keyboard_and_then_is_there(page: Page, server: Server) -> None:
    page.goto(f"{server.origin}/history")
    row = page.locator(".history-row", has_text="hello codex")
    row.focus()
    row.press("Enter")
    expect(page.locator(".head-title")).to_have_text("hello codex")
    opened = page.url
    page.goto(f"{server.origin}/history")
    expect(row.locator(".badge")).to_have_text(["in ccweb", "its folder is gone"])
    row.click()
    page.wait_for_url(opened)
