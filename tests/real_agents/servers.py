"""The real hub and host as processes of such a machine; each can be killed and come back."""

import asyncio
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import anyio

from tests.chaos.processes import free_port
from tests.processes import living

UP_S = 30.0
MAIN = ("-c", "from ccweb.cli import main; raise SystemExit(main())")
ROOT = Path(__file__).resolve().parents[2]


class Servers:
    """A hub and a host on one data folder."""

    def __init__(self, folder: Path, environ: Mapping[str, str]) -> None:
        self._environ = {**environ, "PYTHONPATH": f"{ROOT}:{ROOT / 'generated'}"}
        self._log_path = folder / "servers.log"
        self._log = self._log_path.open("ab")
        self._running: dict[str, asyncio.subprocess.Process] = {}
        self.port = free_port()
        self.commands: dict[str, Sequence[str]] = {
            "hub": (*MAIN, "hub", "--port", str(self.port)),
            "host": (*MAIN, "host"),
        }

    async def start(self, name: str) -> None:
        """Start one, and return once it works."""
        process = self._running[name] = await asyncio.create_subprocess_exec(
            sys.executable,
            *self.commands[name],
            env=self._environ,
            cwd=ROOT,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=self._log,
        )
        assert process.stdout is not None
        async with asyncio.timeout(UP_S):
            line = await process.stdout.readline()
        assert line, self.log

    @property
    def log(self) -> str:
        """What both have logged."""
        return self._log_path.read_text(errors="replace")

    @property
    def url(self) -> str:
        """The hub's address."""
        return f"http://127.0.0.1:{self.port}"

    def pid(self, name: str) -> int:
        """Return the process id of one that runs."""
        return self._running[name].pid

    async def kill(self, name: str) -> None:
        """End one as a crash would."""
        process = self._running.pop(name)
        process.kill()
        await process.wait()

    async def end(self, name: str) -> None:
        """End one as a signal does, and wait until it is gone."""
        process = self._running.pop(name)
        process.terminate()
        try:
            async with asyncio.timeout(UP_S):
                await process.wait()
        except TimeoutError:
            process.kill()
            await process.wait()
            raise

    async def close(self) -> None:
        """End whatever runs; the hub last, because the host speaks to it."""
        for name in ("host", "hub"):
            if name in self._running:
                await self.end(name)
        self._log.close()


async def until_none_lives(home: Path) -> None:
    """Return once nothing that has this home lives any more."""
    with anyio.fail_after(UP_S):
        while living(home):
            await anyio.sleep(0.05)
