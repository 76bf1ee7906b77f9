"""What the training texts nearest to a text say of its answer: the table of docs/trust.md.

Trains on English with its texts kept, answers texts of other languages, and asks of each answer
whether it was right: where all of the 3 nearest training texts carry its label, where at most one
does; and how well its probability, its support and their sum rank right answers above wrong ones
(AUROC). As a single text is compared, whose language gives no mean; with the vectors of each
language centred by the mean of its test texts; and by a model that was adapted to each language
by them, without labels. Nothing is fitted or chosen on labels of test texts;
MasakhaNEWS is cut at 512 tokens, of SIB-200 there are 12 languages, of the routing set every
fourth. Intervals are 95 % bootstrap intervals over texts, translations of one text drawn together.

    python benchmarks/support.py --data DIR --out benchmarks/out
"""

import argparse
import json
import warnings
from collections.abc import Callable
from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import rankdata

from evaluation_data import NEWS_LANGUAGES, find
from isogloss import Encoder, TextClassifier
from isogloss.data.documents import FileFormat, read_documents
from isogloss.errors import OmissionWarning
from isogloss.report.table import Table
from isogloss.statistics.intervals import interval_of_draws
from records import Record, add_json
from routing_data import Messages, read_routing

SIB = (
    "fra_Latn", "por_Latn", "tur_Latn", "swh_Latn", "yor_Latn", "rus_Cyrl", "hin_Deva", "arb_Arab",
    "zho_Hans", "jpn_Jpan", "kor_Hang", "tha_Thai",
)  # fmt: skip
ROUTING_STEP = 4  # every fourth language
N_DRAWS = 1000
SINGLE, CENTRED, ADAPTED = "single text", "centred by language", "adapted"


class Texts(NamedTuple):
    """Labelled texts; equal ids mean translations of each other."""

    texts: list[str]
    labels: list[str]
    ids: list[str]


class Answered(NamedTuple):
    """What came of texts, over all languages of a set; a column each: (n_texts,)."""

    right: np.ndarray
    probability: np.ndarray
    support: np.ndarray
    n_agreeing: np.ndarray  # of the 3 nearest
    ids: np.ndarray


def sets(data: Path) -> dict[str, tuple[Texts, dict[str, Texts]]]:
    """Read the training texts, and the test texts by language, of each set."""
    sib, news = FileFormat(quoting="csv"), FileFormat(text=("headline", "text"), quoting="csv")

    def read(path: str, format: FileFormat, name: str) -> Texts:
        found = read_documents(find(data / path), format=format, needs_label=True)
        numbered = [f"{name} {row}" for row in range(len(found.texts))]
        return Texts(found.texts, found.labels or [], [str(i) for i in found.ids or numbered])

    dev, test = (read(f"masakhanews/eng/{part}.tsv", news, "eng") for part in ("dev", "test"))
    training, routing = read_routing(data / "parallel")

    def messages(part: Messages) -> Texts:
        return Texts(part.texts, part.labels, part.english)

    return {
        "SIB-200": (
            read("sib200/eng_Latn/train.tsv", sib, "eng"),
            {code: read(f"sib200/{code}/dev.tsv", sib, code) for code in SIB},
        ),
        "MasakhaNEWS": (
            Texts(*(one + other for one, other in zip(dev, test, strict=True))),
            {code: read(f"masakhanews/{code}/test.tsv", news, code) for code in NEWS_LANGUAGES},
        ),
        "routing": (
            messages(training),
            {lang: messages(routing[lang]) for lang in list(routing)[::ROUTING_STEP]},
        ),
    }


def answer(model: TextClassifier, tests: dict[str, Texts], way: str) -> Answered:
    """Answer all texts of a set."""
    columns: list[list[Any]] = [[] for _ in Answered._fields]
    for lang, test in tests.items():
        asked = copy(model)
        if way == ADAPTED:
            asked.adapt(lang, test.texts)  # or declines, and stays as it is
        near = asked.nearest_examples(test.texts, lang, centred=way == CENTRED)
        probabilities = asked.predict_proba(test.texts, lang)
        labels = model.classes_[probabilities.argmax(axis=1)]
        of_text = [
            labels == np.array(test.labels),
            probabilities.max(axis=1),
            near.support,
            [
                sum(one.label == label for one in examples[:3])
                for examples, label in zip(near.examples, labels, strict=True)
            ],
            test.ids,
        ]
        for column, values in zip(columns, of_text, strict=True):
            column.extend(values)
    return Answered(*map(np.array, columns))


