"""Recognising pictures by their content, and making them small."""

import zipfile
from io import BytesIO
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from ccweb.media.errors import ImageRefused
from ccweb.media.picture import prepared
from ccweb.media.rules import LIMIT_FRAMES, THUMB_PIXELS
from ccweb_contract.enums import ImageFormat
from tests.media.pictures import (
    FORMATS,
    a_gif_of,
    a_picture,
    a_png_claiming,
    an_animation,
    encoded,
    opened,
)

pytestmark = pytest.mark.filterwarnings(r"ignore:::PIL\.")
ORIENTATION = 0x0112


def a_zip() -> bytes:
    file = BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("picture.png", a_picture())
    return file.getvalue()


SVG = b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>"
NO_PICTURES = {
    "empty": b"",
    "zip": a_zip(),
    "html": b"<!doctype html><title>GIF89a</title><script>alert(1)</script>",
    "pdf": b"%PDF-1.7\n",
    "bmp": a_picture("BMP"),
    "tiff": a_picture("TIFF"),
    "ico": a_picture("ICO"),
    "avif-like": b"\x00\x00\x00\x20ftypavif",
    "wave": b"RIFF\x24\x00\x00\x00WAVEfmt ",
    "text": b"just words",
    "only a signature": b"\x89PNG\r\n\x1a\n",
    "late signature": b" " + a_picture("GIF"),
}


def thumb_of(content: bytes) -> Image.Image:
    thumb = prepared(content).thumb
    assert thumb is not None
    return opened(thumb)


def shade(picture: Image.Image, at: tuple[int, int]) -> tuple[int, ...]:
    pixel = picture.convert("RGBA").getpixel(at)
    assert isinstance(pixel, tuple)
    return pixel


# --- what is shown -------------------------------------------------------------------------------


@pytest.mark.requirement("R-U4")
@pytest.mark.parametrize("kind", FORMATS)
def test_each_format_is_recognised_by_its_content(kind: str) -> None:
    content = a_picture(kind, size=(40, 30))
    found = prepared(content).image
    assert found.format is ImageFormat(kind.lower())
    assert (found.width, found.height, found.size_bytes) == (40, 30, len(content))


@pytest.mark.requirement("R-U4")
@pytest.mark.parametrize("kind", FORMATS)
def test_a_small_still_picture_is_its_own_thumbnail(kind: str) -> None:
    assert prepared(a_picture(kind, size=(THUMB_PIXELS, 20))).thumb is None


@pytest.mark.requirement("R-U4")
@pytest.mark.parametrize("kind", FORMATS)
def test_a_large_picture_gets_a_small_webp(kind: str) -> None:
    small = thumb_of(a_picture(kind, size=(1920, 800)))
    assert (small.format, small.size) == ("WEBP", (960, 400))


@pytest.mark.requirement("R-U4")
def test_a_long_thin_picture_keeps_at_least_one_pixel() -> None:
    assert thumb_of(a_picture(size=(3000, 1))).size == (960, 1)


@pytest.mark.requirement("R-U4")
@pytest.mark.parametrize("kind", ["GIF", "WEBP", "PNG"])
def test_an_animation_gets_a_still_thumbnail_of_its_first_frame(kind: str) -> None:
    small = thumb_of(an_animation(kind))
    assert getattr(small, "n_frames", 1) == 1
    assert max(shade(small, (5, 5))[:3]) < 8


@pytest.mark.requirement("R-U4")
def test_a_cmyk_jpeg_keeps_its_colours() -> None:
    small = thumb_of(a_picture("JPEG", size=(1000, 10), mode="CMYK", colour=(0, 255, 255, 0)))
    red, green, blue, _ = shade(small, (5, 5))
    assert red > 200
    assert max(green, blue) < 60


@pytest.mark.requirement("R-U4")
@pytest.mark.parametrize(("value", "grey"), [(0, 0), (0x7F00, 127), (0xFF00, 255)])
def test_a_png_of_sixteen_bits_keeps_its_greys(value: int, grey: int) -> None:
    small = thumb_of(a_picture(size=(1000, 10), mode="I;16", colour=value))
    assert abs(shade(small, (5, 5))[0] - grey) <= 3


@pytest.mark.requirement("R-U4")
def test_a_palette_with_transparency_stays_transparent() -> None:
    picture = Image.new("P", (1000, 10), 0)
    picture.putpalette([255, 0, 0, 0, 0, 255])
    small = thumb_of(encoded(picture, "PNG", transparency=0))
    assert shade(small, (5, 5))[3] == 0


@pytest.mark.requirement("R-U4")
@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGBA"])
def test_every_mode_of_a_png_gets_a_thumbnail(mode: str) -> None:
    assert thumb_of(a_picture(size=(1000, 10), mode=mode)).size == (960, 10)


@pytest.mark.requirement("R-U4")
@pytest.mark.parametrize(
    ("turn", "size", "dark"),
    [
        (1, (1000, 500), (5, 5)),
        (2, (1000, 500), (950, 5)),
        (3, (1000, 500), (950, 470)),
        (4, (1000, 500), (5, 470)),
        (5, (500, 1000), (5, 5)),
        (6, (500, 1000), (470, 5)),
        (7, (500, 1000), (470, 950)),
        (8, (500, 1000), (5, 950)),
    ],
)
def test_an_exif_orientation_is_applied(
    turn: int, size: tuple[int, int], dark: tuple[int, int]
) -> None:
    picture = Image.new("RGB", (1000, 500), "white")
    picture.paste("black", (0, 0, 100, 100))
    exif = Image.Exif()
    exif[ORIENTATION] = turn
    ready = prepared(encoded(picture, "JPEG", exif=exif))
    assert (ready.image.width, ready.image.height) == size
    assert shade(opened(ready.thumb or b""), dark)[0] < 60


