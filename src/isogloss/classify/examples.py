"""Training texts that a model keeps, and which of them lie nearest to a text.

They are evidence in the training language: who cannot read a text can read these. Vectors are those
that the linear part of the head reads. Vectors of a language are shifted as a block (`shift`), so
two texts are compared after their languages' means were taken off where both are known, else as
they are, by the cosine.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy

from isogloss.arrays import (
    Bytes1d,
    Doubles1d,
    Doubles2d,
    Floats1d,
    Floats2d,
    Halfs2d,
    Ints1d,
    offsets_of,
)
from isogloss.errors import InputError
from isogloss.learn.objective import Targets
from isogloss.retrieve.search import Neighbours, nearest
from isogloss.storage.array_checks import check_offsets, check_strings, check_within
from isogloss.storage.array_file import packed_strings
from isogloss.text.languages import parse_language

FEWEST_FOR_MEAN = 20  # texts of a language whose mean is taken for that of the language
N_OF_SUPPORT = 10  # nearest training texts among which labels are counted

LanguageMeans = Mapping[str, Floats1d]  # language to the mean of its vectors: float32 (width,)


@dataclass(frozen=True, eq=False)
class Examples:
    """Training texts in flat arrays, with their labels, languages and vectors.

    Attributes
    ----------
    text_bytes, text_offsets
        The texts in UTF-8: uint8, and int64 (n_texts + 1,).
    labels, label_offsets
        Numbers of the classes of each text, and where those of each begin: int64.
    langs
        The languages; None: not known.
    lang_of
        Place of each text's language among `langs`: int64 (n_texts,).
    vectors
        float16 (n_texts, width): half of the memory, and support as with 32 bits (docs/trust.md).
    """

    text_bytes: Bytes1d
    text_offsets: Ints1d
    labels: Ints1d
    label_offsets: Ints1d
    langs: list[str | None]
    lang_of: Ints1d
    vectors: Halfs2d

    @classmethod
    def of(
        cls,
        texts: Sequence[str],
        y: Targets,
        langs: Sequence[str | None],
        vectors: Floats2d | Doubles2d,
    ) -> "Examples":
        """Take training texts, their targets and languages, and vectors (n_texts, width).

        Raises
        ------
        InputError
            When a vector is too large for 16 bits.
        """
        with np.errstate(over="ignore"):
            halfs = np.asarray(vectors).astype(np.float16)
        if not np.isfinite(halfs).all():
            raise InputError(
                f"vectors of the encoder reach {np.abs(vectors).max():.3g}, more than examples are "
                "kept with (65,504); leave keep_examples out"
            )
        codes = list(dict.fromkeys(langs))
        sets = y[:, None] if y.ndim == 1 else [np.flatnonzero(row) for row in y]
        return cls(
            *packed_strings([text.encode("utf-8", "surrogatepass") for text in texts]),
            np.concatenate([*sets, np.empty(0)]).astype(np.int64),
            offsets_of([len(labels) for labels in sets]),
            codes,
            np.array([codes.index(lang) for lang in langs], np.int64),
            halfs,
        )

    def __len__(self) -> int:
        """Return the number of texts."""
        return len(self.lang_of)

    def text(self, row: int) -> str:
        """Return a text."""
        first, last = self.text_offsets[row], self.text_offsets[row + 1]
        return self.text_bytes[first:last].tobytes().decode("utf-8", "surrogatepass")

    def label_numbers(self, row: int) -> list[int]:
        """Return the classes of a text, in their order."""
        found: list[int] = self.labels[
            self.label_offsets[row] : self.label_offsets[row + 1]
        ].tolist()
        return found

    def lang(self, row: int) -> str | None:
        """Return the language of a text."""
        return self.langs[int(self.lang_of[row])]

    @cached_property
    def means(self) -> dict[str, Floats1d]:
        """The mean of each training language that has texts enough."""
        counts = np.bincount(self.lang_of, minlength=len(self.langs)).tolist()
        return {
            lang: self.vectors[self.lang_of == number].mean(axis=0, dtype=np.float32)
            for number, (lang, n) in enumerate(zip(self.langs, counts, strict=True))
            if lang is not None and n >= FEWEST_FOR_MEAN
        }

    def nearest(
        self,
        vectors: Floats2d | Doubles2d,
        langs: Sequence[str | None],
        means: LanguageMeans,
        *,
        k: int = N_OF_SUPPORT,
    ) -> Neighbours:
        """Return the nearest texts of each vector, the nearest first; of equals the first text.

        Parameters
        ----------
        vectors
            (n, width).
        langs
            Language of each.
        means
            Those of languages that are compared after centring; others are as they are.
        k
            At most as many as there are texts.
        """
        queries = np.asarray(vectors, np.float32)
        rows = np.zeros((len(queries), min(k, len(self))), np.int64)
        cosines = np.zeros(rows.shape, np.float32)
        known = [lang if lang in means else None for lang in langs]
        for lang in dict.fromkeys(known):
            own = [row for row, code in enumerate(known) if code == lang]
            if lang is None:
                found = nearest(unit(queries[own]), self._unit, k=k)
            else:
                found = nearest(unit(queries[own] - means[lang]), self._centred, k=k)
            rows[own], cosines[own] = found
        return Neighbours(rows, cosines)

    def shares(self, neighbours: Neighbours, n_classes: int) -> Doubles2d:
        """Return which share of each text's neighbours carries each label: (n, n_classes)."""
        n, k = neighbours.rows.shape
        ones = np.ones(len(self.labels), np.int8)
        carried = scipy.sparse.csr_array(
            (ones, self.labels, self.label_offsets), shape=(len(self), n_classes)
        )
        of_rows = carried[neighbours.rows.ravel()].toarray().reshape(n, k, n_classes)
        shares: Doubles2d = of_rows.mean(axis=1, dtype=np.float64)
        return shares

    def shares_without_label(self, neighbours: Neighbours) -> Doubles1d:
        """Return which share of each text's neighbours carries no label at all: (n,)."""
        has_none = np.diff(self.label_offsets) == 0
        shares: Doubles1d = has_none[neighbours.rows].mean(axis=1)
        return shares

    def check(self, n_classes: int, width: int, *, one_label: bool) -> None:
        """Raise `ValueError` when arrays do not fit each other, `n_classes` or `width`."""
        n = len(self.lang_of)
        if not n or self.vectors.shape != (n, width):
            raise ValueError(f"vectors of examples have the shape {self.vectors.shape}")
        if len(self.text_offsets) != n + 1 or len(self.label_offsets) != n + 1:
            raise ValueError("examples have other numbers of texts, labels and languages")
        check_strings("texts of examples", self.text_bytes, self.text_offsets)
        check_offsets("labels of examples", self.label_offsets, len(self.labels))
        if one_label and not np.array_equal(self.label_offsets, np.arange(n + 1)):
            raise ValueError("examples have other than one label each")
        check_within("labels of examples", self.labels, 0, n_classes)
        check_within("languages of examples", self.lang_of, 0, len(self.langs))
        if len(set(self.langs)) < len(self.langs) or not all(map(_is_language, self.langs)):
            raise ValueError(f"languages of examples are {self.langs!r:.60}")

    @cached_property
    def _unit(self) -> Floats2d:
        return unit(self.vectors.astype(np.float32))

    @cached_property
    def _centred(self) -> Floats2d:
        """Unit vectors after each language's mean was taken off, or that of all."""
        vectors = self.vectors.astype(np.float32)
        centred = vectors - vectors.mean(axis=0)
        for lang, mean in self.means.items():
            own = self.lang_of == self.langs.index(lang)
            centred[own] = vectors[own] - mean
        return unit(centred)


def unit(vectors: Floats2d) -> Floats2d:
    """Return vectors (n, width) of length 1; those of length 0 stay."""
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors / np.maximum(norms, np.float32(1e-12))


def _is_language(lang: str | None) -> bool:
    try:
        return lang is None or parse_language(lang) == lang
    except InputError:
        return False
