"""Reading a file inside a folder and nowhere else, whatever is swapped meanwhile."""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from ccweb.media.errors import ImageNotFound, ImageTooLarge, PathOutside
from ccweb.media.rules import LIMIT_BYTES

_STEP: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC
_FOLDER: Final = _STEP | os.O_DIRECTORY
_FILE: Final = _STEP | os.O_NONBLOCK | os.O_NOCTTY
"""Opening a FIFO must not wait for its other end."""


def read(path: str, *, cwd: str) -> bytes:
    """Return the content of a regular file.

    Args:
        path: Absolute or from `cwd`; `~` is a name like any other.
        cwd: The folder that it must be in once every symlink is followed.

    Raises:
        PathOutside: it leads out of `cwd`.
        ImageNotFound: there is no such file, it is none that holds bytes, or it cannot be read.
        ImageTooLarge: it is larger than an image may be.
    """
    try:
        folder = Path(cwd).resolve(strict=True)
        place = (folder / path).resolve()
        if not place.is_relative_to(folder):
            raise PathOutside(path=path, cwd=cwd)
        return _content(path, folder, place.relative_to(folder).parts)
    except FileNotFoundError as error:
        raise ImageNotFound(path=path) from error
    except (OSError, RuntimeError, ValueError) as error:  # a loop of symlinks, a NUL character
        raise ImageNotFound(path=path, why=_why(error)) from error


def _content(path: str, folder: Path, names: tuple[str, ...]) -> bytes:
    with _opened(folder, names) as descriptor:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            raise ImageNotFound(path=path, why="It is no regular file.")
        _check_size(found.st_size)
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            content = file.read(LIMIT_BYTES + 1)
    _check_size(len(content))
    return content


@contextmanager
def _opened(folder: Path, names: tuple[str, ...]) -> Iterator[int]:
    """Open a file step by step from its folder; a symlink on the way has been swapped in."""
    descriptor = os.open(folder, _FOLDER)
    try:
        for i, name in enumerate(names, start=1):
            flags = _FILE if i == len(names) else _FOLDER
            deeper = os.open(name, flags, dir_fd=descriptor)
            os.close(descriptor)
            descriptor = deeper
        yield descriptor
    finally:
        os.close(descriptor)


def _check_size(size_bytes: int) -> None:
    if size_bytes > LIMIT_BYTES:
        raise ImageTooLarge(size_bytes=size_bytes, limit_bytes=LIMIT_BYTES)


def _why(error: Exception) -> str:
    reason = error.strerror if isinstance(error, OSError) else None
    return f"{reason or 'It is no path of a file'}."
