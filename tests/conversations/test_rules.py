"""The rules of a turn: legal and illegal moves, retries, and how a text budget is shared."""

from itertools import product

import hypothesis.strategies as st
import pytest
from hypothesis import given

from ccweb.conversations import rules
from ccweb.conversations.rules import TRANSITIONS, TurnEvent
from ccweb_contract.enums import TurnKind, TurnStatus

LIVE = {TurnStatus.QUEUED, TurnStatus.RUNNING}


@pytest.mark.requirement("R-A4")
def test_a_turn_that_has_ended_never_moves_again() -> None:
    assert {status for status, _ in TRANSITIONS} == LIVE
    for status, event in product(set(TurnStatus) - LIVE, TurnEvent):
        with pytest.raises(KeyError):
            rules.after(status, event)


def test_every_end_can_be_reached_from_running() -> None:
    ends = {rules.after(TurnStatus.RUNNING, event) for event in rules.ENDS.values()}
    assert ends == set(TurnStatus) - LIVE


@pytest.mark.requirement("R-M7")
@pytest.mark.parametrize(
    ("kind", "end", "began", "attempt", "retried"),
    [
        (TurnKind.CONTINUATION, TurnStatus.LOST, False, 1, True),
        (TurnKind.CONTINUATION, TurnStatus.FAILED, False, 2, True),
        (TurnKind.CONTINUATION, TurnStatus.LOST, False, 3, False),
        (TurnKind.CONTINUATION, TurnStatus.LOST, True, 1, False),
        (TurnKind.CONTINUATION, TurnStatus.INTERRUPTED, False, 1, False),
        (TurnKind.MESSAGE, TurnStatus.LOST, False, 1, False),
        (TurnKind.PERSON, TurnStatus.LOST, False, 1, False),
    ],
)
def test_only_a_continuation_that_never_began_is_retried(
    kind: TurnKind, end: TurnStatus, began: bool, attempt: int, retried: bool
) -> None:
    assert rules.is_retried(kind, end, began=began, attempt=attempt, attempts=3) is retried


@pytest.mark.requirement("R-M9")
@given(sizes=st.lists(st.integers(0, 10**6), min_size=1, max_size=20), total=st.integers(0, 10**6))
def test_shares_stay_within_the_total_and_small_texts_stay_whole(
    sizes: list[int], total: int
) -> None:
    shares = rules.share(sizes, total)
    assert sum(shares) <= total
    assert all(0 <= got <= size for got, size in zip(shares, sizes, strict=True))
    if sum(sizes) <= total:
        assert shares == sizes
    fair = total // len(sizes)
    assert all(got >= min(size, fair) for got, size in zip(shares, sizes, strict=True))


@pytest.mark.requirement("R-M9", "FC-77")
@given(body=st.text(max_size=50), limit=st.integers(-3, 220))
def test_a_cut_is_a_beginning_that_fits_and_breaks_no_character(body: str, limit: int) -> None:
    got = rules.cut(body, limit)
    assert body.startswith(got)
    assert len(got.encode()) <= max(limit, 0)
    assert got == body or len(body[: len(got) + 1].encode()) > limit


@pytest.mark.requirement("R-M9")
def test_at_least_one_item_always_fits() -> None:
    assert rules.how_many_fit([10**9, 10], [50, 10], total=100) == 1
