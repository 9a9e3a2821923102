"""Refusals of images: each says what was wrong with this file or these bytes."""

from dataclasses import dataclass
from typing import ClassVar

from ccweb.errors import CcwebError
from ccweb_contract.errors import ErrorCode


@dataclass(eq=False)
class ImageNotFound(CcwebError):
    """There is no file that can be read at the path."""

    code: ClassVar = ErrorCode.IMAGE_NOT_FOUND
    path: str
    why: str = "There is no such file."

    @property
    def detail(self) -> str:
        return f"{self.path[:200]!r} cannot be shown: {self.why}"


@dataclass(eq=False)
class PathOutside(CcwebError):
    """The path leads out of the working directory."""

    code: ClassVar = ErrorCode.PATH_OUTSIDE
    path: str
    cwd: str

    @property
    def detail(self) -> str:
        return f"{self.path[:200]!r} leads out of the working directory {self.cwd}."


@dataclass(eq=False)
class ImageRefused(CcwebError):
    """The content is no image that can be shown."""

    code: ClassVar = ErrorCode.IMAGE_REFUSED
    why: str

    @property
    def detail(self) -> str:
        return self.why


@dataclass(eq=False)
class ImageTooLarge(CcwebError):
    """The image has too many bytes."""

    code: ClassVar = ErrorCode.IMAGE_TOO_LARGE
    size_bytes: int
    limit_bytes: int

    @property
    def detail(self) -> str:
        return f"The image has {self.size_bytes} bytes; at most {self.limit_bytes} can be shown."
