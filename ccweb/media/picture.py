"""Pictures: recognised by their content, decoded to see that they are whole, made small."""

import re
import struct
import warnings
import zlib
from dataclasses import dataclass
from hashlib import sha256
from io import BytesIO
from typing import Final

from PIL import ExifTags
from PIL import Image as pillow
from PIL.GifImagePlugin import GifImageFile
from PIL.ImageFile import ImageFile
from PIL.JpegImagePlugin import JpegImageFile
from PIL.PngImagePlugin import PngImageFile
from PIL.WebPImagePlugin import WebPImageFile

from ccweb.media import gif
from ccweb.media.errors import ImageRefused
from ccweb.media.model import Image, Prepared
from ccweb.media.rules import LIMIT_FRAMES, LIMIT_PIXELS, THUMB_PIXELS, needs_thumb
from ccweb_contract.enums import ImageFormat

pillow.MAX_IMAGE_PIXELS = None  # it warns at a limit of its own; ours is lower and refuses
warnings.filterwarnings("ignore", module=r"PIL\.")  # a doubtful file is no news for the log

_Pillow = type[PngImageFile | JpegImageFile | WebPImageFile | GifImageFile]


@dataclass(frozen=True, slots=True)
class _Kind:
    """A format, how its content begins, and what reads it."""

    format: ImageFormat
    beginning: re.Pattern[bytes]
    reader: _Pillow


_KINDS: Final = (
    _Kind(ImageFormat.PNG, re.compile(rb"\x89PNG\r\n\x1a\n"), PngImageFile),
    _Kind(ImageFormat.JPEG, re.compile(rb"\xff\xd8\xff"), JpegImageFile),
    _Kind(ImageFormat.WEBP, re.compile(rb"RIFF.{4}WEBP", re.DOTALL), WebPImageFile),
    _Kind(ImageFormat.GIF, re.compile(rb"GIF8[79]a"), GifImageFile),
)
_SVG: Final = re.compile(rb"\s*<.{0,4096}?<?svg[\s>]", re.DOTALL | re.IGNORECASE)
_BROKEN: Final = (
    OSError,
    SyntaxError,
    ValueError,
    EOFError,
    LookupError,
    TypeError,
    RuntimeError,
    ArithmeticError,
    struct.error,
    zlib.error,
)
"""What Pillow raises for bytes that are not what their beginning promises."""
_TURNS: Final = {
    2: pillow.Transpose.FLIP_LEFT_RIGHT,
    3: pillow.Transpose.ROTATE_180,
    4: pillow.Transpose.FLIP_TOP_BOTTOM,
    5: pillow.Transpose.TRANSPOSE,
    6: pillow.Transpose.ROTATE_270,
    7: pillow.Transpose.TRANSVERSE,
    8: pillow.Transpose.ROTATE_90,
}
"""What an EXIF orientation asks for before a picture is shown."""
_ON_ITS_SIDE: Final = 5
"""From this orientation on, width and height change places."""
_QUALITY: Final = 80


def prepared(content: bytes) -> Prepared:
    """Return an image with its thumbnail; it takes a second for fifty megapixels.

    Raises:
        ImageRefused: it is none of the formats that are shown, is broken, or is too large.
    """
    kind = _kind(content)
    try:
        animated = _check_header(kind, content)
        picture = kind.reader(BytesIO(content))
        picture.load()
        turn = _turn(picture)
        width, height = reversed(picture.size) if turn >= _ON_ITS_SIDE else picture.size
        thumb = _thumb(picture, turn) if needs_thumb(width, height, animated=animated) else None
    except _BROKEN as error:
        raise ImageRefused(why=f"The {kind.format.upper()} is damaged or cut short.") from error
    image = Image(
        hash=sha256(content).hexdigest(),
        format=kind.format,
        width=width,
        height=height,
        size_bytes=len(content),
    )
    return Prepared(image=image, content=content, thumb=thumb)


def _kind(content: bytes) -> _Kind:
    for kind in _KINDS:
        if kind.beginning.match(content):
            return kind
    if _SVG.match(content.removeprefix(b"\xef\xbb\xbf")):
        raise ImageRefused(why="An SVG can carry scripts, so it is never shown.")
    what = "neither PNG, JPEG, WebP nor GIF" if content else "empty"
    raise ImageRefused(why=f"The content is {what}, whatever its name says.")


def _check_header(kind: _Kind, content: bytes) -> bool:
    """Check what can be known before anything is decoded, and tell whether it is animated."""
    with kind.reader(BytesIO(content)) as picture:
        pixels = picture.width * picture.height
        if pixels > LIMIT_PIXELS:
            raise ImageRefused(why=f"It has {pixels} pixels; at most {LIMIT_PIXELS} can be shown.")
        frames = _frames(picture, content)
        if frames > LIMIT_FRAMES:
            raise ImageRefused(why=f"It has more than {LIMIT_FRAMES} frames.")
        picture.verify()
    return frames > 1


def _frames(picture: ImageFile, content: bytes) -> int:
    if isinstance(picture, GifImageFile):
        return gif.frames(content, most=LIMIT_FRAMES + 1)
    return int(getattr(picture, "n_frames", 1))


def _turn(picture: ImageFile) -> int:
    """Return the EXIF orientation; browsers, too, show a picture whose EXIF is broken as it is."""
    try:
        turn = picture.getexif().get(ExifTags.Base.Orientation)
    except _BROKEN:
        return 1
    return turn if turn in _TURNS else 1


def _thumb(picture: ImageFile, turn: int) -> bytes:
    small = _in_colours(picture)
    small.thumbnail((THUMB_PIXELS, THUMB_PIXELS), pillow.Resampling.LANCZOS)
    if turn in _TURNS:
        small = small.transpose(_TURNS[turn])
    file = BytesIO()
    small.save(file, "WEBP", quality=_QUALITY, exif=b"", icc_profile=b"", xmp=b"")
    return file.getvalue()


def _in_colours(picture: pillow.Image) -> pillow.Image:
    """Return a picture in eight bits a channel, which WebP can hold."""
    if picture.mode.startswith("I"):
        picture = picture.point(lambda value: value / 256).convert("L")
    return picture.convert("RGBA" if picture.has_transparency_data else "RGB")
