"""Translations searched as nearest neighbours: of vectors as they are, or with languages moved.

The one search of `probe neutrality` and `probe translation`. What languages are moved by is fitted
on some sentences, and others, or the same, are searched (`Fold`).

For languages A and B with means a and b, the offset of Pires et al. (2019) is b - a: it moves
sentences of A to B as queries, and of B to A by its opposite. Both lie about 0 after centring. By
L2 that is one and the same, x + b - a - y = (x - a) - (y - b); by a cosine it is not, as offset
vectors keep the mean of the language that they were moved to.
"""

from collections.abc import Collection, Sequence
from typing import Literal, NamedTuple

from isogloss.arrays import Bools1d, Floats3d
from isogloss.probe.neutrality.language_identity import language_means
from isogloss.retrieve.neighbours import Pair, Score, Searches, search_pairs

Vectors = Literal["raw", "common mean removed", "centred", "offset"]


class Kind(NamedTuple):
    """What is searched: vectors as they are or moved, by which score."""

    vectors: Vectors
    score: Score


class Fold(NamedTuple):
    """Sentences that are searched among each other, and those that means are of; (n_sentences,)."""

    searched: Bools1d
    fitted: Bools1d


def held_out(is_second_half: Bools1d) -> list[Fold]:
    """Return both halves, with means of the other."""
    return [Fold(half, ~half) for half in (is_second_half, ~is_second_half)]


def in_sample(*parts: Bools1d) -> list[Fold]:
    """Return parts of the sentences, with means of their own."""
    return [Fold(part, part) for part in parts]


def search_folds(
    vectors: Floats3d, pairs: Sequence[Pair], folds: Sequence[Fold], *,
    moves: Sequence[Vectors], scores: Collection[Score], n_neighbours: int,
    counts_hubs: bool = True,
) -> dict[Kind, Searches]:  # fmt: skip
    """Search within each fold; columns of what is found are all sentences again.

    Parameters
    ----------
    vectors
        (n_langs, n_sentences, width).
    folds
        Each sentence is searched in one.
    n_neighbours, counts_hubs
        As `search_pairs` takes them; fewer neighbours than a fold has sentences.
    """
    joined: dict[Kind, Searches] = {}
    for fold in folds:
        own, means = vectors[:, fold.searched], language_means(vectors[:, fold.fitted])
        for kind in moves:
            if kind == "offset":
                found = _offset_searches(own, means, pairs, scores, n_neighbours, counts_hubs)
            else:
                found = search_pairs(
                    _moved(own, means, kind), pairs, n_neighbours=n_neighbours, scores=scores,
                    counts_hubs=counts_hubs,
                )  # fmt: skip
            for score, some in found.items():
                whole = joined.setdefault(
                    Kind(kind, score), Searches.empty(len(pairs), vectors.shape[1])
                )
                whole.hits[..., fold.searched] = some.hits
                whole.occurrences[..., fold.searched] = some.occurrences
    return joined


def _moved(own: Floats3d, means: Floats3d, kind: Vectors) -> Floats3d:
    if kind == "centred":
        return own - means
    return own - means.mean(0, keepdims=True) if kind == "common mean removed" else own


def _offset_searches(
    own: Floats3d, means: Floats3d, pairs: Sequence[Pair], scores: Collection[Score],
    n_neighbours: int, counts_hubs: bool,
) -> dict[Score, Searches]:  # fmt: skip
    found = {score: Searches.empty(len(pairs), own.shape[1]) for score in scores}
    for at, pair in enumerate(pairs):
        for way, (moved, still) in enumerate((pair, reversed(pair))):
            sides = list(pair)
            both = own[sides]
            both[way] += means[still] - means[moved]
            # By L2 both ways are one, whichever side is moved.
            asked = [score for score in scores if score != "L2" or way == 0]
            one = search_pairs(
                both, [Pair(0, 1)], n_neighbours=n_neighbours, scores=asked,
                counts_hubs=counts_hubs,
            )  # fmt: skip
            for score, some in one.items():
                ways = [0, 1] if score == "L2" else [way]
                found[score].hits[at, ways] = some.hits[0, ways]
                found[score].occurrences[at, ways] = some.occurrences[0, ways]
    return found
