"""The picture that the demo agent draws: a small landscape, the same each time, as PNG."""

import struct
import zlib
from typing import Final

WIDTH: Final = 640
HEIGHT: Final = 360

_SKY: Final = ((38, 70, 140), (250, 196, 150))
_SUN: Final = (255, 236, 170)
_HILLS: Final = ((86, 110, 150), (54, 84, 110), (26, 52, 66))
_SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"
_TRUECOLOUR: Final = 2

_Colour = tuple[int, int, int]


def landscape() -> bytes:
    """Return the picture as a PNG file."""
    rows = (b"\x00" + _row(y) for y in range(HEIGHT))
    header = struct.pack(">IIBBBBB", WIDTH, HEIGHT, 8, _TRUECOLOUR, 0, 0, 0)
    return b"".join(
        (
            _SIGNATURE,
            _chunk(b"IHDR", header),
            _chunk(b"IDAT", zlib.compress(b"".join(rows), 9)),
            _chunk(b"IEND", b""),
        )
    )


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def _row(y: int) -> bytes:
    return bytes(part for x in range(WIDTH) for part in _pixel(x, y))


def _pixel(x: int, y: int) -> _Colour:
    for depth, colour in reversed(list(enumerate(_HILLS))):
        if y > _ridge(x, depth):
            return colour
    if (x - 460) ** 2 + (y - 130) ** 2 < 42**2:
        return _SUN
    top, bottom = _SKY
    return (_between(top, bottom, 0, y), _between(top, bottom, 1, y), _between(top, bottom, 2, y))


def _between(top: _Colour, bottom: _Colour, part: int, y: int) -> int:
    return top[part] + (bottom[part] - top[part]) * y // HEIGHT


def _ridge(x: int, depth: int) -> int:
    """Return the height of a chain of hills: parabolas of whole numbers, one beside the other."""
    width = 150 + 70 * depth
    place = (x + 97 * depth) % width
    rise = 4 * place * (width - place) * (60 - 8 * depth) // (width * width)
    return 225 + 50 * depth - rise
