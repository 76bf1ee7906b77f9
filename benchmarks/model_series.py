"""One series of small encoders made from nothing: what each stage of LaBSE's recipe brings.

    python benchmarks/model_series.py --data DIR [--seeds 3] [--steps 1000] [--out FOLDER]

A vocabulary and a BERT of at most 4 layers and 256 dimensions are trained on pairs of `parallel/`
that may be given away (not Tatoeba, SIB-200, PUD or UDHR): masked tokens only (mlm), masked tokens
of texts and of pairs in as many steps (mlm-tlm), and translation ranking after each of them and
after neither. Every stage is a folder below --out, SEED/STAGE, which is not made again; a stopped
stage resumes. Scored are Tatoeba (both directions, the 36 languages of XTREME) and zero-shot
SIB-200: a linear head on the frozen encoder, trained on English, read on other languages' dev.
Intervals are over sentences, of the mean over seeds; the spread of the seeds stands beside.
"""

import argparse
import json
import shutil
import time
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import torch

from align import read
from evaluation_data import SIB_LANGUAGES, find
from isogloss import Encoder, TextClassifier
from isogloss.align import Pairs, SentenceAligner
from isogloss.align.pretraining import EncoderShape, Pretrainer, train_tokenizer
from isogloss.align.pretraining.start import new_encoder
from isogloss.data.documents import FileFormat, read_documents
from isogloss.report.table import Table
from isogloss.retrieve.benchmarks import evaluate_tatoeba
from isogloss.statistics.scores import interval_of_language_mean
from isogloss.storage.files import atomic_directory, atomic_file, write_json
from records import Record, add_json

RANKED = {"ranking": "start", "mlm-ranking": "mlm", "mlm-tlm-ranking": "mlm-tlm"}
STAGES = ["mlm", "mlm-tlm", *RANKED]
EFFECTS = [
    ("TLM, before ranking", "mlm-tlm", "mlm"),
    ("TLM, after ranking", "mlm-tlm-ranking", "mlm-ranking"),
    ("MLM, after ranking", "mlm-ranking", "ranking"),
    ("MLM + TLM, after ranking", "mlm-tlm-ranking", "ranking"),
    ("ranking, after MLM + TLM", "mlm-tlm-ranking", "mlm-tlm"),
]
MEASURES = ("tatoeba", "sib200")
Right = dict[str, list[float]]  # language to how right each sentence is


def main() -> None:
    """Make what is missing, score it, print tables."""
    given = options()
    record = Record(given.json)
    torch.set_num_threads(given.threads)
    given.out.mkdir(parents=True, exist_ok=True)
    sources, targets, langs = read(given.data / "parallel", n=given.pairs, seed=0, all_rows=False)
    pairs = Pairs(sources, targets, [f"en-{lang}" for lang in langs])
    texts = single_texts(pairs)
    if not (given.out / "tokenizer").exists():
        made = train_tokenizer(texts, kind=given.kind, vocab_size=given.vocab_size)
        made.save(given.out / "tokenizer")
    scores: dict[str, list[dict[str, Right]]] = {stage: [] for stage in STAGES}
    seconds: dict[str, list[float]] = {stage: [] for stage in STAGES}
    for seed in range(given.seeds):
        for stage in STAGES:
            folder = make(stage, seed, texts, pairs, given)
            found = scored(folder, given)
            scores[stage].append(found["right"])
            seconds[stage].append(found["seconds"])
    rows, effects = summary(scores, seconds), compared(scores)
    record.show("stages", Table(rows))
    record.show("effects", Table(effects))
    print(f"the most frequent class of SIB-200's dev: {majority(given.data):.3f}")
    record.write()


