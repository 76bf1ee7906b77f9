"""Zero-shot classification with and without entities: the tables of docs/results.md.

Trains on English alone and evaluates other languages, on SIB-200 (one sentence a text) and
MasakhaNEWS (news articles). Rows: the encoder alone, both presets, and the ablations −emb (random
entity vectors) and −att (plain sum). Every cell is kept with what it was made with, so a stopped
run goes on where it was; after a change of the code itself, name another --out. Texts and names
are encoded once: the seconds of a later fit leave that out.

    python benchmarks/zero_shot.py --data DIR --out benchmarks/out
"""

import argparse
import json
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from isogloss import (
    Encoder,
    KnowledgeBase,
    TextClassifier,
    __version__,
    build_knowledge_base,
)
from isogloss.classify.scores import holm, interval_of_language_mean, interval_of_mean
from isogloss.data.documents import Documents, FileFormat, read_documents
from isogloss.errors import LossWarning
from isogloss.report.table import Table

SIB_LANGUAGES = [
    f"{code}_{script}"
    for script, codes in {
        "Latn": "fra deu spa ita por tur vie ind swh yor fin",
        "Cyrl": "rus ukr",
        "Deva": "hin npi",
        "Arab": "arb pes",
    }.items()
    for code in codes.split()
] + [
    "zho_Hans",
    "jpn_Jpan",
    "kor_Hang",
    "tha_Thai",
    "ell_Grek",
    "heb_Hebr",
    "tam_Taml",
    "ben_Beng",
    "kat_Geor",
    "amh_Ethi",
]
NEWS_LANGUAGES = {"fr": "fra", "sw": "swa", "yo": "yor"}
KB_LANGUAGES = "en fr de es it pt ru zh ja ko ar hi th tr vi id sw yo uk el he fi ta bn ka am fa ne"
ROWS: dict[str, dict[str, Any]] = {
    "encoder": {},
    "mboe": {"kb": "names", "preset": "mboe"},
    "mboe −emb": {"kb": "names", "preset": "mboe", "init": "random"},
    "mboe −att": {"kb": "names", "preset": "mboe", "attention": "sum"},
    "mboe-plus": {"kb": "names"},
    "mboe-plus −emb": {"kb": "names", "init": "random"},
    "mboe-plus −att": {"kb": "names", "attention": "sum"},
    "mboe-plus, mean": {"kb": "names", "attention": "mean"},
    "mboe-plus, nested": {"kb": "names", "nested": True},
    "mboe-plus + emoji": {"kb": "names+emoji"},
}
N_PERMUTATIONS = 10_000


class Dataset:
    """English training documents and the test documents of other languages."""

    def __init__(self, train: list[Documents], tests: dict[str, Documents]) -> None:
        self.texts = [text for part in train for text in part.texts]
        self.labels = [label for part in train for label in part.labels or []]
        self.test_texts = [text for part in tests.values() for text in part.texts]
        self.test_labels = [label for part in tests.values() for label in part.labels or []]
        self.test_langs = [lang for lang, part in tests.items() for _ in part.texts]
        self.ids = {lang: part.ids for lang, part in tests.items()}
        self.langs = list(tests)


def find(path: Path) -> Path:
    """Return the file or its gzipped twin."""
    return path if path.exists() else path.with_name(path.name + ".gz")


def datasets(data: Path) -> dict[str, Dataset]:
    """Read both data sets."""
    sib = FileFormat(quoting="csv")
    news = FileFormat(text=("headline", "text"), quoting="csv")

    def read(path: str, format: FileFormat) -> Documents:
        return read_documents(find(data / path), format=format, needs_label=True)

    return {
        "sib200": Dataset(
            [read("sib200/eng_Latn/train.tsv", sib)],
            {code: read(f"sib200/{code}/dev.tsv", sib) for code in SIB_LANGUAGES},
        ),
        "masakhanews": Dataset(
            [read(f"masakhanews/eng/{split}.tsv", news) for split in ("dev", "test")],
            {lang: read(f"masakhanews/{c}/test.tsv", news) for lang, c in NEWS_LANGUAGES.items()},
        ),
    }


