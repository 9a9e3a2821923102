"""A running model of the tests, as a test sees it."""

import selectors
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2

ROOT = Path(__file__).resolve().parents[2]
LIMIT_S = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class RunningModel:
    """A model that listens on a port of this machine."""

    port: int

    @property
    def url(self) -> str:
        """The address that Claude Code takes; Codex wants `/v1` after it."""
        return f"http://127.0.0.1:{self.port}"

    async def asked(self, path: str = "", *, since: int = 0) -> list[dict[str, Any]]:
        """Return the requests whose path ends so (`path`, `headers`, `body`, `at`)."""
        answer = await self._call("GET", f"/test/asked?since={since}")
        return [asked for asked in answer.json() if asked["path"].endswith(path)]

    async def reached(self, gate: str) -> None:
        """Wait until an answer is held at a gate."""
        await self._call("GET", f"/test/gates/{gate}/reached")

    async def open(self, gate: str) -> None:
        """Open a gate for all who wait there and all who come."""
        await self._call("POST", f"/test/gates/{gate}/open")

    async def _call(self, method: str, path: str) -> httpx2.Response:
        async with httpx2.AsyncClient(
            base_url=self.url, timeout=LIMIT_S, trust_env=False
        ) as client:
            answer = await client.request(method, path)
        return answer.raise_for_status()


@contextmanager
def running_model() -> Iterator[RunningModel]:
    """Run a model until the context is left."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.fakes.model_server"],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    try:
        yield RunningModel(port=_port_of(process))
    finally:
        _end(process)


def _port_of(process: subprocess.Popen[bytes]) -> int:
    assert process.stdout is not None
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        assert selector.select(LIMIT_S), "The model says nothing."
    return int(process.stdout.readline())


def _end(process: subprocess.Popen[bytes]) -> None:
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.close()
    try:
        process.wait(LIMIT_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    process.stdout.close()
