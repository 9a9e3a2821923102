"""The real product: a hub process with its own data folder, and what a client needs to reach it."""

import os
import selectors
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

CCWEB = str(Path(sys.executable).with_name("ccweb"))
START_S = 30
STOP_S = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Product:
    """A running hub."""

    sign_in_url: str
    """Its address with a ticket that signs one browser in, once."""
    token: str
    """The secret of a person's access token."""
    environ: dict[str, str]
    """The environment of this hub, with which every other command finds it."""

    @property
    def url(self) -> str:
        parts = urlsplit(self.sign_in_url)
        return f"{parts.scheme}://{parts.netloc}"

    @property
    def port(self) -> int:
        port = urlsplit(self.sign_in_url).port
        assert port is not None
        return port

    @property
    def ticket(self) -> str:
        return self.sign_in_url.rpartition("#ticket=")[2]

    @property
    def bearer(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"}


@contextmanager
def running(
    folder: Path, *, command: Sequence[str] = (CCWEB,), python_path: str = ""
) -> Iterator[Product]:
    """Run a hub with the three demo conversations, on a port that the system chooses.

    Args:
        folder: Holds its data and its log.
        command: What stands in for `ccweb`.
        python_path: Where its Python looks first.
    """
    environ = {**os.environ, "CCWEB_DATA_DIR": str(folder / "data")}
    if python_path:
        environ["PYTHONPATH"] = python_path
    with (folder / "hub.log").open("wb") as log:
        hub = subprocess.Popen(
            [*command, "hub", "--port", "0", "--demo"],
            env=environ,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=log,
        )
    try:
        address = _first_line(hub, folder / "hub.log")
        yield Product(sign_in_url=address, token=a_token(environ), environ=environ)
    finally:
        _end(hub)


def _first_line(hub: subprocess.Popen[bytes], log: Path) -> str:
    """Return the line that a hub prints when it listens."""
    assert hub.stdout is not None
    with selectors.DefaultSelector() as selector:
        selector.register(hub.stdout, selectors.EVENT_READ)
        assert selector.select(START_S), f"no word within {START_S} s: {log.read_text()}"
    line = hub.stdout.readline().decode().strip()
    assert line, log.read_text()
    return line


def a_token(environ: dict[str, str], *options: str) -> str:
    """Return the secret of a new token: a person's, or with `--conversation` one's own."""
    command = [CCWEB, "token", "create", "--name", "served", *options]
    made = subprocess.run(command, env=environ, capture_output=True, timeout=START_S, check=True)
    return made.stdout.decode().strip()


def _end(hub: subprocess.Popen[bytes]) -> None:
    hub.terminate()
    try:
        hub.wait(STOP_S)
    except subprocess.TimeoutExpired:
        hub.kill()
        hub.wait()
    assert hub.stdout is not None
    hub.stdout.close()
