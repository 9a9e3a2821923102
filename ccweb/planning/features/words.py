"""Words: what texts and code are made of, so that a wish and a file can meet."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

_RUN: Final = re.compile(r"[^\W_]+")
_CAMEL: Final = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
_WIDE: Final = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff"
_SCRIPTS: Final = re.compile(rf"(?P<wide>[{_WIDE}]+)|[^{_WIDE}]+")
_WIDE_ALONE: Final = re.compile(rf"[{_WIDE}]+")
_LONGEST: Final = 64
"""Longer runs are data and no words."""
_STEM: Final = 4

_COMMON_WORDS: Final = (
    "a about add added adds after all allow allows also an and any application are as at "
    "available be been before better between both build but by can change changes could "
    "create do does down each enable ensure every existing feature features fix for from function "
    "functionality get give has have how if implement improve in into is it its let like make "
    "may more must need new no not of off on one only option or other our out over own per "
    "please possible provide provides remove set should show so some such support supports "
    "system than that the their them then there these they this those to too up update use used "
    "user users uses using via want way we what when where which while who will with within "
    "without would you your"
)
_COMMON: Final = frozenset(_COMMON_WORDS.split())
_COMMON_WIDE: Final = re.compile(
    "支持|功能|可以|能够|允许|需要|必须|应该|实现|新增|增加|添加|提供|优化|改进|修改|调整|完善|修复|删除|"
    "进行|使用|通过|根据|以及|或者|并且|如果|时候|之后|之前|所有|全部|相关|对应|各个|一个|用户|系统|模块|页面|"
    "[的了和与及或]"
)


@dataclass(frozen=True, slots=True)
class Term:
    """One word of a wish as it was written, with the words by which code is looked up."""

    shown: str
    words: tuple[str, ...]
    whole: str = ""
    """The parts of a name in one, as it may be written elsewhere; empty where there is one part."""
    is_wide: bool = False
    """It is written without spaces, and its words are pairs of characters that overlap."""


def counted(text: str) -> dict[str, int]:
    """Return how often each word stands in a text; names count as their parts and as a whole."""
    found: dict[str, int] = {}
    for run, times in Counter(_RUN.findall(text)).items():
        for word in _split(run):
            found[word] = found.get(word, 0) + times
    return found


def terms(text: str) -> list[Term]:
    """Return what is particular in a wish, in order and each once; common words are left out."""
    found: dict[str, Term] = {}
    for run in _RUN.findall(_COMMON_WIDE.sub(" ", text)):
        for term in _terms(run):
            if term.words and term.shown.lower() not in _COMMON:
                found.setdefault(term.shown.lower(), term)
    return list(found.values())


def is_wide(word: str) -> bool:
    """Tell whether a word is of a script that is written without spaces."""
    return _WIDE_ALONE.fullmatch(word) is not None


def _terms(run: str) -> Iterator[Term]:
    for piece in _SCRIPTS.finditer(run[:_LONGEST]):
        shown = piece[0]
        if piece["wide"]:
            yield Term(shown, tuple(_pairs(shown)) if len(shown) > 1 else (), is_wide=True)
        else:
            parts = tuple(_parts(shown))
            yield Term(shown, parts, _stem(shown.lower()) if len(parts) > 1 else "")


@lru_cache(maxsize=1 << 17)
def _split(run: str) -> tuple[str, ...]:
    """Return the words of a run of letters and digits."""
    if len(run) > _LONGEST:
        return ()
    words: list[str] = []
    for term in _terms(run):
        words += [*term.words, *filter(None, [term.whole])]
    return tuple(words)


def _pairs(run: str) -> Iterator[str]:
    return (run[i : i + 2] for i in range(len(run) - 1))


def _parts(run: str) -> Iterator[str]:
    """Yield the words of a name that is written in one; single letters and numbers say nothing."""
    parts = _CAMEL.findall(run) if run.isascii() else [run]
    return (_stem(part.lower()) for part in parts if len(part) > 1 and not part.isdigit())


def _stem(word: str) -> str:
    """Return a word without its ending, so that send, sends and sending are one."""
    if word.endswith("ies") and len(word) > _STEM:
        word = f"{word[:-3]}y"
    elif word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > _STEM - 1:
        word = word[:-1]
    for ending in ("ing", "ion", "ed"):
        if word.endswith(ending) and len(word) - len(ending) >= _STEM:
            word = word.removesuffix(ending)
            break
    word = word[:-1] if len(word) > _STEM and word[-1] == word[-2] else word
    return word.removesuffix("e") if len(word) > _STEM else word
