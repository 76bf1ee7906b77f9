"""Words and entities in one space: their vectors, look-ups and nearest neighbours."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from isogloss.arrays import Bools1d, Floats1d, Floats2d, Ints1d
from isogloss.errors import InputError
from isogloss.limits import check_count
from isogloss.vectors.vocabulary import Found, Kind, Vocabulary

ROWS_AT_ONCE = 1 << 16


@dataclass(frozen=True)
class Neighbour:
    """A word or entity near another; `label` is its name as files write it."""

    label: str
    kind: Kind
    cosine: float
    count: int


class WordEntityVectors:
    """Vectors of words and entities.

    Parameters
    ----------
    vocabulary
        Names of the rows: words first, then entities.
    matrix
        float32 (n_words + n_entities, width); may be a mapped file.
    facts
        What is known of how they were made, as JSON holds it; ``lang`` is the language of the
        titles.

    Raises
    ------
    InputError
        When the numbers differ, or the vectors have no dimensions.

    Examples
    --------
    >>> vocabulary = Vocabulary.of(["beer"], ["Berlin", "Bern"])
    >>> vectors = WordEntityVectors(vocabulary, np.array([[1, 0], [2, 1], [0, 1]]))
    >>> [neighbour.label for neighbour in vectors.similar("beer")]
    ['ENTITY/Berlin', 'ENTITY/Bern']
    >>> vectors["ENTITY/Bern"].tolist()
    [0.0, 1.0]
    """

    def __init__(
        self, vocabulary: Vocabulary, matrix: Floats2d, facts: Mapping[str, Any] | None = None
    ) -> None:
        self.vocabulary = vocabulary
        self.matrix = np.ascontiguousarray(matrix, np.float32)
        self.facts = dict(facts or {})
        if self.matrix.ndim != 2 or len(vocabulary) != len(self.matrix):
            raise InputError(
                f"{len(vocabulary)} words and entities do not fit a matrix of shape "
                f"{self.matrix.shape}"
            )
        if not self.width:
            raise InputError("the vectors have no dimensions; 1 is the least width")

    def __len__(self) -> int:
        return len(self.matrix)

    def __repr__(self) -> str:
        return (
            f"WordEntityVectors({self.n_words} words, {len(self) - self.n_words} entities, "
            f"width {self.width})"
        )

    @property
    def n_words(self) -> int:
        """Number of words; their rows come first."""
        return len(self.vocabulary.words)

    @property
    def width(self) -> int:
        """Dimensions of a vector."""
        return int(self.matrix.shape[1])

    def __getitem__(self, name: str) -> Floats1d:
        """Return the vector of a word or ``ENTITY/Title``, or raise `InputError` that says why."""
        return self.matrix[self.vocabulary.row(name).row]

    def lookup_entities(self, titles: list[str]) -> tuple[Floats2d, Bools1d]:
        """Return vectors by title or redirect (zeros where unknown), and which are known."""
        numbers = self.vocabulary.find_entities(titles)
        known = numbers >= 0
        found = np.zeros((len(titles), self.width), np.float32)
        found[known] = self.matrix[self.n_words + numbers[known]]
        return found, known

    def similar(
        self, name: str | Found, *, k: int = 10, kind: Kind | None = None
    ) -> list[Neighbour]:
        """Return the nearest words and entities by cosine, the nearest first, not itself.

        Parameters
        ----------
        name
            As `Vocabulary.row` takes it, or what that found.
        k
            How many at most.
        kind
            ``"word"`` or ``"entity"`` to have one kind alone.

        Raises
        ------
        InputError
            When `name` has no vector, or `k` is out of range.
        """
        check_count("k", k)
        found = self.vocabulary.row(name) if isinstance(name, str) else name
        first = self.n_words if kind == "entity" else 0
        last = self.n_words if kind == "word" else len(self)
        cosines = cosines_with(self.matrix[first:last], self.matrix[found.row])
        if first <= found.row < last:
            cosines[found.row - first] = -np.inf
        return [
            self._neighbour(first + int(place), float(cosines[place]))
            for place in _largest(cosines, k)
            if np.isfinite(cosines[place])
        ]

    def _neighbour(self, row: int, cosine: float) -> Neighbour:
        words = self.vocabulary.word_counts
        is_word = row < self.n_words
        count = words[row] if is_word else self.vocabulary.entity_counts[row - self.n_words]
        kind: Kind = "word" if is_word else "entity"
        return Neighbour(self.vocabulary.name_of_row(row), kind, cosine, int(count))


def check_finite(vectors: WordEntityVectors) -> None:
    """Refuse vectors with a value that is not finite; rows are read in blocks.

    Raises
    ------
    InputError
        Names the first.
    """
    for start in range(0, len(vectors), ROWS_AT_ONCE):
        is_finite = np.isfinite(vectors.matrix[start : start + ROWS_AT_ONCE]).all(axis=1)
        if not is_finite.all():
            name = vectors.vocabulary.name_of_row(start + int(np.argmin(is_finite)))
            raise InputError(f"the vector of '{name}' is not finite")


def cosines_with(matrix: Floats2d, vector: Floats1d) -> Floats1d:
    """Return the cosine of each row with a vector, 0 where one of them is all zeros; float32 (n,).

    Rows are read in blocks, so that a mapped file stays on disk.
    """
    length = float(np.linalg.norm(vector))
    unit = vector / np.float32(length) if length else vector
    cosines = np.zeros(len(matrix), np.float32)
    for start in range(0, len(matrix), ROWS_AT_ONCE):
        block = matrix[start : start + ROWS_AT_ONCE]
        lengths = np.sqrt(np.einsum("ij,ij->i", block, block))
        lengths[lengths == 0] = 1
        cosines[start : start + ROWS_AT_ONCE] = (block @ unit) / lengths
    return cosines


def _largest(values: Floats1d, k: int) -> Ints1d:
    """Return the places of the `k` largest, the largest first, the first of equal ones first."""
    k = min(k, len(values))
    if k == 0:
        return np.zeros(0, np.int64)
    least = np.partition(values, len(values) - k)[len(values) - k]
    places = np.flatnonzero(values >= least)
    return places[np.argsort(-values[places], kind="stable")][:k]
