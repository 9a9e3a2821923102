"""The real hub and host as processes that can be killed and come back."""

import asyncio
import os
import signal
import socket
import sys
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType

from ccweb.conversations import hosts
from ccweb.db.engine import Database
from ccweb.settings import load

_UP_S = 30.0
MAIN = "from ccweb.cli import main; raise SystemExit(main())"


class Processes:
    """A hub and a host on one data folder; `async with` ends both, whatever happens."""

    def __init__(self, folder: Path, environ: Mapping[str, str]) -> None:
        self._folder = folder
        off = dict.fromkeys(("CCWEB_CLAUDE_PATH", "CCWEB_CODEX_PATH"), "off")
        self._environ = {**os.environ, **off, **environ, "CCWEB_DATA_DIR": str(folder)}
        self.port = free_port()
        self._running: dict[str, asyncio.subprocess.Process] = {}
        self._log = (folder / "processes.log").open("ab")

    async def __aenter__(self) -> "Processes":
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for name in list(self._running):
            await self.kill(name)
        self._log.close()

    async def keep_up(self, *, wait: bool = True) -> None:
        """Start whatever does not run; with `wait`, return when both can work."""
        for name in ("hub", "host"):
            process = self._running.get(name)
            if process is None or process.returncode is not None:
                await self._start(name)
        if wait:
            async with asyncio.timeout(_UP_S):
                await self._until_up()

    async def kill(self, name: str) -> None:
        """End a process with SIGKILL, as a crash would."""
        process = self._running.pop(name, None)
        if process is not None and process.returncode is None:
            process.send_signal(signal.SIGKILL)
            await process.wait()

    def pid(self, name: str) -> int:
        """Return the id of a running process."""
        return self._running[name].pid

    async def _start(self, name: str) -> None:
        options = ["--port", str(self.port)] if name == "hub" else []
        self._running[name] = await asyncio.create_subprocess_exec(
            sys.executable,
            "-c",
            MAIN,
            name,
            *options,
            env=self._environ,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=self._log,
            stderr=self._log,
        )

    async def _until_up(self) -> None:
        await until_listening(self.port)
        db = Database(load(self._environ).database)
        try:
            while not any(host.agents for host in hosts.everyone(db.reader)):
                await asyncio.sleep(0.02)
        finally:
            db.close()


async def until_listening(port: int) -> None:
    """Return once something listens on a port of this machine."""
    async with asyncio.timeout(_UP_S):
        while not await _answers(port):
            await asyncio.sleep(0.02)


async def _answers(port: int) -> bool:
    try:
        _, writer = await asyncio.open_connection("127.0.0.1", port)
    except OSError:
        return False
    writer.close()
    await writer.wait_closed()
    return True


def free_port() -> int:
    """Return a port on loopback that nobody uses now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
