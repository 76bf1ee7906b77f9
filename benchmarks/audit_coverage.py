"""How often the interval of an audit holds, and how wide it is: docs/audit.md.

A classifier that learned from English answers the held-back messages of each language
(`routing_data`), once; its answers are kept in --out. Then audits of each language are simulated:
50 rows are drawn as `isogloss classify audit draw` draws them, and the interval holds where the
accuracy on all messages is in it. *Of these messages*: without replacement, from the 60 to 240 that
there are, of which an audit is a large part; *of many like them*: with replacement, as from a large
inbox.

    python benchmarks/audit_coverage.py --data DIR [--audits 500] [--n 50] [--encoder ./tiny]
"""

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np

from isogloss import Encoder, TextClassifier
from isogloss.classify.audit.drawing import allocation
from isogloss.report.table import Table
from isogloss.statistics.intervals import Interval, interval_of_share, interval_of_strata
from routing_data import read_routing

N_TEST = 240
SHARES = (0.6, 0.7, 0.8, 0.9, 0.95)  # accuracies of which the width is told plainly
SIZES = (20, 50, 100, 250, 500)
Answers = dict[str, dict[str, list[str]]]  # language → "answers" and "labels"


def main() -> None:
    """Simulate, write JSON to benchmarks/out, print Markdown tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="folder with parallel/")
    parser.add_argument("--out", type=Path, default=Path("benchmarks/out"))
    parser.add_argument("--encoder", default="bundled")
    parser.add_argument("--dtype", default="bfloat16")
    parser.add_argument("--audits", type=int, default=500, help="simulated, of each language")
    parser.add_argument("--n", type=int, default=50)
    parser.add_argument("--training", type=int, default=2000, help="English training messages")
    parser.add_argument("--langs", type=lambda value: value.split(","), help="default: all")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    found = answers(options)
    if options.langs:
        found = {lang: some for lang, some in found.items() if lang in options.langs}
    rows = [
        row | {"lang": lang} for lang, some in found.items() for row in simulated(some, options)
    ]
    overall = [summary(rows, way) for way in dict.fromkeys(row["drawn"] for row in rows)]
    (options.out / "audit_coverage.json").write_text(
        json.dumps({"overall": overall, "rows": rows}, indent=1), "utf-8"
    )
    print(Table(overall).to_markdown())
    print(Table(widths()).to_markdown())


def answers(options: argparse.Namespace) -> Answers:
    """Return the answers to the messages of each language, kept from an earlier run or made."""
    about = {"encoder": str(options.encoder), "dtype": options.dtype, "n_test": N_TEST,
             "training": options.training}  # fmt: skip
    kept = options.out / "audit_answers.json"
    if kept.exists():
        content = json.loads(kept.read_text("utf-8"))
        if content["about"] == about:
            return dict(content["languages"])
    training, tests = read_routing(
        options.data / "parallel", n_training=options.training, n_test=N_TEST
    )
    encoder = Encoder.load(options.encoder, dtype=options.dtype, cache=options.out / "vectors")
    model = TextClassifier(encoder, random_state=0).fit(training.texts, training.labels, "en")
    found: Answers = {}
    for lang, test in tests.items():
        found[lang] = {"answers": model.predict(test.texts, lang).tolist(), "labels": test.labels}
        print(f"{lang}: {len(test.texts)} messages", flush=True)
    kept.write_text(json.dumps({"about": about, "languages": found}), "utf-8")
    return found


def simulated(language: dict[str, list[str]], options: argparse.Namespace) -> list[dict[str, Any]]:
    """Return how often the interval of a language held, in each way of drawing."""
    given, labels = np.array(language["answers"]), np.array(language["labels"])
    right = given == labels
    by_class = [right[given == answer] for answer in np.unique(given)]
    rows = []
    for drawn, strata in (("rows", [right]), ("by class", by_class)):
        for source, with_replacement in (("these messages", False), ("many like them", True)):
            generator = np.random.default_rng(0)
            held, width = [], []
            for _ in range(options.audits):
                interval = audited(strata, options.n, generator, replace=with_replacement)
                held.append(interval.low <= right.mean() <= interval.high)
                width.append(interval.high - interval.low)
            rows.append({"drawn": f"{drawn} of {source}", "n": len(right),
                         "accuracy": float(right.mean()), "held": float(np.mean(held)),
                         "width": float(np.mean(width))})  # fmt: skip
    return rows


def audited(
    strata: list[np.ndarray], n: int, generator: np.random.Generator, *, replace: bool
) -> Interval:
    """Return accuracy and interval of one simulated audit."""
    sizes = [len(right) for right in strata]
    drawn = allocation(sizes, n)
    n_right = [
        generator.choice(right, some, replace=replace).sum()
        for right, some in zip(strata, drawn, strict=True)
    ]
    return interval_of_strata(
        np.array(sizes, np.float64), np.array(n_right, np.float64), np.array(drawn, np.float64)
    )


def summary(rows: list[dict[str, Any]], drawn: str) -> dict[str, Any]:
    """Return the mean over languages of one way of drawing."""
    own = [row for row in rows if row["drawn"] == drawn]
    return {
        "drawn": drawn,
        "languages": len(own),
        "held": float(np.mean([row["held"] for row in own])),
        "held least": min(row["held"] for row in own),
        "languages below .93": sum(row["held"] < 0.93 for row in own),
        "width": float(np.mean([row["width"] for row in own])),
    }


def widths() -> list[dict[str, Any]]:
    """Return the interval of each accuracy, by the number of labels."""
    rows = []
    for share in SHARES:
        row: dict[str, Any] = {"accuracy": f"{share:.2f}"}
        for n in SIZES:
            found = interval_of_share(round(share * n), n)
            row[f"{n} labels"] = f"[{found.low:.2f}, {found.high:.2f}]"
        rows.append(row)
    return rows


if __name__ == "__main__":
    main()
