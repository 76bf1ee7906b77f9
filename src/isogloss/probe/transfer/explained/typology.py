"""`probe typology`: zero-shot scores against likeness of word order (Figure 2 and Table 5)."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from isogloss.probe.result import ProbeResult
from isogloss.probe.saved import Format, Number, Row, Text, Whole, spread
from isogloss.probe.transfer.explained.against import (
    CORRELATIONS,
    PAIRS,
    Against,
    against_charts,
    note_on_permutations,
)
from isogloss.probe.transfer.matrix.matrix import METRICS, Matrix
from isogloss.probe.transfer.measures.pairs import grouped
from isogloss.probe.transfer.measures.typology import (
    SharedFeatures,
    adjective_order,
    shared_features,
    verb_order,
)
from isogloss.probe.transfer.measures.word_orders import FEATURES, WordOrder, WordOrders
from isogloss.report.picture import Group
from isogloss.report.table import Table
from isogloss.statistics.draws import columns_of

SHARE, TITLE = "share", "share of equal features"
FORMAT = Format(
    name="isogloss typology",
    version=1,
    command="isogloss probe typology",
    tables={
        "pairs": PAIRS | {SHARE: Number, "n_shared": Whole, "n_known": Whole},
        "correlations": CORRELATIONS,
        "means": {"system": Text, "by": Text, "train": Text, "test": Text, "n_pairs": Whole}
        | spread("score"),
        "languages": {"lang": Text, "wals_code": str | None, "n_known": Whole},
    },
)
_ORDERS = {"verb order": verb_order, "adjective order": adjective_order}


class TypologyResult(ProbeResult):
    """Tables of `probe typology`.

    Attributes
    ----------
    pairs
        A row a system and zero-shot pair of languages that share a feature.
    correlations
        A row a system: whether the score goes with the share of equal features.
    means
        Means over zero-shot pairs by SVO and SOV, and by adjective-noun order (Table 5).
    languages
        A row a language: which one of WALS it is, and the values of its features.
    """

    format = FORMAT
    picture = "typology.svg"

    def __init__(self, matrix: Matrix, orders: WordOrders, *, options: Any) -> None:
        langs = list(dict.fromkeys([*matrix.alone, *matrix.tests]))
        known = {lang: found for lang in langs if (found := orders.of(lang)) is not None}
        super().__init__([], options=options, notes=_notes(matrix, orders, known, langs))
        shared = _shared(matrix, known)
        values = np.array([[one.share if one.is_shown else np.nan for one in row]
                           for row in shared])  # fmt: skip
        against = Against(matrix, SHARE, TITLE, {one.name: values for one in matrix.systems})
        metric = self._metric = METRICS[matrix.task]
        self.pairs = self.tables["pairs"] = Table(
            [row | _counts(shared, matrix, row) for row in against.pair_rows()],
            caption=f"Equal values of the six WALS features over those known, and {metric}.",
        )
        self.correlations = self.tables["correlations"] = Table(
            list(against.correlation_rows()),
            caption=f"Of {metric} with the share; slope: in {metric} from no to all equal values.",
        )
        self.means = self.tables["means"] = Table(
            list(_mean_rows(matrix, known)), caption=f"{metric}: means over zero-shot pairs."
        )
        self.languages = self.tables["languages"] = Table(
            [_language_row(lang, known.get(lang)) for lang in langs],
            caption="Languages in WALS and the values of their features.",
        )

    def _curves(self) -> list[Group]:
        return against_charts(self.pairs.rows, SHARE, TITLE, self._metric)


def _shared(matrix: Matrix, known: Mapping[str, WordOrder]) -> list[list[SharedFeatures]]:
    nothing = WordOrder("", "", {})
    return [
        [shared_features(known.get(train, nothing), known.get(test, nothing))
         for test in matrix.tests]
        for train in matrix.alone
    ]  # fmt: skip


def _counts(shared: list[list[SharedFeatures]], matrix: Matrix, row: Row) -> Row:
    found = shared[matrix.alone.index(row["train"])][matrix.tests.index(row["test"])]
    return {"n_shared": found.n_shared, "n_known": found.n_known}


def _mean_rows(matrix: Matrix, known: Mapping[str, WordOrder]) -> Iterator[Row]:
    for by, order_of in _ORDERS.items():
        for system in matrix.systems:
            means = matrix.group_means(system.name, _group(order_of, known))
            for (train, test), (score, n_pairs) in means.items():
                yield {
                    "system": system.name, "by": by, "train": train, "test": test,
                    "n_pairs": n_pairs, **columns_of("score", score),
                }  # fmt: skip


def _group(
    order_of: Callable[[WordOrder | None], str | None], known: Mapping[str, WordOrder]
) -> Callable[[str], str | None]:
    return lambda lang: order_of(known.get(lang))


def _language_row(lang: str, order: WordOrder | None) -> Row:
    values = {} if order is None else order.values
    return {
        "lang": lang,
        "wals_code": None if order is None else order.wals_code,
        "name": None if order is None else order.name,
        "n_known": len(values),
        **{feature: values.get(feature) for feature in FEATURES},
    }


def _notes(
    matrix: Matrix, orders: WordOrders, known: Mapping[str, WordOrder], langs: list[str]
) -> list[str]:
    notes = [note_on_permutations(matrix)]
    missing = [lang for lang in langs if lang not in known]
    if missing:
        notes.append(f"not in WALS: {', '.join(missing)}")
    for lang in langs:
        if lang in orders.decided:
            taken, *others = orders.decided[lang]
            notes.append(f"'{lang}' is {taken.name} in WALS; not taken: "
                         f"{', '.join(one.name for one in others)}")  # fmt: skip
    for by, order_of in _ORDERS.items():
        left_out = grouped(matrix.trains, matrix.tests, _group(order_of, known)).left_out
        if left_out:
            notes.append(f"in no group of {by}: {', '.join(left_out)}")
    alike: dict[str, list[str]] = {}
    for lang, order in known.items():
        alike.setdefault(str(sorted(order.values.items())), []).append(lang)
    equal = [", ".join(some) for some in alike.values() if len(some) > 1]
    if equal:
        notes.append(
            f"equal in all features known, so that word order cannot tell them apart: "
            f"{'; '.join(equal)}"
        )
    n_none = sum(not one.is_shown and one.n_known > 0 for row in _shared(matrix, known)
                 for one in row)  # fmt: skip
    if n_none:
        notes.append(f"pairs that share no value, left out as in Figure 2: {n_none}")
    return notes
