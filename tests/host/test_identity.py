"""A host is a machine with its data folder, and a process is an id with its birth."""

import os
import threading
from pathlib import Path

import pytest

from ccweb.host import address
from ccweb.host.identity import Birth, Identity, birth, identity, is_alive
from ccweb.settings import Settings


def test_a_data_folder_keeps_its_identity(tmp_path: Path) -> None:
    first = identity(tmp_path / "new")
    assert identity(tmp_path / "new") == first
    assert identity(tmp_path / "other").id != first.id


@pytest.mark.requirement("R-M12")
def test_processes_that_start_together_agree_on_one_identity(tmp_path: Path) -> None:
    found: list[Identity] = []
    barrier = threading.Barrier(8)

    def ask() -> None:
        barrier.wait()
        found.append(identity(tmp_path))

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({host.id for host in found}) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["host-id"]


@pytest.mark.requirement("R-M13")
def test_a_process_with_the_same_id_and_another_birth_is_another_process() -> None:
    born = birth()
    assert born.pid == os.getpid()
    assert is_alive(born)
    assert not is_alive(Birth(pid=born.pid, started=born.started - 60))


def test_the_hub_address_is_published_and_withdrawn_by_its_owner_only(tmp_path: Path) -> None:
    s = Settings(data_dir=tmp_path)
    assert address.hub_url(s) is None
    address.publish(s, "http://127.0.0.1:1")
    address.publish(s, "http://127.0.0.1:2")
    address.withdraw(s, "http://127.0.0.1:1")
    assert address.hub_url(s) == "http://127.0.0.1:2"
    address.withdraw(s, "http://127.0.0.1:2")
    assert address.hub_url(s) is None


def test_the_setting_outranks_the_published_address(tmp_path: Path) -> None:
    s = Settings(data_dir=tmp_path, url="http://hub.example/")
    address.publish(s, "http://127.0.0.1:1")
    assert address.hub_url(s) == "http://hub.example"
