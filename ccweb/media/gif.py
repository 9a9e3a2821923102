"""The frames of a GIF, counted without decoding one."""

from typing import Final

_HEADER: Final = 13
_FRAME: Final = 0x2C
_EXTENSION: Final = 0x21
_END: Final = 0x3B
_DESCRIPTOR: Final = 10
_HAS_COLOURS: Final = 0x80


def frames(content: bytes, *, most: int) -> int:
    """Return how many frames a GIF has, at most `most`, as far as its blocks can be followed."""
    found, at = 0, _HEADER + _colours(content, _HEADER - 3)
    while found < most and at < len(content) and content[at] != _END:
        if content[at] == _FRAME:
            found += 1
            at = _after_blocks(content, at + _DESCRIPTOR + _colours(content, at + 9) + 1)
        elif content[at] == _EXTENSION:
            at = _after_blocks(content, at + 2)
        else:
            at += 1  # browsers pass over what stands between blocks
    return found


def _colours(content: bytes, at: int) -> int:
    """Return the size of the table of colours that the flags at a place announce."""
    flags = content[at] if at < len(content) else 0
    return 3 << ((flags & 7) + 1) if flags & _HAS_COLOURS else 0


def _after_blocks(content: bytes, at: int) -> int:
    """Return the place after a row of blocks, each with its length before it and 0 at the end."""
    while at < len(content) and content[at]:
        at += content[at] + 1
    return at + 1