def options() -> argparse.Namespace:
    """Return the options of the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="the evaluation data")
    parser.add_argument("--out", type=Path, default=Path("benchmarks/out/model_series"))
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--pairs", type=int, default=50_000, help="drawn evenly by language")
    parser.add_argument("--kind", choices=("wordpiece", "unigram"), default="unigram")
    parser.add_argument("--vocab-size", type=int, default=16_000)
    parser.add_argument("--layers", type=int, default=4)
    parser.add_argument("--width", type=int, default=192)
    parser.add_argument("--heads", type=int, default=4)
    parser.add_argument("--max-length", type=int, default=128)
    parser.add_argument("--steps", type=int, default=1000, help="of each pre-training")
    parser.add_argument("--batch-size", type=int, default=32, help="blocks of a step")
    parser.add_argument("--stacking", action="store_true")
    parser.add_argument("--ranking-epochs", type=int, default=1)
    parser.add_argument("--ranking-batch", type=int, default=256)
    parser.add_argument("--ranking-length", type=int, default=64, help="tokens of a sentence")
    parser.add_argument("--ranking-rate", type=float, default=1e-3)
    parser.add_argument("--tatoeba-langs", type=int, default=36, help="fewer for a trial")
    parser.add_argument("--threads", type=int, default=2)
    add_json(parser)
    return parser.parse_args()


def single_texts(pairs: Pairs) -> dict[str, list[str]]:
    """Return both sides of pairs as texts of their languages, each text once."""
    found: dict[str, dict[str, None]] = {"en": dict.fromkeys(pairs.sources)}
    for lang, text in zip(pairs.langs or (), pairs.targets, strict=True):
        found.setdefault(lang.partition("-")[2], {})[text] = None
    return {lang: list(some) for lang, some in found.items()}


def make(
    stage: str, seed: int, texts: dict[str, list[str]], pairs: Pairs, given: argparse.Namespace
) -> Path:
    """Return the folder of a stage, which is made where it is missing."""
    folder: Path = given.out / str(seed) / stage
    if folder.exists():
        return folder
    folder.parent.mkdir(exist_ok=True)
    kept = folder.with_name(f"{stage}.run")
    start = time.perf_counter()
    if stage == "start":
        shape = EncoderShape(layers=given.layers, width=given.width, heads=given.heads)
        with atomic_directory(folder) as made:
            new_encoder(
                given.out / "tokenizer", made, shape, max_length=given.max_length, seed=seed
            )
    elif stage in RANKED:
        base = make(RANKED[stage], seed, texts, pairs, given)
        aligner = SentenceAligner(
            Encoder.load(base, threads=given.threads), random_state=seed,
            training={"scale": 20.0, "epochs": given.ranking_epochs,
                      "batch_size": given.ranking_batch,
                      "learning_rate": given.ranking_rate,
                      "max_length": min(given.ranking_length, given.max_length)},
        )  # fmt: skip
        aligner.fit(pairs.sources, pairs.targets, pairs.langs, checkpoints=kept)
        aligner.save(folder)
    else:
        pretrainer = Pretrainer(
            tokenizer=given.out / "tokenizer", threads=given.threads, random_state=seed,
            shape={"layers": given.layers, "width": given.width, "heads": given.heads},
            training={"steps": given.steps, "batch_size": given.batch_size,
                      "max_length": given.max_length, "stacking": given.stacking},
        )  # fmt: skip
        pretrainer.fit(texts, pairs if stage == "mlm-tlm" else None, checkpoints=kept)
        pretrainer.save(folder)
    shutil.rmtree(kept, ignore_errors=True)
    write_json(folder.with_name(f"{stage}.time.json"), time.perf_counter() - start)
    print(f"seed {seed}, {stage}: {time.perf_counter() - start:.0f} s", flush=True)
    return folder


def scored(folder: Path, given: argparse.Namespace) -> dict[str, Any]:
    """Return how right each sentence is, by measure and language; kept beside the folder."""
    file = folder.with_name(f"{folder.name}.scores.json")
    if not file.exists():
        encoder = Encoder.load(folder, threads=given.threads)
        measured = {"tatoeba": tatoeba(encoder, given), "sib200": sib200(encoder, given.data)}
        seconds = json.loads(folder.with_name(f"{folder.name}.time.json").read_text())
        with atomic_file(file) as temporary:
            write_json(temporary, {"right": measured, "seconds": seconds})
    found: dict[str, Any] = json.loads(file.read_text())
    return found


def tatoeba(encoder: Encoder, given: argparse.Namespace) -> Right:
    """Return the share of both directions in which each sentence is found."""
    folder = given.data / "tatoeba"
    if given.tatoeba_langs < 36:
        chosen = given.out / "tatoeba"
        chosen.mkdir(exist_ok=True)
        for lang in sorted({one.name.split(".")[1] for one in folder.iterdir()})[
            : given.tatoeba_langs
        ]:
            for one in folder.glob(f"tatoeba.{lang}.*"):
                shutil.copyfile(one, chosen / one.name)
        folder = chosen
    found = evaluate_tatoeba(
        folder, lambda texts: np.asarray(encoder.encode(texts, normalize=True))
    )
    return {lang: right.tolist() for lang, right in found.right.items()}


def sib200(encoder: Encoder, data: Path) -> Right:
    """Return which dev texts of other languages a head trained on English gets right."""
    format = FileFormat(quoting="csv")

    def documents(lang: str, split: str) -> Any:
        path = find(data / "sib200" / lang / f"{split}.tsv")
        return read_documents(path, format=format, needs_label=True)

    train = documents("eng_Latn", "train")
    model = TextClassifier(encoder).fit(train.texts, train.labels, "en")
    found: Right = {}
    for lang in SIB_LANGUAGES:
        dev = documents(lang, "dev")
        found[lang] = (model.predict(dev.texts) == np.asarray(dev.labels)).astype(float).tolist()
    return found


def majority(data: Path) -> float:
    """Return the accuracy of the class that most dev texts have."""
    path = find(data / "sib200" / SIB_LANGUAGES[0] / "dev.tsv")
    labels = read_documents(path, format=FileFormat(quoting="csv"), needs_label=True).labels or []
    return max(Counter(labels).values()) / len(labels)


def mean_over_seeds(found: list[dict[str, Right]], measure: str) -> dict[str, Any]:
    """Return each sentence's mean over the seeds, by language."""
    return {
        lang: np.mean([one[measure][lang] for one in found], axis=0) for lang in found[0][measure]
    }


