"""What the real programs say of themselves, and that being asked leaves nothing behind."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from ccweb.host.looking import Look, look_at
from ccweb.host.programs import CLAUDE, CODEX, Program
from ccweb.settings import Settings
from scripts.install_node_tools import program
from tests.real_agents.machine import Machine


def files(folder: Path) -> dict[Path, bytes]:
    """Return every file below a folder with its content."""
    found: Iterable[Path] = (path for path in folder.rglob("*") if path.is_file())
    return {path: path.read_bytes() for path in found}


async def look(which: Program, home: Path, data_dir: Path, monkeypatch: pytest.MonkeyPatch) -> Look:
    monkeypatch.setenv("HOME", str(home))
    path = program(which.name)
    return await look_at(replace(Settings(), data_dir=data_dir), which, path)


@pytest.mark.requirement("R-A5")
@pytest.mark.parametrize(
    ("which", "known", "effort"), [(CLAUDE, "sonnet", "medium"), (CODEX, "gpt-5.5", "xhigh")]
)
async def test_a_program_tells_its_version_and_models_and_touches_nothing_of_a_person(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    machine: Machine,
    which: Program,
    known: str,
    effort: str,
) -> None:
    before = files(machine.home)
    (tmp_path / "home").mkdir()
    seen = await look(which, tmp_path / "home", tmp_path / "data", monkeypatch)
    assert (seen.problem, files(machine.home)) == (None, before)
    assert files(tmp_path / "home") == {}
    efforts = {one.name: one.efforts for one in seen.models}
    assert effort in efforts[known]


@pytest.mark.requirement("R-A5")
async def test_the_models_of_a_provider_of_the_persons_own_are_not_guessed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, machine: Machine
) -> None:
    seen = await look(CODEX, machine.home, tmp_path / "data", monkeypatch)
    assert (seen.problem, seen.models) == (None, ())
