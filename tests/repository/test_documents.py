"""What the documents say of the code is what the code says."""

from pathlib import Path

import pytest

from ccweb_contract.enums import Lang
from scripts import documents, friday
from scripts.chinese import CHINESE
from scripts.chinese_fields import FIELDS


@pytest.mark.requirement("AC6")
@pytest.mark.parametrize("path", documents.documents(), ids=lambda path: path.name)
def test_a_document_says_what_the_code_says(path: Path) -> None:
    assert path.read_text() == documents.documents()[path]


def test_every_english_sentence_has_its_chinese_and_none_is_left_over() -> None:
    assert set(CHINESE) == documents.sentences()
    assert set(FIELDS) == friday.sentences()


def test_the_blocks_do_not_depend_on_the_terminal_or_the_machine(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before = documents.blocks(Lang.EN)
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setenv("CCWEB_PORT", "1234")
    monkeypatch.setenv("HOME", "/nowhere")
    assert documents.blocks(Lang.EN) == before


@pytest.mark.parametrize(
    "text",
    ["no block", "<!-- code:a -->\n", "<!-- code:a -->\n<!-- /code:a -->\n" * 2],
    ids=["missing", "never closed", "twice"],
)
def test_a_page_that_lost_a_block_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="code:a"):
        documents.filled(text, {"a": "new\n"})


def test_only_what_stands_in_a_block_changes() -> None:
    text = "before\n<!-- code:a -->\nold\n<!-- /code:a -->\nafter\n"
    assert documents.filled(text, {"a": r"new \1" + "\n"}) == text.replace("old", r"new \1")
