"""Images as browsers get them: whole, with safe headers, to people who are signed in."""

import os
from pathlib import Path

import anyio
import httpx2
import pytest

from ccweb.media import files
from ccweb.media import service as media
from ccweb.media.model import ShownImage
from ccweb.media.picture import prepared
from ccweb.relay import service as relay
from tests.hub.pages.conftest import Web
from tests.media.pictures import FORMATS, a_picture, opened
from tests.relay.world import World

HTML = {"Accept": "text/html"}


def shown(world: World, content: bytes) -> ShownImage:
    """Show an image in a new conversation."""
    conversation_id = world.conversation("Artist")
    ready = prepared(content)
    files.keep(media.folder(world.settings), ready)
    with world.tx() as c:
        return media.show(
            c,
            world.m,
            world.settings,
            ready,
            conversation_id=conversation_id,
            turn_id=None,
            caption="A till",
        )


@pytest.mark.requirement("R-U4")
@pytest.mark.parametrize("kind", FORMATS)
async def test_an_image_comes_back_as_it_was_with_its_own_type(
    web: Web, world: World, kind: str
) -> None:
    content = a_picture(kind)
    image = shown(world, content)
    for path in (f"/images/{image.id}", f"/images/{image.id}/thumb"):
        answer = await web.http.get(path)
        assert (answer.status_code, answer.content) == (200, content)
        assert answer.headers["content-type"] == f"image/{kind.lower()}"
        assert answer.headers["content-length"] == str(len(content))


@pytest.mark.requirement("R-U4")
async def test_a_large_image_has_a_small_form(web: Web, world: World) -> None:
    image = shown(world, a_picture("JPEG", size=(1920, 800)))
    answer = await web.http.get(f"/images/{image.id}/thumb")
    assert answer.headers["content-type"] == "image/webp"
    assert opened(answer.content).size == (960, 400)


@pytest.mark.requirement("R-U4", "R-S1")
@pytest.mark.parametrize("part", ["", "/thumb"])
async def test_the_headers_let_an_image_be_nothing_but_an_image(
    web: Web, world: World, part: str
) -> None:
    image = shown(world, a_picture())
    headers = (await web.http.get(f"/images/{image.id}{part}")).headers
    assert headers.get_list("content-security-policy") == ["default-src 'none'; sandbox"]
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["cross-origin-resource-policy"] == "same-origin"
    assert headers["content-disposition"] == f'inline; filename="{image.id}.png"'
    assert headers["cache-control"] == "private, max-age=31536000, immutable"


@pytest.mark.requirement("R-U4")
@pytest.mark.parametrize("part", ["", "/thumb"])
async def test_an_image_that_a_browser_has_is_not_sent_again(
    web: Web, world: World, part: str
) -> None:
    image = shown(world, a_picture(size=(1000, 10)))
    path = f"/images/{image.id}{part}"
    first = await web.http.get(path)
    again = await web.http.get(path, headers={"If-None-Match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert again.headers["etag"] == first.headers["etag"]
    other = await web.http.get(path, headers={"If-None-Match": '"other"'})
    assert (other.status_code, other.content) == (200, first.content)


@pytest.mark.requirement("R-U4")
async def test_an_image_and_its_small_form_are_told_apart_by_their_tags(
    web: Web, world: World
) -> None:
    image = shown(world, a_picture(size=(1000, 10)))
    tags = [
        (await web.http.get(f"/images/{image.id}{part}")).headers["etag"] for part in ("", "/thumb")
    ]
    assert tags[0] != tags[1]


@pytest.mark.requirement("R-U4")
async def test_a_part_of_an_image_can_be_asked_for(web: Web, world: World) -> None:
    content = a_picture()
    image = shown(world, content)
    answer = await web.http.get(f"/images/{image.id}", headers={"Range": "bytes=4-9"})
    assert (answer.status_code, answer.content) == (206, content[4:10])


@pytest.mark.requirement("R-U4")
async def test_a_head_request_gets_the_headers_alone(web: Web, world: World) -> None:
    image = shown(world, a_picture())
    answer = await web.http.head(f"/images/{image.id}")
    assert (answer.status_code, answer.content) == (200, b"")
    assert answer.headers["content-length"] == str(image.image.size_bytes)


@pytest.mark.requirement("R-U4", "R-S1")
async def test_nobody_sees_an_image_without_signing_in(
    visitor: httpx2.AsyncClient, world: World
) -> None:
    image = shown(world, a_picture())
    for part in ("", "/thumb"):
        assert (await visitor.get(f"/images/{image.id}{part}")).status_code == 401
        page = await visitor.get(f"/images/{image.id}{part}", headers=HTML)
        assert (page.status_code, page.headers["location"].split("?")[0]) == (303, "/sign-in")


# --- what is not there ---------------------------------------------------------------------------


@pytest.mark.requirement("R-U4", "R-S4")
@pytest.mark.parametrize("image_id", ["img_none", "..%2f..%2fccweb.db", "ab" * 32, "%00"])
async def test_an_image_that_there_is_not_is_not_found(web: Web, image_id: str) -> None:
    for part in ("", "/thumb"):
        answer = await web.http.get(f"/images/{image_id}{part}")
        assert answer.status_code == 404
        assert answer.headers["content-type"] == "application/json"


@pytest.mark.requirement("R-U4")
async def test_a_person_gets_a_page_that_says_so(web: Web) -> None:
    answer = await web.http.get("/images/img_none", headers=HTML)
    assert answer.status_code == 404
    assert answer.headers["content-type"].startswith("text/html")


@pytest.mark.requirement("R-U4")
async def test_an_image_whose_file_is_gone_is_not_found(web: Web, world: World) -> None:
    image = shown(world, a_picture(size=(1000, 10)))
    files.remove(media.folder(world.settings), image.image.hash)
    for part in ("", "/thumb"):
        assert (await web.http.get(f"/images/{image.id}{part}")).status_code == 404


@pytest.mark.requirement("R-U4")
async def test_an_image_without_its_small_form_is_shown_as_it_is(web: Web, world: World) -> None:
    content = a_picture(size=(1000, 10))
    image = shown(world, content)
    files.thumb(media.folder(world.settings), image.image.hash).unlink()
    assert (await web.http.get(f"/images/{image.id}/thumb")).content == content


@pytest.mark.requirement("R-U4")
async def test_an_image_of_a_deleted_conversation_is_not_found(web: Web, world: World) -> None:
    image = shown(world, a_picture())
    with world.tx() as c:
        relay.delete(c, world.m, world.settings, image.conversation_id)
    assert (await web.http.get(f"/images/{image.id}")).status_code == 404


# --- upkeep --------------------------------------------------------------------------------------


@pytest.fixture
def an_old_file(world: World) -> Path:
    """Return a file of an image that a hub left when it was killed."""
    ready = prepared(a_picture())
    files.keep(media.folder(world.settings), ready)
    place = files.original(media.folder(world.settings), ready.image.hash)
    os.utime(place, (0, 0))
    return place


@pytest.mark.requirement("R-U4")
async def test_a_hub_that_starts_sweeps_up_what_a_killed_one_has_left(
    an_old_file: Path, visitor: httpx2.AsyncClient
) -> None:
    assert (await visitor.get("/sign-in")).status_code == 200
    with anyio.fail_after(5):
        while await anyio.Path(an_old_file).exists():
            await anyio.sleep(0.01)
