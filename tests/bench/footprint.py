"""What the product costs when nothing happens, and how soon it answers."""

import asyncio
import os
import sys
import tempfile
import time
import urllib.request
from dataclasses import dataclass
from pathlib import Path

import psutil

from tests.chaos.processes import MAIN, Processes, free_port

_IDLE_S = 8.0
_SETTLE_S = 4.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Idle:
    """An idle hub and host."""

    memory_mb: float
    """Resident memory of both."""
    cpu_percent: float
    """Of one core, of the busier one."""


async def idle() -> Idle:
    """Return what hub and host take while nothing happens."""
    with tempfile.TemporaryDirectory() as name:
        async with Processes(Path(name), {}) as processes:
            await processes.keep_up()
            await asyncio.sleep(_SETTLE_S)
            both = [psutil.Process(processes.pid(name)) for name in ("hub", "host")]
            before = [_cpu_s(process) for process in both]
            await asyncio.sleep(_IDLE_S)
            used = [_cpu_s(p) - b for p, b in zip(both, before, strict=True)]
            memory = sum(process.memory_info().rss for process in both)
    return Idle(memory_mb=memory / 1e6, cpu_percent=max(used) / _IDLE_S * 100)


def _cpu_s(process: psutil.Process) -> float:
    times = process.cpu_times()
    return float(times.user + times.system)


async def first_page_s() -> float:
    """Return the seconds from `ccweb serve` to its first page, in a new data folder."""
    with tempfile.TemporaryDirectory() as name:
        port = free_port()
        began = time.monotonic()
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-c",
            MAIN,
            *("serve", "--data-dir", name, "--port", str(port)),
            env={**os.environ, "CCWEB_CLAUDE_PATH": "off", "CCWEB_CODEX_PATH": "off"},
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
        )
        try:
            while not await asyncio.to_thread(_page_answers, port):
                await asyncio.sleep(0.01)
            return time.monotonic() - began
        finally:
            process.terminate()
            await process.wait()


def _page_answers(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/sign-in", timeout=5) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False
