"""Texts longer than the encoder takes, cut or read in windows: accuracy and time.

    python benchmarks/long_texts.py --data DIR --split dev
    python benchmarks/long_texts.py --data DIR --split test

Trains the bundled encoder's classifier on English news (MasakhaNEWS dev and test) and scores the
other languages, once with the beginning of each article and once with all of it, in windows. A
third model is fitted on beginnings and reads what it classifies in windows. A default is chosen on
the dev files; the test files are scored once, after that. Vectors are kept under --out, with the
CPU seconds that each part took when it was encoded.
"""

import argparse
import json
import time
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from evaluation_data import NEWS_LANGUAGES
from isogloss import Encoder, TextClassifier
from isogloss.classify.evaluate.evaluated import Evaluation
from isogloss.data.documents import FileFormat
from isogloss.data.labelled import LabelledTexts
from isogloss.encode.settings import LONG_TEXTS
from isogloss.errors import OmissionWarning
from isogloss.report.table import Table
from zero_shot import read

FORMAT = FileFormat(text=("headline", "text"), quoting="csv")
MIXED = "cut in fit, windows after"


def parts_of(data: Path, split: str) -> dict[str, LabelledTexts]:
    """Return English training texts and those of the other languages."""
    english = {f"masakhanews/eng/{part}.tsv": "en" for part in ("dev", "test")}
    others = {lang: {f"masakhanews/{lang}/{split}.tsv": lang} for lang in NEWS_LANGUAGES}
    return {name: read(data, files, FORMAT) for name, files in ({"eng": english} | others).items()}


def encode_all(
    encoder: Encoder, parts: dict[str, LabelledTexts], out: Path, split: str
) -> dict[str, Any]:
    """Encode each part once, and return CPU seconds, tokens and long texts, made now or kept."""
    file = out / f"encoded_{encoder.settings.long_texts.value}.json"
    kept: dict[str, Any] = json.loads(file.read_text("utf-8")) if file.exists() else {}
    for name, part in parts.items():
        key = name if name == "eng" else f"{name} {split}"
        if key not in kept:
            start = time.process_time()
            n_tokens = encoder.encode_counted(part.texts).n_tokens
            seconds, most = time.process_time() - start, encoder.settings.max_length.value
            is_cut = encoder.settings.long_texts.value == "cut"
            n_cut = np.maximum(n_tokens - most, 0) if is_cut else np.zeros_like(n_tokens)
            kept[key] = {
                "cpu_seconds": seconds,
                "n_read": int((n_tokens - n_cut).sum()),
                "n": len(part.texts),
                "n_long": int((n_tokens > most).sum()),
                "share_cut": float(np.maximum(n_tokens - most, 0).sum() / n_tokens.sum()),
            }
            file.write_text(json.dumps(kept, indent=1), "utf-8")
    return {name: kept[name if name == "eng" else f"{name} {split}"] for name in parts}


def tokens_a_second(encoded: dict[str, Any]) -> float:
    """Return how many tokens were read in a second of processor time."""
    return float(encoded["n_read"] / encoded["cpu_seconds"])


def score(model: TextClassifier, tests: LabelledTexts, versus: TextClassifier | None) -> Evaluation:
    """Score a model on the other languages, beside another."""
    return model.evaluate(tests.texts, tests.labels, tests.langs, ids=tests.ids, versus=versus)


def lines(
    scores: dict[str, Evaluation], encoded: dict[str, dict[str, Any]]
) -> list[dict[str, Any]]:
    """Return a line for each language and the mean: accuracies, differences to cut texts, time."""
    found = []
    names = {
        row["lang"]: name for row, name in zip(scores["cut"].rows, NEWS_LANGUAGES, strict=True)
    }
    for at, cut in enumerate([*scores["cut"].rows, scores["cut"].mean]):
        line: dict[str, Any] = {"lang": cut.get("lang", "mean"), **_score("cut", cut, "accuracy")}
        for mode in ("windows", MIXED):
            row = [*scores[mode].rows, scores[mode].mean][at]
            line |= _score(mode, row, "accuracy") | _score(f"{mode}: difference", row, "difference")
        if line["lang"] in names:
            of_lang = {mode: encoded[mode][names[line["lang"]]] for mode in LONG_TEXTS}
            line |= {name: of_lang["cut"][name] for name in ("n", "n_long", "share_cut")}
            seconds = {mode: of_lang[mode]["cpu_seconds"] for mode in LONG_TEXTS}
            line |= {"CPU time": seconds["windows"] / seconds["cut"]}
        found.append(line)
    return found


def _score(name: str, row: dict[str, Any], key: str) -> dict[str, float]:
    return {name: row[key], f"{name}_low": row[f"{key}_low"], f"{name}_high": row[f"{key}_high"]}


def main() -> None:
    """Encode what is missing, fit, score, write JSON, print Markdown tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="see docs/results.md, Data")
    parser.add_argument("--split", choices=("dev", "test"), required=True)
    parser.add_argument("--out", type=Path, default=Path("benchmarks/out/long_texts"))
    parser.add_argument("--dtype", default="bfloat16")
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    warnings.filterwarnings(
        "ignore", category=OmissionWarning
    )  # long articles are cut, and counted
    options.out.mkdir(parents=True, exist_ok=True)
    parts = parts_of(options.data, options.split)
    models: dict[str, TextClassifier] = {}
    encoded: dict[str, dict[str, Any]] = {}
    for mode in LONG_TEXTS:
        encoder = Encoder.load(
            "bundled", dtype=options.dtype, threads=options.threads, long_texts=mode,
            cache=options.out / "vectors",
        )  # fmt: skip
        encoded[mode] = encode_all(encoder, parts, options.out, options.split)
        english = parts["eng"]
        model = TextClassifier(encoder, random_state=0)
        models[mode] = model.fit(english.texts, english.labels, english.langs)
    models[MIXED] = TextClassifier(models["cut"].encoder, random_state=0)
    models[MIXED].fit(english.texts, english.labels, english.langs)
    mixed = models[MIXED].fitted_
    reading = replace(mixed.preparation, encoder=models["windows"].encoder_)
    models[MIXED].fitted_ = replace(mixed, preparation=reading)
    tests = LabelledTexts()
    for name in NEWS_LANGUAGES:
        part = parts[name]
        tests.texts += part.texts
        tests.labels += part.labels
        tests.langs += part.langs
        tests.ids += part.ids
    scores = {
        mode: score(model, tests, None if mode == "cut" else models["cut"])
        for mode, model in models.items()
    }
    shown = lines(scores, encoded)
    total = {mode: sum(one["cpu_seconds"] for one in encoded[mode].values()) for mode in LONG_TEXTS}
    result = {"split": options.split, "lines": shown, "encoded": encoded, "cpu_seconds": total}
    (options.out / f"{options.split}.json").write_text(json.dumps(result, indent=1), "utf-8")
    print(Table(shown).to_markdown())
    times = [
        {"part": name, "n": encoded["cut"][name]["n"]}
        | {f"{mode}, CPU s": encoded[mode][name]["cpu_seconds"] for mode in LONG_TEXTS}
        | {f"{mode}, tokens a CPU s": tokens_a_second(encoded[mode][name]) for mode in LONG_TEXTS}
        | {key: encoded["cut"][name][key] for key in ("n_long", "share_cut")}
        for name in parts
    ]
    print(Table(times).to_markdown())


if __name__ == "__main__":
    main()
