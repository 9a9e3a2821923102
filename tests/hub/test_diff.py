"""What has changed between two texts, as the page shows it."""

import random
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ccweb.hub.diff import Change, Diff, Piece, Row, Side, compare

LINES = st.lists(st.sampled_from(["", "a b", "a c", "甲 乙", "x" * 5]), max_size=12)


def rows(found: Diff) -> list[Row]:
    return [row for stretch in found.stretches for row in stretch.rows]


def text_of(side: Side) -> str:
    return "".join(piece.text for piece in side.pieces)


@given(LINES, LINES)
def test_both_texts_can_be_read_whole_from_their_difference(old: list[str], new: list[str]) -> None:
    found = rows(compare("\n".join(old), "\n".join(new)))

    assert [text_of(row.old) for row in found if row.old] == "\n".join(old).splitlines()
    assert [text_of(row.new) for row in found if row.new] == "\n".join(new).splitlines()
    assert [row.old.number for row in found if row.old] == [*range(1, len(_kept(old)) + 1)]


def _kept(lines: list[str]) -> list[str]:
    return "\n".join(lines).splitlines()


def test_a_reworded_line_stands_beside_its_old_wording_with_the_words_marked() -> None:
    found = compare("one\nTake cards and cash.\ntwo", "one\nTake cards and gift cards.\ntwo")

    reworded = [row for row in rows(found) if row.change is Change.REWORDED]
    assert reworded == [
        Row(
            change=Change.REWORDED,
            old=Side(
                number=2,
                pieces=[
                    Piece(text="Take cards and "),
                    Piece(text="cash", changed=True),
                    Piece(text="."),
                ],
            ),
            new=Side(
                number=2,
                pieces=[
                    Piece(text="Take cards and "),
                    Piece(text="gift cards", changed=True),
                    Piece(text="."),
                ],
            ),
        )
    ]
    assert (found.added, found.removed) == (1, 1)


def test_a_chinese_line_is_compared_sign_by_sign() -> None:
    (row,) = rows(compare("支持现金付款", "支持礼品卡付款"))

    assert row.new is not None
    assert [piece.text for piece in row.new.pieces if piece.changed] == ["礼品卡"]


def test_a_line_that_is_another_one_is_no_rewording() -> None:
    found = rows(compare("The till takes cash.", "zebra"))

    assert [row.change for row in found] == [Change.REMOVED, Change.ADDED]


def test_lines_far_from_any_change_are_folded_but_never_one_alone() -> None:
    lines = [f"line {number}" for number in range(30)]
    changed = [*lines]
    changed[15] = "something else entirely"
    found = compare("\n".join(lines), "\n".join(changed))

    assert [(stretch.folded, len(stretch.rows)) for stretch in found.stretches] == [
        (True, 12),
        (False, 8),
        (True, 11),
    ]
    short = compare("\n".join(lines[:5]), "\n".join([*lines[:4], "something else entirely"]))
    assert [stretch.folded for stretch in short.stretches] == [False]


def test_equal_texts_have_no_change() -> None:
    found = compare("a\nb", "a\nb")

    assert (found.added, found.removed) == (0, 0)
    assert {row.change for row in rows(found)} == {Change.SAME}


def test_two_long_texts_are_compared_while_a_person_waits() -> None:
    chance = random.Random(7)
    old = [f"{chance.random()} step of the plan" for _ in range(3000)]
    new = [line if chance.random() < 0.8 else f"{line} once more" for line in old]
    begun = time.perf_counter()
    compare("\n".join(old), "\n".join(new))

    assert time.perf_counter() - begun < 5


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("x\n" * 20_000, "head\n" + "x\n" * 20_000 + "tail"),
        ("a\nb\n" * 10_000, "b\na\na\n" * 8_000),
        (
            "\n".join("w " * 1900 + str(n) for n in range(60)),
            "\n".join("w " * 1950 for _ in range(60)),
        ),
        ("w " * 50_000, "w " * 49_000 + "y"),
    ],
    ids=["equal lines", "two lines", "long lines", "one line"],
)
def test_no_text_keeps_the_hub_busy(old: str, new: str) -> None:
    begun = time.perf_counter()
    compare(old, new)

    assert time.perf_counter() - begun < 5
