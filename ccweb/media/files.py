"""The files of images: each content once, whole or not there, in folders by its hash."""

import os
import re
import tempfile
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Final

from ccweb.errors import Unavailable
from ccweb.media.model import Prepared

_NAME: Final = re.compile(r"(?P<hash>[0-9a-f]{64})(\.thumb\.webp)?")
_ON_THE_WAY: Final = ".tmp"


def original(folder: Path, image_hash: str) -> Path:
    """Return where an image's content lies."""
    return folder / image_hash[:2] / image_hash


def thumb(folder: Path, image_hash: str) -> Path:
    """Return where its thumbnail lies, if it has one."""
    return folder / image_hash[:2] / f"{image_hash}.thumb.webp"


def keep(folder: Path, prepared: Prepared) -> None:
    """Write what is not there yet, and let what is there count as new.

    Raises:
        Unavailable: the disk takes nothing.
    """
    try:
        _write(original(folder, prepared.image.hash), prepared.content)
        if prepared.thumb is not None:
            _write(thumb(folder, prepared.image.hash), prepared.thumb)
    except OSError as error:
        raise Unavailable(why=f"The image cannot be kept: {error.strerror}.") from error


def remove(folder: Path, image_hash: str) -> None:
    """Delete an image's files."""
    original(folder, image_hash).unlink(missing_ok=True)
    thumb(folder, image_hash).unlink(missing_ok=True)


def hashes_before(folder: Path, at: datetime) -> set[str]:
    """Return the images with a file from before a time."""
    named = (_NAME.fullmatch(path.name) for path in _before(folder, at))
    return {name["hash"] for name in named if name}


def remove_unfinished(folder: Path, *, before: datetime) -> None:
    """Delete what writers that died have left."""
    for path in _before(folder, before):
        if path.suffix == _ON_THE_WAY:
            path.unlink(missing_ok=True)


def _before(folder: Path, at: datetime) -> Iterator[Path]:
    for path in folder.glob("??/*"):
        try:
            written_at = path.stat().st_mtime
        except FileNotFoundError:
            continue
        if written_at < at.timestamp():
            yield path


def _write(path: Path, content: bytes) -> None:
    try:
        os.utime(path)
    except FileNotFoundError:
        path.parent.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        path.parent.mkdir(exist_ok=True, mode=0o700)
        _write_new(path, content)


def _write_new(path: Path, content: bytes) -> None:
    descriptor, name = tempfile.mkstemp(dir=path.parent, suffix=_ON_THE_WAY)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(descriptor)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    _sync(path.parent)


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
