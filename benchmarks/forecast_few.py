"""How often the interval of a forecast holds with few texts: docs/trust.md.

Messages to a support desk and to a town hall (`class_names.py`): a few English ones a class train,
and German, Spanish and French ones are forecast, all 80 of a language and 20 of them. The vectors
are kept in --out.

    python benchmarks/forecast_few.py [--samples 3]
"""

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np

from class_names import intents, town
from evaluation_data import rows_of_each_class
from isogloss import Encoder
from isogloss.classify.forecast import interval_of_forecast
from isogloss.classify.trust.reference import ForecastReference
from isogloss.learn.linear_head import fit_with_search
from isogloss.learn.threads import one_thread
from isogloss.report.table import Table

SIZES = (4, 8)  # texts a class to train on
N_TESTED = (20, 80)
N_DRAWS = 20  # of 20 texts from 80


def main() -> None:
    """Measure, write JSON to benchmarks/out, print a Markdown table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--out", type=Path, default=Path("benchmarks/out"))
    parser.add_argument("--samples", type=int, default=3)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    encoder = Encoder.load("bundled", cache=options.out / "vectors")
    rows = []
    for size in SIZES:
        found = [
            case
            for read in (intents, town)
            for seed in range(options.samples)
            for case in cases(encoder, read, size, seed)
        ]
        for n in N_TESTED:
            own = [case for case in found if case["n"] == n]
            rows.append({"texts a class": size, "texts of the language": n} | summary(own))
            print(json.dumps(rows[-1]), flush=True)
    (options.out / "forecast_few.json").write_text(json.dumps(rows, indent=1), "utf-8")
    print(Table(rows).to_markdown())


def cases(encoder: Encoder, read: Any, size: int, seed: int) -> list[dict[str, Any]]:
    """Forecast each language after training on one sample."""
    task = read(Path())
    texts, labels = task.train
    classes = sorted(set(labels))
    drawn = rows_of_each_class(labels, size, seed=100 + seed)
    vectors = encoder.encode(texts)[drawn]
    y = np.array([classes.index(labels[row]) for row in drawn])
    with one_thread():
        head = fit_with_search(vectors, y, len(classes), seed=seed)
        reference = ForecastReference.fit(vectors, y, len(classes), C=head.C, seed=seed)
    assert reference is not None
    generator = np.random.default_rng(seed)
    found = []
    for tested, gold, _ in task.tests.values():
        own = encoder.encode(tested)
        right = head.log_probabilities(own).argmax(axis=1) == [classes.index(one) for one in gold]
        agreements = reference.agreement_on(own)
        for n in N_TESTED:
            for _ in range(N_DRAWS if n < len(own) else 1):
                rows = generator.permutation(len(own))[:n]
                expected = reference.expected_accuracy(float(agreements[rows].mean()))
                low, high = interval_of_forecast(
                    expected, n, training_accuracy=reference.accuracy, n_training=len(y)
                )
                accuracy = float(right[rows].mean())
                found.append(
                    {
                        "n": n,
                        "training": reference.accuracy,
                        "accuracy": accuracy,
                        "error": expected - accuracy,
                        "covered": low <= accuracy <= high,
                        "width": high - low,
                    }
                )
    return found


def summary(found: list[dict[str, Any]]) -> dict[str, Any]:
    """Return means over cases, which are not independent where texts are drawn again."""
    return {
        "cases": len(found),
        **{
            name: float(np.mean([case[name] for case in found]))
            for name in ("training", "accuracy")
        },
        "error": float(np.mean([abs(case["error"]) for case in found])),
        "bias": float(np.mean([case["error"] for case in found])),
        "width": float(np.mean([case["width"] for case in found])),
        "covered": float(np.mean([case["covered"] for case in found])),
    }


if __name__ == "__main__":
    main()
