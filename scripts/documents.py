"""Writes what the documents say of the code from the code itself: `make documents`.

The README in both languages holds blocks between `<!-- code:NAME -->` and `<!-- /code:NAME -->`;
docs/contract.md and docs/friday.md do too, and docs/states.md is drawn as a whole. A test fails
when a file differs from what is returned here.
"""

import argparse
import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

from ccweb import settings
from ccweb.cli import arguments
from ccweb_contract.enums import EXPLANATIONS, Lang, ReplyMode
from codegen import reference
from scripts import friday, states
from scripts.chinese import CHINESE

ROOT: Final = Path(__file__).resolve().parent.parent
_READMES: Final = {"README.md": Lang.EN, "README.zh.md": Lang.ZH}
_FRIDAY: Final = {"friday.md": Lang.EN, "friday.zh.md": Lang.ZH}

_HEADS: Final[Mapping[str, Mapping[Lang, tuple[str, ...]]]] = {
    "settings": {
        Lang.EN: ("Variable", "Default", "Meaning"),
        Lang.ZH: ("变量", "默认值", "含义"),
    },
    "commands": {Lang.EN: ("Command", "What it does"), Lang.ZH: ("命令", "作用")},
    "reply-modes": {Lang.EN: ("`replyMode`", "Effect"), Lang.ZH: ("`replyMode`", "效果")},
}

_WIDE: Final = 10_000
_COLOUR: Final = re.compile(r"\x1b\[[0-9;]*m")
"""Newer versions of argparse colour a usage line when they write to a terminal."""


def documents() -> dict[Path, str]:
    """Return every document that the code has a say in, as it should be."""
    docs = ROOT / "docs"
    meta_schema = json.loads((ROOT / "contract" / "tools.schema.json").read_text())
    wanted = {
        **{ROOT / name: blocks(lang) for name, lang in _READMES.items()},
        **{docs / name: friday_blocks(lang) for name, lang in _FRIDAY.items()},
        docs / "contract.md": reference.blocks(meta_schema),
    }
    pages = {path: filled(path.read_text(), parts) for path, parts in wanted.items()}
    return {**pages, docs / "states.md": states.page()}


def filled(text: str, wanted: Mapping[str, str]) -> str:
    """Return a text with its marked blocks renewed; everything else stays.

    Raises:
        ValueError: a block is missing or stands there twice.
    """
    for name, block in wanted.items():
        begin, end = f"<!-- code:{name} -->\n", f"<!-- /code:{name} -->"
        before, _, rest = text.partition(begin)
        _, closed, after = rest.partition(end)
        if not closed or begin in after or end in after:
            raise ValueError(f"{begin.strip()} … {end} must stand there once")
        text = f"{before}{begin}{block}{end}{after}"
    return text


def blocks(lang: Lang) -> dict[str, str]:
    """Return the text of every marked block by its name."""
    return {
        "reply-modes": _table("reply-modes", lang, _reply_modes(lang)),
        "settings": _table("settings", lang, _settings(lang)),
        "commands": _table("commands", lang, _commands(lang)),
    }


def friday_blocks(lang: Lang) -> dict[str, str]:
    """Return the text of every marked block of the page about friday."""
    drawings = {"machine": states.blueprint(), "plan-machine": states.feature_plan()}
    return friday.blocks(lang) | drawings


def sentences() -> set[str]:
    """Return what the code says in English and a Chinese reader needs in Chinese."""
    defaults = {default for _, default, _ in settings.table() if _is_words(default)}
    meanings = {meaning for _, _, meaning in settings.table()}
    return defaults | meanings | {_does(leaf) for leaf in _leaves(arguments.parser())}


def _table(name: str, lang: Lang, rows: Iterable[tuple[str, ...]]) -> str:
    head, *lines = (f"| {' | '.join(row)} |\n" for row in (_HEADS[name][lang], *rows))
    return "".join([head, "|---" * len(_HEADS[name][lang]) + "|\n", *lines])


def _reply_modes(lang: Lang) -> Iterator[tuple[str, ...]]:
    for mode in ReplyMode:
        yield f"`{mode}`", EXPLANATIONS[ReplyMode][mode][lang]


def _settings(lang: Lang) -> Iterator[tuple[str, ...]]:
    for variable, default, meaning in settings.table():
        shown = _said(default, lang) if _is_words(default) else default
        yield f"`{variable}`", shown, _said(meaning, lang)


def _commands(lang: Lang) -> Iterator[tuple[str, ...]]:
    for leaf in _leaves(arguments.parser()):
        yield f"`{_usage(leaf)}`", _said(_does(leaf), lang)


def _said(text: str, lang: Lang) -> str:
    return CHINESE[text] if lang is Lang.ZH else text


def _is_words(default: str) -> bool:
    return default != "" and not default.startswith("`")


def _leaves(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    """Yield the parsers of the commands that do something."""
    branches = [a for a in parser._actions if isinstance(a, argparse._SubParsersAction)]
    if not branches:
        yield parser
    for branch in branches:
        for child in branch.choices.values():
            yield from _leaves(child)


def _usage(parser: argparse.ArgumentParser) -> str:
    """Return the usage of a command on one line, whatever the width of the terminal."""
    parser.formatter_class = lambda prog: argparse.HelpFormatter(prog, width=_WIDE)
    usage = _COLOUR.sub("", parser.format_usage())
    return usage.removeprefix("usage: ").replace(" [-h]", "").strip()


def _does(parser: argparse.ArgumentParser) -> str:
    return parser.description or ""


def main() -> int:
    """Write every document that differs from what the code says."""
    for path, text in documents().items():
        if not path.exists() or path.read_text() != text:
            path.write_text(text)
            print(f"wrote {path.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
