"""Pictures to show, whole and broken."""

import struct
import zlib
from io import BytesIO
from random import Random
from typing import Any

from PIL import Image

FORMATS = ("PNG", "JPEG", "WEBP", "GIF")


def a_picture(
    kind: str = "PNG",
    *,
    size: tuple[int, int] = (40, 30),
    mode: str = "RGB",
    colour: Any = None,
    **saved: Any,
) -> bytes:
    """Return a picture: of one colour, or a pattern that does not shrink to nothing."""
    picture = noise(size).convert(mode) if colour is None else Image.new(mode, size, colour)
    return encoded(picture, kind, **saved)


def noise(size: tuple[int, int]) -> Image.Image:
    """Return the same pixels each time, of all greys."""
    return Image.frombytes("L", size, Random(5).randbytes(size[0] * size[1]))


def an_animation(kind: str = "GIF", *, frames: int = 3, size: tuple[int, int] = (40, 30)) -> bytes:
    """Return a picture that moves: each frame is of another grey."""
    pictures = [Image.new("L", size, (i * 60) % 256).convert("RGB") for i in range(frames)]
    return encoded(pictures[0], kind, save_all=True, append_images=pictures[1:], duration=100)


def a_gif_of(frames: int) -> bytes:
    """Return a GIF with so many frames of one pixel, as small as they can be."""
    header = b"GIF89a" + struct.pack("<HHBBB", 1, 1, 0x80, 0, 0) + b"\x00\x00\x00\xff\xff\xff"
    frame = b"," + struct.pack("<HHHHB", 0, 0, 1, 1, 0) + b"\x02\x02\x44\x01\x00"
    return header + frame * frames + b";"


def a_png_claiming(width: int, height: int) -> bytes:
    """Return a tiny PNG whose header promises a size that its data do not have."""
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    data = zlib.compress(b"\x00" * 64)
    chunks = ((b"IHDR", header), (b"IDAT", data), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(name, body) for name, body in chunks)


def encoded(picture: Image.Image, kind: str, **saved: Any) -> bytes:
    """Return a picture as the content of a file."""
    file = BytesIO()
    picture.save(file, kind, **saved)
    return file.getvalue()


def opened(content: bytes) -> Image.Image:
    """Return the picture that a content holds, decoded."""
    picture = Image.open(BytesIO(content))
    picture.load()
    return picture


def _chunk(name: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
