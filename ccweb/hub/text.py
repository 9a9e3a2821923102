"""Text that people read: Markdown to sanitised HTML, code with highlighting, streaming in parts."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

import nh3
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import OptionsDict
from markupsafe import Markup, escape
from pygments import highlight
from pygments.formatters.html import HtmlFormatter
from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound

SHOWN_CHARACTERS: Final = 48 * 1024
"""How much of one text a page renders at once; the rest is read as plain text."""
_HIGHLIGHTED_CHARACTERS: Final = 24 * 1024
_FENCE: Final = re.compile(r"^ {0,3}(`{3,}|~{3,})(.*)$")
_LINE_SIGNS: Final = re.compile(r"^\s*(?:[#>]+|[-*+]|\|)\s+|^\s*[`~]{3,}.*$", re.MULTILINE)
_SIGNS: Final = re.compile(r"[`|]|\*\*|(?<!\w)[*_](?=\w)|(?<=\w)[*_](?!\w)")
_UNSEEN: Final = re.compile(
    "[\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f\\u00ad\\u061c\\u180e\\u200b-\\u200f"
    "\\u2028-\\u202e\\u2060-\\u206f\\ud800-\\udfff\\ufeff\\ufff9-\\ufffb\\U000e0000-\\U000e007f]"
)
"""Signs for control, halves of one, without width, or that turn the direction: they hide words."""
_JOINERS: Final = re.compile("(?<=[^\\s\u2000-\u206f])([\u200c\u200d])(?=[^\\s\u2000-\u206f])")
_COLOURS: Final = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)")
_TAGS: Final = frozenset(
    {"a", "blockquote", "br", "code", "div", "em", "h1", "h2", "h3", "h4", "h5", "h6", "hr"}
    | {"li", "ol", "p", "pre", "s", "span", "strong", "table", "tbody", "td", "th", "thead"}
    | {"tr", "ul"}
)
_ATTRIBUTES: Final = {
    "a": {"href", "title", "target"},
    "code": {"class"},
    "div": {"class", "data-language"},
    "ol": {"start"},
    "span": {"class"},
    "td": {"class"},
    "th": {"class"},
}
_SCHEMES: Final = {"http", "https", "mailto"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Streamed:
    """A text that is still being written, cut where its beginning will not change any more."""

    settled: str
    tail: str


def markdown(source: str) -> Markup:
    """Return the sanitised HTML of a Markdown text; raw HTML in it is shown as text."""
    return _rendered(source)


def document(source: str) -> Markup:
    """Return the HTML of a text that a person decides on: what hides in it is seen.

    Markdown can write any sign as an entity, so that it shows only in what is rendered.
    """
    return Markup(visible(str(markdown(visible(source)))))  # noqa: S704 - signs only become text


def inline(source: str) -> Markup:
    """Return the sanitised HTML of one line of Markdown, without a paragraph around it."""
    return Markup(nh3.clean(_MARKDOWN.renderInline(source), tags=set(_TAGS)))  # noqa: S704 - sanitised


def code(source: str, language: str) -> Markup:
    """Return a text as a block of code; of a very long one the beginning."""
    shown = _highlighted(visible(source[:SHOWN_CHARACTERS]), language)
    block = '<div class="code" data-language="{}"><pre tabindex="0"><code>{}</code></pre></div>'
    return Markup(block).format(language, Markup(shown))  # noqa: S704 - Pygments escapes


def visible(source: str) -> str:
    """Return a text whose signs are all seen: what hides or turns others is written as its code."""
    return _UNSEEN.sub(lambda found: f"\u27e8U+{ord(found[0]):04X}\u27e9", source)


def readable(title: str) -> str:
    """Return a title whose signs are all seen; what joins signs into one stays as it is."""
    parts = _JOINERS.split(title)
    return "".join(part if i % 2 else visible(part) for i, part in enumerate(parts))


def terminal(source: str) -> str:
    """Return what a program wrote for a terminal, without its colours."""
    return visible(_COLOURS.sub("", source).replace("\r\n", "\n"))


def streamed(source: str) -> Streamed:
    """Cut a growing text after its last blank line outside a code block."""
    cut, position, fence = 0, 0, ""
    for line in source.splitlines(keepends=True):
        position += len(line)
        fence = _fence_after(fence, line.rstrip("\n"))
        if not fence and not line.strip() and line.endswith("\n"):
            cut = position
    return Streamed(settled=source[:cut], tail=source[cut:])


def first_line(source: str, *, limit: int = 140) -> str:
    """Return the beginning of a text on one line, without Markdown's signs."""
    plain = _SIGNS.sub("", _LINE_SIGNS.sub("", source[: limit * 4]))
    words = " ".join(plain.split())
    return words if len(words) <= limit else words[:limit].rstrip() + "…"


