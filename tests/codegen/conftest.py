"""A project for every test that asks for one."""

from pathlib import Path

import pytest

from tests.codegen.projects import Project


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """Return a project that has not been generated yet."""
    return Project.create(tmp_path / "acme")
