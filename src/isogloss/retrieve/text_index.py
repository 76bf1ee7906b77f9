"""`TextIndex`: texts of any languages, found by what a query in any language says.

`index_building` makes it, `index_files` says what it is on disk, `search` finds what is near.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np

from isogloss.arrays import Floats2d, Ints1d
from isogloss.data.columns import column_of, texts_of
from isogloss.encode import Encoder
from isogloss.encode.prefixed import with_prefix
from isogloss.errors import InputError, counted, did_you_mean
from isogloss.limits import check_count
from isogloss.retrieve.approximate import ApproximateIndex, require_faiss
from isogloss.retrieve.duplicates import THRESHOLD, DuplicatePair, near_duplicates
from isogloss.retrieve.index_building import TextBlock, build_index, texts_in_blocks
from isogloss.retrieve.index_files import (
    FAISS,
    REPAIR,
    VECTORS,
    IndexArrays,
    Manifest,
    map_arrays,
    read_manifest,
    verify,
)
from isogloss.retrieve.search import NOTHING, Neighbours, SomeVectors, nearest
from isogloss.storage.refusals import without_detours
from isogloss.text.languages import parse_language

N_TEXTS_AT_ONCE = 8192
SNIPPET = 200  # characters
LARGEST_COSINE = 1.01  # of unit vectors, as they are rounded


@dataclass(frozen=True)
class IndexedText:
    """A text of an index as results show it.

    Attributes
    ----------
    snippet
        The beginning of the text on one line, an ellipsis where it goes on.
    """

    id: str
    lang: str | None
    snippet: str


@dataclass(frozen=True)
class Hit:
    """A text that was found, and how near it is."""

    rank: int
    score: float
    row: int
    id: str
    lang: str | None
    snippet: str


class TextIndex:
    """An index of texts on disk; make one with `build`, or open one with `open`.

    Attributes
    ----------
    path
        Its folder.
    manifest
        What the index says of itself: languages, encoder, recall of approximate search.
    vectors
        Unit vectors, memory-mapped, (n_texts, width).
    langs
        Number of the language of each text, 0 where it is not known, (n_texts,).

    Examples
    --------
    >>> index = TextIndex.build(["Mvua kubwa yanyesha.", "Timu yashinda."], "/tmp/news",
    ...                         langs=["sw", "sw"], overwrite=True)  # doctest: +SKIP
    >>> index.search(["heavy rain"], k=1)[0][0].snippet  # doctest: +SKIP
    'Mvua kubwa yanyesha.'
    """

    def __init__(self, path: Path, manifest: Manifest, arrays: IndexArrays) -> None:
        self.path = path
        self.manifest = manifest
        self.vectors = arrays.vectors
        self.langs = arrays.langs
        self._arrays = arrays
        self._encoder: Encoder | None = None
        self._lists: ApproximateIndex | None = None

    @classmethod
    def build(
        cls,
        texts: Sequence[str],
        path: str | Path,
        *,
        ids: Sequence[str] | None = None,
        langs: Sequence[str | None] | None = None,
        encoder: str | Path | Encoder = "bundled",
        faiss: bool = False,
        overwrite: bool = False,
    ) -> "TextIndex":
        """Encode texts, write their index, and open it.

        Parameters
        ----------
        texts
            Empty ones are left out, with a warning.
        path
            Folder to make.
        ids
            One for each text; None: its number, from 0.
        langs
            Language of each text, None where it is not known; None: of none.
        encoder
            What makes the vectors, of texts and later of queries.
        faiss
            Make inverted lists of FAISS too, for approximate search.

        Raises
        ------
        InputError
            For columns of unequal lengths, an unknown language, no text at all, a `path` that is
            there already or cannot be written.
        """
        column = texts_of(texts, "texts")
        n = len(column)
        names = [str(number) for number in range(n)]
        if ids is not None:
            names = [str(one) for one in column_of(ids, "ids", of="ids")]
        spoken: list[str | None] = [None] * n
        if langs is not None:
            given = column_of(langs, "langs", of="languages")
            spoken = [None if lang is None else parse_language(lang) for lang in given]
        for name, values in (("ids", names), ("langs", spoken)):
            if len(values) != n:
                raise InputError(f"{name} has {len(values):,} values for {counted(n, 'text')}")
        used = encoder if isinstance(encoder, Encoder) else Encoder.load(encoder)
        blocks = texts_in_blocks(TextBlock(column, names, spoken), N_TEXTS_AT_ONCE)
        build_index(blocks, Path(path), encoder=used, faiss=faiss, overwrite=overwrite)
        return cls.open(path).with_encoder(used)

    @classmethod
    def open(cls, path: str | Path, *, verified: bool = False) -> "TextIndex":
        """Open an index; its arrays are mapped, and its encoder is loaded when it is needed.

        Parameters
        ----------
        verified
            Compare every file with its checksum first; else sizes are compared alone.

        Raises
        ------
        InputError
            When there is none, or it is damaged.
        """
        path = Path(path)
        manifest = read_manifest(path)
        if verified:
            verify(path, manifest)
        return cls(path, manifest, map_arrays(path, manifest))

    def __len__(self) -> int:
        """Return the number of texts."""
        return self.manifest.n_texts

    def __repr__(self) -> str:
        named = self.manifest.encoder
        return (
            f"TextIndex({str(self.path)!r}, {counted(len(self), 'text')}, "
            f"langs={self.manifest.langs!r}, encoder={named.name!r})"
        )

    def with_encoder(
        self, encoder: str | Path | Encoder | None = None, **settings: Any
    ) -> "TextIndex":
        """Load the encoder of the index.

        Parameters
        ----------
        encoder
            Where it is now, or itself; None: what the index names, which is read where it lies and
            never fetched.
        settings
            Of `Encoder.load`: device, dtype, threads, cache.

        Raises
        ------
        InputError
            When it is not there, or is another than that of the index.
        """
        saved = self.manifest.encoder
        if isinstance(encoder, Encoder):
            found = encoder
        else:
            own = without_detours(self.path / saved.name) if saved.is_directory else saved.name
            if encoder is None and saved.is_directory and not Path(own).is_dir():
                raise InputError(
                    f"the encoder of the index is not at {own} any more; name it with --encoder",
                    path=self.path,
                )
            found = Encoder.load(
                own if encoder is None else encoder, fetch=encoder is not None,
                **saved.options, **settings,
            )  # fmt: skip
        if found.fingerprint != saved.fingerprint:
            raise InputError(
                f"the index was made with another encoder ({saved.name}, fingerprint "
                f"{saved.fingerprint[:12]}) than {found.name} ({found.fingerprint[:12]}); name the "
                "right one with --encoder or make the index again",
                path=self.path,
            )
        if found.width != self.manifest.width:
            raise InputError("damaged: its vectors are of another width than its encoder gives",
                             path=self.path)  # fmt: skip
        self._encoder = found
        return self

    @property
    def encoder(self) -> Encoder:
        """The encoder of the index; loaded when it is first asked for."""
        if self._encoder is None:
            self.with_encoder()
        return cast("Encoder", self._encoder)

    def search(
        self,
        queries: Sequence[str],
        *,
        k: int = 10,
        langs: Sequence[str] = (),
        faiss: bool = False,
        prefix: str | None = None,
    ) -> list[list[Hit]]:
        """Return the nearest texts of each query, the nearest first.

        Parameters
        ----------
        queries
            In any language.
        langs
            Languages of the texts that may be found; none: all.
        faiss
            Search FAISS's lists, which miss some; see `manifest.lists`. FAISS parses their file:
            ask for it only of an index that is trusted. Not with `langs`.
        prefix
            Prepended to queries instead of the encoder's own.

        Raises
        ------
        InputError
            For a language that no text has, or lists that the index has not.
        """
        column = texts_of(queries, "queries")
        check_count("k", k)
        if faiss and langs:
            raise InputError("FAISS searches texts of all languages; leave --faiss or --lang out")
        some = self._of_languages(langs)
        lists = self._opened_lists() if faiss else None
        encoder = self.encoder
        if prefix is not None:
            encoder = with_prefix(encoder, prefix)
        vectors = cast("Floats2d", encoder.encode(column, normalize=True))
        if lists is not None:
            found = lists.nearest(vectors, self.vectors, k=k)
        else:
            found = nearest(vectors, self.vectors if some is None else some, k=k)
            if some is not None:
                found = Neighbours(some.rows_of(found.rows), found.cosines)
        # An exact search finds as many as there are, unless cosines are no numbers.
        self._check(found.cosines if lists is None else found.cosines[found.rows != NOTHING])
        return [self._hits(rows, scores) for rows, scores in zip(*found, strict=True)]

    def duplicates(
        self, *, threshold: float = THRESHOLD, same_language: bool = False
    ) -> list[DuplicatePair]:
        """Return near-duplicates; see `duplicates.near_duplicates`.

        Raises
        ------
        InputError
            When the texts are not of two languages, and pairs within a language are not asked for.
        """
        numbers = np.asarray(self.langs, np.int64)
        if not same_language and len(np.unique(numbers)) < 2:
            raise InputError(
                "its texts are not of two languages; make it with --lang auto or --lang-column, or "
                "add --same-language",
                path=self.path,
            )
        found = near_duplicates(
            self.vectors, numbers, threshold=threshold, same_language=same_language
        )
        self._check([pair.cosine for pair in found])
        return found

    def text(self, row: int) -> str:
        """Return a text as it was indexed."""
        return self._arrays.texts.at(row)

    def shown(self, row: int) -> IndexedText:
        """Return a text as results show it."""
        start = self._arrays.texts.at(row, most_bytes=8 * SNIPPET)
        line = " ".join(start.split())
        is_whole = len(line) <= SNIPPET and len(start.encode()) < 8 * SNIPPET - 3
        number = int(self.langs[row])
        if number > len(self.manifest.langs):
            raise InputError("damaged: a text has a language that is none; make the index again",
                             path=self.path)  # fmt: skip
        return IndexedText(
            id=self._arrays.ids.at(row),
            lang=self.manifest.langs[number - 1] if number else None,
            snippet=line if is_whole else f"{line[: SNIPPET - 1].rstrip()}…",
        )

    def _check(self, cosines: Any) -> None:
        """Refuse what cannot be the cosine of unit vectors: sizes alone are compared at opening."""
        if not (np.abs(cosines) <= LARGEST_COSINE).all():
            raise InputError(f"damaged: its vectors are not of unit length; {REPAIR}",
                             path=self.path / VECTORS)  # fmt: skip

    def _hits(self, rows: Ints1d, scores: Any) -> list[Hit]:
        return [
            Hit(rank, float(score), int(row), **vars(self.shown(int(row))))
            for rank, (row, score) in enumerate(zip(rows, scores, strict=True), 1)
            if row != NOTHING
        ]

    def _of_languages(self, langs: Sequence[str]) -> SomeVectors | None:
        """Return the vectors of the texts in some languages; None: all."""
        if not langs:
            return None
        numbers = []
        for lang in map(parse_language, langs):
            if lang not in self.manifest.langs:
                raise InputError(
                    f"no text of the index is in '{lang}'; "
                    + (did_you_mean(lang, self.manifest.langs) if self.manifest.langs else
                       "its texts have no languages: make it with --lang auto or --lang-column"),
                    path=self.path,
                )  # fmt: skip
            numbers.append(self.manifest.langs.index(lang) + 1)
        return SomeVectors(self.vectors, np.flatnonzero(np.isin(self.langs, numbers)))

    def _opened_lists(self) -> ApproximateIndex:
        saved = self.manifest.lists
        require_faiss()
        if saved is None:
            raise InputError("was made without --faiss; leave it out, or make the index again",
                             path=self.path)  # fmt: skip
        if self._lists is None:
            self._lists = ApproximateIndex.read(
                self.path / FAISS, self.vectors.shape, n_probe=saved.n_probe, recall=saved.recall
            )
        return self._lists
