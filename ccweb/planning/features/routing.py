"""Routing: which repositories come into question for a work, by the words of both."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from ccweb.planning.features import parsing as features
from ccweb.planning.features.matching import Hit, Trees, Wish
from ccweb.planning.features.reading import Tree
from ccweb.planning.model import Route
from ccweb_contract.enums import CandidateRole

_DIRECT: Final = 0.6
"""The share of the best score from which on a repository is meant itself."""
_LEAST: Final = 0.05
"""A score below which a match is chance."""
_MOST_PARTS: Final = 200
_MOST_WORDS: Final = 8


def route(text: str, trees: Mapping[str, Tree]) -> list[Route]:
    """Return how each repository, by its id, stands to a work, the likeliest first.

    A repository is as likely as the files that the parts of the work find in it. The best one is
    direct wherever anything matches, and the only one always.
    """
    searched = Trees(trees)
    wishes = [wish for part in _parts(text) if (wish := searched.wish(part)).weight]
    best = [_best(searched.hits(wish)) for wish in wishes]
    found = {name: [hits.get(name) for hits in best] for name in trees}
    scores = {name: _score(wishes, hits) for name, hits in found.items()}
    top = max(scores.values(), default=0.0)
    routes = [
        Route(
            repository_id=name,
            role=_role(score, top, alone=len(trees) == 1),
            score=round(score, 3),
            matched=_matched(wishes, found[name]),
        )
        for name, score in scores.items()
    ]
    return sorted(routes, key=lambda one: -one.score)


def _score(wishes: Sequence[Wish], hits: Sequence[Hit | None]) -> float:
    """Return how well a repository's best files match, by the weight of what they match."""
    both = zip(wishes, hits, strict=True)
    matched = sum(wish.weight * hit.score for wish, hit in both if hit)
    return matched / (sum(wish.weight for wish in wishes) or 1.0)


def _parts(text: str) -> Iterable[str]:
    """Return what is looked for one by one: features with their modules, else lines."""
    listed = features.parse(text).items
    parts = [f"{one.module} {one.name}" for one in listed] or text.splitlines()
    return parts[:_MOST_PARTS]


def _best(hits: Iterable[Hit]) -> dict[str, Hit]:
    best: dict[str, Hit] = {}
    for hit in hits:
        best.setdefault(hit.tree, hit)
    return best


def _role(score: float, top: float, *, alone: bool) -> CandidateRole:
    is_direct = alone or (score >= _LEAST and score >= _DIRECT * top) or score == top > 0
    return CandidateRole.DIRECT if is_direct else CandidateRole.RELATED


def _matched(wishes: Sequence[Wish], hits: Sequence[Hit | None]) -> tuple[str, ...]:
    """Return the words that weigh most of those that a repository's files hold."""
    weights: Counter[str] = Counter()
    for wish, hit in zip(wishes, hits, strict=True):
        for word in hit.words if hit else ():
            shown = wish.shown[word].lower()
            weights[shown] = max(weights[shown], int(1000 * wish.found[word]))
    ranked = sorted(weights, key=lambda shown: (-weights[shown], shown))
    return tuple(ranked[:_MOST_WORDS])
