"""The make targets, the environment that they make, and what CI runs."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
INNER_TARGETS = {"product", "dev"}
SHELL_TOOLS = ("sh", "dirname", "cksum", "grep")


def a_project(folder: Path) -> Path:
    """Return a folder that holds what `scripts/environment` reads, and a PATH with no Python."""
    (folder / "scripts").mkdir()
    shutil.copy(ROOT / "scripts/environment", folder / "scripts")
    shutil.copy(ROOT / "pyproject.toml", folder)
    (folder / "bin").mkdir()
    for tool in SHELL_TOOLS:
        found = shutil.which(tool)
        assert found is not None
        (folder / "bin" / tool).symlink_to(found)
    return folder


def set_up(project: Path, **environ: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(project / "scripts/environment"), "product"],
        env={"PATH": str(project / "bin"), **environ},
        capture_output=True,
        text=True,
        timeout=60,
    )


def an_old_python(folder: Path) -> None:
    """Put a `python3` on the project's PATH that answers as a version before 3.11 does."""
    old = folder / "bin/python3"
    old.write_text("#!/bin/sh\nexit 1\n")
    old.chmod(0o755)


def test_help_is_a_table_of_every_target() -> None:
    shown = subprocess.run(["make", "help"], cwd=ROOT, capture_output=True, text=True, timeout=30)
    phony = re.search(r"^\.PHONY: (.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert phony is not None
    listed = set(re.findall(r"^  make ([\w-]+) +\S", shown.stdout, re.MULTILINE))
    assert listed == set(phony.group(1).split()) - INNER_TARGETS


def test_ci_calls_make_check_and_nothing_else() -> None:
    interpreter, *commands = (ROOT / ".ci/run").read_text().splitlines()
    assert interpreter == "#!/usr/bin/env bash"
    assert commands == ["exec make check"]
    assert os.access(ROOT / ".ci/run", os.X_OK)


def test_without_python_one_sentence_says_what_to_install(tmp_path: Path) -> None:
    ended = set_up(a_project(tmp_path))
    assert ended.returncode == 1
    assert len(ended.stderr.splitlines()) == 1
    assert "3.11" in ended.stderr
    assert not (tmp_path / ".venv").exists()


def test_a_python_that_is_too_old_is_passed_over(tmp_path: Path) -> None:
    an_old_python(a_project(tmp_path))
    ended = set_up(tmp_path)
    assert ended.returncode == 1
    assert not (tmp_path / ".venv").exists()


@pytest.mark.parametrize("installed", ["product", "dev"])
def test_an_environment_that_is_complete_is_left_alone(tmp_path: Path, installed: str) -> None:
    project = a_project(tmp_path)
    (project / ".venv").mkdir()
    summary = subprocess.run(
        ["cksum"], input=(project / "pyproject.toml").read_bytes(), capture_output=True, timeout=30
    )
    stamp = project / ".venv/installed"
    stamp.write_text(f"{installed} {summary.stdout.decode().strip()}  {project}\n")
    assert set_up(project).returncode == 0


def test_a_stamp_of_another_pyproject_does_not_count(tmp_path: Path) -> None:
    project = a_project(tmp_path)
    (project / ".venv").mkdir()
    (project / ".venv/installed").write_text(f"dev 1 1  {project}\n")
    assert set_up(project).returncode == 1
