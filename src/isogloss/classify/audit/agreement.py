"""How far two people who labelled the same sheet agree, and on which rows they do not."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from isogloss.classify.audit.key import Key

ALL = "all"


@dataclass(frozen=True)
class Agreement:
    """Of one language, or of `ALL`.

    Attributes
    ----------
    n
        Rows that both labelled.
    agreed
        Share of these with the same label; NaN of no row.
    kappa
        Cohen's (1960): agreement beyond that of labels drawn at random from what each gave. NaN
        where all labels are one class, of which it is not defined.
    """

    lang: str
    n: int
    agreed: float
    kappa: float


@dataclass(frozen=True)
class Dispute:
    """A row to which two people gave different classes."""

    row: int
    lang: str
    first: str
    second: str


def agreements(key: Key, first: Sequence[int], second: Sequence[int]) -> list[Agreement]:
    """Return the agreement in each language and, where there are several, in all of them."""
    langs = list(dict.fromkeys(row.lang for row in key.rows))
    found = []
    for lang in [*langs, ALL] if len(langs) > 1 else langs:
        pairs = [
            (one, other)
            for row, one, other in zip(key.rows, first, second, strict=True)
            if one >= 0 and other >= 0 and lang in (row.lang, ALL)
        ]
        agreed = sum(one == other for one, other in pairs) / len(pairs) if pairs else math.nan
        found.append(Agreement(lang, len(pairs), agreed, _kappa(pairs)))
    return found


def disputes(key: Key, first: Sequence[int], second: Sequence[int]) -> list[Dispute]:
    """Return the rows that both labelled, and not alike, in the order of the sheet."""
    return [
        Dispute(row.row, row.lang, key.classes[one], key.classes[other])
        for row, one, other in zip(key.rows, first, second, strict=True)
        if one >= 0 and other >= 0 and one != other
    ]


def _kappa(pairs: Sequence[tuple[int, int]]) -> float:
    if len({label for pair in pairs for label in pair}) < 2:
        return math.nan
    from sklearn.metrics import cohen_kappa_score

    first, second = zip(*pairs, strict=True)
    kappa: Any = cohen_kappa_score(first, second)
    return float(kappa)
