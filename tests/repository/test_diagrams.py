"""The diagrams of the docs are those of the code's tables."""

from scripts import diagrams


def test_the_drawn_states_are_the_tables_of_the_code() -> None:
    assert diagrams.TARGET.read_text() == diagrams.document()
