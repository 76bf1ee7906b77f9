"""Translations mined out of two monolingual files of which 90 % is noise, by cosine and by margin.

    python benchmarks/mining.py --data DIR

For each language of `parallel/dev` a tenth of its pairs is to be found. The file of the language
has their targets and nine times as many others, whose English sides are left out; the English file
has their English sides and nine times as many English sides of other languages, none of which is
the English side of a sentence of the language. Ten draws, so that every pair is to be found once.
The threshold is the one with the best mean F1 on every other language in alphabetical order, and
is reported on those between; each half chooses for the other. Intervals are over languages. Vectors
are kept in OUT/vectors; the first run encodes 53,000 sentences of 90 languages.
"""

import argparse
import gzip
import json
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from isogloss import Encoder
from isogloss.align.training.pairs import sentence_numbers
from isogloss.mine.pairs import mine_pairs
from isogloss.report.table import Table
from isogloss.retrieve.margins import MARGINS
from isogloss.statistics.draws import Resampling, columns_of
from records import Record, add_json

N_DRAWS = 10
NOISE = 9  # times as many sentences without a translation as with one
N_THRESHOLDS = 400


class Pairs(NamedTuple):
    """English sides, the sides of a language, and what English sides say, by number."""

    english: list[str]
    others: list[str]
    said: np.ndarray


class Mined(NamedTuple):
    """Scores of mined pairs, whether each is one to be found, and how many those are."""

    scores: np.ndarray
    is_right: np.ndarray
    n_gold: int


def read(folder: Path) -> dict[str, Pairs]:
    """Return the held-back pairs of each language."""
    rows = {}
    for file in sorted(folder.glob("*.tsv.gz")):
        with gzip.open(file, "rt", encoding="utf-8") as lines:
            cells = [line.rstrip("\n").split("\t") for line in lines]
        rows[file.name.partition(".")[0]] = [row[0] for row in cells], [row[1] for row in cells]
    numbers = sentence_numbers(*(english for english, _ in rows.values()))
    return {
        lang: Pairs(*sides, said) for (lang, sides), said in zip(rows.items(), numbers, strict=True)
    }


def mined(
    lang: str, pairs: dict[str, Pairs], vectors: dict[str, tuple[np.ndarray, np.ndarray]]
) -> dict[str, list[Mined]]:
    """Return what is mined in each draw, by score."""
    own = pairs[lang]
    foreign = np.concatenate([
        vectors[other][0][~np.isin(pairs[other].said, own.said)] for other in pairs if other != lang
    ])  # fmt: skip
    generator = np.random.default_rng([0, *map(ord, lang)])
    order = generator.permutation(len(own.english))
    found: dict[str, list[Mined]] = {margin: [] for margin in MARGINS}
    for gold in np.array_split(order, N_DRAWS):
        n_noise = NOISE * len(gold)
        others = generator.permutation(np.setdiff1d(order, gold))[:n_noise]
        noise = foreign[generator.choice(len(foreign), n_noise, replace=False)]
        english = np.concatenate([vectors[lang][0][gold], noise])
        target = vectors[lang][1][np.concatenate([gold, others])]
        for margin in MARGINS:
            got = mine_pairs(english, target, margin=margin)
            is_right = (got.sources == got.targets) & (got.sources < len(gold))
            found[margin].append(Mined(got.scores, is_right, len(gold)))
    return found


def f1_at(draws: list[Mined], thresholds: np.ndarray) -> np.ndarray:
    """Return the F1 of a language, the mean over its draws, at each threshold."""
    scored = []
    for one in draws:
        n_kept = np.searchsorted(-one.scores, -thresholds, side="right")
        n_right = np.concatenate([[0], np.cumsum(one.is_right)])[n_kept]
        scored.append(2 * n_right / (n_kept + one.n_gold))
    return np.mean(scored, axis=0)


def judged(found: dict[str, dict[str, list[Mined]]]) -> tuple[list[dict[str, Any]], list[Any]]:
    """Return a row for each score, and one for each language."""
    langs = sorted(found)
    f1: dict[str, np.ndarray] = {}
    rows = []
    resampling = Resampling.of(len(langs), np.random.default_rng(0))
    for margin in MARGINS:
        scores = np.concatenate([one.scores for lang in langs for one in found[lang][margin]])
        thresholds = np.quantile(scores, np.linspace(0, 1, N_THRESHOLDS))
        of_langs = np.stack([f1_at(found[lang][margin], thresholds) for lang in langs])
        best = [int(of_langs[half::2].mean(axis=0).argmax()) for half in (0, 1)]
        f1[margin] = np.array([of_langs[at, best[1 - at % 2]] for at in range(len(langs))])
        rows.append(
            {"score": margin, "languages": len(langs)}
            | columns_of("f1", resampling.mean(f1[margin]).interval)
            | {"thresholds": [float(thresholds[place]) for place in best]}
        )
    for row in rows:
        gain = resampling.mean(f1[row["score"]] - f1["cosine"]).interval
        row |= columns_of("against_cosine", gain)
    each = [
        {"lang": lang} | {margin: float(f1[margin][at]) for margin in MARGINS}
        for at, lang in enumerate(langs)
    ]
    return rows, each


def main() -> None:
    """Encode, mine, print the table and keep that of the languages."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="the evaluation data")
    parser.add_argument("--out", type=Path, default=Path("benchmarks/out/mining"))
    parser.add_argument("--encoder", default="bundled")
    parser.add_argument("--every", type=int, default=1, help="every third language alone: 3")
    add_json(parser)
    given = parser.parse_args()
    record = Record(given.json)
    given.out.mkdir(parents=True, exist_ok=True)
    encoder = Encoder.load(given.encoder, cache=given.out / "vectors")
    pairs = read(given.data / "parallel" / "dev")
    pairs = dict(list(pairs.items())[:: given.every])
    vectors = {}
    for lang, some in pairs.items():
        vectors[lang] = tuple(encoder.encode(side, normalize=True) for side in some[:2])
        print(f"{lang}: {len(some.english)} pairs encoded", flush=True)
    found = {lang: mined(lang, pairs, vectors) for lang in pairs}
    rows, each = judged(found)
    record.show("scores", Table(rows))
    record.show("languages", Table(each))
    record.write()
    (given.out / "mining.json").write_text(json.dumps({"rows": rows, "languages": each}, indent=1))


if __name__ == "__main__":
    main()
