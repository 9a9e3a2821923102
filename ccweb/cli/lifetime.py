"""How long a server process lives: until a signal, or until the process that started it is gone."""

import os
import signal
import sys
from collections.abc import Callable

import anyio


async def call_at_end(end: Callable[[], None], *, until_eof: bool) -> None:
    """Call `end` at SIGINT or SIGTERM, and with `until_eof` also when standard input ends.

    A parent keeps that pipe open for as long as it lives, so even its sudden death is noticed.
    """
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_at_signal, end)
        if until_eof:
            tasks.start_soon(_at_eof, end)


async def _at_signal(end: Callable[[], None]) -> None:
    with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
        async for _ in signals:
            end()


async def _at_eof(end: Callable[[], None]) -> None:
    fd = sys.stdin.fileno()
    while True:
        await anyio.wait_readable(fd)
        if not os.read(fd, 4096):
            end()
            return
