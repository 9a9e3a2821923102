"""Classification: what each feature asks of the code, with the files that show it."""

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from ccweb.planning.features.matching import Hit, Trees, Wish
from ccweb.planning.features.reading import Tree
from ccweb.planning.features.words import is_wide
from ccweb.planning.model import Feature
from ccweb_contract import prompts
from ccweb_contract.enums import ChangeType, Lang

MOST_EVIDENCE: Final = 5
_THERE: Final = 0.5
"""The share of a feature that a file has to be about for the feature to be there."""
_COVERED: Final = 0.6
"""The share of a feature's words that has to stand in that file."""
_ALL: Final = 0.9
"""The share from which on a file that is not about a feature holds all of it by the way."""
_NEAR: Final = 0.15
"""The share from which on a file is where the feature would go."""
_DOMAIN: Final = 0.08
_ABOUT: Final = 0.9
"""Where no more than this share of a feature is known, a file near it has to be about that much."""
_CLOSE: Final = 0.6
"""Files that are at least this near the best one are evidence too."""
_MODULE_SHARE: Final = 0.25
"""What the words of its module count beside those of a feature."""
_LEAST: Final = 0.4
_MOST: Final = 0.95
"""Nothing that is told from words alone is certain."""
_MOST_WORDS: Final = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Classified:
    """A feature with what it asks of the code."""

    feature: Feature
    change_type: ChangeType
    confidence: float
    """0-1."""
    evidence_files: tuple[str, ...]
    """Paths from the root; the repository's name stands in front where there are several."""
    suggested_location: str
    """A file for a change, a folder for something new; empty when it is unclear."""
    reason: str


def classify(
    features: Sequence[Feature], trees: Mapping[str, Tree], lang: Lang
) -> list[Classified]:
    """Return what each feature asks of the code of these repositories, by name."""
    searched = Trees(trees)
    named = len(trees) > 1
    return [_classified(one, searched, lang, named=named) for one in features]


def _classified(feature: Feature, trees: Trees, lang: Lang, *, named: bool) -> Classified:
    wish = trees.wish(feature.name)
    about = trees.wish(feature.module)
    hits = trees.hits(wish, about=about, about_share=_MODULE_SHARE)
    if not hits or not _is_near(wish, hits[0]):
        return _unclear(feature, hits, lang)
    best = hits[0]
    is_there = best.score >= _THERE and best.coverage >= _COVERED and _holds_most(wish, best)
    if not is_there and best.coverage >= _ALL:
        return _unclear(feature, hits, lang)
    near = [hit for hit in hits[:MOST_EVIDENCE] if hit.score >= _CLOSE * best.score]
    certainty = best.score if is_there else 1 - best.coverage
    files = tuple(_path(hit, named=named) for hit in near)
    return Classified(
        feature=feature,
        change_type=ChangeType.MODIFY if is_there else ChangeType.NEW,
        confidence=round(min(_LEAST + certainty / 2, _MOST), 2),
        evidence_files=files,
        suggested_location=files[0] if is_there else _folder(files[0]),
        reason=_reason(
            lang,
            is_there=is_there,
            file=files[0],
            words=_written(wish, best.words) or _written(about, best.words),
            missing=wish.missing,
        ),
    )


def _is_near(wish: Wish, best: Hit) -> bool:
    """Tell whether a file shows where a feature belongs, however little of it is there."""
    share = sum(wish.found.values()) / wish.weight if wish.weight else 0.0
    return best.score >= _NEAR or (share >= _DOMAIN and best.score >= _ABOUT * share)


def _holds_most(wish: Wish, best: Hit) -> bool:
    """Tell whether a file holds more than half of the words; one rare word is not a feature."""
    held = sum(word in best.words for word in wish.found)
    return 2 * held > len(wish.found) + len(wish.missing)


def _unclear(feature: Feature, hits: Sequence[Hit], lang: Lang) -> Classified:
    strangeness = 1 - hits[0].score / _NEAR if hits else 1.0
    return Classified(
        feature=feature,
        change_type=ChangeType.UNCLEAR,
        confidence=round(_LEAST + max(strangeness, 0.0) / 2, 2),
        evidence_files=(),
        suggested_location="",
        reason=prompts.feature_is_unclear(lang),
    )


def _path(hit: Hit, *, named: bool) -> str:
    return f"{hit.tree}/{hit.path}" if named else hit.path


def _folder(path: str) -> str:
    """Return the folder of a file; a file in the root is its own place."""
    return path.rpartition("/")[0] or path


def _reason(
    lang: Lang, *, is_there: bool, file: str, words: Iterable[str], missing: Iterable[str]
) -> str:
    if is_there:
        return prompts.feature_changes(lang, file=file, words=_listed(words, lang))
    return prompts.feature_is_new(
        lang, missing=_listed(missing, lang), file=file, words=_listed(words, lang)
    )


def _written(wish: Wish, held: Container[str]) -> list[str]:
    """Return the words of a wish that a file holds, as they were written."""
    written: list[str] = []
    for word in wish.found:
        if word not in held:
            continue
        if is_wide(word) and written and written[-1].endswith(word[0]):
            written[-1] += word[1:]  # the pairs of one word overlap
        else:
            written.append(word if is_wide(word) else wish.shown[word])
    return written


def _listed(words: Iterable[str], lang: Lang) -> str:
    separator = "、" if lang is Lang.ZH else ", "
    return separator.join(list(dict.fromkeys(words))[:_MOST_WORDS])
