"""Vector translation in one layer: sentences moved by an offset, and what is then nearest.

The offset from A to B is the mean over pairs of v_B - v_A (Pires et al. 2019, section 5). The paper
takes it from the same pairs that are searched, all of them (``in-sample``, among ``all``). Beside
that stands the offset of other pairs (``held-out``): pairs are halved, each half is searched by
itself and moved by the offset of the other. Fewer sentences are easier to search, so the in-sample
offset is taken within halves too, and compared with that.
"""

from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

import numpy as np

from isogloss.arrays import Bools2d, Doubles1d, Floats3d
from isogloss.probe.neutrality.layer import Division
from isogloss.probe.neutrality.searches import Fold, Vectors, held_out, in_sample, search_folds
from isogloss.retrieve.neighbours import Pair, Score

Offset = Literal["none", "in-sample", "held-out"]
Among = Literal["all", "half"]
SCORES: tuple[Score, ...] = get_args(Score)
FORWARDS, BACK = 0, 1  # from the first language to the second, and back


class Search(NamedTuple):
    """What is searched: with which offset, among which sentences, by which score."""

    offset: Offset
    among: Among
    score: Score


PAPER = Search("in-sample", "all", "L2")


@dataclass(frozen=True, eq=False)
class LayerTranslation:
    """What was found in a layer: whether the nearest is the translation.

    Attributes
    ----------
    hits
        For each search, (2, n_sentences): forwards and back.
    """

    layer: int
    hits: dict[Search, Bools2d]

    def shares(self, search: Search, way: int = FORWARDS) -> Doubles1d:
        """Return what was found in one direction, 0 or 1 each; (n_sentences,)."""
        return self.hits[search][way].astype(np.float64)


def measure_layer(
    layer: int, vectors: Floats3d, division: Division, *, n_neighbours: int
) -> LayerTranslation:
    """Search the translations of a layer's sentences.

    Parameters
    ----------
    vectors
        Of both languages, sentence i of one the translation of sentence i of the other:
        (2, n_sentences, width).
    division
        Its halves are those of `probe neutrality`.
    n_neighbours
        k of CSLS, less than a half has sentences.
    """
    second = division.is_second_half
    every = np.ones_like(second)
    asked: dict[Among, list[tuple[Offset, list[Fold], Vectors]]] = {
        "all": [("none", in_sample(every), "raw"), ("in-sample", in_sample(every), "offset")],
        "half": [
            ("none", held_out(second), "raw"),
            ("in-sample", in_sample(second, ~second), "offset"),
            ("held-out", held_out(second), "offset"),
        ],
    }
    hits: dict[Search, Bools2d] = {}
    for among, searches in asked.items():
        for offset, folds, moved in searches:
            found = search_folds(
                vectors, [Pair(0, 1)], folds, moves=[moved], scores=SCORES,
                n_neighbours=n_neighbours, counts_hubs=False,
            )  # fmt: skip
            for kind, some in found.items():
                hits[Search(offset, among, kind.score)] = some.hits[0]
    return LayerTranslation(layer, hits)
