"""Ranks: always room between two, and short where things are only put last or first."""

import hypothesis.strategies as st
import pytest
from hypothesis import given

from ccweb.board.ordering import between


def appended(count: int) -> list[str]:
    ranks = [between(None, None)]
    while len(ranks) < count:
        ranks.append(between(ranks[-1], None))
    return ranks


def prepended(count: int) -> list[str]:
    ranks = [between(None, None)]
    while len(ranks) < count:
        ranks.append(between(None, ranks[-1]))
    return ranks


def test_ten_thousand_appended_ranks_grow_and_stay_short() -> None:
    ranks = appended(10_000)
    assert ranks == sorted(set(ranks))
    assert max(map(len, ranks)) <= 4


def test_ten_thousand_prepended_ranks_fall_and_stay_short() -> None:
    ranks = prepended(10_000)
    assert ranks == sorted(set(ranks), reverse=True)
    assert max(map(len, ranks)) <= 4


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (None, None, "n0"),
        ("n0", None, "n1"),
        ("nz", None, "o00"),
        ("ozz", None, "p000"),
        (None, "n0", "mz"),
        (None, "m0", "lzz"),
        (None, "n1i", "n1"),
        ("mz", "n1", "n0"),
        ("n0", "n1", "n0i"),
        ("n0z", "n1", "n0zi"),
        ("n0", "n01", "n00i"),
        ("n01", "n02", "n01i"),
    ],
)
def test_the_rank_between_two_is_the_shortest_that_halves_the_room(
    before: str | None, after: str | None, expected: str
) -> None:
    assert between(before, after) == expected


@given(st.lists(st.integers(0, 2**31), min_size=1, max_size=300))
def test_whatever_is_put_wherever_stands_strictly_between_its_neighbours(
    places: list[int],
) -> None:
    ranks: list[str] = []
    for place in places:
        at = place % (len(ranks) + 1)
        before = ranks[at - 1] if at else None
        after = ranks[at] if at < len(ranks) else None
        ranks.insert(at, between(before, after))
    assert ranks == sorted(set(ranks))
    assert all(rank.isascii() and rank.isalnum() and rank == rank.lower() for rank in ranks)


@pytest.mark.parametrize("side", [0, 1])
def test_the_same_gap_halved_a_thousand_times_still_has_room(side: int) -> None:
    low, high = "n0", "n1"
    for _ in range(1000):
        middle = between(low, high)
        assert low < middle < high
        low, high = (middle, high) if side else (low, middle)
    assert max(len(low), len(high)) <= 210
