"""Settings: what a variable may hold, and how a wrong one is refused."""

import pytest

from ccweb import settings
from ccweb.settings import BadSetting


@pytest.mark.parametrize(("given", "expected"), [("on", True), ("off", False), ("", False)])
def test_a_switch_is_on_or_off(given: str, expected: bool) -> None:
    loaded = settings.load({"CCWEB_NOTES_ON_CANCELLED": given})
    assert loaded.notes_on_cancelled is expected


@pytest.mark.parametrize("given", ["yes", "1", "true", "On", " on"])
def test_a_switch_takes_nothing_else_and_says_what(given: str) -> None:
    with pytest.raises(BadSetting, match="on or off"):
        settings.load({"CCWEB_NOTES_ON_CANCELLED": given})


@pytest.mark.parametrize(
    ("variable", "given"),
    [
        ("CCWEB_HOP_LIMIT", "-1"),
        ("CCWEB_HOP_LIMIT", "many"),
        ("CCWEB_SWEEP_S", "nan"),
        ("CCWEB_LANG", "fr"),
        ("CCWEB_DATA_DIR", "~nobody-like-this/x"),
    ],
)
def test_a_value_of_the_wrong_form_is_refused(variable: str, given: str) -> None:
    with pytest.raises(BadSetting, match=variable):
        settings.load({variable: given})


def test_the_table_shows_a_switch_as_it_is_given() -> None:
    shown = {variable: default for variable, default, _ in settings.table()}
    assert shown["CCWEB_NOTES_ON_CANCELLED"] == "`off`"
