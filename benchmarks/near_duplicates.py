"""The threshold of near-duplicates across languages, chosen on half of SIB-200's languages.

    python benchmarks/near_duplicates.py --data DIR

For each two languages, ten draws: a tenth of the dev sentences stands in both, of the others half
stands in one and half in the other, so that one sentence in 5.5 has a near-duplicate: its
translation. The threshold is the lowest with which 19 in 20 of the pairs that are found are right
among every other language; reported are the pairs of the others. The margin, which is what near
duplicates are judged by, stands beside the mere cosine. Intervals are over sentences, drawn jointly
over languages.
"""

import argparse
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from evaluation_data import SIB_LANGUAGES, find
from isogloss import Encoder
from isogloss.data.documents import FileFormat, read_documents
from isogloss.report.table import Table
from isogloss.retrieve.duplicates import near_duplicates
from isogloss.statistics.draws import Resampling, columns_of
from isogloss.statistics.intervals import interval_of_draws
from records import Record, add_json

N_DRAWS = 10
PRECISION = 0.95
THRESHOLDS = {
    "margin": np.arange(1.0, 1.1501, 0.005),
    "cosine": np.arange(0.80, 0.9801, 0.005),
}


class Found(NamedTuple):
    """Pairs of all draws: scores, sentence of the first language, and whether both are the same."""

    scores: dict[str, np.ndarray]
    sentences: np.ndarray
    is_right: np.ndarray


def found(vectors: list[np.ndarray]) -> Found:
    """Return the pairs that are found with any score, over all pairs of languages and draws."""
    n = len(vectors[0])
    rows: list[tuple[float, float, int, bool]] = []
    generator = np.random.default_rng(0)
    for one, other in combinations(vectors, 2):
        order = generator.permutation(n)
        for common in np.array_split(order, N_DRAWS):
            rest = generator.permutation(np.setdiff1d(order, common))
            sides = [np.concatenate([common, half]) for half in np.array_split(rest, 2)]
            stacked = np.concatenate([one[sides[0]], other[sides[1]]])
            sentences = np.concatenate(sides)
            langs = np.repeat([1, 2], [len(side) for side in sides])
            for pair in near_duplicates(stacked, langs, threshold=-1.0):
                first, second = sentences[pair.first], sentences[pair.second]
                rows.append((pair.score, pair.cosine, int(first), bool(first == second)))
    margins, cosines, sentences, is_right = map(np.array, zip(*rows, strict=True))
    return Found({"margin": margins, "cosine": cosines}, sentences, is_right)


def scored(
    pairs: Found, score: str, threshold: float, n_sentences: int, n_language_pairs: int
) -> dict[str, Any]:
    """Return precision and recall at a threshold."""
    kept = pairs.scores[score] >= threshold
    right = np.bincount(pairs.sentences[kept & pairs.is_right], minlength=n_sentences)
    all_kept = np.bincount(pairs.sentences[kept], minlength=n_sentences)
    times = Resampling.of(n_sentences, np.random.default_rng(0)).times
    precision = right.sum() / max(1, all_kept.sum())
    drawn = (times @ right) / np.maximum(1, times @ all_kept)
    recall = right / n_language_pairs  # each sentence is to be found once in each
    of_recall = interval_of_draws(float(recall.mean()), times @ recall / n_sentences)
    return (
        {"threshold": float(threshold), "found": int(kept.sum())}
        | columns_of("precision", interval_of_draws(float(precision), drawn))
        | columns_of("recall", of_recall)
    )


def main() -> None:
    """Encode, choose, and print the scores of both halves."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="the evaluation data")
    parser.add_argument("--out", type=Path, default=Path("benchmarks/out/near_duplicates"))
    parser.add_argument("--encoder", default="bundled")
    add_json(parser)
    given = parser.parse_args()
    record = Record(given.json)
    encoder = Encoder.load(given.encoder, cache=given.out / "vectors")
    vectors = []
    for lang in sorted(["eng_Latn", *SIB_LANGUAGES]):
        file = find(given.data / "sib200" / lang / "dev.tsv")
        rows = read_documents(file, format=FileFormat(quoting="csv"), needs_label=False)
        order = np.argsort(np.array(rows.ids))
        vectors.append(encoder.encode([rows.texts[row] for row in order], normalize=True))
    n = len(vectors[0])
    halves = [vectors[::2], vectors[1::2]]
    pairs = [found(half) for half in halves]
    n_pairs = [len(half) * (len(half) - 1) // 2 for half in halves]
    rows = []
    for score, thresholds in THRESHOLDS.items():
        chosen, reported = (
            [scored(some, score, threshold, n, n_of) for threshold in thresholds]
            for some, n_of in zip(pairs, n_pairs, strict=True)
        )
        best = next(at for at, row in enumerate(chosen) if row["precision"] >= PRECISION)
        for half, of_half in (("chosen on", chosen), ("reported", reported)):
            rows.append({"score": score, "half": half} | of_half[best])
        print(Table(reported, caption=f"{score}: languages that are reported").to_markdown())
    record.show("thresholds", Table(rows))
    record.write()


if __name__ == "__main__":
    main()
