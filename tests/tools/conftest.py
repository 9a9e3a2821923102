"""The seam of the tools' tests: a desk on a real database."""

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