def interval(values: dict[str, Any], measure: str) -> Any:
    """Return the mean over languages and its interval; SIB-200's sentences are the same in all."""
    ids = {
        lang: [str(row) for row in range(len(one))] if measure == "sib200" else None
        for lang, one in values.items()
    }
    return interval_of_language_mean(values, ids, seed=0)


def summary(
    scores: dict[str, list[dict[str, Right]]], seconds: dict[str, list[float]]
) -> list[dict[str, Any]]:
    """Return a row for each stage."""
    rows = []
    for stage, found in scores.items():
        row: dict[str, Any] = {"stage": stage, "seeds": len(found)}
        for measure in MEASURES:
            mean = interval(mean_over_seeds(found, measure), measure)
            row |= {measure: mean.value, f"{measure}_low": mean.low, f"{measure}_high": mean.high}
            by_seed = [np.mean([np.mean(one) for one in each[measure].values()]) for each in found]
            spread = float(np.std(by_seed, ddof=1)) if len(found) > 1 else None
            row[f"{measure}: sd of seeds"] = spread
        rows.append(row | {"seconds": float(np.mean(seconds[stage]))})
    return rows


def compared(scores: dict[str, list[dict[str, Right]]]) -> list[dict[str, Any]]:
    """Return a row for each effect and measure: one stage minus another, of the same sentences."""
    rows = []
    for name, one, other in EFFECTS:
        for measure in MEASURES:
            with_it, without = (mean_over_seeds(scores[stage], measure) for stage in (one, other))
            gain = interval({lang: with_it[lang] - without[lang] for lang in with_it}, measure)
            rows.append({"effect of": name, "on": measure, "difference": gain.value,
                         "low": gain.low, "high": gain.high})  # fmt: skip
    return rows


if __name__ == "__main__":
    main()
