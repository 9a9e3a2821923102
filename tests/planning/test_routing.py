"""Which repositories come into question for a work."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from ccweb.planning.features.reading import Tree, read
from ccweb.planning.features.routing import route
from ccweb_contract.enums import CandidateRole
from tests.planning.trees import SHOP, STOCK, a_tree


@pytest.fixture
def trees(tmp_path: Path) -> Mapping[str, Tree]:
    """Return a shop, a stock and an empty repository by id."""
    return {
        "repository_1": read(a_tree(tmp_path / "shop", SHOP)),
        "repository_2": read(a_tree(tmp_path / "stock", STOCK)),
        "repository_3": read(a_tree(tmp_path / "empty", {})),
    }


def roles(text: str, trees: Mapping[str, Tree]) -> dict[str, str]:
    """Return the role of each repository, the likeliest first."""
    return {one.repository_id: one.role.value for one in route(text, trees)}


@pytest.mark.requirement("R-P8")
def test_the_repository_that_holds_the_work_is_direct(trees: Mapping[str, Tree]) -> None:
    found = route("Refund card payments\nThe shopper gets the money back.", trees)
    assert [(one.repository_id, one.role) for one in found] == [
        ("repository_1", CandidateRole.DIRECT),
        ("repository_2", CandidateRole.RELATED),
        ("repository_3", CandidateRole.RELATED),
    ]
    assert 0 < found[0].score <= 1
    assert found[1].score == found[2].score == 0
    assert set(found[0].matched) >= {"refund", "card", "payments"}
    assert (found[1].matched, found[2].matched) == ((), ())


@pytest.mark.requirement("R-P8")
def test_chinese_work_finds_what_is_written_in_chinese(trees: Mapping[str, Tree]) -> None:
    assert next(iter(roles("- 托盘移动\n- 仓库盘点", trees))) == "repository_2"
    assert next(iter(roles("- 手机号登录", trees))) == "repository_1"


@pytest.mark.requirement("R-P8")
def test_work_for_two_repositories_has_two_direct_ones(trees: Mapping[str, Tree]) -> None:
    found = roles("- Refund a card payment\n- Move a pallet in the warehouse", trees)
    assert found == {"repository_1": "direct", "repository_2": "direct", "repository_3": "related"}


@pytest.mark.requirement("R-P8")
def test_where_anything_matches_the_best_is_direct(trees: Mapping[str, Tree]) -> None:
    work = "- Pallet of zebras, giraffes, hippopotami, elephants, crocodiles, lions, apes, snakes"
    found = roles(work, trees)
    assert found == {"repository_2": "direct", "repository_1": "related", "repository_3": "related"}


@pytest.mark.requirement("R-P8")
def test_where_nothing_matches_none_is_direct(trees: Mapping[str, Tree]) -> None:
    assert set(roles("Zebra grooming", trees).values()) == {"related"}
    assert set(roles("", trees).values()) == {"related"}


@pytest.mark.requirement("R-P8")
def test_the_only_repository_is_direct_whatever_it_holds(trees: Mapping[str, Tree]) -> None:
    alone = {"repository_3": trees["repository_3"]}
    assert roles("Zebra grooming", alone) == {"repository_3": "direct"}


@pytest.mark.requirement("R-P8")
def test_without_repositories_there_are_no_routes() -> None:
    assert route("Zebra grooming", {}) == []
