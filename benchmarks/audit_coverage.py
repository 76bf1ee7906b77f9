"""How often the interval of an audit holds, and how wide it is: docs/audit.md.

A classifier that learned from English answers the held-back messages of each language
(`routing_data`), once; its answers are kept in --out. Then audits of each language are simulated:
50 rows are drawn as `isogloss classify audit draw` draws them, and the interval holds where the
accuracy on all messages is in it. *Of these messages*: without replacement, from the 60 to 240 that
there are, of which an audit is a large part; *of many like them*: with replacement, as from a large
inbox. Beside them, assisted audits: the answers to the rows without a label help.

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
from isogloss.statistics.assisted import Moments, assisted_interval
from isogloss.statistics.intervals import (
    QUANTILE,
    Interval,
    interval_of_share,
    interval_of_strata,
)
from records import Record, add_json
from routing_data import read_routing

N_TEST = 240
SHARES = (0.6, 0.7, 0.8, 0.9, 0.95)  # accuracies of which the width is told plainly
SIZES = (20, 50, 100, 250, 500)
N_INBOX = 1000  # rows that assisted audits draw from
Answers = dict[str, dict[str, list[Any]]]  # language → "answers", "labels" and `PREDICTORS`
PREDICTORS = ("probability", "agreement")  # of an answer's being right


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
    add_json(parser)
    options = parser.parse_args()
    record = Record(options.json)
    options.out.mkdir(parents=True, exist_ok=True)
    found = answers(options)
    if options.langs:
        found = {lang: some for lang, some in found.items() if lang in options.langs}
    rows = [
        row | {"lang": lang} for lang, some in found.items() for row in simulated(some, options)
    ]
    overall = [summary(rows, way) for way in dict.fromkeys(row["drawn"] for row in rows)]
    helped = [
        row | {"lang": lang} for lang, some in found.items() for row in assisted(some, options)
    ]
    beside = [summary(helped, way) for way in dict.fromkeys(row["drawn"] for row in helped)]
    (options.out / "audit_coverage.json").write_text(
        json.dumps({"overall": overall, "assisted": beside, "rows": rows + helped}, indent=1),
        "utf-8",
    )
    record.show("audits", Table(overall))
    record.show("assisted", Table(beside))
    record.show("widths", Table(widths()))
    record.write()


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
    fitted, found = model.fitted_, Answers()
    assert fitted.forecast_reference is not None
    for lang, test in tests.items():
        prepared = fitted.prepare(test.texts, lang)
        p = fitted.probabilities(prepared)
        found[lang] = {
            "answers": fitted.classes[p.argmax(axis=1)].tolist(),
            "labels": test.labels,
            "probability": p.max(axis=1).tolist(),
            "agreement": fitted.forecast_reference.agreement_on(prepared.vectors).tolist(),
        }
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


def assisted(language: dict[str, list[Any]], options: argparse.Namespace) -> list[dict[str, Any]]:
    """Return how intervals fare that use the answers to rows without a label, too.

    Of an inbox of `N_INBOX` messages, drawn with replacement, some are labelled; the accuracy is
    that of all messages like them.
    """
    right = np.array(language["answers"]) == np.array(language["labels"])
    truth, rows = right.mean(), []
    ways: dict[str, list[Interval]] = {}
    generator = np.random.default_rng(0)
    for _ in range(options.audits):
        inbox = generator.integers(len(right), size=N_INBOX)
        labelled, others = inbox[: options.n], inbox[options.n :]
        y = right[labelled]
        ways.setdefault("labels alone", []).append(interval_of_share(int(y.sum()), len(y)))
        for name in PREDICTORS:
            f = np.array(language[name])
            found = assisted_interval(y, f[labelled], Moments.of(f[others]))
            ways.setdefault(f"assisted by {name}", []).append(found)
            normal = normal_interval(y.astype(np.float64), f[labelled], f[others])
            ways.setdefault(f"assisted by {name}, normal interval", []).append(normal)
    for drawn, some in ways.items():
        held = [one.low <= truth <= one.high for one in some]
        rows.append({"drawn": drawn, "n": len(right), "accuracy": float(truth),
                     "held": float(np.mean(held)),
                     "width": float(np.mean([one.high - one.low for one in some]))})  # fmt: skip
    return rows


def normal_interval(y: np.ndarray, f: np.ndarray, others: np.ndarray) -> Interval:
    """Return the accuracy with the interval of the papers."""
    weight = np.clip(np.cov(y, f)[0, 1] / np.concatenate([f, others]).var(), 0, 1)
    weight = float(weight / (1 + len(y) / len(others)))
    value = float(y.mean() + weight * (others.mean() - f.mean()))
    variance = (y - weight * f).var(ddof=1) / len(y) + weight**2 * others.var() / len(others)
    reach = QUANTILE * float(np.sqrt(variance))
    return Interval(value, value - reach, value + reach)


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
