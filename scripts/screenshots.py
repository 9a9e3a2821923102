"""The pictures of the README: the demo story played in a real browser, as the page shows it."""

import os
import tempfile
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from scripts.install_chromium import ADVICE, find_chromium
from tests.browser.harness import (
    CHROMIUM_FLAGS,
    DESKTOP_DARK,
    DESKTOP_LIGHT,
    PHONE_LIGHT,
    Look,
    Server,
    free_port,
    running_server,
)

IMAGES = Path(__file__).resolve().parent.parent / "docs" / "images"
WAIT_MS = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """One picture: its file, the look of the page, and the conversation that is shown."""

    file: str
    look: Look
    title: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """What the person writes, and the pictures that are taken after each part of it."""

    lang: str
    first: str
    """A delegation that comes back."""
    returned: tuple[Picture, ...]
    second: str = ""
    """One that is under way."""
    working: tuple[Picture, ...] = ()


ENGLISH = Story(
    lang="en",
    first=(
        "/delegate Reviewer: Please review the change in `batch.py`. "
        r"Is it safe when the process dies halfway?\n/wait 2"
        r"\n/say **Sound, with one gap.** An empty batch still opens a transaction."
    ),
    returned=(Picture(file="workspace-light.png", look=DESKTOP_LIGHT, title="Planner"),),
    second=(
        r"/delegate Builder: Add a test for the empty batch, then run the suite."
        r"\n/use Edit tests/test_batch.py\n/ask-permission pytest -q tests\n/say Done."
    ),
    working=(
        Picture(file="workspace-dark.png", look=DESKTOP_DARK, title="Planner"),
        Picture(file="phone.png", look=PHONE_LIGHT, title="Builder"),
    ),
)
CHINESE = Story(
    lang="zh",
    first=(
        "/delegate Reviewer: 请评审 `batch.py` 的改动：进程中途退出时是否安全？"
        r"\n/wait 2\n/say **方案可行，有一处缺口。** 空批次仍会开启事务。"
    ),
    returned=(Picture(file="workspace-zh.png", look=DESKTOP_LIGHT, title="Planner"),),
)


def main() -> int:
    """Write every picture and return 0."""
    executable = find_chromium()
    if not executable:
        raise SystemExit(ADVICE)
    IMAGES.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=executable, args=CHROMIUM_FLAGS)
        for story in (ENGLISH, CHINESE):
            play(chromium, story)
        chromium.close()
    return 0


def play(chromium: Browser, story: Story) -> None:
    """Run a new ccweb, let the person write, and take the pictures of a story."""
    off = dict.fromkeys(("CCWEB_CLAUDE_PATH", "CCWEB_CODEX_PATH"), "off")
    os.environ |= {"CCWEB_LANG": story.lang, "LOGNAME": "ada", **off}
    with (
        tempfile.TemporaryDirectory(prefix="ccweb-pictures-") as folder,
        running_server(
            "--demo", "--port", str(free_port()), data_dir=Path(folder) / "data"
        ) as server,
    ):
        page = signed_in(chromium, server)
        open_conversation(page, server, "Planner")
        write(page, story.first)
        page.locator(".fact-state").nth(1).wait_for()
        for picture in story.returned:
            take(chromium, page, server, picture)
        if story.second:
            write(page, story.second)
            page.locator(".fact-state").nth(2).wait_for()
            page.locator(".card .ask").wait_for()
        for picture in story.working:
            take(chromium, page, server, picture)


def take(chromium: Browser, page: Page, server: Server, picture: Picture) -> None:
    """Open a conversation in a window of its own and write what it shows to the file."""
    look = picture.look
    context = chromium.new_context(
        viewport={"width": look.width, "height": look.height},
        color_scheme=look.colours,
        has_touch=look.touch,
        is_mobile=look.touch,
        device_scale_factor=2,
        reduced_motion="reduce",
        storage_state=page.context.storage_state(),
    )
    shown = context.new_page()
    open_conversation(shown, server, picture.title)
    if not shown.locator(".entry > .ask").count():  # else the page shows its end, which asks
        begins = shown.locator(".entry:has(.said)")
        (begins if begins.count() else shown.locator(".entry:has(.card)")).last.evaluate(
            "entry => entry.scrollIntoView()"
        )
    shown.screenshot(path=IMAGES / picture.file)
    context.close()
    print(f"docs/images/{picture.file}")


def signed_in(chromium: Browser, server: Server) -> Page:
    """Return a page of a person who has followed the printed link."""
    page = chromium.new_page()
    page.set_default_timeout(WAIT_MS)
    page.goto(server.sign_in_url)
    page.wait_for_url(f"{server.origin}/")
    return page


def open_conversation(page: Page, server: Server, title: str) -> None:
    """Open a conversation by its title in the list and wait until the page is live."""
    page.goto(server.origin)
    row = page.locator("a.row", has=page.locator(".row-title", has_text=title))
    page.goto(f"{server.origin}{row.get_attribute('href')}")
    page.locator("body[data-live]").wait_for()


def write(page: Page, text: str) -> None:
    """Write a message and send it."""
    page.locator("#message").fill(text)
    page.locator("#message").press("Enter")


if __name__ == "__main__":
    raise SystemExit(main())
