"""Matching: how much of a wish stands in which files, rare words counting more than common ones."""

import math
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import Final

from ccweb.planning.features.reading import Place, Posting, Tree
from ccweb.planning.features.words import Term, terms

_STRENGTH: Final = {Place.DEFINED: 0.9, Place.NAMED: 1.0}
_MENTIONED: Final = 0.8
"""What a file gives that holds a word again and again without being named or defined by it."""
_PATIENCE: Final = 1.0
_PATIENCE_WIDE: Final = 0.25
"""Code is seldom written in Chinese: where it stands in a text or a comment, it is meant."""
_ASIDE: Final = re.compile(
    r"(?:.*/)?(?:tests?|specs?|__tests__|docs?|examples?|generated|migrations)/|(?:.*/)?(?:test_|CHANGELOG|LICENSE)"
    r"|.*[._-](?:test|spec)\.\w+$"
)
_ASIDE_SHARE: Final = 0.8
"""Tests, documents and the like tell of the code but are not it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """A text by the words that matter, each with its weight."""

    found: Mapping[str, float]
    """Words that stand somewhere in the trees."""
    missing: Mapping[str, float]
    """What stands nowhere, as it was written."""
    shown: Mapping[str, str]
    """As what each word was written."""

    @property
    def weight(self) -> float:
        """Return what all its words weigh."""
        return sum(self.found.values()) + sum(self.missing.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A file that holds some of a wish."""

    tree: str
    path: str
    score: float
    """0-1: how much of the wish the file is about."""
    coverage: float
    """0-1: how much of the wish stands in it at all."""
    words: frozenset[str]
    """Those of the wish, and of what it is a part of, that stand in it."""


class Trees:
    """Working trees by name, searched as one."""

    def __init__(self, trees: Mapping[str, Tree]) -> None:
        self._trees = trees

    @cached_property
    def _files(self) -> int:
        return sum(len(tree.files) for tree in self._trees.values())

    @cached_property
    def _mean_length(self) -> float:
        total = sum(sum(tree.lengths) for tree in self._trees.values())
        return max(total / max(self._files, 1), 1.0)

    def wish(self, text: str) -> Wish:
        """Return what is particular in a text, weighed by how rare it is in the trees."""
        found: dict[str, float] = {}
        missing: dict[str, float] = {}
        shown: dict[str, str] = {}
        for term in terms(text):
            for word, written, held in self._resolved(term):
                shown[word] = written
                if held:
                    found[word] = self._weight(word)
                else:
                    missing[written] = missing.get(written, 0.0) + self._weight(word)
        return Wish(found=found, missing=missing, shown=shown)

    def hits(self, wish: Wish, *, about: Wish | None = None, about_share: float = 0.0) -> list[Hit]:
        """Return the files that hold some of a wish, the best first.

        Args:
            wish: What is looked for.
            about: What it is a part of: its words help to rank files.
            about_share: How much the words of `about` count.
        """
        scores: dict[tuple[str, int], float] = defaultdict(float)
        words: dict[tuple[str, int], set[str]] = defaultdict(set)
        for part, share in ((wish, 1.0), (about, about_share)):
            total = part.weight if part else 0.0
            for word, weight in part.found.items() if part and total else ():
                for name, posting in self._postings(word):
                    strength = self._strength(name, word, posting)
                    scores[name, posting.file] += share * weight * strength / total
                    words[name, posting.file].add(word)
        hits = [self._hit(wish, *where, score, words[where]) for where, score in scores.items()]
        return sorted(hits, key=lambda hit: (-hit.score, hit.tree, hit.path))

    def _hit(self, wish: Wish, name: str, file: int, score: float, words: set[str]) -> Hit:
        path = self._trees[name].files[file]
        covered = sum(wish.found.get(word, 0.0) for word in words)
        return Hit(
            tree=name,
            path=path,
            score=score * (_ASIDE_SHARE if _ASIDE.match(path) else 1.0),
            coverage=covered / wish.weight if wish.weight else 0.0,
            words=frozenset(words),
        )

    def _postings(self, word: str) -> Iterator[tuple[str, Posting]]:
        for name, tree in self._trees.items():
            for posting in tree.postings.get(word, ()):
                yield name, posting

    def _count(self, word: str) -> int:
        return sum(len(tree.postings.get(word, ())) for tree in self._trees.values())

    def _weight(self, word: str) -> float:
        return math.log(1 + self._files / max(self._count(word), 0.5))

    def _strength(self, name: str, word: str, posting: Posting) -> float:
        """Return how much a file is about a word; a long file has many words by the way."""
        if posting.place in _STRENGTH:
            return _STRENGTH[posting.place]
        length = self._trees[name].lengths[posting.file] / self._mean_length
        patience = _PATIENCE if word.isascii() else _PATIENCE_WIDE
        return _MENTIONED * posting.times / (posting.times + patience * (0.5 + length))

    def _resolved(self, term: Term) -> Iterator[tuple[str, str, bool]]:
        """Yield the words of a term, each as it was written, and whether some file holds it."""
        if term.whole and self._count(term.whole):
            yield term.whole, term.shown, True
        elif term.is_wide:
            yield from self._resolved_wide(term)
        else:
            for word in term.words:
                yield word, term.shown, self._count(word) > 0

    def _resolved_wide(self, term: Term) -> Iterator[tuple[str, str, bool]]:
        """Yield the pairs that stand somewhere, and each stretch that none of them covers.

        A pair across the border of two words stands nowhere and means nothing.
        """
        held = [self._count(pair) > 0 for pair in term.words]
        covered = [a or b for a, b in zip([*held, False], [False, *held], strict=True)]
        start = 0
        for is_held, stretch in groupby(covered):
            length = len(list(stretch))
            written = term.shown[start : start + length]
            if is_held:
                pairs = term.words[start : start + length - 1]
                yield from ((pair, written, True) for pair in pairs if self._count(pair))
            elif length > 1:
                yield written, written, False
            start += length