def drawn_weights(ids: np.ndarray, seed: int) -> np.ndarray:
    """Return how often each text is drawn: (N_DRAWS, n_texts); translations alike."""
    _, units = np.unique(ids, return_inverse=True)
    n = int(units.max()) + 1
    generator = np.random.default_rng(seed)
    counts = np.array(
        [np.bincount(generator.integers(n, size=n), minlength=n) for _ in range(N_DRAWS)]
    )
    return counts[:, units].astype(np.float64)


def auroc(scores: np.ndarray, right: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return how often a right answer has a higher score than a wrong one, ties count half.

    Parameters
    ----------
    weights
        (n_draws, n_texts).
    """
    ranks = rankdata(scores, method="dense") - 1
    n_ranks = int(ranks.max()) + 1
    order = np.argsort(ranks, kind="stable")
    starts = np.searchsorted(ranks[order], np.arange(n_ranks))
    positive, negative = (
        np.add.reduceat((weights * side)[:, order], starts, axis=1) for side in (right, ~right)
    )
    below = np.cumsum(negative, axis=1) - negative / 2
    pairs = positive.sum(axis=1) * negative.sum(axis=1)
    found: np.ndarray = (positive * below).sum(axis=1) / np.maximum(pairs, 1e-12)
    return found


def ranking_of(found: Answered) -> float:
    """Return the AUROC of support."""
    return float(auroc(found.support, found.right, np.ones((1, len(found.right))))[0])


def shown(measure: Callable[[np.ndarray], np.ndarray], weights: np.ndarray) -> str:
    """Return a measure of weights with its interval."""
    value = float(measure(np.ones((1, weights.shape[1])))[0])
    interval = interval_of_draws(value, measure(weights))
    return f"{value:.3f} [{interval.low:.3f}, {interval.high:.3f}]"


def row_of(name: str, way: str, found: Answered) -> dict[str, Any]:
    """Return the measures of a set."""
    weights = drawn_weights(found.ids, seed=0)
    right, both = found.right, found.probability + found.support

    def accuracy_where(chosen: np.ndarray) -> str:
        return shown(
            lambda w: (w * chosen * right).sum(axis=1) / np.maximum((w * chosen).sum(axis=1), 1),
            weights,
        )

    def ranking(scores: np.ndarray, less: np.ndarray | None = None) -> str:
        def measure(w: np.ndarray) -> np.ndarray:
            own = auroc(scores, right, w)
            return own if less is None else own - auroc(less, right, w)

        return shown(measure, weights)

    return {
        "set": name,
        "compared": way,
        "texts": len(right),
        "accuracy": f"{right.mean():.3f}",
        "all 3 agree": f"{(found.n_agreeing == 3).mean():.3f}",
        "accuracy there": accuracy_where(found.n_agreeing == 3),
        "at most 1 agrees": f"{(found.n_agreeing <= 1).mean():.3f}",
        "accuracy of these": accuracy_where(found.n_agreeing <= 1),
        "AUROC of probability": ranking(found.probability),
        "of support": ranking(found.support),
        "of their sum": ranking(both),
        "support less probability": ranking(found.support, found.probability),
        "sum less probability": ranking(both, found.probability),
    }


def main() -> None:
    """Encode what is missing and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=Path("benchmarks/out"))
    parser.add_argument("--encoder", default="bundled")
    add_json(parser)
    arguments = parser.parse_args()
    record = Record(arguments.json)
    arguments.out.mkdir(parents=True, exist_ok=True)
    warnings.simplefilter("ignore", OmissionWarning)
    cache = arguments.out / "vectors"
    encoder = Encoder.load(arguments.encoder, long_texts="cut", cache=cache)
    rows = []
    for name, (train, tests) in sets(arguments.data).items():
        model = TextClassifier(encoder, keep_examples=True)
        model.fit(train.texts, train.labels, lang="en")
        for way in (SINGLE, CENTRED, ADAPTED):
            rows.append(row_of(name, way, answer(model, tests, way)))
            print(json.dumps(rows[-1]), flush=True)
        vectors = encoder.encode(train.texts)
        of_32_bits = copy(model)
        of_32_bits.fitted_ = replace(
            model.fitted_, examples=replace(model.fitted_.examples, vectors=vectors)
        )
        kept, whole = (answer(one, tests, SINGLE) for one in (model, of_32_bits))
        same = float((kept.support == whole.support).mean())
        change = ranking_of(kept) - ranking_of(whole)
        print(f"{name}: equal support by vectors of 32 bits {same:.4f}, AUROC {change:+.5f}")
    record.show("support", Table(rows))
    (arguments.out / "support.json").write_text(json.dumps(rows, indent=1))
    record.write()


if __name__ == "__main__":
    main()
