"""Words of texts and code, so that a wish and a file meet."""

import pytest

from ccweb.planning.features.words import counted, terms


@pytest.mark.requirement("R-P8")
@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("send", "sending"),
        ("message", "messages"),
        ("reply", "replies"),
        ("approve", "approved"),
        ("migrate", "migrations"),
        ("gift card", "GiftCard"),
        ("gift card", "gift_cards"),
        ("HTTP server", "HTTPServer"),
        ("cancel", "CANCELLED"),
    ],
)
def test_forms_of_a_word_are_one(one: str, other: str) -> None:
    assert set(counted(one)) <= set(counted(other))


@pytest.mark.requirement("R-P8")
def test_words_that_only_look_alike_are_not_one() -> None:
    for one, other in (("string", "str"), ("class", "clas"), ("status", "statu"), ("bed", "b")):
        assert not set(counted(one)) & set(counted(other))


@pytest.mark.requirement("R-P8")
def test_a_name_counts_as_its_parts_and_as_a_whole() -> None:
    assert counted("gitHub gitHub x2 7") == {"git": 2, "hub": 2, "github": 2}


@pytest.mark.requirement("R-P8")
def test_chinese_counts_as_pairs_beside_other_scripts() -> None:
    assert counted("登录page 手机号") == {"登录": 1, "page": 1, "手机": 1, "机号": 1}


@pytest.mark.requirement("R-P8")
def test_a_wish_is_what_is_particular_in_it() -> None:
    shown = [
        term.shown
        for term in terms("We need to support gift cards. 支持手机号登录的功能 the Cards")
    ]
    assert shown == ["gift", "cards", "手机号登录"]


@pytest.mark.requirement("R-P8")
def test_data_is_no_word() -> None:
    assert counted("a" * 65 + " 1234 x") == {}
