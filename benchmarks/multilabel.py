"""Multi-label emotion (XED): trained on English sentences, tested on six other languages.

    python benchmarks/multilabel.py --data DIR

Finnish, labelled by people, is the headline. The labels of German, Arabic, Polish, Russian and
Turkish were projected from the English originals of their sentences, which are among the training
sentences: for each of these languages the classifier is trained without every English sentence
that is the nearest neighbour of a test sentence, or as near as `NEAR` to one, by the encoder's
cosine. No label of a test sentence is looked at. (Of Finnish sentences, which have no originals
here, one English sentence in seven has a neighbour as near as that: it is the level of chance.)

A tenth of the English sentences is kept for a test in English. Of the others a tenth is held out,
by label, to choose C and to tune thresholds on. For an upper bound, one half of the Finnish
sentences is also answered by a classifier trained on the other. Vectors are kept in OUT/vectors, by
encoder, precision and text; the first run encodes 60,000 sentences.
"""

import argparse
import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from isogloss import Encoder, TextClassifier
from isogloss.classify.evaluate.label_set_scores import Decisions, f1_intervals
from isogloss.classify.labels.labelling import LABEL_SETS
from isogloss.data.documents import Documents, FileFormat, read_documents
from isogloss.data.lines import open_lines
from isogloss.learn.splits import stratified_parts
from isogloss.report.table import Table
from records import Record, add_json

NAMES = ["anger", "anticipation", "disgust", "fear", "joy", "sadness", "surprise", "trust"]
LABELLED_BY_PEOPLE = ("fi",)
PROJECTED = ("de", "ar", "pl", "ru", "tr")
NEAR = 0.90
HELD_OUT = 0.1


def read(data: Path, lang: str, folder: Path) -> Documents:
    """Read a language, without the lines that are no sentence with numbers for labels.

    Some files hold a few rows of the alignment, in quotes that run over many lines.
    """
    kept = []
    for _, line in open_lines(data / f"{lang}.tsv.gz"):
        fields = line.split("\t")
        if len(fields) == 2 and re.fullmatch(r"[1-8](, ?[1-8])*", fields[1]):
            kept.append(line)
    clean = folder / f"xed.{lang}.tsv"
    clean.write_text("\n".join(kept) + "\n", encoding="utf-8")
    format = FileFormat(text=("1",), label="2", quoting="none", multilabel=True)
    return read_documents(clean, format=format, needs_label=True)


def near_rows(train: np.ndarray, test: np.ndarray) -> np.ndarray:
    """Return which training vectors are the nearest of a test vector, or as near as `NEAR`."""
    train, test = (side / np.linalg.norm(side, axis=1, keepdims=True) for side in (train, test))
    near = np.zeros(len(train), bool)
    for start in range(0, len(test), 1000):
        cosines = test[start : start + 1000] @ train.T
        near[cosines.argmax(axis=1)] = True
        near |= (cosines >= NEAR).any(axis=0)
    return near


def named(sets: Iterable[Iterable[str]]) -> list[tuple[str, ...]]:
    """Return label sets with names for numbers."""
    return [tuple(NAMES[int(label) - 1] for label in labels) for labels in sets]


def part_of(documents: Documents, shares: list[float], *, seed: int) -> np.ndarray:
    """Divide documents so that each part keeps the shares of the labels."""
    y = LABEL_SETS.targets(named(documents.labels or []), np.array(NAMES))
    return stratified_parts(y, shares, seed=seed)


def select(documents: Documents, kept: np.ndarray) -> Documents:
    """Return the documents that are `kept`."""
    rows = np.flatnonzero(kept)
    labels = documents.labels or []
    return replace(
        documents,
        texts=[documents.texts[row] for row in rows],
        labels=[tuple(labels[row]) for row in rows],
        lines=[documents.lines[row] for row in rows],
    )


def fitted(encoder: Encoder, documents: Documents, lang: str) -> TextClassifier:
    """Fit with a tenth held out for C and the thresholds."""
    is_dev = part_of(documents, [1 - HELD_OUT, HELD_OUT], seed=0) == 1
    train, dev = select(documents, ~is_dev), select(documents, is_dev)
    model = TextClassifier(encoder, multilabel=True, thresholds="tuned")
    return model.fit(
        train.texts, named(train.labels or []), lang,
        X_dev=dev.texts, y_dev=named(dev.labels or []),
    )  # fmt: skip


