"""Vectors of words that another program made, layer by layer: for models outside transformers.

A safetensors file. Rows are words of sentences, in order:

- ``layer_0``, ``layer_1``, …: float32 (n_rows, width), the input layer first;
- ``sentences``: int64 or int32 (n_rows,), the number of each word's sentence; the rows of a
  sentence stand together;
- ``words``: uint8, the words in UTF-8, with a line feed between them.

It is mapped, so memory does not grow with it.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from isogloss.arrays import Floats2d, Ints1d
from isogloss.encode.words.tokens_of_words import is_word
from isogloss.errors import InputError
from isogloss.probe.geometry.occurrences import Choice, Marker, Marks, Sentence
from isogloss.probe.geometry.sums import VectorSums
from isogloss.storage.tensor_file import map_tensors

N_ROWS_AT_ONCE = 4096
_LAYER = re.compile(r"layer_(\d{1,4})")


@dataclass(frozen=True, eq=False)
class LayerVectors:
    """Vectors of the words of sentences in several layers."""

    layers: list[Floats2d]  # (n_rows, width) each; may be mapped
    words: list[str]  # of each row
    starts: Ints1d  # (n_sentences + 1,): sentence i is rows starts[i] to starts[i + 1] - 1
    path: Path | None = None  # for messages

    def sentences(self) -> Iterator[Sentence]:
        """Yield the sentences: their words, without signs, and all words as text."""
        for start, end in self._spans(0, len(self.starts) - 1):
            words = self.words[start:end]
            yield Sentence(" ".join(words), [word for word in words if is_word(word)])

    def add_to(self, sums: VectorSums, choice: Choice) -> None:
        """Add the wanted vectors to sums.

        Raises
        ------
        InputError
            For a vector that is not finite, or all zeros.
        """
        marker = Marker(choice)
        first = 0
        while first < len(self.starts) - 1:
            stop = int(np.searchsorted(self.starts, self.starts[first] + N_ROWS_AT_ONCE, "right"))
            stop = max(stop - 1, first + 1)
            self._add_some(sums, choice, marker, first, stop)
            first = stop

    def _add_some(
        self, sums: VectorSums, choice: Choice, marker: Marker, first: int, stop: int
    ) -> None:
        rows: list[int] = []
        marked: list[Marks] = []
        for sentence, (start, end) in enumerate(self._spans(first, stop), first):
            if not choice.is_kept[sentence]:
                continue
            of_words = [row for row in range(start, end) if is_word(self.words[row])]
            marks = marker(sentence, [self.words[row] for row in of_words])
            wanted = marks.wanted
            rows += [of_words[at] for at in wanted]
            marked.append(marks.at(wanted))
        if rows:
            marks = Marks.joined(marked)
            vectors = np.stack([layer[rows] for layer in self.layers])
            sums.add(
                vectors, marks, refused=lambda layer, at, what: self._refused(layer, rows[at], what)
            )

    def _refused(self, layer: int, row: int, what: str) -> InputError:
        return InputError(
            f"row {row} of 'layer_{layer}' (both count from 0), the vector of '{self.words[row]}', "
            f"is {what}, which has no direction; mend it, or leave its sentence out",
            path=self.path,
        )

    def _spans(self, first: int, stop: int) -> Iterator[tuple[int, int]]:
        for sentence in range(first, stop):
            yield int(self.starts[sentence]), int(self.starts[sentence + 1])


def read_layer_vectors(path: Path) -> LayerVectors:
    """Map a file of vectors by layer; the module's docstring says what it holds.

    Raises
    ------
    InputError
        When it is missing, damaged, or its arrays do not fit.
    """
    path = Path(path)
    if not path.is_file():
        raise InputError("no such file of vectors by layer", path=path)
    arrays = map_tensors(path)
    for name in ("words", "sentences", "layer_0"):
        if name not in arrays:
            raise InputError(
                f"has no array '{name}'; it holds words, sentences, layer_0, layer_1, …", path=path
            )
    n_layers = 1 + max(int(name[1]) for name in map(_LAYER.fullmatch, arrays) if name)
    layers = [arrays.get(f"layer_{at}") for at in range(n_layers)]
    words = _words(arrays["words"], path)
    return LayerVectors(_fitting(layers, len(words), path), words,
                        _starts(arrays["sentences"], len(words), path), path)  # fmt: skip


def _words(data: np.ndarray[Any, Any], path: Path) -> list[str]:
    if data.dtype != np.uint8:
        raise InputError(f"'words' is {data.dtype}, not uint8: UTF-8, a line each", path=path)
    try:
        return data.tobytes().decode("utf-8").removesuffix("\n").split("\n")
    except UnicodeDecodeError as error:
        raise InputError("'words' is not UTF-8", path=path) from error


def _fitting(layers: list[Any], n_rows: int, path: Path) -> list[Floats2d]:
    for number, layer in enumerate(layers):
        if layer is None:
            raise InputError(f"has no array 'layer_{number}', and later ones", path=path)
        width = layers[0].shape[1] if layers[0].ndim == 2 else "width"
        if layer.dtype != np.float32 or layer.shape != (n_rows, width):
            raise InputError(
                f"'layer_{number}' is {layer.dtype} of shape {layer.shape}; float32 of shape "
                f"({n_rows}, {width}) fits its {n_rows} words and layer_0",
                path=path,
            )
    if not layers[0].shape[1]:
        raise InputError("its vectors have no numbers (width 0); make it again", path=path)
    return layers


def _starts(sentences: np.ndarray[Any, Any], n_rows: int, path: Path) -> Ints1d:
    if sentences.shape != (n_rows,) or sentences.dtype not in (np.int64, np.int32):
        raise InputError(
            f"'sentences' is {sentences.dtype} of shape {sentences.shape}; int64 of shape "
            f"({n_rows},) fits its {n_rows} words",
            path=path,
        )
    changes = np.flatnonzero(np.diff(sentences)) + 1
    if len(np.unique(sentences)) != len(changes) + 1:
        raise InputError("the rows of a sentence do not stand together; sort them", path=path)
    return np.concatenate([[0], changes, [n_rows]])
