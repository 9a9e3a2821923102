"""An image stands in its conversation with its caption and room, whatever becomes of its file."""

import base64
import re

import pytest

from ccweb.conversations.model import Turn
from ccweb.hub.pictures import Picture
from ccweb.media import service as media
from tests.hub.pages.conftest import Web
from tests.media.pictures import a_picture, an_animation
from tests.relay.world import World


def show(world: World, source: Turn | str, content: bytes, caption: str = "") -> str:
    """Let a turn, or a conversation outside one, show an image; return the image's id."""
    turn = source if isinstance(source, Turn) else None
    prepared = media.prepare_data(world.settings, base64.b64encode(content).decode())
    with world.tx() as c:
        shown = media.show(
            c,
            world.m,
            world.settings,
            prepared,
            conversation_id=source.conversation_id if isinstance(source, Turn) else source,
            turn_id=turn.id if turn else None,
            caption=caption,
        )
    return shown.id


@pytest.mark.requirement("R-U4")
@pytest.mark.requirement("R-U5")
async def test_an_image_stands_between_the_words_of_its_turn_with_its_room_and_caption(
    world: World, web: Web
) -> None:
    a = world.conversation("A")
    turn = world.started(a)
    image_id = show(world, turn, a_picture(size=(1600, 900), colour="teal"), 'The "till" <at> noon')
    world.end(turn, "That was it.")
    html = await web.html(f"/conversations/{a}")
    [image] = re.findall(r"<img [^>]*/images/[^>]*>", html)
    for part in (
        f'src="/images/{image_id}/thumb"',
        'alt="The &#34;till&#34; &lt;at&gt; noon"',
        'width="640" height="360"',
        'loading="lazy"',
    ):
        assert part in image
    assert f'href="/images/{image_id}"' in html
    assert "<figcaption>The &#34;till&#34; &lt;at&gt; noon</figcaption>" in html
    assert html.index(image) < html.index("That was it.")
    assert html.count("data-output") == 1
    thumb = await web.http.get(f"/images/{image_id}/thumb")
    assert (thumb.status_code, thumb.headers["content-type"]) == (200, "image/webp")


@pytest.mark.requirement("R-U4")
async def test_an_image_from_outside_a_turn_stands_there_too(world: World, web: Web) -> None:
    a = world.conversation("A")
    image_id = show(world, a, an_animation())
    html = await web.html(f"/parts/conversations/{a}")
    assert f'src="/images/{image_id}/thumb" alt="An image without a caption"' in html
    assert "figcaption" not in html


@pytest.mark.requirement("R-U4")
async def test_an_image_that_is_no_more_leaves_its_caption(world: World, web: Web) -> None:
    a = world.conversation("A")
    turn = world.started(a)
    image_id = show(world, turn, a_picture(), "The till")
    with world.tx() as c:
        c.exec_driver_sql("DELETE FROM shown_image")
    html = await web.html(f"/parts/conversations/{a}")
    assert 'class="picture gone"' in html
    assert "<figcaption>The till</figcaption>" in html
    assert f"/images/{image_id}" not in html


@pytest.mark.requirement("R-U4")
@pytest.mark.parametrize(
    ("width", "height", "room"),
    [(60, 40, (60, 40)), (6400, 100, (640, 10)), (100, 4200, (10, 420)), (9000, 1, (640, 1))],
)
def test_an_image_takes_no_more_room_than_there_is_and_never_grows(
    width: int, height: int, room: tuple[int, int]
) -> None:
    assert Picture(id="img_1", width=width, height=height).room == room