def rows_of(model: TextClassifier, lang: str, test: Documents, what: str) -> list[dict[str, Any]]:
    """Return the scores of one language with thresholds tuned and at 0.5."""
    rows = []
    tuned = model.thresholds_
    for thresholds, name in ((np.full_like(tuned, 0.5), "0.5"), (tuned, "tuned")):
        model.fitted_ = replace(model.fitted_, thresholds=thresholds)
        scores = model.evaluate(test.texts, named(test.labels or []), lang).rows[0]
        kept = {
            key: value
            for key, value in scores.items()
            if key == "n" or key.startswith(("micro_f1", "macro_f1", "accuracy"))
        }
        kept.pop("accuracy_seen")
        rows.append(
            {
                "lang": lang,
                "test": what,
                "thresholds": name,
                "n_training": model.n_training_documents_,  # without the tenth that was held out
            }
            | kept
        )
    model.fitted_ = replace(model.fitted_, thresholds=tuned)
    return rows


def baselines_of(lang: str, test: Documents, english: Documents) -> list[dict[str, Any]]:
    """Return the F1 of giving every text the commonest English label, and of giving all labels."""
    sets = named(english.labels or [])
    commonest = max(NAMES, key=lambda name: sum(name in labels for labels in sets))
    gold = named(test.labels or [])
    rows = []
    for what, given in (("the commonest label", (commonest,)), ("all labels", NAMES)):
        scores = f1_intervals(Decisions.of(gold, [given] * len(gold), NAMES), seed=0)
        rows.append(
            {"lang": lang, "always": what, "macro_f1": scores.macro.value,
             "micro_f1": scores.micro.value}
        )  # fmt: skip
    return rows


def main() -> None:
    """Run the benchmark and write its tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="folder with xed/")
    parser.add_argument("--out", type=Path, default=Path("benchmarks/out"))
    parser.add_argument("--encoder", default="bundled")
    parser.add_argument("--dtype", default="bfloat16")
    add_json(parser)
    options = parser.parse_args()
    record = Record(options.json)
    options.out.mkdir(parents=True, exist_ok=True)
    encoder = Encoder.load(options.encoder, dtype=options.dtype, cache=options.out / "vectors")
    data = options.data / "xed"
    everything = read(data, "en", options.out)
    is_test = part_of(everything, [1 - HELD_OUT, HELD_OUT], seed=1) == 1
    english, held_out = select(everything, ~is_test), select(everything, is_test)
    vectors = encoder.encode(english.texts)
    whole = fitted(encoder, english, "en")
    rows = rows_of(whole, "en", held_out, "people's labels, same language")
    baselines = baselines_of("en", held_out, english)
    for lang in (*LABELLED_BY_PEOPLE, *PROJECTED):
        test = read(data, lang, options.out)
        baselines += baselines_of(lang, test, english)
        if lang in LABELLED_BY_PEOPLE:
            rows += rows_of(whole, lang, test, "people's labels")
            half = part_of(test, [0.5, 0.5], seed=0) == 1
            oracle = fitted(encoder, select(test, half), lang)
            rows += rows_of(
                oracle, lang, select(test, ~half), "people's labels, trained on Finnish"
            )
            continue
        without = select(english, ~near_rows(vectors, encoder.encode(test.texts)))
        model = fitted(encoder, without, "en")
        rows += rows_of(model, lang, test, "projected")
        rows += rows_of(whole, lang, test, "projected, originals kept")
    tables = {"multilabel": Table(rows), "multilabel-baseline": Table(baselines)}
    for name, table in tables.items():
        table.write(options.out / f"{name}.json", overwrite=True)
        record.show(name, table)
    shown = ", ".join(
        f"{n} {t:.2f}" for n, t in zip(whole.classes_, whole.thresholds_, strict=True)
    )
    print(f"thresholds tuned on English: {shown}")
    record.write()


if __name__ == "__main__":
    main()
