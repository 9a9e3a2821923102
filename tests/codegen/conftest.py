"""A project for every test that asks for one."""

from pathlib import Path

import pytest

from tests.codegen.linting import NOTES
from tests.codegen.projects import Project


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """Return a project that has not been generated yet."""
    return Project.create(tmp_path / "acme")


@pytest.fixture
def notes(project: Project) -> Project:
    """Return a project whose contract has no finding."""
    project.contract.write_text(NOTES.read_text())
    return project
