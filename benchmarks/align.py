"""Train a sentence encoder on translations and score it where nothing was chosen.

    python benchmarks/align.py --data DIR --pairs 60000 [--all-rows] [--out FOLDER]

Trains the bundled encoder on pairs of `parallel/` that may be given away (without the rows tagged
lafand, multi30k and bible) and scores Tatoeba and STS before and after. Settings were chosen on
every other one of the 36 languages in alphabetical order (`align_ablations.py`) and on STS 2012 and
2013; the other half, and 2014 and 2015, are reported apart. Each language has an exact sign test
over its sentences, corrected after Holm. --out holds the encoder.
"""

import argparse
import gzip
import json
import re
import time
from collections.abc import Collection
from pathlib import Path
from typing import Any

import numpy as np
import torch

from isogloss import Encoder
from isogloss.align import SentenceAligner
from isogloss.arrays import Floats2d
from isogloss.report.table import Table
from isogloss.retrieve.benchmarks import evaluate_sts, evaluate_tatoeba
from isogloss.retrieve.scored import Scored
from isogloss.statistics.scores import holm, interval_of_language_mean, paired_difference
from isogloss.storage.files import write_json
from records import Record, add_json

STS_YEARS = {"chosen on": ("2012", "2013"), "reported": ("2014", "2015")}
NOT_GIVEN_AWAY = ("lafand", "multi30k", "bible")


def read(
    folder: Path,
    *,
    n: int,
    seed: int,
    all_rows: bool,
    langs: Collection[str] | None = None,
    sources: Collection[str] | None = None,
) -> tuple[list[str], list[str], list[str]]:
    """Return English, the other side and the language of `n` pairs, drawn evenly by language.

    Parameters
    ----------
    langs, sources
        Only these languages, and rows whose tag is one of these up to a colon or at sign.
    """
    found: dict[str, list[list[str]]] = {}
    for file in sorted(folder.glob("*.tsv.gz")):
        lang = file.name.partition(".")[0]
        if langs is not None and lang not in langs:
            continue
        with gzip.open(file, "rt", encoding="utf-8") as lines:
            rows = [line.rstrip("\n").split("\t") for line in lines]
        found[lang] = [
            row for row in rows
            if (all_rows or row[2] not in NOT_GIVEN_AWAY)
            and (sources is None or re.split("[:@]", row[2])[0] in sources)
        ]  # fmt: skip
    generator = np.random.default_rng(seed)
    share = max(len(rows) for rows in found.values())
    while sum(min(share, len(rows)) for rows in found.values()) > n:
        share -= 1
    chosen = []
    for lang, rows in found.items():
        places = generator.permutation(len(rows))[:share]
        chosen += [(rows[place][0], rows[place][1], lang) for place in places]
    one, other, of = map(list, zip(*chosen, strict=True))
    return one, other, of


def scored(encoder: Encoder, data: Path) -> tuple[Scored, Scored]:
    """Return the scores of Tatoeba and of STS."""

    def vectors(texts: list[str]) -> Floats2d:
        return encoder.encode(texts, normalize=True)  # type: ignore[return-value]

    return evaluate_tatoeba(data / "tatoeba", vectors), evaluate_sts(data / "sts", vectors)


def scored_once(file: Path, encoder: Encoder, data: Path) -> tuple[Scored, Scored]:
    """Return `scored`; kept in a file, which another run of the same encoder may read."""
    if not file.exists():
        found = scored(encoder, data)
        rows = [
            {"rows": one.rows, "means": one.means, "groups": one.groups,
             "right": {lang: right.tolist() for lang, right in one.right.items()}}
            for one in found
        ]  # fmt: skip
        write_json(file, rows)
    kept = json.loads(file.read_text("utf-8"))
    return tuple(  # type: ignore[return-value]
        Scored(**one | {"right": {lang: np.array(right) for lang, right in one["right"].items()}})
        for one in kept
    )


