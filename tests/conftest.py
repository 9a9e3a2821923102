"""What holds for every test: a home of its own, loopback only, one event loop."""

import ipaddress
import os
import shutil
import socket
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from scripts.install_node_tools import tools_folder

KEPT_SETTINGS = {"CCWEB_CHROMIUM", "CCWEB_TOOLS_DIR"}
HOME_VARIABLES = {
    "HOME": ".",
    "XDG_CACHE_HOME": "cache",
    "XDG_CONFIG_HOME": "config",
    "XDG_DATA_HOME": "data",
    "XDG_STATE_HOME": "state",
    "CCWEB_DATA_DIR": "ccweb",
}
PROGRAM_VARIABLES = ("CCWEB_CLAUDE_PATH", "CCWEB_CODEX_PATH")
"""What the machine has installed makes no difference to a test that does not name it."""
HOME_KEY = pytest.StashKey[Path]()

_foreign: list[str] = []


def pytest_configure(config: pytest.Config) -> None:
    """Point HOME and all settings to a temporary folder, before any test module is imported."""
    home = Path(tempfile.mkdtemp(prefix="ccweb-tests-"))
    config.stash[HOME_KEY] = home
    os.environ["CCWEB_TOOLS_DIR"] = str(tools_folder())  # found by the HOME that is left here
    for name in [name for name in os.environ if name.startswith("CCWEB_")]:
        if name not in KEPT_SETTINGS:
            del os.environ[name]
    os.environ.update({name: str(home / below) for name, below in HOME_VARIABLES.items()})
    os.environ.update(dict.fromkeys(PROGRAM_VARIABLES, "off"))
    sys.addaudithook(_refuse_foreign_hosts)


def pytest_unconfigure(config: pytest.Config) -> None:
    """Remove that folder."""
    shutil.rmtree(config.stash[HOME_KEY], ignore_errors=True)


def _is_local(host: object) -> bool:
    if host in (None, "", b"", "localhost", b"localhost"):
        return True
    try:
        address = ipaddress.ip_address(host.decode() if isinstance(host, bytes) else str(host))
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None) or address
    return bool(mapped.is_loopback or mapped.is_unspecified)


def _host_of(event: str, arguments: tuple[object, ...]) -> object:
    """Return the host that a socket event reaches for; None when it reaches for none."""
    if event == "socket.getaddrinfo":
        return arguments[0]
    if event in ("socket.connect", "socket.sendto") and isinstance(arguments[1], tuple):
        return arguments[1][0]
    return None


def _refuse_foreign_hosts(event: str, arguments: tuple[object, ...]) -> None:
    if event.startswith("socket.") and not _is_local(host := _host_of(event, arguments)):
        _foreign.append(f"{event} {host!r}")
        raise PermissionError(f"Tests reach loopback only, not {host!r}.")


@pytest.fixture(autouse=True)
def foreign_hosts() -> Iterator[list[str]]:
    """Fail a test that reached for a host other than this one, even if it caught the error."""
    yield _foreign
    reached = _foreign.copy()
    _foreign.clear()
    assert reached == [], "The test reached beyond loopback."


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    """Run asynchronous tests on the one event loop that ccweb uses."""
    return "asyncio"


@pytest.fixture
def free_port() -> int:
    """Return a port that nobody listened on a moment ago."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
