"""What is kept of vectors as they stream by: sums, random words, drawn occurrences on disk.

Nothing here grows with the length of a corpus. For L layers, W words, R random words and width d,
all float64 unless said: unit sums L·W·d, random words L·R·d (float32), and at most `max_contexts`
vectors of each word (float32) in a scratch file that is gone when the sums are.
"""

import shutil
import tempfile
from collections.abc import Callable
from typing import Any, Self

import numpy as np

from isogloss.arrays import Bools1d, Doubles2d, Doubles3d, Floats1d, Floats3d, Ints1d
from isogloss.errors import InputError
from isogloss.probe.geometry.occurrences import Choice, Marks

Refused = Callable[[int, int, str], InputError]  # of a layer, a unit, and "not finite" or the like


class VectorSums:
    """Sums over the vectors of chosen words, to be used in a `with` block.

    Attributes
    ----------
    unit_sums
        Sums of unit vectors of each word; (n_layers, n_words, width).
    counts
        Occurrences of each word whose vectors came; (n_words,).
    n_vectors
        Drawn occurrences among them, whose vectors are kept; (n_words,).
    random, has_random
        Vectors of the random words, (n_layers, n_random, width), and which of them came.
    intra
        Mean cosine of a sentence's vectors with their mean; (n_layers, n_sentences), NaN where
        none came.

    Raises
    ------
    InputError
        When the disk has no room for the scratch file.
    """

    def __init__(self, choice: Choice, *, n_layers: int, width: int) -> None:
        n_words, n_random = len(choice.words), choice.n_random
        self.choice, self.n_layers, self.width = choice, n_layers, width
        self.unit_sums: Doubles3d = np.zeros((n_layers, n_words, width))
        self.counts: Ints1d = np.zeros(n_words, np.int64)
        self.random: Floats3d = np.zeros((n_layers, n_random, width), np.float32)
        self.has_random: Bools1d = np.zeros(n_random, np.bool_)
        self.intra: Doubles2d = np.full((n_layers, len(choice.random_units)), np.nan)
        self.n_vectors: Ints1d = np.zeros(n_words, np.int64)
        self._scratch = Scratch(n_words * choice.n_most_drawn, n_layers * width)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._scratch.close()

    def add(self, vectors: Floats3d, marks: Marks, *, refused: Refused) -> None:
        """Take the vectors of units, (n_layers, n_units, width), and what each is wanted for.

        All of a sentence with random words come together. `refused` makes the `InputError` for a
        vector that is not finite, or all zeros.
        """
        lengths = np.linalg.norm(vectors.astype(np.float64), axis=2)
        is_bad = ~(np.isfinite(lengths) & (lengths > 0))
        if is_bad.any():
            layer, unit = (int(at) for at in np.argwhere(is_bad)[0])
            what = "not finite" if not np.isfinite(lengths[layer, unit]) else "all zeros"
            raise refused(layer, unit, what)
        is_random = marks.random >= 0
        self.random[:, marks.random[is_random]] = vectors[:, is_random]
        self.has_random[marks.random[is_random]] = True
        for layer, (of_layer, norms) in enumerate(zip(vectors, lengths, strict=True)):
            units = of_layer / norms[:, None]
            _add_rows(self.unit_sums[layer], marks.word, units)
            self._add_sentences(layer, of_layer, units, marks.sentence)
        np.add.at(self.counts, marks.word[marks.word >= 0], 1)
        for at in np.flatnonzero(marks.is_drawn).tolist():
            word = int(marks.word[at])
            row = word * self.choice.n_most_drawn + int(self.n_vectors[word])
            self._scratch.write(row, vectors[:, at])
            self.n_vectors[word] += 1

    def vectors_of(self, word: int) -> Floats3d:
        """Return the drawn vectors of a word that came: (n_layers, n, width)."""
        n = int(self.n_vectors[word])
        flat = self._scratch.read(word * self.choice.n_most_drawn, n)
        return flat.reshape(n, self.n_layers, self.width).transpose(1, 0, 2)

    def _add_sentences(self, layer: int, vectors: Any, units: Doubles2d, sentence: Ints1d) -> None:
        rows = np.flatnonzero(sentence >= 0)
        for some in np.split(rows, np.flatnonzero(np.diff(sentence[rows])) + 1):
            if len(some):
                mean = vectors[some].mean(0, dtype=np.float64)
                cosines = units[some] @ mean / np.linalg.norm(mean)
                self.intra[layer, sentence[some[0]]] = cosines.mean()


class Scratch:
    """Rows of float32 in a file without a name in the system's temporary folder."""

    def __init__(self, n_rows: int, width: int) -> None:
        self._row_bytes = 4 * width
        folder = tempfile.gettempdir()
        n_bytes = n_rows * self._row_bytes
        if n_bytes > shutil.disk_usage(folder).free:
            raise InputError(
                f"the scratch file may take {n_bytes / 1e9:.1f} GB, more than the disk has free; "
                "lower --max-contexts or --max-words, or set TMPDIR to a larger disk",
                path=folder,
            )
        self._file = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115  (closed by `close`)

    def write(self, row: int, values: np.ndarray[Any, np.dtype[np.float32]]) -> None:
        """Write a row; its values may have any shape."""
        self._file.seek(row * self._row_bytes)
        self._file.write(np.ascontiguousarray(values, np.float32).tobytes())

    def read(self, row: int, n_rows: int) -> Floats1d:
        """Return rows one after the other, flat."""
        self._file.seek(row * self._row_bytes)
        data = self._file.read(n_rows * self._row_bytes)
        return np.frombuffer(data, np.float32)

    def close(self) -> None:
        """Remove the file."""
        self._file.close()


def _add_rows(totals: Doubles2d, numbers: Ints1d, rows: Doubles2d) -> None:
    """Add each row to the total of its number, in their order; -1 is none."""
    order = np.argsort(numbers, kind="stable")
    order = order[np.searchsorted(numbers[order], 0) :]
    if len(order):
        present, starts = np.unique(numbers[order], return_index=True)
        totals[present] += np.add.reduceat(rows[order], starts, axis=0)
