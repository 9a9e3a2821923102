"""TOML that is written reads as what it was."""

import tomllib
from datetime import UTC, date, datetime, time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ccweb.host.codex.toml_text import dumps, inline

LETTERS = st.text(st.characters(codec="utf-8"))
VALUES = st.recursive(
    st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False)
    | LETTERS
    | st.sampled_from([datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC), date(2026, 1, 2), time(1, 2, 3)]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(LETTERS, inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(LETTERS, VALUES, max_size=5))
def test_what_is_written_reads_the_same(tables: dict[str, object]) -> None:
    assert tomllib.loads(dumps(tables)) == tables


def test_what_toml_does_not_have_is_refused() -> None:
    with pytest.raises(TypeError):
        inline(None)
