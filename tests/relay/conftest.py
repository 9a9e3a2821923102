"""The seam of the relay's tests: a world of real commands on a real database."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.relay.world import World, a_world


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    """Return a world with one live host."""
    world = a_world(tmp_path)
    yield world
    world.db.close()
