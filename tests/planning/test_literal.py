"""Words of others within Markdown: nothing in them has a look, hides, or becomes something else."""

import re
from html import unescape

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from ccweb.planning.blueprints.literal import literal, path

pytestmark = pytest.mark.requirement("R-P4")

MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
SIGNS = st.lists(
    st.sampled_from([*"ab1 \n\t\\`*_~<>[]()#&;-+=.|!:\"'", "&amp;", "```", " ** ", "é", "礼"])
).map("".join)
AROUND = ("- {}", "### {}", "Purpose: {}", "- What? **{}** (Ada)")


def read(markdown: str) -> str:
    """Return what a person reads of a rendered text, without its looks."""
    return unescape(re.sub("<[^>]*>", "", MARKDOWN.render(markdown)).strip())


def one_line(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize(
    "text",
    [
        "# Decisions",
        "## Decisions ##",
        "> said",
        "~~~ open",
        "```",
        "1. one",
        "2) two",
        "- item",
        "---",
        "Which? **yes** (Ada). And which?",
        "__bold__ and _soft_",
        "src/__init__.py",
        "[a]: http://x.example 'never seen'",
        "[click](http://x.example)",
        "![seen](http://x.example 'never seen')",
        "<http://x.example> <b>",
        "&#x202E;reversed &amp; &ZeroWidthSpace;",
        "back\\*slash\\",
        "first\n\n## Decisions\n\n- approved",
    ],
)
@pytest.mark.parametrize("around", AROUND)
def test_words_are_read_as_they_were_written(text: str, around: str) -> None:
    shown = around.format(literal(text))
    assert read(shown) == read(around.format("x")).replace("x", one_line(text), 1)
    looks = set(re.findall(r"<(\w+)", MARKDOWN.render(shown)))
    assert looks == set(re.findall(r"<(\w+)", MARKDOWN.render(around.format("x"))))


@pytest.mark.parametrize("text", ["Take it in `till.py`.", "`a` and ``b`c``", "`x`"])
def test_code_stays_code(text: str) -> None:
    assert literal(text) == text


@given(SIGNS)
def test_no_words_change_what_stands_around_them(text: str) -> None:
    shown = MARKDOWN.render(f"- What? **{literal(text)}** (Ada)")
    assert shown.count("<li>") == 1
    assert set(re.findall(r"<(\w+)", shown)) <= {"ul", "li", "strong", "code"}
    for around in AROUND[:2]:
        rendered = MARKDOWN.render(around.format(literal(text)))
        assert set(re.findall(r"<(\w+)", rendered)) <= {"ul", "li", "h3", "code"}


@given(SIGNS.filter(str.strip))
def test_a_path_is_code_with_every_sign(text: str) -> None:
    assert f"<code>{read(path(text))}</code>" == f"<code>{one_line(text)}</code>"
    assert "<code>" in MARKDOWN.render(f"- {path(text)}")