@lru_cache(maxsize=256)
def _rendered(source: str) -> Markup:
    unsafe = _MARKDOWN.render(source.encode(errors="replace").decode())
    clean = nh3.clean(
        unsafe,
        tags=set(_TAGS),
        attributes={tag: set(names) for tag, names in _ATTRIBUTES.items()},
        url_schemes=set(_SCHEMES),
        link_rel="noopener noreferrer nofollow",
    )
    return Markup(clean)  # noqa: S704 - sanitised by nh3


def _fence_after(fence: str, line: str) -> str:
    """Return the fence that is open after a line, '' when none is."""
    found = _FENCE.match(line)
    if found is None:
        return fence
    marks, rest = found.groups()
    if not fence:
        return marks
    closes = marks[0] == fence[0] and len(marks) >= len(fence) and not rest.strip()
    return "" if closes else fence


def _render_fence(
    _: RendererHTML,
    tokens: list[Token],
    index: int,
    _options: OptionsDict,
    _env: Mapping[str, Any],
) -> str:
    """Render a code block with its language and room for a copy button."""
    token = tokens[index]
    language = token.info.strip().split(" ")[0] if token.info else ""
    return (
        f'<div class="code" data-language="{escape(language)}">'
        f"<pre><code>{_highlighted(token.content, language)}</code></pre></div>\n"
    )


def _render_image(
    _: RendererHTML,
    tokens: list[Token],
    index: int,
    _options: OptionsDict,
    _env: Mapping[str, Any],
) -> str:
    """Render an image as a link: the page loads nothing from elsewhere (R-U5)."""
    token = tokens[index]
    source = escape(str(token.attrs.get("src", "")))
    return f'<a href="{source}" target="_blank">{escape(token.content or str(source))}</a>'


def _highlighted(code: str, language: str) -> str:
    lexer = _lexer(language) if len(code) <= _HIGHLIGHTED_CHARACTERS else None
    if lexer is None:
        return str(escape(code))
    return str(highlight(code, lexer, _FORMATTER)).rstrip("\n")


@lru_cache(maxsize=64)
def _lexer(language: str) -> Lexer | None:
    try:
        return get_lexer_by_name(language, stripnl=False) if language else None
    except ClassNotFound:
        return None


def _open_elsewhere(
    renderer: RendererHTML,
    tokens: list[Token],
    index: int,
    options: OptionsDict,
    env: Mapping[str, Any],
) -> str:
    tokens[index].attrSet("target", "_blank")
    return renderer.renderToken(tokens, index, options, env)  # type: ignore[arg-type]


def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False, "linkify": False, "breaks": True})
    parser.enable(["table", "strikethrough"])
    parser.add_render_rule("fence", _render_fence)
    parser.add_render_rule("code_block", _render_fence)
    parser.add_render_rule("image", _render_image)
    parser.add_render_rule("link_open", _open_elsewhere)
    return parser


_FORMATTER: Final = HtmlFormatter(nowrap=True)
_MARKDOWN: Final = _parser()
