"""Session files: found by their time, and read in parts, whatever stands in them."""

import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from re import Pattern
from typing import IO, Final

_PART_BYTES: Final = 16 * 1024 * 1024
_END_BYTES: Final = 64 * 1024
"""So much of each end is read to describe a session."""
_MOST_FILES: Final = 50_000


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionFile:
    """A file that looks like a session's, with what told it from others."""

    path: Path
    session_id: str
    changed_ns: int
    size_bytes: int


def find(root: Path, *, depth: int, name: Pattern[str]) -> list[SessionFile]:
    """Return the files at a depth below a folder, those first that changed last.

    No link is followed below the folder; what cannot be read is passed over.

    Args:
        root: Folder of all sessions.
        depth: Levels of folders between it and the files.
        name: Of the files; its group `id` is the session's id.
    """
    found: list[SessionFile] = []
    for entry in _entries(root, depth):
        match = name.fullmatch(entry.name)
        if match is None:
            continue
        with suppress(OSError):
            seen = entry.stat(follow_symlinks=False)
            if stat.S_ISREG(seen.st_mode):
                found.append(
                    SessionFile(
                        path=Path(entry.path),
                        session_id=match["id"],
                        changed_ns=seen.st_mtime_ns,
                        size_bytes=seen.st_size,
                    )
                )
        if len(found) >= _MOST_FILES:
            break
    return sorted(found, key=lambda file: file.changed_ns, reverse=True)


def _entries(folder: Path | str, depth: int) -> Iterator[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            inside = sorted(entries, key=lambda entry: entry.name, reverse=True)
    except OSError:
        return
    for entry in inside:
        if depth == 0:
            yield entry
        elif entry.is_dir(follow_symlinks=False):
            yield from _entries(entry.path, depth - 1)


def ends(file: SessionFile) -> tuple[list[bytes], list[bytes]]:
    """Return the whole lines at the beginning and at the end of a file.

    Raises:
        OSError: it cannot be read.
    """
    with _opened(file.path) as data:
        head = data.read(_END_BYTES)
        if file.size_bytes <= _END_BYTES:
            lines = head.split(b"\n")
            return lines, lines
        data.seek(-_END_BYTES, os.SEEK_END)
        tail = data.read()
    return head.split(b"\n")[:-1], tail.split(b"\n")[1:]


def lines_from(path: Path, position: int) -> Iterator[tuple[bytes, int]]:
    """Yield each whole line from a position on, and where the next one begins.

    A line that is not finished yet is left for the next time; one of more than 16 MiB comes in
    pieces, which nobody can read as a record.

    Raises:
        OSError: the file cannot be read.
    """
    with _opened(path) as data:
        while True:
            data.seek(position)
            part = data.read(_PART_BYTES)
            end = part.rfind(b"\n") + 1
            if not end and len(part) < _PART_BYTES:
                return
            for line in part[: end or None].splitlines(keepends=True):
                position += len(line)
                yield line, position


def _opened(path: Path) -> IO[bytes]:
    """Open a file for reading; a link, a pipe or a device is refused without being touched."""
    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise OSError(f"{path} is no file.")
        return os.fdopen(handle, "rb")
    except BaseException:
        os.close(handle)
        raise
