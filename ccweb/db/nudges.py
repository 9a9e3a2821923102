"""Nudges: how a commit is heard at once by the other processes that follow a database.

Each process that listens has a FIFO beside the database; who commits after a silence writes a byte
into the others'. A nudge says nothing but "look": one that is lost costs a little time, because all
look by themselves too.
"""

import errno
import os
import secrets
import time
from asyncio import AbstractEventLoop
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

import structlog

log = structlog.get_logger()

SILENCE_S: Final = 0.02
"""Who has seen a commit of ours in this time looks so often that a nudge would come too late."""
_READ_BYTES: Final = 4096
_DRAFT: Final = "."
"""Begins the name of one that nobody reads yet."""


class Nudges:
    """The nudges of one process at one database."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._own: Path | None = None
        self._fd = -1
        self._loop: AbstractEventLoop | None = None
        self._committed_at = 0.0

    @property
    def listening(self) -> bool:
        """Tell whether the others' nudges are heard here."""
        return self._own is not None

    def listen(self, loop: AbstractEventLoop, heard: Callable[[], None]) -> None:
        """Call `heard` on an event loop at each nudge, until closed; its first call there counts.

        Where no FIFO can be made nobody is nudged, and everybody looks by himself.
        """
        if loop is self._loop:
            return
        try:
            if self._own is None:
                self._open()
        except OSError as error:
            log.warning("nudges_missing", folder=str(self._folder), error=str(error))
            return
        self._loop = loop
        loop.add_reader(self._fd, self._take, heard)

    def _open(self) -> None:
        """Make our FIFO under a name that nobody writes to before we read."""
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        name = f"{os.getpid()}-{secrets.token_hex(4)}"
        draft = self._folder / f"{_DRAFT}{name}"
        os.mkfifo(draft, mode=0o600)
        self._fd = os.open(draft, os.O_RDWR | os.O_NONBLOCK)  # also written: it never ends
        self._own = draft.rename(self._folder / name)

    def send(self) -> None:
        """Nudge the others after a commit, unless they are awake anyway; any thread may do so.

        Only our own commits tell that they are: what we hear late, they have heard long ago.
        """
        silent_s = time.monotonic() - self._committed_at
        self._committed_at = time.monotonic()
        if silent_s < SILENCE_S:
            return
        own = self._own.name if self._own else None
        with suppress(OSError):
            for path in self._folder.iterdir():
                if path.name != own and not path.name.startswith(_DRAFT):
                    _nudge(path)

    def close(self) -> None:
        """Listen no more."""
        if self._own is None or self._loop is None:
            return
        if not self._loop.is_closed():
            self._loop.remove_reader(self._fd)
        os.close(self._fd)
        self._own.unlink(missing_ok=True)
        self._own = None

    def _take(self, heard: Callable[[], None]) -> None:
        with suppress(BlockingIOError):
            os.read(self._fd, _READ_BYTES)
        heard()


def _nudge(path: Path) -> None:
    """Write a byte for whoever reads there; the FIFO of a process that has died is removed."""
    try:
        fd = os.open(path, os.O_WRONLY | os.O_NONBLOCK)
    except OSError as error:
        if error.errno == errno.ENXIO:
            path.unlink(missing_ok=True)
        return
    with suppress(OSError):  # full: it will look soon
        os.write(fd, b"\0")
    os.close(fd)
