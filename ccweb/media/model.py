"""What an image is: the picture kept once by its content, and each place where it is shown."""

from dataclasses import dataclass
from datetime import datetime

from ccweb_contract.enums import ImageFormat


@dataclass(frozen=True, slots=True, kw_only=True)
class Image:
    """One content, whole and recognised."""

    hash: str
    """SHA-256 of the content, in hexadecimal."""
    format: ImageFormat
    width: int
    """As people see it, turned by its EXIF orientation."""
    height: int
    size_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """An image with all that its files hold."""

    image: Image
    content: bytes
    thumb: bytes | None
    """A small still WebP; None where the image itself is small and still."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownImage:
    """An image in a conversation, shown by one message."""

    id: str
    image: Image
    conversation_id: str
    message_id: str
    caption: str
    created_at: datetime
