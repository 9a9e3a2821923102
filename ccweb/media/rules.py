"""What images may be: the limits, the base64 form, and which of them need a thumbnail."""

import binascii
import string
from typing import Final

from ccweb.errors import InvalidParams
from ccweb.media.errors import ImageTooLarge

LIMIT_BYTES: Final = 20 * 1024 * 1024
DATA_LIMIT_BYTES: Final = 2 * 1024 * 1024
"""Of an image that comes as base64 inside a call."""
LIMIT_PIXELS: Final = 50_000_000
LIMIT_FRAMES: Final = 5_000
"""Of an animation: eight minutes at ten a second."""
THUMB_PIXELS: Final = 960
"""Longer side of a thumbnail."""
UNCOMMITTED_S: Final = 600
"""A file that no row names may belong to a call on its way for so long."""

_NO_WHITE_SPACE: Final = str.maketrans("", "", string.whitespace)


def decoded(data: str) -> bytes:
    """Return the bytes that a base64 text stands for; white space in it means nothing.

    Raises:
        InvalidParams: it is no base64.
        ImageTooLarge: it stands for too much.
    """
    text = data.translate(_NO_WHITE_SPACE)
    if text[:5].lower() == "data:":
        raise InvalidParams(why="`data` must be the base64 alone, without `data:…;base64,`.")
    try:
        content = binascii.a2b_base64(text, strict_mode=True)
    except ValueError as error:
        raise InvalidParams(why=f"`data` is no base64: {error}.") from error
    if len(content) > DATA_LIMIT_BYTES:
        raise ImageTooLarge(size_bytes=len(content), limit_bytes=DATA_LIMIT_BYTES)
    return content


def needs_thumb(width: int, height: int, *, animated: bool) -> bool:
    """Tell whether an image is too large, or moves too much, to stand in a conversation."""
    return animated or max(width, height) > THUMB_PIXELS
