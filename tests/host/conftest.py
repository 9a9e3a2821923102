"""The seam of the host's tests."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.host.workshop import Workshop, a_workshop


@pytest.fixture
def workshop(tmp_path: Path) -> Iterator[Workshop]:
    """Return a data folder with a database, and no host running yet."""
    workshop = a_workshop(tmp_path)
    yield workshop
    workshop.db.close()
