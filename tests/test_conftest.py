"""The guards that hold for every test do hold."""

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FOREIGN = ("192.0.2.1", 9)
"""An address that documentation owns and no machine has."""


def test_home_and_the_data_folder_are_temporary() -> None:
    home = Path.home()
    assert home.name.startswith("ccweb-tests-")
    assert Path(os.environ["CCWEB_DATA_DIR"]).is_relative_to(home)
    assert Path(os.environ["XDG_CONFIG_HOME"]).is_relative_to(home)


def test_a_connection_beyond_loopback_is_refused_and_recorded(foreign_hosts: list[str]) -> None:
    with socket.socket() as outgoing, pytest.raises(PermissionError):
        outgoing.connect(FOREIGN)
    assert foreign_hosts == ["socket.connect '192.0.2.1'"]
    foreign_hosts.clear()


def test_looking_up_a_foreign_name_is_refused_and_recorded(foreign_hosts: list[str]) -> None:
    with pytest.raises(PermissionError):
        socket.getaddrinfo("nobody.invalid", 80)
    assert foreign_hosts == ["socket.getaddrinfo 'nobody.invalid'"]
    foreign_hosts.clear()


def test_loopback_is_open_by_name_and_by_both_addresses(foreign_hosts: list[str]) -> None:
    for host in ("localhost", "127.0.0.1", "::1", "::ffff:127.0.0.1"):
        socket.getaddrinfo(host, 9)
    assert foreign_hosts == []


def test_a_test_that_swallows_the_refusal_fails_all_the_same(tmp_path: Path) -> None:
    conftest = Path(__file__).with_name("conftest.py").read_text()
    (tmp_path / "conftest.py").write_text(conftest)
    (tmp_path / "test_sly.py").write_text(
        "import contextlib, socket\n"
        "def test_sly():\n"
        "    with socket.socket() as outgoing, contextlib.suppress(OSError):\n"
        f"        outgoing.connect({FOREIGN!r})\n"
    )
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tmp_path)]
    ended = subprocess.run(
        command,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert ended.returncode == pytest.ExitCode.TESTS_FAILED
    assert "1 error" in ended.stdout