@pytest.mark.requirement("R-U4")
@pytest.mark.parametrize("exif", [b"Exif\x00\x00garbage", b"Exif\x00\x00MM\x00*\x00\x00\xff\xff"])
def test_a_broken_exif_leaves_the_picture_as_it_is(exif: bytes) -> None:
    ready = prepared(a_picture("JPEG", size=(1000, 10), exif=exif))
    assert (ready.image.width, ready.image.height) == (1000, 10)


@pytest.mark.requirement("R-U4")
def test_a_thumbnail_holds_no_metadata() -> None:
    exif = Image.Exif()
    exif[0x010E] = "taken at home"
    content = a_picture("JPEG", size=(1000, 10), exif=exif, icc_profile=b"p" * 200)
    small = thumb_of(content)
    assert {"exif", "icc_profile", "xmp"} & small.info.keys() == set()


@pytest.mark.requirement("R-U4")
def test_a_picture_with_something_behind_it_is_still_one() -> None:
    assert prepared(a_picture() + a_zip()).image.format is ImageFormat.PNG


# --- what is refused -----------------------------------------------------------------------------


@pytest.mark.requirement("R-U4", "R-S4")
@pytest.mark.parametrize("content", NO_PICTURES.values(), ids=NO_PICTURES.keys())
def test_what_is_no_picture_is_refused(content: bytes) -> None:
    with pytest.raises(ImageRefused):
        prepared(content)


@pytest.mark.requirement("R-U4", "R-S4")
@pytest.mark.parametrize(
    "content",
    [
        SVG,
        b"\xef\xbb\xbf\n " + SVG,
        b"<?xml version='1.0'?>\n<!-- drawn by hand -->\n" + SVG,
        b"<!DOCTYPE svg PUBLIC '-//W3C//DTD SVG 1.1//EN' 'x'>" + SVG,
        SVG.replace(b"svg", b"SVG"),
    ],
)
def test_an_svg_is_refused_with_a_reason_of_its_own(content: bytes) -> None:
    with pytest.raises(ImageRefused) as refused:
        prepared(content)
    assert "SVG" in refused.value.why


@pytest.mark.requirement("R-U4", "R-S4")
@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("kept", [0.1, 0.5, 0.95])
def test_a_picture_that_is_cut_short_is_refused(kind: str, kept: float) -> None:
    content = a_picture(kind, size=(200, 150))
    with pytest.raises(ImageRefused):
        prepared(content[: int(len(content) * kept)])


@pytest.mark.requirement("R-U4", "R-S4")
def test_a_png_with_a_wrong_checksum_is_refused() -> None:
    content = bytearray(a_picture(size=(200, 150)))
    content[len(content) // 2] ^= 0xFF
    with pytest.raises(ImageRefused):
        prepared(bytes(content))


@pytest.mark.requirement("R-U4", "R-S4")
def test_a_png_that_claims_3600_megapixels_is_refused_by_its_header() -> None:
    content = a_png_claiming(60_000, 60_000)
    assert len(content) < 200
    with pytest.raises(ImageRefused) as refused:
        prepared(content)
    assert "3600000000" in refused.value.why


@pytest.mark.requirement("R-U4", "R-S4")
def test_a_real_picture_of_51_megapixels_is_refused() -> None:
    content = a_picture(size=(8500, 6000), mode="1", colour=0)
    with pytest.raises(ImageRefused) as refused:
        prepared(content)
    assert "51000000" in refused.value.why


@pytest.mark.requirement("R-U4", "R-S4")
def test_a_gif_whose_frame_reaches_beyond_its_canvas_counts_as_large_as_the_frame() -> None:
    content = bytearray(a_gif_of(1))
    at = content.index(b",") + 5
    content[at : at + 4] = b"\x00\xf0\x00\xf0"
    with pytest.raises(ImageRefused) as refused:
        prepared(bytes(content))
    assert str(0xF000 * 0xF000) in refused.value.why


@pytest.mark.requirement("R-U4", "R-S4")
def test_an_animation_has_a_largest_number_of_frames() -> None:
    assert prepared(a_gif_of(LIMIT_FRAMES)).image.format is ImageFormat.GIF
    with pytest.raises(ImageRefused) as refused:
        prepared(a_gif_of(LIMIT_FRAMES + 1))
    assert str(LIMIT_FRAMES) in refused.value.why


@pytest.mark.requirement("R-S4")
@pytest.mark.parametrize("kind", [*FORMATS, "animated GIF", "animated WEBP"])
@settings(max_examples=60, deadline=None, derandomize=True)
@given(data=st.data())
def test_whatever_is_done_to_a_picture_it_is_shown_or_refused(kind: str, data: Any) -> None:
    whole = an_animation(kind[9:]) if kind.startswith("animated") else a_picture(kind)
    content = bytearray(whole)
    for _ in range(data.draw(st.integers(1, 8))):
        at = data.draw(st.integers(0, len(content) - 1))
        content[at] = data.draw(st.integers(0, 255))
    cut = data.draw(st.integers(0, len(content)))
    try:
        assert prepared(bytes(content[:cut])).image.size_bytes == cut
    except ImageRefused as refused:
        assert refused.why