def knowledge_bases(data: Path, out: Path) -> dict[str, KnowledgeBase]:
    """Build the knowledge bases once."""
    concepts, emoji = (f"names:{data / 'names' / n}.jsonl.gz" for n in ("omw", "annotations"))
    opened = {}
    for name, sources in {
        "names": ["cldr", concepts],
        "names+emoji": ["cldr", concepts, emoji],
    }.items():
        path = out / f"kb-{name}"
        if not path.exists():
            build_knowledge_base(sources, path, langs=KB_LANGUAGES.split())
        opened[name] = KnowledgeBase.open(path)
    return opened


def run_cell(
    dataset: Dataset,
    encoder: Encoder,
    kbs: dict[str, KnowledgeBase],
    row: str,
    seed: int,
    fallback_langs: tuple[str | None, ...],
) -> list[dict[str, Any]]:
    """Fit one classifier; for each fallback language keep which test rows it gets right."""
    options = dict(ROWS[row])
    kb = kbs[options.pop("kb")] if "kb" in options else None
    start = time.perf_counter()
    model = TextClassifier(encoder, kb, random_state=seed, **options)
    model.fit(dataset.texts, dataset.labels, "en")
    seconds = time.perf_counter() - start
    results = [
        model.evaluate(
            dataset.test_texts, dataset.test_labels, dataset.test_langs, fallback_lang=fallback
        )
        for fallback in fallback_langs
    ]
    return [
        {
            "fit_seconds": seconds,
            "correct": {lang: rows.astype(int).tolist() for lang, rows in result.correct.items()},
            "n_unlinked": {entry["lang"]: entry["n_unlinked"] for entry in result.rows},
            "accuracy_seen": {entry["lang"]: entry["accuracy_seen"] for entry in result.rows},
            "macro_f1": {entry["lang"]: entry["macro_f1"] for entry in result.rows},
        }
        for result in results
    ]


def sign_flip_p(differences: np.ndarray) -> float:
    """Return the two-sided p-value of a sign-flip permutation test of a mean of 0."""
    nonzero = differences[differences != 0]
    if not len(nonzero):
        return 1.0
    signs = np.random.default_rng(0).choice([-1.0, 1.0], size=(N_PERMUTATIONS, len(nonzero)))
    sums = np.abs(signs @ nonzero)
    return float((1 + (sums >= abs(nonzero.sum()) - 1e-9).sum()) / (1 + N_PERMUTATIONS))


def mean_correct(cells: dict[str, Any], row: str, seeds: list[int]) -> dict[str, np.ndarray]:
    """Return language to the share of seeds that get each document right."""
    runs = [cells[f"{row}|{seed}"]["correct"] for seed in seeds]
    return {lang: np.mean([run[lang] for run in runs], axis=0) for lang in runs[0]}


