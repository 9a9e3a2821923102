"""Who this host is: a machine together with its data folder."""

import os
import secrets
import socket
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

from ccweb.ids import new_id


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """A host as other processes know it; every process on this data folder shares it."""

    id: str
    name: str


def identity(data_dir: Path) -> Identity:
    """Return this host's identity; the first call for a data folder makes it, atomically."""
    path = data_dir / "host-id"
    if not path.exists():
        data_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
        _create(path)
    return Identity(id=path.read_text().strip(), name=socket.gethostname())


def _create(path: Path) -> None:
    """Write the whole file under another name first: nobody ever reads half an id."""
    draft = path.with_name(f"{path.name}.{secrets.token_hex(4)}")
    draft.write_text(f"{new_id('host')}\n")
    with suppress(FileExistsError):
        os.link(draft, path)
    draft.unlink()


@dataclass(frozen=True, slots=True, kw_only=True)
class Birth:
    """A process id with its start time: together they name one process for ever."""

    pid: int
    started: float
    """Seconds since 1970 as the system gives them."""


_SAME_START_S = 2.0
"""A stepped clock moves start times by a little; no system hands out a process id that soon."""


def birth(pid: int | None = None) -> Birth:
    """Return the birth of a process, by default of this one.

    Raises:
        psutil.NoSuchProcess: it is gone.
    """
    process = psutil.Process(pid)
    return Birth(pid=process.pid, started=process.create_time())


def is_same(process: psutil.Process, born: Birth) -> bool:
    """Tell whether a process is the one that was born then."""
    return process.pid == born.pid and abs(process.create_time() - born.started) < _SAME_START_S


def is_alive(born: Birth) -> bool:
    """Tell whether a process still runs; one that waits to be reaped does not."""
    try:
        process = psutil.Process(born.pid)
        return is_same(process, born) and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
