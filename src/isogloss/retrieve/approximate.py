"""Approximate neighbours by FAISS: inverted lists of vectors in 8 bits, rescored exactly.

FAISS (Douze et al. 2024) sorts vectors into lists by their nearest centre and looks at the lists
nearest to a query alone. What it proposes is scored by exact cosines; what it misses is missed. How
much that is is measured when the lists are made: the fewest lists are looked at with which at least
`WANTED_RECALL` of the ten nearest of a sample of the vectors themselves are found.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from isogloss.arrays import Floats2d, Ints2d
from isogloss.compat import require
from isogloss.errors import InputError
from isogloss.retrieve.search import BothNeighbours, Neighbours, nearest, nearest_both

WANTED_RECALL = 0.95
N_SAMPLED = 256  # vectors by which recall is measured
K_MEASURED = 10
N_PER_CENTRE = 39  # fewest vectors of a centre in training, of which FAISS warns else
_ROWS_AT_ONCE = 1 << 16
_N_PROPOSED = 4  # times k, to be rescored: 8 bits a dimension may change the order of near ones


def require_faiss() -> Any:
    """Return FAISS, or say which extra brings it."""
    why = "approximate search (--faiss)"
    return require("faiss", extra="faiss", why=why, distribution="faiss-cpu")


@dataclass(frozen=True)
class ApproximateIndex:
    """Inverted lists of FAISS.

    Attributes
    ----------
    lists
        FAISS's index.
    n_probe
        Lists that a query looks at.
    recall
        Share of the ten nearest that were found for a sample of the vectors.
    """

    lists: Any
    n_probe: int
    recall: float

    @classmethod
    def build(cls, vectors: Floats2d, *, seed: int = 0) -> "ApproximateIndex":
        """Sort vectors into lists.

        Parameters
        ----------
        vectors
            Unit vectors, (n_vectors, width), one or more; may be memory-mapped. The lists take a
            byte a number.
        """
        faiss = require_faiss()
        n, width = vectors.shape
        n_lists = max(1, min(round(4 * n**0.5), n // N_PER_CENTRE))
        lists = faiss.index_factory(width, f"IVF{n_lists},SQ8", faiss.METRIC_INNER_PRODUCT)
        generator = np.random.default_rng(seed)
        lists.train(_some(vectors, n_lists * 4 * N_PER_CENTRE, generator))
        for start in range(0, n, _ROWS_AT_ONCE):
            lists.add(np.ascontiguousarray(vectors[start : start + _ROWS_AT_ONCE], np.float32))
        sample = _some(vectors, N_SAMPLED, generator)
        exact = nearest(sample, vectors, k=K_MEASURED + 1).rows
        n_probe, recall = 1, 0.0
        while n_probe <= n_lists:
            found = _proposed(lists, sample, vectors, k=K_MEASURED + 1, n_probe=n_probe).rows
            recall = _recall(exact, found)
            if recall >= WANTED_RECALL or n_probe == n_lists:
                break
            n_probe = min(2 * n_probe, n_lists)
        return cls(lists, n_probe, recall)

    @classmethod
    def read(cls, path: Path, shape: tuple[int, int], *, n_probe: int, recall: float) -> Any:
        """Read lists of vectors of a shape that `write` wrote.

        FAISS parses the file, in compiled code: read one only of an index that is trusted.

        Raises
        ------
        InputError
            When it is no such file, or of other vectors.
        """
        faiss = require_faiss()
        try:
            lists = faiss.read_index(str(path))
        except RuntimeError as error:
            raise InputError("is not a file of FAISS; make the index again", path=path) from error
        if not isinstance(lists, faiss.IndexIVF) or (lists.ntotal, lists.d) != shape:
            raise InputError("damaged: of other vectors; make the index again", path=path)
        return cls(lists, n_probe, recall)

    def write(self, path: Path) -> None:
        """Write the lists to a file."""
        require_faiss().write_index(self.lists, str(path))

    def nearest(self, queries: Floats2d, vectors: Floats2d, *, k: int) -> Neighbours:
        """Return what `search.nearest` does, as far as it is found, of the vectors of the lists.

        Where a query's lists hold fewer than k, rows are `search.NOTHING`.
        """
        return _proposed(self.lists, queries, vectors, k=k, n_probe=self.n_probe)


def nearest_both_by_faiss(sources: Floats2d, targets: Floats2d, *, k: int = 1) -> BothNeighbours:
    """Return what `search.nearest_both` does, as far as FAISS finds it.

    Sets with fewer vectors than two lists need are searched exactly.
    """
    if min(len(sources), len(targets)) < 2 * N_PER_CENTRE:
        require_faiss()
        return nearest_both(sources, targets, k=k)
    of_sources = ApproximateIndex.build(targets).nearest(sources, targets, k=k)
    of_targets = ApproximateIndex.build(sources).nearest(targets, sources, k=k)
    return BothNeighbours(of_sources, of_targets)


def _proposed(
    lists: Any, queries: Floats2d, vectors: Floats2d, *, k: int, n_probe: int
) -> Neighbours:
    """Let FAISS propose, and keep the best by exact cosine."""
    faiss = require_faiss()
    k = min(k, len(vectors))
    n_asked = min(len(vectors), _N_PROPOSED * k + 16)
    rows = np.empty((len(queries), k), np.int64)
    cosines = np.empty((len(queries), k), np.float32)
    n_at_once = max(1, (1 << 26) // (n_asked * vectors.shape[1]))
    how = faiss.SearchParametersIVF(nprobe=n_probe)
    for start in range(0, len(queries), n_at_once):
        part = slice(start, start + n_at_once)
        some = np.ascontiguousarray(queries[part], np.float32)
        _, proposed = lists.search(some, n_asked, params=how)
        proposed = np.sort(proposed, axis=1)  # of equals the first row
        if proposed.max(initial=-1) >= len(vectors):
            raise InputError("the file of FAISS is of other vectors; make the index again")
        exact = np.einsum("qd,qnd->qn", some, vectors[proposed], optimize=True)
        exact = np.where(proposed < 0, -np.inf, exact)
        order = np.argsort(-exact, axis=1, kind="stable")[:, :k]
        rows[part] = np.take_along_axis(proposed, order, axis=1)
        cosines[part] = np.take_along_axis(exact, order, axis=1)
    return Neighbours(rows, cosines)


def _some(vectors: Floats2d, n: int, generator: np.random.Generator) -> Floats2d:
    if n >= len(vectors):
        return np.ascontiguousarray(vectors, np.float32)
    rows = np.sort(generator.choice(len(vectors), n, replace=False))
    return np.ascontiguousarray(vectors[rows], np.float32)


def _recall(exact: Ints2d, found: Ints2d) -> float:
    """Return the share of the nearest that were found, the vector itself, which is first, aside."""
    wanted = exact[:, 1:]
    hits = (wanted[:, :, None] == found[:, None, :]).any(axis=2)
    return float(hits.mean()) if hits.size else 1.0