def tables(cells: dict[str, Any], dataset: Dataset, rows: list[str], seeds: list[int]) -> str:
    """Return the two Markdown tables of a data set: means, and languages."""
    base = mean_correct(cells, "encoder", seeds)
    ids = dict(zip(base, dataset.ids.values(), strict=True))
    summary, by_language = [], []
    for row in rows:
        correct = mean_correct(cells, row, seeds)
        overall = interval_of_language_mean(correct, ids, seed=0)
        gains = {lang: correct[lang] - base[lang] for lang in correct}
        gain = interval_of_language_mean(gains, ids, seed=0)
        p_holm = dict(zip(gains, holm([sign_flip_p(gains[lang]) for lang in gains]), strict=True))
        per_seed = [
            np.mean([np.mean(values) for values in cells[f"{row}|{seed}"]["correct"].values()])
            for seed in seeds
        ]
        summary.append(
            {
                "row": row,
                "accuracy": overall.value,
                "accuracy_low": overall.low,
                "accuracy_high": overall.high,
                "sd over seeds": float(np.std(per_seed)),
                "difference": gain.value,
                "difference_low": gain.low,
                "difference_high": gain.high,
                "better": sum(p < 0.05 and gains[lang].mean() > 0 for lang, p in p_holm.items()),
                "worse": sum(p < 0.05 and gains[lang].mean() < 0 for lang, p in p_holm.items()),
                "fit seconds (vectors kept)": float(
                    np.median([cells[f"{row}|{seed}"]["fit_seconds"] for seed in seeds])
                ),
            }
        )
        if row in ("mboe", "mboe-plus", "mboe-plus, fallback en"):
            for lang in gains:
                interval = interval_of_mean(gains[lang], seed=0)
                by_language.append(
                    {
                        "row": row,
                        "lang": lang,
                        "encoder": float(base[lang].mean()),
                        "accuracy": float(correct[lang].mean()),
                        "difference": interval.value,
                        "difference_low": interval.low,
                        "difference_high": interval.high,
                        "p_holm": p_holm[lang],
                        "n_unlinked": cells[f"{row}|{seeds[0]}"]["n_unlinked"][lang],
                        "n": len(gains[lang]),
                    }
                )
    return f"{Table(summary).to_markdown()}\n\n{Table(by_language).to_markdown()}\n"


def main() -> None:
    """Run what is missing and write the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of the evaluation data")
    parser.add_argument("--out", type=Path, default=Path("benchmarks/out"))
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--dtype", default="float32")
    parser.add_argument("--datasets", nargs="*", default=["sib200", "masakhanews"])
    parser.add_argument("--rows", nargs="*", default=list(ROWS))
    arguments = parser.parse_args()
    warnings.filterwarnings("ignore", category=LossWarning)  # counted in the table
    arguments.out.mkdir(parents=True, exist_ok=True)
    kbs = knowledge_bases(arguments.data, arguments.out)
    encoder = Encoder.load("bundled", dtype=arguments.dtype)
    seeds = list(range(arguments.seeds))
    for name, dataset in datasets(arguments.data).items():
        if name not in arguments.datasets:
            continue
        file = arguments.out / f"zero_shot_{name}.json"
        made_with = {
            "isogloss": __version__,
            "dtype": arguments.dtype,
            "encoder": encoder.fingerprint,
            "kb": {kb_name: kb.fingerprint for kb_name, kb in kbs.items()},
        }
        kept = json.loads(file.read_text()) if file.exists() else {"made_with": made_with}
        if kept["made_with"] != made_with:
            parser.error(f"{file} was made with {kept['made_with']}; move it away or name another")
        cells = kept.setdefault("cells", {})
        rows = {row: [row] for row in dict.fromkeys(["encoder", *arguments.rows])}
        if name == "masakhanews" and "mboe-plus" in rows:
            rows["mboe-plus"].append("mboe-plus, fallback en")
        for seed in seeds:
            for row, labels in rows.items():
                if all(f"{label}|{seed}" in cells for label in labels):
                    continue
                fallbacks = (None, "en")[: len(labels)]
                run = run_cell(dataset, encoder, kbs, row, seed, fallbacks)
                for label, cell in zip(labels, run, strict=True):
                    cells[f"{label}|{seed}"] = cell
                    accuracy = {
                        lang: round(float(np.mean(values)), 3)
                        for lang, values in cell["correct"].items()
                    }
                    mean, seconds = np.mean(list(accuracy.values())), cell["fit_seconds"]
                    print(f"{name} {label} {seed}: {mean:.4f} in {seconds:.0f} s {accuracy}")
                file.write_text(json.dumps(kept))
        text = tables(
            cells, dataset, [label for labels in rows.values() for label in labels], seeds
        )
        (arguments.out / f"zero_shot_{name}.md").write_text(text)
        print(text)


if __name__ == "__main__":
    main()
