"""The tree of an agent process: everything that it has started, wherever it went, and its end."""

import os
import signal
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Final

import anyio
import anyio.to_thread
import psutil

from ccweb.host.identity import Birth, is_same

MARK: Final = "CCWEB_PROCESS"
"""Environment variable that children inherit: it finds those that left group and session."""

_LOOK_S: Final = 0.02
_GONE = (psutil.NoSuchProcess, psutil.ZombieProcess)


async def end_tree(born: Birth, mark: str, *, grace_s: float) -> None:
    """End a process and all that came of it: SIGTERM, up to `grace_s` for each, then SIGKILL."""
    with anyio.CancelScope(shield=True):
        await _signal_until_gone(born, mark, signal.SIGTERM, grace_s)
        while await _signal_until_gone(born, mark, signal.SIGKILL, grace_s):
            pass  # whatever was started while we looked


async def _signal_until_gone(born: Birth, mark: str, number: int, wait_s: float) -> bool:
    """Signal every member and wait for its end; False when there was none."""
    members = await anyio.to_thread.run_sync(_members, born, mark)
    for process in members:
        with suppress(*_GONE):
            process.send_signal(number)
    with anyio.move_on_after(wait_s):
        while any(_runs(process) for process in members):  # noqa: ASYNC110 - they are no children
            await anyio.sleep(_LOOK_S)
    return bool(members)


def _runs(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def _members(born: Birth, mark: str) -> list[psutil.Process]:
    """Return the living members of a tree: by group, session or mark, and all below them."""
    roots = [p for p in psutil.process_iter() if _belongs(p, born, mark)]
    found = {p.pid: p for root in roots for p in _with_children(root)}
    return [p for p in found.values() if p.pid != os.getpid() and _runs(p)]


def _belongs(process: psutil.Process, born: Birth, mark: str) -> bool:
    if process.pid in (os.getpid(), 0):
        return False
    try:
        return _is_in_group(process, born) or process.environ().get(MARK) == mark
    except (psutil.Error, OSError):
        return False


def _is_in_group(process: psutil.Process, born: Birth) -> bool:
    """Tell by group and session; the system reuses no process id that still names either.

    So where another process has the id now, the old group is gone, and the new one is not ours.
    """
    if process.pid == born.pid:
        return is_same(process, born)
    if born.pid not in (os.getpgid(process.pid), os.getsid(process.pid)):
        return False
    leader = next(_existing([born.pid]), None)
    return leader is None or is_same(leader, born)


def _existing(pids: Iterable[int]) -> Iterator[psutil.Process]:
    for pid in pids:
        with suppress(psutil.NoSuchProcess):
            yield psutil.Process(pid)


def _with_children(process: psutil.Process) -> list[psutil.Process]:
    with suppress(*_GONE):
        return [process, *process.children(recursive=True)]
    return []