def compared(before: Scored, after: Scored) -> list[dict[str, Any]]:
    """Return a row for each language and for each half of them."""
    rows = []
    gains = {}
    p_values = []
    for number, (old, new) in enumerate(zip(before.rows, after.rows, strict=True)):
        lang = old["lang"]
        gains[lang] = after.right[lang] - before.right[lang]
        paired = paired_difference(after.right[lang], before.right[lang])
        p_values.append(paired.p_value)
        rows.append({
            "lang": lang, "half": ("chosen on", "reported")[number % 2], "n": old["n"],
            "before": old["mean"], "after": new["mean"],
            "difference": paired.difference.value, "difference_low": paired.difference.low,
            "difference_high": paired.difference.high,
        })  # fmt: skip
    for row, p in zip(rows, holm(p_values), strict=True):
        row["p_holm"] = p
    for half in ("chosen on", "reported"):
        langs = [row["lang"] for row in rows if row["half"] == half]
        found = interval_of_language_mean({lang: gains[lang] for lang in langs}, {}, seed=0)
        mean = {name: float(np.mean([row[name] for row in rows if row["half"] == half]))
                for name in ("before", "after")}  # fmt: skip
        rows.append({
            "lang": "mean", "half": half, "n": len(langs), **mean, "difference": found.value,
            "difference_low": found.low, "difference_high": found.high, "p_holm": None,
        })  # fmt: skip
    return rows


def similarities(when: str, found: Scored) -> list[dict[str, Any]]:
    """Return the means of STS over the years that settings were chosen on, the others, and all."""
    rows: list[dict[str, Any]] = []
    for parts, years in STS_YEARS.items():
        some = [row for row in found.rows if row["part"].partition("/")[0] in years]
        means = {name: float(np.mean([row[name] for row in some]))
                 for name in ("spearman", "pearson")}  # fmt: skip
        rows.append({"when": when, "parts": parts, "n": len(some), **means})
    return [*rows, {"when": when, "parts": "all"} | found.means[0]]


def main() -> None:
    """Train, score, print tables and keep the encoder."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="the evaluation data")
    parser.add_argument("--pairs", type=int, default=20_000)
    parser.add_argument("--all-rows", action="store_true", help="also rows not to be given away")
    parser.add_argument("--out", type=Path, default=Path("benchmarks/out/align"))
    parser.add_argument(
        "--before",
        type=Path,
        default=Path("benchmarks/out/align-before.json"),
        help="scores of the encoder that training starts from; made if missing",
    )
    parser.add_argument("--training", default="{}", help="options of training, as JSON")
    parser.add_argument("--tune", choices=("full", "lora"), default="full")
    parser.add_argument("--teacher", help="distil from this encoder too: bundled")
    parser.add_argument("--threads", type=int, default=2)
    add_json(parser)
    given = parser.parse_args()
    record = Record(given.json)
    torch.set_num_threads(given.threads)
    encoder = Encoder.load("bundled", dtype="bfloat16", threads=given.threads)
    before = scored_once(given.before, encoder, given.data)
    sources, targets, langs = read(
        given.data / "parallel", n=given.pairs, seed=0, all_rows=given.all_rows
    )
    training = {"precision": "bfloat16"} | json.loads(given.training)
    start = time.perf_counter()
    base = Encoder.load("bundled", threads=given.threads)
    aligner = SentenceAligner(base, tune=given.tune, teacher=given.teacher, training=training)
    aligner.fit(sources, targets, langs)
    seconds = time.perf_counter() - start
    aligner.save(given.out, overwrite=True)
    trained = Encoder.load(given.out, dtype="bfloat16", threads=given.threads)
    after = scored(trained, given.data)
    rows = compared(before[0], after[0])
    similarity = [
        row
        for when, found in (("before", before[1]), ("after", after[1]))
        for row in similarities(when, found)
    ]
    record.show("tatoeba", Table(rows))
    record.show("similarity", Table(similarity))
    print(
        f"{aligner.n_pairs_:,} pairs in {seconds:.0f} s, {aligner.n_pairs_ / seconds:.1f} a second"
    )
    record.write()


if __name__ == "__main__":
    main()
