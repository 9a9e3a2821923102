"""Runs real `ccweb` commands, each on a data folder of its own."""

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

WAIT_S: Final = 30


def environment(data_dir: Path, **settings: str) -> Mapping[str, str]:
    """Return our environment with a data folder and other settings."""
    return {**os.environ, "CCWEB_DATA_DIR": str(data_dir), **settings}


def run(
    data_dir: Path, *arguments: str, given: str = "", **settings: str
) -> subprocess.CompletedProcess[str]:
    """Run a command to its end."""
    return subprocess.run(
        [sys.executable, "-m", "ccweb.cli", *arguments],
        env=environment(data_dir, **settings),
        input=given,
        capture_output=True,
        text=True,
        timeout=WAIT_S,
        check=False,
    )


@contextmanager
def running(
    data_dir: Path, *arguments: str, **settings: str
) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Yield a server command with the first line that it prints; it is ended by SIGTERM."""
    process = subprocess.Popen(
        [sys.executable, "-m", "ccweb.cli", *arguments],
        env=environment(data_dir, **settings),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    try:
        yield process, process.stdout.readline().strip()
    finally:
        process.terminate()
        try:
            process.wait(WAIT_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()
