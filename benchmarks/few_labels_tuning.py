"""How to tune the encoder with few labels: what was tried, on MasakhaNEWS dev files.

Samples of English articles (dev and test), scored on the French, Swahili and Yoruba dev files; an
article is its headline and its first 300 letters. The recipe of docs/few-labels.md was chosen by
this table, and is measured elsewhere (`few_labels`).

    python benchmarks/few_labels_tuning.py --data DIR
"""

import argparse
import json
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import torch

from evaluation_data import NEWS_LANGUAGES, rows_of_each_class
from few_labels_news import Labelled, read
from isogloss import Encoder, TextClassifier
from isogloss.errors import OmissionWarning
from isogloss.report.table import Table

LETTERS, N_SAMPLES = 300, 2
SHARED: dict[str, Any] = {"dev_split": 0.0, "precision": "bfloat16", "max_length": 128}
TRIED: list[tuple[int, dict[str, Any] | None]] = [  # texts a class; None: the head alone
    (8, None),
    (8, {"epochs": 10}),
    (8, {"epochs": 10, "batch_size": 8}),
    (8, {"epochs": 10, "learning_rate": 1e-4}),
    (16, None),
    (16, {"epochs": 5, "learning_rate": 1e-4}),
    (64, None),
    (64, {"epochs": 2, "learning_rate": 1e-4}),
    (64, {"epochs": 1, "learning_rate": 1e-4}),
]


def main() -> None:
    """Measure, write JSON to OUT, print a table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="see docs/results.md")
    parser.add_argument("--out", type=Path, default=Path("benchmarks/out"))
    options = parser.parse_args()
    warnings.filterwarnings("ignore", category=OmissionWarning)
    torch.set_num_threads(1)
    encoder = Encoder.load("bundled", device="cpu", dtype="bfloat16", threads=1)
    parts = [read(options.data, "eng", split, letters=LETTERS) for split in ("dev", "test")]
    train = (parts[0][0] + parts[1][0], np.concatenate([labels for _, labels in parts]))
    tests = {lang: read(options.data, lang, "dev", letters=LETTERS) for lang in NEWS_LANGUAGES}
    rows = [line(encoder, train, tests, n, tuning) for n, tuning in TRIED]
    print(Table(rows).to_markdown())
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "few_labels_tuning.json").write_text(json.dumps(rows, indent=1), "utf-8")


def line(
    encoder: Encoder,
    train: Labelled,
    tests: dict[str, Labelled],
    n: int,
    tuning: dict[str, Any] | None,
) -> dict[str, Any]:
    """Return the means of one way over languages and samples."""
    shares, seconds = [], []
    for sample in range(N_SAMPLES):
        rows = rows_of_each_class(train[1].tolist(), n, seed=100 + sample)
        model = TextClassifier(encoder, random_state=sample)
        if tuning is not None:
            model.set_params(tune="full", training=SHARED | tuning)
        begin = time.process_time()
        model.fit([train[0][row] for row in rows], train[1][rows].tolist(), "en")
        seconds.append(time.process_time() - begin)
        shares.append([(model.predict(texts) == gold).mean() for texts, gold in tests.values()])
    return {
        "texts a class": n,
        "tuning": "head alone" if tuning is None else json.dumps(tuning),
        "accuracy": float(np.mean(shares)),
        "samples": ", ".join(f"{share:.3f}" for share in np.mean(shares, axis=1)),
        "CPU seconds": float(np.mean(seconds)),
    }


if __name__ == "__main__":
    main()
