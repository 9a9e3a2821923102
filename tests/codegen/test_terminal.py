"""A reader that has had enough, such as `head`, ends what is written and not what is done."""

import os
import subprocess
import sys
from collections.abc import Iterator

import pytest

from tests.codegen.linting import DESCRIPTION
from tests.codegen.projects import ROOT, Project


@pytest.fixture
def nobody() -> Iterator[int]:
    """Return the writing end of a pipe whose reader has gone."""
    reading, writing = os.pipe()
    os.close(reading)
    yield writing
    os.close(writing)


def run(project: Project, *command: str, stdout: int, stderr: int) -> tuple[int, str | None]:
    """Run the compiler in a process of its own; return its exit code and its words."""
    folders = ["--contract", str(project.contract.parent), "--out", str(project.out)]
    done = subprocess.run(
        [sys.executable, "-m", "codegen", *folders, *command],
        cwd=ROOT,
        env={"PATH": os.defpath, "PYTHONPATH": str(ROOT)},
        stdout=stdout,
        stderr=stderr,
        text=True,
        timeout=60,
        check=False,
    )
    return done.returncode, done.stderr


COMMANDS = {
    "explain find_note": (0, ""),
    "breaking": (0, "Nothing has been published yet: `python -m codegen publish`.\n"),
    "lint": (1, "1 error, 0 warnings\n"),
    "--check": (1, "Generated files differ from the contract. Repair: make generate\n"),
    "--help": (0, ""),
}


@pytest.mark.parametrize(("command", "ends"), COMMANDS.items(), ids=COMMANDS.keys())
def test_without_a_reader_a_command_ends_as_it_would_with_one(
    command: str, ends: tuple[int, str], notes: Project, nobody: int
) -> None:
    notes.edit(DESCRIPTION, "    description: Find a note. Wait for it.\n")
    words = command.split()
    assert run(notes, *words, stdout=nobody, stderr=subprocess.PIPE) == ends
    assert run(notes, *words, stdout=nobody, stderr=nobody) == (ends[0], None)


def test_without_a_reader_a_contract_is_published_whole(project: Project, nobody: int) -> None:
    assert run(project, "publish", stdout=nobody, stderr=subprocess.PIPE) == (0, "")
    assert (project.contract.parent / "published.json").is_file()
    assert project.run("--check") == 0
