"""Text that people read: nothing in it can act on the page, and it is cut where it is settled."""

import pytest

from ccweb.hub.text import first_line, markdown, streamed


@pytest.mark.requirement("R-U5")
@pytest.mark.parametrize(
    "hostile",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "[x](javascript:alert(1))",
        "[x](data:text/html,<script>alert(1)</script>)",
        "![x](http://elsewhere.example/pixel.png)",
        "<style>body{display:none}</style>",
        "<a href='http://x' onclick='y()'>z</a>",
        "```<img src=x onerror=1>\ncode\n```",
        "<iframe src='http://elsewhere.example'></iframe>",
    ],
)
def test_no_text_brings_markup_of_its_own_or_loads_anything(hostile: str) -> None:
    html = markdown(hostile)
    for tag in ("<script", "<img", "<style", "<iframe", 'href="javascript', 'href="data'):
        assert tag not in html
    assert "onclick=" not in html.replace("onclick='", "")


def test_links_open_elsewhere_and_tell_nothing_of_where_they_were() -> None:
    html = markdown("[notes](https://example.org/a?b=1&c=2)")
    assert html == (
        '<p><a href="https://example.org/a?b=1&amp;c=2" target="_blank" '
        'rel="noopener noreferrer nofollow">notes</a></p>\n'
    )


def test_code_is_highlighted_and_keeps_its_language_and_every_character() -> None:
    html = markdown("```python\nif a < b:\n    pass\n```")
    assert '<div class="code" data-language="python">' in html
    assert '<span class="k">if</span>' in html
    assert "&lt;" in html


def test_code_of_an_unknown_language_is_shown_as_it_is() -> None:
    assert "<code>a &lt; b\n</code>" in markdown("```nonesuch\na < b\n```")


@pytest.mark.parametrize(
    ("source", "settled"),
    [
        ("", ""),
        ("one line", ""),
        ("a\n\nb", "a\n\n"),
        ("a\n\nb\n\n", "a\n\nb\n\n"),
        ("```\na\n\nb", ""),
        ("x\n\n```py\na\n\nb\n```\n\nrest", "x\n\n```py\na\n\nb\n```\n\n"),
        ("~~~\n```\n\n~~~\n\nz", "~~~\n```\n\n~~~\n\n"),
        ("````\n```\n\n````\n", ""),
    ],
)
def test_a_growing_text_is_settled_up_to_a_blank_line_outside_code(
    source: str, settled: str
) -> None:
    cut = streamed(source)
    assert (cut.settled, cut.settled + cut.tail) == (settled, source)


def test_the_first_line_of_a_text_is_short_and_free_of_signs() -> None:
    assert first_line("# **Verdict:** `sound`.\n\n- *one* file\n") == "Verdict: sound. one file"
    assert first_line("see `my_file.py`, 2 * 3") == "see my_file.py, 2 * 3"
    assert first_line("```python\nx = 1\n```") == "x = 1"
    assert first_line("x" * 200, limit=10) == "x" * 10 + "…"
