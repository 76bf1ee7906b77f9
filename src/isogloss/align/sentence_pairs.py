"""Sentence pairs as they are given: checked, and without what nothing can be learned from."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from isogloss.data.columns import column_of, texts_of
from isogloss.errors import InputError, InputKindError, counted, warn_omitted


@dataclass(frozen=True)
class Pairs:
    """Sentence pairs.

    Attributes
    ----------
    sources, targets
        The two sides; sentences in the same place are translations.
    langs
        Language of each pair, such as that of its target; None: not told apart.
    negatives
        For each pair sentences that are near its target and no translations, any number, or one
        as it is; None: none.
    """

    sources: Sequence[str]
    targets: Sequence[str]
    langs: Sequence[str] | None = None
    negatives: Sequence[str | Sequence[str]] | None = None

    def __len__(self) -> int:
        return len(self.sources)

    @property
    def has_languages(self) -> bool:
        """Whether the pairs are of several languages that are told apart."""
        return self.langs is not None and len(set(self.langs)) > 1

    def select(self, rows: Sequence[int]) -> "Pairs":
        """Return some pairs, in the order given."""

        def chosen(side: Sequence[Any] | None) -> list[Any] | None:
            return None if side is None else [side[row] for row in rows]

        return Pairs(
            [self.sources[row] for row in rows], [self.targets[row] for row in rows],
            chosen(self.langs), chosen(self.negatives),
        )  # fmt: skip


def checked_pairs(pairs: Pairs) -> Pairs:
    """Return pairs whose columns are lists of one length, negatives as a list for each pair.

    Raises
    ------
    InputError
        For what is no column of texts, or columns of different lengths.
    """
    if not isinstance(pairs, Pairs):
        raise InputKindError(f"pairs are a {type(pairs).__name__}; give Pairs(sources, targets)")
    sources = texts_of(pairs.sources, "sources")
    targets = texts_of(pairs.targets, "targets")
    columns: dict[str, Any] = {"targets": targets}
    langs = negatives = None
    if pairs.langs is not None:
        langs = columns["langs"] = column_of(pairs.langs, "langs", of="languages")
    if pairs.negatives is not None:
        given = column_of(pairs.negatives, "negatives", of="sentences, or lists of them")
        negatives = columns["negatives"] = [
            texts_of([some] if isinstance(some, str) else some, "negatives") for some in given
        ]
    for name, column in columns.items():
        if len(column) != len(sources):
            raise InputError(
                f"{counted(len(column), name.removesuffix('s'))} for "
                f"{counted(len(sources), 'source')}; give one for each"
            )
    return Pairs(sources, targets, langs, negatives)


def without_repeats(pairs: Pairs) -> Pairs:
    """Leave out pairs with an empty side and repeated pairs; say how many.

    Raises
    ------
    InputError
        When fewer than two are left.

    Warns
    -----
    OmissionWarning
        With the numbers, where there are any.
    """
    is_empty = np.array(
        [not source.strip() or not target.strip()
         for source, target in zip(pairs.sources, pairs.targets, strict=True)], bool,
    )  # fmt: skip
    met: set[tuple[str, str]] = set()
    first = np.zeros(len(pairs), bool)
    for row, (source, target) in enumerate(zip(pairs.sources, pairs.targets, strict=True)):
        first[row] = (source.strip(), target.strip()) not in met
        met.add((source.strip(), target.strip()))
    kept = np.flatnonzero(first & ~is_empty)
    n_repeated = int((~first & ~is_empty).sum())
    if is_empty.any() or n_repeated:
        warn_omitted(
            f"{counted(int(is_empty.sum()), 'pair')} with an empty side and "
            f"{counted(n_repeated, 'repeated pair')} of {len(pairs):,} are left out"
        )
    if len(kept) < 2:
        raise InputError(f"{counted(len(kept), 'pair')} to learn from; give two or more")
    return pairs.select(kept.tolist())
