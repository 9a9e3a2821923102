"""The seam of planning's tests: a world of real commands on a real database."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from ccweb.planning.model import Repository
from tests.planning.world import Planning, a_planning_world


@pytest.fixture
def world(tmp_path: Path) -> Iterator[Planning]:
    """Return a world with one task and a project without repositories."""
    world = a_planning_world(tmp_path)
    yield world
    world.db.close()


@pytest.fixture
def till(world: Planning, tmp_path: Path) -> Repository:
    """Return the first repository of the project."""
    return world.repository(tmp_path, "till")


@pytest.fixture
def web(world: Planning, tmp_path: Path) -> Repository:
    """Return another repository of the project."""
    return world.repository(tmp_path, "web")
