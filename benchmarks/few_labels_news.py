"""Few labels and class names on news, beside the head without names: docs/results-few-labels.md.

Samples of 8, 16 and 64 English articles a class (MasakhaNEWS dev and test), tested on the French,
Swahili and Yoruba test files, on the six classes that English has. An article is its headline and
its first letters. The form of class names was chosen on the dev files of these languages.

    python benchmarks/few_labels_news.py --data DIR [--letters 400]
"""

import argparse
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from evaluation_data import NEWS_LANGUAGES, find, rows_of_each_class
from isogloss import Encoder, TextClassifier
from isogloss.data.documents import FileFormat, read_documents
from isogloss.errors import OmissionWarning
from isogloss.report.table import Table
from isogloss.statistics.bootstrap import Resampled, resampled_means
from isogloss.statistics.seeds import deviation_over_seeds, interval_over_seeds
from records import Record, add_json

SEEDS = {0: 1, 8: 5, 16: 5, 64: 2}  # by texts a class
DESCRIPTIONS = {
    "business": "business, economy, companies, markets, money",
    "entertainment": "entertainment, music, film, celebrities",
    "health": "health, disease, medicine, hospitals",
    "politics": "politics, government, elections, parliament",
    "sports": "sports, football, matches, athletes",
    "technology": "technology, internet, computers, phones",
}
NAMES: dict[str, dict[str, list[str]] | None] = {
    "texts alone": None,
    "class names": {name: [name] for name in DESCRIPTIONS},
    "names and descriptions": {name: [name, more] for name, more in DESCRIPTIONS.items()},
}
Labelled = tuple[list[str], np.ndarray]


def read(data: Path, lang: str, split: str, *, letters: int) -> Labelled:
    """Return articles of the six classes, and their labels."""
    path = find(data / "masakhanews" / lang / f"{split}.tsv")
    parts = [
        read_documents(path, format=FileFormat(text=(column,), quoting="csv"), needs_label=True)
        for column in ("headline", "text")
    ]
    labels = np.array([str(label) for label in parts[0].labels or []])
    texts = [
        f"{headline} {' '.join(text.split())[:letters]}"
        for headline, text in zip(parts[0].texts, parts[1].texts, strict=True)
    ]
    known = np.flatnonzero(np.isin(labels, list(DESCRIPTIONS)))
    return [texts[row] for row in known], labels[known]


def right_by_language(
    encoder: Encoder, train: Labelled, tests: dict[str, Labelled], n: int, row: str
) -> list[dict[str, np.ndarray]]:
    """Return, for each seed, language to which of its texts are right."""
    found = []
    for seed in range(SEEDS[n]):
        chosen = rows_of_each_class(train[1].tolist(), n, seed=seed)
        model = TextClassifier(encoder, random_state=seed).fit(
            [train[0][at] for at in chosen], [str(train[1][at]) for at in chosen], "en",
            class_names=NAMES[row],
        )  # fmt: skip
        found.append({lang: model.predict(texts) == gold for lang, (texts, gold) in tests.items()})
    return found


def line(n: int, row: str, found: list[Any], base: list[Any] | None) -> dict[str, Any]:
    """Return a row of the table: means over languages and samples, the difference to no names.

    Intervals are over articles and samples (`comparison_seeds`).
    """
    right = {
        lang: np.transpose([one[lang] for one in found]).astype(float) for lang in NEWS_LANGUAGES
    }
    scores = resampled_means(right, {}, seed=0)
    shown = {
        "texts a class": n, "row": row, **ends("accuracy", scores, least=0),
        "sd_over_seeds": deviation_over_seeds(scores),
    } | {lang: float(right[lang].mean()) for lang in NEWS_LANGUAGES}  # fmt: skip
    if base is not None:
        gains = {lang: right[lang] - np.transpose([one[lang] for one in base]) for lang in right}
        shown |= ends("difference", resampled_means(gains, {}, seed=0), least=-1)
    return shown


def ends(name: str, scores: Resampled, *, least: float) -> dict[str, float]:
    """Return the cells of a score and its interval."""
    found = interval_over_seeds(scores, least=least)
    return {name: found.value, f"{name}_low": found.low, f"{name}_high": found.high}


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="see docs/results.md")
    parser.add_argument(
        "--letters", type=int, default=400, help="of an article, after its headline"
    )
    add_json(parser)
    options = parser.parse_args()
    record = Record(options.json)
    warnings.filterwarnings("ignore", category=OmissionWarning)
    encoder = Encoder.load("bundled")
    parts = [read(options.data, "eng", split, letters=options.letters) for split in ("dev", "test")]
    train = (parts[0][0] + parts[1][0], np.concatenate([labels for _, labels in parts]))
    tests = {
        lang: read(options.data, lang, "test", letters=options.letters) for lang in NEWS_LANGUAGES
    }
    rows = []
    for n in SEEDS:
        base = None
        for row in NAMES:
            if not n and NAMES[row] is None:
                continue
            found = right_by_language(encoder, train, tests, n, row)
            rows.append(line(n, row, found, base))
            base = found if NAMES[row] is None else base
    record.show("news", Table(rows))
    record.write()


if __name__ == "__main__":
    main()
