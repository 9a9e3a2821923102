"""Chromium starts here, and the watch over a page sees what it must."""

import http.server
import threading
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page

from tests.browser.conftest import Watch
from tests.browser.harness import Look, in_every_look

PAGE = b"""<!doctype html><html lang="en"><meta charset="utf-8"><title>Small</title>
<meta name="viewport" content="width=device-width"><link rel="icon" href="data:,"><p>Here</p></html>
"""


class OnePage(http.server.BaseHTTPRequestHandler):
    """Answers every request with the same page."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(PAGE)

    def log_message(self, *arguments: object) -> None:
        """Stay silent."""


@pytest.fixture
def origin() -> Iterator[str]:
    """Serve the small page in the place of ccweb."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), OnePage) as small:
        thread = threading.Thread(target=small.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{small.server_port}"
        small.shutdown()
        thread.join(5)


@in_every_look
def test_a_page_opens_in_the_size_and_colours_of_its_look(
    blank_page: Page, origin: str, look: Look
) -> None:
    blank_page.goto(origin)
    seen = blank_page.evaluate(
        "() => [innerWidth, innerHeight, matchMedia('(prefers-color-scheme: dark)').matches]"
    )
    assert seen == [look.width, look.height, look.colours == "dark"]


def test_a_request_to_another_host_is_stopped_and_noted(
    blank_page: Page, origin: str, watch: Watch
) -> None:
    blank_page.goto(origin)
    blank_page.evaluate("() => fetch('http://elsewhere.invalid/x').catch(() => null)")
    assert "foreign request: http://elsewhere.invalid/x" in watch.complaints
    watch.complaints.clear()


def test_a_console_error_and_an_uncaught_exception_are_noted(
    blank_page: Page, origin: str, watch: Watch
) -> None:
    blank_page.goto(origin)
    with blank_page.expect_event("pageerror"):
        blank_page.evaluate("() => { console.error('broken'); setTimeout(() => lost(), 0) }")
    kinds = [complaint.partition(":")[0] for complaint in watch.complaints]
    assert kinds == ["console", "exception"]
    watch.complaints.clear()
