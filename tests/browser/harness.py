"""A real ccweb process, and the looks in which its pages are tested."""

import re
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

import psutil
import pytest

START_S = 20
STOP_S = 10
ADDRESS = re.compile(r"http://(?:127\.0\.0\.1|localhost):\d+/\S*")
CHROMIUM_FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """A window's size and colours."""

    name: str
    width: int
    height: int
    colours: Literal["light", "dark"]
    touch: bool

    def __str__(self) -> str:
        return self.name


def _look(device: str, colours: Literal["light", "dark"]) -> Look:
    width, height = {"desktop": (1280, 800), "phone": (390, 844)}[device]
    name, touch = f"{device}-{colours}", device == "phone"
    return Look(name=name, width=width, height=height, colours=colours, touch=touch)


DESKTOP_LIGHT = _look("desktop", "light")
DESKTOP_DARK = _look("desktop", "dark")
PHONE_LIGHT = _look("phone", "light")
PHONE_DARK = _look("phone", "dark")
LOOKS = (DESKTOP_LIGHT, DESKTOP_DARK, PHONE_LIGHT, PHONE_DARK)

in_every_look = pytest.mark.parametrize("look", LOOKS, ids=str)
on_phone_and_desktop = pytest.mark.parametrize("look", (DESKTOP_LIGHT, PHONE_LIGHT), ids=str)


@dataclass(slots=True, kw_only=True)
class Server:
    """A running ccweb, with what it has printed so far."""

    process: subprocess.Popen[str]
    data_dir: Path
    printed: list[str] = field(default_factory=list)
    sign_in_url: str = ""
    """Its address with a ticket that signs one browser in, once."""

    @property
    def origin(self) -> str:
        """Return the scheme, host and port that every request of the page must go to."""
        parts = urlsplit(self.sign_in_url)
        return f"{parts.scheme}://{parts.netloc}"


def free_port() -> int:
    """Return a port that nobody listened on a moment ago."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@contextmanager
def running_server(*arguments: str, data_dir: Path) -> Iterator[Server]:
    """Start `ccweb serve` with these arguments, wait for its address, and end its whole tree."""
    ccweb = str(Path(sys.executable).with_name("ccweb"))
    command = [ccweb, "serve", "--data-dir", str(data_dir), *arguments]
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    server = Server(process=process, data_dir=data_dir)
    try:
        _await_address(server)
        yield server
    finally:
        end_tree(process)


def _await_address(server: Server) -> None:
    announced = threading.Event()
    reader = threading.Thread(target=_read_output, args=(server, announced), daemon=True)
    reader.start()
    announced.wait(START_S)
    said = "".join(server.printed)
    assert server.sign_in_url, f"ccweb told no address within {START_S} s; it said:\n{said}"


def _read_output(server: Server, announced: threading.Event) -> None:
    """Keep all that the server prints, and tell when its address is there or it has ended."""
    assert server.process.stdout is not None
    with server.process.stdout as lines:
        for line in lines:
            server.printed.append(line)
            if not server.sign_in_url and (found := ADDRESS.search(line)):
                server.sign_in_url = found.group()
                announced.set()
    announced.set()


def end_tree(process: subprocess.Popen[str]) -> None:
    """End a process and all that it started: politely, then surely."""
    try:
        root = psutil.Process(process.pid)
        tree = [root, *root.children(recursive=True)]
    except psutil.NoSuchProcess:
        tree = []
    for member in tree:
        _signal(member, "terminate")
    _, alive = psutil.wait_procs(tree, timeout=STOP_S)
    for member in alive:
        _signal(member, "kill")
    process.wait(STOP_S)


def _signal(member: psutil.Process, how: Literal["terminate", "kill"]) -> None:
    try:
        getattr(member, how)()
    except psutil.NoSuchProcess:
        return
