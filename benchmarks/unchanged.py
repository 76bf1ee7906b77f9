"""Hold a change of the code's structure against the answers from before it.

``make`` builds knowledge bases, vectors and ten models with the code as it is and keeps what they
answer; ``check``, run after the change, reads these same files and fits everything anew, and says
which answers differ, and which files are of a format that is no longer read. Only public names and
the command line are used, so that moved modules do not matter::

    python benchmarks/unchanged.py make  --folder OUT --data DIR
    python benchmarks/unchanged.py check --folder OUT --data DIR
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np

from isogloss import Encoder, KnowledgeBase, TextClassifier, build_knowledge_base
from isogloss.data.demo_data import demo_names, demo_tests, demo_train
from isogloss.errors import InputError

LANGS = ["en", "de", "ja", "ko", "ru", "sw", "th", "ar"]
MODELS: dict[str, dict[str, Any]] = {
    "encoder-only": {},
    "mboe-plus": {"kb": "concepts"},
    "mboe": {"kb": "concepts", "preset": "mboe"},
    "mboe-mean": {"kb": "concepts", "preset": "mboe", "attention": "mean"},
    "random-vectors": {"kb": "concepts", "init": "random"},
    "nested-capped": {"kb": "concepts", "nested": True, "max_entities": 2},
    "cls": {"pooling": "cls"},
    "label-sets": {"kb": "concepts", "multilabel": True, "thresholds": "tuned"},
    "adapted": {"kb": "concepts"},
    "fine-tuned": {
        "tune": "full",
        "training": {"epochs": 1, "learning_rate": 1e-4},
    },
}


def main() -> None:
    """Make the reference, or check against it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("verb", choices=["make", "check"])
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--data", type=Path, required=True, help="the evaluation data")
    given = parser.parse_args()
    if given.verb == "make":
        given.folder.mkdir(parents=True)
        make_files(given.folder, given.data)
        np.savez(given.folder / "answers.npz", **read_files(given.folder)[0])
        return
    kept = dict(np.load(given.folder / "answers.npz"))
    again = given.folder / "again"
    again.mkdir()
    make_files(again, given.data)
    saved, refused = read_files(given.folder)
    anew, refused_anew = read_files(again)
    found = {
        "of a format no longer read": refused,
        "as they were saved": differences({name: kept[name] for name in saved}, saved),
        "made anew": differences(kept, anew) + refused_anew,
    }
    print(json.dumps(found, indent=2))
    sys.exit(bool(found["as they were saved"] or found["made anew"]))


def differences(kept: dict[str, Any], now: dict[str, Any]) -> list[str]:
    """Return a line for each answer that is not equal to the kept one, to the bit."""
    lines = [f"{name}: missing" for name in kept.keys() - now.keys()]
    for name in sorted(kept.keys() & now.keys()):
        before, after = kept[name], now[name]
        if before.shape != after.shape:
            lines.append(f"{name}: shape {before.shape} became {after.shape}")
        elif not np.array_equal(before, after):
            size = "" if before.dtype.kind in "US" else f" by {np.abs(before - after).max():.3g}"
            lines.append(f"{name}: {int((before != after).sum())} values differ{size}")
    return lines


def make_files(folder: Path, data: Path) -> None:
    """Write knowledge bases, vectors and models of every kind into a folder."""
    langs = ",".join(LANGS)
    concepts = ["cldr", *(f"names:{path}" for path in demo_names())]
    build_knowledge_base(concepts, folder / "concepts", langs=LANGS)
    dump = next((data / "wikipedia/slices").glob("enwiki-latest-pages-articles1*.bz2"))
    german = data / "wikipedia/minidumps/de.xml.bz2"
    run("kb", "build", "--source", f"wikipedia:en={dump}", "--source", f"wikipedia:de={german}",
        "--langs", "en,de", "--out", folder / "wikipedia")  # fmt: skip
    sample = data / "wikidata/samples/entities.json.gz"
    run("kb", "build", "--source", f"wikidata:{sample}", "--min-sitelinks", "0", "--langs", langs,
        "--out", folder / "wikidata")  # fmt: skip
    run("vectors", "train", "--source", f"wikipedia:en={dump}", "--dim-size", "16",
        "--epochs", "1", "--workers", "1", "--kb", folder / "wikipedia",
        "--out", folder / "slice.vectors")  # fmt: skip
    train = demo_train("topics")
    encoder = Encoder.load("bundled", threads=2)
    for name, options in MODELS.items():
        options = dict(options)
        if "kb" in options:
            options["kb"] = folder / options["kb"]
        labels: list[Any] = list(train.labels or [])
        if options.get("multilabel"):
            labels = [(label,) if row % 7 else (label, "odd") for row, label in enumerate(labels)]
        model = TextClassifier(encoder, **options).fit(train.texts, labels, "en")
        if name == "adapted":
            texts, langs_of = tests()
            model.adapt("de", [t for t, lang in zip(texts, langs_of, strict=True) if lang == "de"])
        model.save(folder / f"{name}.model")


def read_files(folder: Path) -> tuple[dict[str, Any], list[str]]:
    """Return every answer of the files that `make_files` wrote, and why others give none."""
    answers: dict[str, Any] = {}
    refused: list[str] = []
    texts, langs = tests()
    for name in MODELS:
        try:
            model = TextClassifier.load(folder / f"{name}.model", threads=2)
        except InputError as error:
            refused.append(str(error))
            continue
        answers[f"{name}.probabilities"] = model.predict_proba(texts, langs)
        answers[f"{name}.labels"] = np.array([str(x) for x in model.predict(texts, langs)])
    for name in ("concepts", "wikipedia", "wikidata"):
        try:
            kb = KnowledgeBase.open(folder / name)
        except InputError as error:
            refused.append(str(error))
            continue
        for lang in kb.languages:
            own = [t for t, of in zip(texts, langs, strict=True) if of == lang] or texts[:40]
            arguments = ("kb", "link", folder / name, "--lang", lang, "-")
            answers[f"{name}.{lang}"] = np.array(run(*arguments, given="\n".join(own)))
    similar = run("vectors", "similar", folder / "slice.vectors", "the", "--k", "20", "--json")
    answers["vectors"] = np.array(similar)
    answers["encoded"] = Encoder.load("bundled", threads=2).encode(texts)
    return answers, refused


def tests() -> tuple[list[str], list[str]]:
    """Return texts of the demo in every language, and their languages."""
    documents = demo_tests("topics")
    return (
        [text for part in documents.values() for text in part.texts],
        [lang for lang, part in documents.items() for _ in part.texts],
    )


def run(*words: Any, given: str = "") -> str:
    """Run a command of isogloss and return its standard output."""
    command = [sys.executable, "-m", "isogloss.cli.main", *map(str, words)]
    done = subprocess.run(command, input=given, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}\n{done.stderr}")
    return done.stdout


if __name__ == "__main__":
    main()
