"""What labels of the target language itself would bring: the oracle of docs/results-zero-shot.md.

Beside the zero-shot accuracy stands that of a classifier that has seen labels of the language.
MasakhaNEWS: fitted on the language's dev file, scored on its test file, with and without entities.
SIB-200 (the encoder alone): two-fold over the dev file of each language, stratified, on one half
alone (about 50 texts) or together with the English training texts, at the C that English chose.
Differences are paired over documents. The zero-shot cells are those of `zero_shot.py`: with the
same --out they are not run again.

    python benchmarks/oracle.py --data DATA --out benchmarks/out
"""

import argparse
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedKFold

from evaluation_data import NEWS_LANGUAGES
from isogloss import Encoder
from isogloss.classify.compare.comparison import BASELINE, Comparison, compare, compared_rows
from isogloss.data.documents import FileFormat
from isogloss.errors import OmissionWarning
from isogloss.learn.linear_head import LinearHead, fit_with_search
from isogloss.report.table import Table
from isogloss.statistics.scores import interval_of_language_mean
from zero_shot import datasets, knowledge_base, read

Right = dict[str, np.ndarray]  # language to the share of seeds that get each document right
Ids = Mapping[str, Sequence[str] | None]


def news_table(data: Path, encoder: Encoder, n_seeds: int, out: Path) -> Table:
    """Fit on the dev file of each language, and on English; score the test files."""
    english, tests = datasets(data)["masakhanews"]
    format = FileFormat(text=("headline", "text"), quoting="csv")
    dev = read(data, {f"masakhanews/{code}/dev.tsv": code for code in NEWS_LANGUAGES}, format)
    shared: dict[str, Any] = {
        "encoder": encoder, "kb": knowledge_base(data, out, "omw"), "n_seeds": n_seeds,
        "rows": compared_rows(["mboe-plus"]),
    }  # fmt: skip
    zero_shot = compare(english, tests, out=out / "masakhanews", **shared)
    oracles = {}
    for lang in zero_shot.ids:
        part = tests.rows_in({lang})
        oracles[lang] = compare(dev.rows_in({lang}), part, out=out / f"oracle-{lang}", **shared)
    rows = []
    for name in zero_shot.rows:
        own: Right = {}
        for one in oracles.values():
            own |= right(one, name)
        found = lines(right(zero_shot, name), {"oracle": own}, zero_shot.ids)
        rows += [{"row": name, "lang": lang} | line for lang, line in found.items()]
    return Table(rows)


def right(comparison: Comparison, row: str) -> Right:
    """Return the share of seeds whose classifier gets each document right."""
    cells = [comparison.cells[row, seed].correct for seed in range(comparison.n_seeds)]
    return {lang: np.mean([cell[lang] for cell in cells], axis=0) for lang in cells[0]}


def sib_table(data: Path, encoder: Encoder, n_seeds: int, out: Path) -> Table:
    """Fit on halves of each language's dev file, alone and together with English."""
    english, tests = datasets(data)["sib200"]
    classes = sorted(set(english.labels))
    number = {label: place for place, label in enumerate(classes)}
    y = np.array([number[label] for label in english.labels])
    vectors = encoder.encode(english.texts)
    C = fit_with_search(vectors, y, len(classes), seed=0).C
    comparison = compare(
        english, tests, encoder=encoder, kb=knowledge_base(data, out, "omw"), n_seeds=n_seeds,
        rows=compared_rows(["mboe-plus"])[:1], out=out / "sib200",
    )  # fmt: skip
    own: Right = {}
    both: Right = {}
    for lang in comparison.ids:
        part = tests.rows_in({lang})
        inputs, gold = encoder.encode(part.texts), np.array([number[one] for one in part.labels])
        shares = np.zeros((2, len(gold)))
        for seed in range(n_seeds):
            halves = StratifiedKFold(2, shuffle=True, random_state=seed)
            for train, test in halves.split(inputs, gold):
                few = fit_with_search(inputs[train], gold[train], len(classes), seed=seed)
                joint = LinearHead.fit(
                    np.vstack([vectors, inputs[train]]), np.concatenate([y, gold[train]]),
                    len(classes), C=C,
                )  # fmt: skip
                for place, head in enumerate((few, joint)):
                    predicted = head.log_probabilities(inputs[test]).argmax(axis=1)
                    shares[place, test] += predicted == gold[test]
        own[lang], both[lang] = shares / n_seeds
    found = lines(
        right(comparison, BASELINE), {"oracle": own, "English and oracle": both}, comparison.ids
    )
    return Table([{"lang": lang} | line for lang, line in found.items()])


def lines(zero_shot: Right, oracles: Mapping[str, Right], ids: Ids) -> dict[str, dict[str, Any]]:
    """Return for each language, and their mean, accuracies and differences from zero-shot."""
    found = {}
    for lang in (*zero_shot, "mean"):
        langs = list(zero_shot) if lang == "mean" else [lang]
        base = {one: zero_shot[one] for one in langs}
        line = with_interval("zero-shot", base, ids)
        for name, oracle in oracles.items():
            line |= with_interval(name, {one: oracle[one] for one in langs}, ids)
            gains = {one: oracle[one] - base[one] for one in langs}
            line |= with_interval(f"difference of {name}", gains, ids)
        found[lang] = line
    return found


def with_interval(name: str, values: Right, ids: Ids) -> dict[str, float]:
    """Return a mean over languages and its bootstrap interval as columns."""
    interval = interval_of_language_mean(values, ids, seed=0)
    return {name: interval.value, f"{name}_low": interval.low, f"{name}_high": interval.high}


def main() -> None:
    """Write the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=Path("benchmarks/out"))
    parser.add_argument("--seeds", type=int, default=5)
    arguments = parser.parse_args()
    warnings.filterwarnings("ignore", category=OmissionWarning)  # cut texts, labels English lacks
    arguments.out.mkdir(parents=True, exist_ok=True)
    data, out, n_seeds = arguments.data, arguments.out, arguments.seeds
    for name, table_of, dtype in (
        ("sib200", sib_table, "float32"),
        ("masakhanews", news_table, "bfloat16"),  # the articles are long
    ):
        encoder = Encoder.load("bundled", dtype=dtype, long_texts="cut")
        table = table_of(data, encoder, n_seeds, out)
        (out / f"oracle_{name}.md").write_text(table.to_markdown(), encoding="utf-8")
        print(table.to_markdown())


if __name__ == "__main__":
    main()
