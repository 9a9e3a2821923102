"""A hundred forms answered at once; `make chaos` answers more of them."""

import zlib
from pathlib import Path

import pytest

from tests.chaos.flood import Flood

pytestmark = pytest.mark.long


@pytest.mark.requirement("R-M7", "R-U4")
@pytest.mark.timeout(150)
async def test_each_conversation_goes_on_once_with_its_own_answers_while_all_are_killed(
    tmp_path: Path,
) -> None:
    result = await Flood(folder=tmp_path, seed=zlib.crc32(b"flood"), forms=100).run()
    assert result.passed, str(result)
    assert result.answered == 100
    assert result.kills
