"""The workspace as its tests use it: opening a conversation, writing, looking at cards."""

from dataclasses import dataclass

from playwright.sync_api import Locator, Page, expect


@dataclass
class Workspace:
    """A signed-in page."""

    page: Page

    def open(self, title: str) -> None:
        """Open a conversation from the list, wherever the page is."""
        if not self.row(title).is_visible():
            self.page.locator("a.back").click()
        self.row(title).click()
        expect(self.page.locator(".head-title")).to_have_text(title)
        self.is_live()

    def is_live(self) -> None:
        """Wait until the page's scripts have taken over."""
        expect(self.page.locator("body[data-live]")).to_be_attached()

    def row(self, title: str) -> Locator:
        return self.page.locator("a.row", has=self.page.locator(".row-title", has_text=title))

    @property
    def box(self) -> Locator:
        return self.page.locator("#message")

    def write(self, text: str) -> None:
        self.box.fill(text)
        self.box.press("Enter")
        expect(self.box).to_have_value("")

    def ask(self, text: str) -> None:
        """Write and wait until the agent's turn has ended."""
        ends = self.page.locator(".fact-state, .trouble-head")
        before = ends.count()
        self.write(text)
        expect(ends).to_have_count(before + 1)

    @property
    def state(self) -> Locator:
        return self.page.locator(".head .state")

    @property
    def cards(self) -> Locator:
        return self.page.locator(".card")

    def station(self, name: str, reached: str) -> Locator:
        return self.cards.last.locator(f'.station[data-reached="{reached}"]', has_text=name)

    def is_idle(self) -> None:
        expect(self.state).to_have_text("Idle")

    def overflow(self) -> int:
        """Return by how many pixels the page is wider or higher than its window."""
        pixels: int = self.page.evaluate(
            """() => {
              const page = document.documentElement;
              return Math.max(page.scrollWidth - page.clientWidth,
                page.scrollHeight - page.clientHeight);
            }"""
        )
        return pixels

    def overflow_sideways(self) -> int:
        """Return by how many pixels a page that scrolls down is wider than its window."""
        pixels: int = self.page.evaluate(
            "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        )
        return pixels
