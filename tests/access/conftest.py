"""The seam of the access tests: a desk, for its people, turns and tokens."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.tools.desk import Desk, a_desk


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    """Return a desk with one live host."""
    desk = a_desk(tmp_path)
    yield desk
    desk.db.close()
