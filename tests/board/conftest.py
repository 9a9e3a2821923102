"""The seam of the board's tests: a board on a real database."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.board.wall import Wall, a_wall


@pytest.fixture
def wall(tmp_path: Path) -> Iterator[Wall]:
    """Return an empty board."""
    wall = a_wall(tmp_path)
    yield wall
    wall.world.db.close()
