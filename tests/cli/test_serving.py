"""`ccweb serve` and its two processes: they start quickly, survive each other, and end cleanly."""

import http.client
import json
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

import psutil
import pytest

from tests.cli.commands import WAIT_S, run, running
from tests.processes import children

pytestmark = pytest.mark.long


def get(url: str, path: str) -> int:
    """Return the status that a page answers with."""
    connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=WAIT_S)
    try:
        connection.request("GET", path)
        return connection.getresponse().status
    finally:
        connection.close()


def until(condition: Callable[[], bool]) -> None:
    """Return once a condition holds."""
    deadline = time.monotonic() + WAIT_S
    while not condition():
        assert time.monotonic() < deadline, "It did not happen in time."
        time.sleep(0.02)


def answers(url: str) -> bool:
    """Tell whether a hub serves its sign-in page."""
    try:
        return get(url, "/sign-in") == 200
    except OSError:
        return False


def child(process: subprocess.Popen[str], name: str) -> psutil.Process:
    """Return the hub or host below `ccweb serve`."""
    found = children(process.pid, name)
    assert len(found) == 1
    return found[0]


def has_child(process: subprocess.Popen[str], name: str, *, other_than: int) -> bool:
    """Tell whether a new hub or host has taken the place of another."""
    return any(found.pid != other_than for found in children(process.pid, name))


def origin(line: str) -> str:
    """Return the address of a printed sign-in link."""
    parts = urlsplit(line)
    return f"{parts.scheme}://{parts.netloc}"


@pytest.mark.requirement("R-S1", "FC-74")
def test_serve_prints_an_address_with_a_ticket_that_no_server_sees(
    tmp_path: Path, free_port: int
) -> None:
    with running(tmp_path, "serve", "--port", str(free_port)) as (_, line):
        assert line.startswith(f"http://127.0.0.1:{free_port}/sign-in#ticket=")
        assert get(origin(line), "/sign-in") == 200
        assert (tmp_path / "hub-url").read_text().strip() == origin(line)
    assert not (tmp_path / "hub-url").exists()


@pytest.mark.requirement("R-A4")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_all_of_serve_cleanly(tmp_path: Path, number: signal.Signals) -> None:
    with running(tmp_path, "serve", "--port", "0") as (process, line):
        until(lambda: answers(origin(line)))
        tree = psutil.Process(process.pid).children(recursive=True)
        process.send_signal(number)
        assert process.wait(WAIT_S) == 0
    assert [p for p in tree if p.is_running()] == []
    with sqlite3.connect(tmp_path / "ccweb.db") as c:
        assert c.execute("SELECT count(*) FROM host_run WHERE ended_at IS NULL").fetchone() == (0,)
    c.close()


@pytest.mark.requirement("R-A4")
@pytest.mark.parametrize("name", ["hub", "host"])
def test_a_killed_process_is_started_again_and_takes_nothing_with_it(
    tmp_path: Path, name: str, free_port: int
) -> None:
    with running(tmp_path, "serve", "--port", str(free_port)) as (process, line):
        until(lambda: answers(origin(line)))
        killed, other = child(process, name), "host" if name == "hub" else "hub"
        survivor = child(process, other)
        killed.kill()
        until(lambda: has_child(process, name, other_than=killed.pid) and answers(origin(line)))
        assert child(process, other) == survivor


@pytest.mark.requirement("R-A4")
def test_hub_and_host_end_when_serve_is_killed(tmp_path: Path) -> None:
    with running(tmp_path, "serve", "--port", "0") as (process, line):
        until(lambda: answers(origin(line)))
        tree = psutil.Process(process.pid).children(recursive=True)
        process.kill()
        _, alive = psutil.wait_procs(tree, timeout=WAIT_S)
    assert alive == []


