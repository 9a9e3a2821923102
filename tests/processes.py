"""Processes as tests look at them: each may end while it is looked at, which is no failure."""

from pathlib import Path

import psutil


def living(home: Path) -> list[psutil.Process]:
    """Return the processes that have this home."""
    found = psutil.process_iter()
    return [process for process in found if variables(process).get("HOME") == str(home)]


def commands(home: Path) -> list[str]:
    """Return the command lines of the processes that have this home."""
    return [line for process in living(home) if (line := command(process))]


def command(process: psutil.Process) -> str:
    """Return the command line of a process, or nothing once it has ended."""
    try:
        return " ".join(process.cmdline())
    except psutil.Error:
        return ""


def variables(process: psutil.Process) -> dict[str, str]:
    """Return the environment of a process, or nothing once it has ended."""
    try:
        return {} if process.status() == psutil.STATUS_ZOMBIE else process.environ()
    except (psutil.Error, OSError):
        return {}


def children(pid: int, name: str) -> list[psutil.Process]:
    """Return the children of a process that were called with this word, like `hub`."""
    below = psutil.Process(pid).children()
    return [process for process in below if name in command(process).split()]
