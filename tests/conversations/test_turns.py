"""Turns in the database: what the hot path reads does not grow with what has ended."""

from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import TextClause, text

from ccweb.conversations import turns
from tests.relay.world import a_world

CLAIM = {
    "running": "running",
    "person": "person",
    "host_id": "h",
    "run_id": "r",
    "now": 1,
    "lease_until": 2,
    "limit": 32,
}


@pytest.mark.requirement("R-A1")
@pytest.mark.parametrize(
    ("statement", "values"),
    [(turns._CLAIM, CLAIM), (turns._WITHOUT_HOST, {"limit": 1})],
    ids=["claim", "without_host"],
)
def test_looking_for_queued_turns_reads_only_those_that_are_open(
    tmp_path: Path, statement: TextClause, values: dict[str, Any]
) -> None:
    world = a_world(tmp_path)
    with world.db.connect() as c:
        plan = [
            row.detail for row in c.execute(text(f"EXPLAIN QUERY PLAN {statement.text}"), values)
        ]
    world.db.close()
    assert "SCAN t USING INDEX ix_turn_open" in plan
