"""Static vectors of words from contextual ones (Ethayarajh 2019, section 4).

A word's vector is the direction that explains most of its occurrences' vectors in a layer: the
first right singular vector of the matrix of MEV, uncentred as in the paper's text, of unit length
and turned to the side of their mean. (The authors' code takes the first principal component of the
centred vectors, which says where a word's vectors differ rather than where they lie.)
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from isogloss.arrays import Doubles2d, Floats2d
from isogloss.errors import InputError
from isogloss.probe.geometry.sums import VectorSums
from isogloss.storage.tensor_file import tensor_metadata
from isogloss.vectors import Vocabulary, WordEntityVectors
from isogloss.vectors.formats.files import refuse_place
from isogloss.vectors.formats.native_file import FORMAT, native_file


class StaticWords:
    """A file of static vectors to be made, of a layer of one encoder, in one language.

    It is of isogloss' own form, which ``vectors convert`` turns into others. Lower layers make the
    better static vectors in the paper.
    """

    def __init__(self, path: Path, *, layer: int = 1, overwrite: bool = False) -> None:
        refuse_place(path, overwrite=overwrite, option="--static")
        if path.is_file() and (tensor_metadata(path) or {}).get("format") != FORMAT:
            raise InputError(
                "holds no vectors of isogloss, and is not replaced; choose another --static",
                path=path,
            )
        if layer < 0:
            raise InputError(f"no layer {layer}; layers count from 0, the input")
        self.path, self.layer, self._overwrite = path, layer, overwrite
        self.vectors: WordEntityVectors | None = None

    def check_layer(self, n_layers: int, *, name: str) -> None:
        """Refuse what has no such layer, before it is measured."""
        if self.layer >= n_layers:
            raise InputError(
                f"no layer {self.layer} in {name}; its layers are 0 (the input) to {n_layers - 1}"
            )

    def add(self, sums: VectorSums, *, lang: str, name: str) -> None:
        """Make the vectors of all chosen words."""
        kept = np.flatnonzero(sums.n_vectors > 0)
        matrix = np.empty((len(kept), sums.width), np.float32)
        for at, word in enumerate(kept):
            matrix[at] = main_direction(sums.vectors_of(int(word))[self.layer])
        words = [sums.choice.words[word] for word in kept]
        vocabulary = Vocabulary.of(words, [], word_counts=sums.counts[kept].tolist())
        facts = {"lang": lang, "made_from": name, "layer": self.layer}
        self.vectors = WordEntityVectors(vocabulary, matrix, facts)

    @contextmanager
    def written(self) -> Iterator[WordEntityVectors]:
        """Write the file, which appears when the block ends well; yield the vectors.

        Other files of the run are written in the block: all are there, or none.
        """
        if self.vectors is None:
            raise ValueError("no vectors were added")
        with native_file(self.vectors, self.path, overwrite=self._overwrite):
            yield self.vectors


def main_direction(vectors: Floats2d) -> Floats2d:
    """Return the first right singular vector of (n, width) vectors, on the side of their mean."""
    doubles: Doubles2d = np.asarray(vectors, np.float64)
    direction = np.linalg.svd(doubles, full_matrices=False)[2][0]
    return np.asarray(direction if direction @ doubles.mean(0) >= 0 else -direction, np.float32)