@pytest.mark.requirement("R-S4")
def test_a_port_in_use_is_said_in_one_sentence(tmp_path: Path) -> None:
    with running(tmp_path / "a", "hub", "--port", "0") as (_, line):
        port = str(urlsplit(line).port)
        ended = run(tmp_path / "b", "serve", "--port", port)
    assert ended.returncode == 1
    assert ended.stdout == ""
    said = [line for line in ended.stderr.splitlines() if not line.startswith("{")]
    assert len(said) == 1
    assert port in said[0]


@pytest.mark.requirement("R-S4")
@pytest.mark.parametrize("command", [("hub", "--port", "0"), ("host",), ("link",)])
def test_a_data_folder_that_cannot_be_written_is_named(
    tmp_path: Path, command: tuple[str, ...]
) -> None:
    (tmp_path / "file").touch()
    ended = run(tmp_path / "file" / "data", *command)
    assert (ended.returncode, ended.stdout) == (1, "")
    assert str(tmp_path / "file") in ended.stderr
    assert len(ended.stderr.splitlines()) == 1


@pytest.mark.requirement("R-S4")
@pytest.mark.parametrize("command", [("hub", "--port", "0"), ("host",), ("token", "list")])
def test_a_database_newer_than_the_code_is_left_alone(
    tmp_path: Path, command: tuple[str, ...]
) -> None:
    assert run(tmp_path, "token", "list").returncode == 0
    with sqlite3.connect(tmp_path / "ccweb.db") as c:
        c.execute("UPDATE alembic_version SET version_num = '9999'")
    c.close()
    ended = run(tmp_path, *command)
    assert (ended.returncode, ended.stdout) == (1, "")
    assert len(ended.stderr.splitlines()) == 1
    assert "9999" in ended.stderr


@pytest.mark.requirement("R-S4")
def test_a_file_that_is_no_database_is_named(tmp_path: Path) -> None:
    (tmp_path / "ccweb.db").write_text("this is no database, and it is long enough to tell" * 20)
    ended = run(tmp_path, "token", "list")
    assert (ended.returncode, len(ended.stderr.splitlines())) == (1, 1)


@pytest.mark.requirement("R-S1")
def test_nobody_serves_beyond_this_machine_without_a_password(tmp_path: Path) -> None:
    command = ("hub", "--host", "0.0.0.0", "--port", "0")
    refused = run(tmp_path, *command)
    assert (refused.returncode, refused.stdout) == (1, "")
    name = refused.stderr.strip().rpartition(" ")[2]
    assert run(tmp_path, "user", "password", name, given="correct horse battery\n").returncode == 0
    with running(tmp_path, *command) as (_, line):
        assert line.startswith("http://127.0.0.1:")


def test_demo_conversations_are_made_once(tmp_path: Path) -> None:
    for _ in range(2):
        with running(tmp_path, "hub", "--demo", "--port", "0") as (_, line):
            assert line
            with sqlite3.connect(tmp_path / "ccweb.db") as c:
                found = c.execute("SELECT title FROM conversation ORDER BY position").fetchall()
                c.execute("UPDATE conversation SET title = 'Mine', deleted_at = 1")
                c.execute("UPDATE conversation SET deleted_at = NULL WHERE position > 1")
            c.close()
    assert found == [("Mine",)] * 3


@pytest.mark.requirement("AC3", "R-M6", "FC-4")
def test_the_demo_shows_a_whole_delegation_and_ends_with_0(tmp_path: Path) -> None:
    ended = run(tmp_path, "demo")
    assert (ended.returncode, ended.stderr) == (0, "")
    assert "128" in ended.stdout
    assert list(tmp_path.iterdir()) == []


def test_the_bridge_starts_without_the_heavy_parts() -> None:
    code = (
        "import sys, json; from ccweb.cli.arguments import parse; import ccweb.cli.bridge; "
        "parse(['mcp']); "
        "print(json.dumps([m for m in ('sqlalchemy', 'mcp', 'starlette') if m in sys.modules]))"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert json.loads(shown.stdout) == []
