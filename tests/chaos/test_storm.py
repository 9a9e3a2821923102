"""A short storm; `make chaos` runs a long one."""

import zlib
from pathlib import Path

import pytest

from tests.chaos.storm import Storm, report

pytestmark = pytest.mark.long


@pytest.mark.requirement("R-M7", "R-A4", "FC-28", "FC-62", "FC-63")
@pytest.mark.timeout(150)
async def test_nothing_is_lost_or_doubled_while_hub_and_host_are_killed(tmp_path: Path) -> None:
    storm = Storm(folder=tmp_path, seed=zlib.crc32(b"storm"), delegations=30)
    result = await storm.run()
    assert result.passed, report(result)
    assert result.requests >= 30
