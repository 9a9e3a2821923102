"""A signed-in page of a real ccweb in a real Chromium, which may speak to nobody else."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.sync_api import (
    Browser,
    ConsoleMessage,
    Error,
    Page,
    Request,
    expect,
    sync_playwright,
)

from scripts.install_chromium import ADVICE, find_chromium
from tests.browser.harness import (
    CHROMIUM_FLAGS,
    DESKTOP_LIGHT,
    Look,
    Server,
    free_port,
    running_server,
)
from tests.browser.shared import renew_conversations, sign_in

WAIT_MS = 30_000
"""For all that a test waits for, an agent's work and a hub's return too; a busy machine is slow."""
expect.set_options(timeout=WAIT_MS)


def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark every test below this folder as one that needs Chromium."""
    item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Start one Chromium for the tests of a module; its event loop must end before other tests."""
    executable = find_chromium()
    assert executable, ADVICE
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=executable, args=CHROMIUM_FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture
def look() -> Look:
    """Return the look of the page; parametrize it to see others."""
    return DESKTOP_LIGHT


@pytest.fixture
def locale() -> str:
    """Return the language that the browser asks for; parametrize it to see others."""
    return "en-US"


@pytest.fixture(scope="session")
def shared_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Run one `ccweb serve --demo` for all tests; a start takes longer than most of them."""
    data_dir = tmp_path_factory.mktemp("shared") / "data"
    with running_server("--demo", "--port", str(free_port()), data_dir=data_dir) as server:
        yield server


@pytest.fixture
def server(shared_server: Server) -> Server:
    """Return a ccweb with three new demo conversations.

    A module whose tests need one of their own has a fixture of this name, which `new_server` helps
    with.
    """
    renew_conversations(shared_server)
    return shared_server


@pytest.fixture
def new_server(tmp_path: Path, free_port: int) -> Iterator[Server]:
    """Run `ccweb serve --demo` in a new data folder."""
    with running_server("--demo", "--port", str(free_port), data_dir=tmp_path / "data") as server:
        yield server


@dataclass(kw_only=True)
class Watch:
    """What a page did that no page may do."""

    origin: str
    complaints: list[str] = field(default_factory=list)

    def on_console(self, message: ConsoleMessage) -> None:
        """Note errors that the page or the browser wrote to the console."""
        if message.type == "error":
            self.complaints.append(f"console: {message.text} ({message.location.get('url')})")

    def on_error(self, error: Error) -> None:
        """Note an exception that nobody caught."""
        self.complaints.append(f"exception: {error}")

    def on_request(self, request: Request) -> None:
        """Note a request to anybody but the server; beyond this machine none arrives."""
        url = request.url
        if url != self.origin and not url.startswith((f"{self.origin}/", "data:", "blob:")):
            self.complaints.append(f"foreign request: {url}")


@pytest.fixture
def origin(server: Server) -> str:
    """Return the one place that the page may speak to."""
    return server.origin


@pytest.fixture
def watch(origin: str) -> Watch:
    """Return the watch over the page; a test that provokes a complaint clears it."""
    return Watch(origin=origin)


@pytest.fixture
def blank_page(browser: Browser, look: Look, locale: str, watch: Watch) -> Iterator[Page]:
    """Open a page in a browser profile of its own; fail the test that gave cause to complain."""
    context = browser.new_context(
        viewport={"width": look.width, "height": look.height},
        color_scheme=look.colours,
        has_touch=look.touch,
        is_mobile=look.touch,
        locale=locale,
        reduced_motion="reduce",
        service_workers="block",
    )
    context.set_default_timeout(WAIT_MS)
    context.on("request", watch.on_request)
    page = context.new_page()
    page.on("console", watch.on_console)
    page.on("pageerror", watch.on_error)
    yield page
    context.close()
    assert watch.complaints == []


@pytest.fixture
def signed_in(blank_page: Page, server: Server) -> Page:
    """Return an empty page in the browser of a person who has signed in."""
    sign_in(blank_page, server)
    return blank_page


@pytest.fixture
def page(signed_in: Page, server: Server) -> Page:
    """Return the first page of a person who has signed in."""
    signed_in.goto(f"{server.origin}/")
    signed_in.wait_for_selector("body[data-live]")
    return signed_in
