"""An agent shows images: small in the conversation, large by a press, walked by the arrow keys."""

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from tests.browser.conftest import Watch
from tests.browser.harness import DESKTOP_LIGHT, PHONE_DARK, Server
from tests.browser.test_looks import FAINT_TEXTS
from tests.browser.workspace import Workspace
from tests.media.pictures import a_picture


def has_come(image: Locator) -> None:
    """Wait until an image is there."""
    expect(image).to_have_js_property("complete", value=True)
    assert image.evaluate("image => image.naturalWidth") > 0


def shown(page: Page, count: int = 1) -> None:
    """Let the agent of a conversation show as many images."""
    at = Workspace(page)
    at.open("Builder")
    at.ask("\n".join(["/show-image"] * count))
    expect(page.locator(".picture img")).to_have_count(count)


@pytest.mark.requirement("R-U4")
@pytest.mark.requirement("R-U5")
@pytest.mark.parametrize("look", [DESKTOP_LIGHT, PHONE_DARK], ids=str)
def test_an_image_is_small_in_the_conversation_and_large_by_a_press(page: Page) -> None:
    shown(page, 3)
    at = Workspace(page)
    first = page.locator(".picture-link").first
    first.scroll_into_view_if_needed()
    has_come(first.locator("img"))
    assert at.overflow() <= 0
    assert page.evaluate(FAINT_TEXTS) == []
    first.press("Enter")
    box = page.get_by_role("dialog", name="Image")
    expect(box.get_by_text("1 of 3", exact=True)).to_be_visible()
    original = box.get_by_role("link", name="Open the original")
    assert original.evaluate("link => link.href") == first.evaluate("link => link.href")
    page.keyboard.press("ArrowLeft")
    expect(box.get_by_text("3 of 3", exact=True)).to_be_visible()
    box.get_by_role("button", name="Next image").click()
    expect(box.get_by_text("1 of 3", exact=True)).to_be_visible()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Escape")
    expect(box).to_have_count(0)
    expect(page.locator(".picture-link").nth(1)).to_be_focused()


@pytest.mark.requirement("R-U4")
def test_an_image_has_its_room_before_it_has_come_and_a_missing_one_leaves_its_caption(
    page: Page, server: Server, watch: Watch
) -> None:
    at = Workspace(page)
    at.open("Builder")
    tall = a_picture(size=(2, 3000), colour="teal")
    (server.data_dir / "workspace" / "tall.png").write_bytes(tall)
    at.ask("/show-image tall.png")
    picture, link = page.locator(".picture"), page.locator(".picture-link")
    held: list[Route] = []
    page.route("**/thumb", lambda route: held.append(route))
    page.reload()
    at.is_live()
    link.scroll_into_view_if_needed()
    before = link.bounding_box()
    expect(link.locator("img")).to_have_js_property("complete", value=False)
    assert held
    held.pop().continue_()
    has_come(link.locator("img"))
    assert before == link.bounding_box()
    page.unroute("**/thumb")
    page.route("**/thumb", lambda route: route.fulfill(status=404))
    page.reload()
    expect(picture).to_contain_text("no longer there")
    expect(link).to_be_hidden()
    watch.complaints.clear()


@pytest.mark.requirement("R-U4")
def test_a_large_image_is_seen_in_its_real_size_by_a_press(page: Page, server: Server) -> None:
    at = Workspace(page)
    at.open("Builder")
    (server.data_dir / "workspace" / "wide.png").write_bytes(
        a_picture(size=(3000, 400), colour="teal")
    )
    at.ask("/show-image wide.png")
    page.locator(".picture-link").click()
    large = page.locator(".lightbox-picture")
    zoom = page.get_by_role("button", name="Real size")
    width = page.viewport_size["width"] if page.viewport_size else 0
    assert large.evaluate("image => image.clientWidth") <= width
    large.click()
    expect(zoom).to_have_attribute("aria-pressed", "true")
    assert large.evaluate("image => image.clientWidth") == 3000
    expect(large).to_have_js_property("naturalWidth", 3000)
    zoom.click()
    expect(zoom).to_have_attribute("aria-pressed", "false")
    page.locator(".lightbox-stage").click(position={"x": 5, "y": 5})
    expect(page.get_by_role("dialog")).to_have_count(0)
