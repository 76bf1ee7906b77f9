"""Few labels beside SetFit, same encoder, one thread: the tables of docs/results-few-labels.md.

Samples of 8, 16 and 64 English texts a class (SIB-200 train; a class with fewer gives all it has),
tested on the dev texts of 27 other languages. isogloss fits its head on the frozen bundled encoder,
or tunes all of it but the word embeddings for some twenty steps (`TUNING`); SetFit trains the whole
encoder on pairs of texts, for so many steps, then its head. Seconds are of training alone, encoding
of the training texts with it. Beside them the class names (0 texts: these alone), and names with a
description; SetFit has templates for them. SetFit has an environment of its own:

    python -m venv setfit-env
    setfit-env/bin/pip install setfit==1.2.0 torch==2.13.0
    python benchmarks/few_labels.py --data DIR --setfit setfit-env/bin/python

In that table isogloss tunes in bfloat16 and SetFit in float32, and they see 560 and 1,600 texts.
With ``--equal`` both sides train on 8 texts a class in both precisions, and see 560 and 1,600 texts
each (`EQUAL`), so that software, precision and work can be told apart; ``--samples`` says how many
samples.

Every cell is kept in a file of its own, so that a stopped run goes on where it was.
"""

import argparse
import json
import os
import subprocess
import tempfile
import time
import warnings
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from evaluation_data import SIB_LANGUAGES, find, rows_of_each_class
from isogloss import Encoder, TextClassifier
from isogloss.data.documents import Documents, FileFormat, read_documents
from isogloss.encode.bundled.bundled import bundled_directory
from isogloss.errors import OmissionWarning
from isogloss.report.table import Table
from isogloss.statistics.bootstrap import resampled_means
from isogloss.statistics.intervals import Interval
from isogloss.statistics.seeds import interval_over_seeds
from records import Record, add_json

LANGUAGES = sorted(SIB_LANGUAGES)  # the order of the answers in a cell
SEEDS = {8: 5, 16: 5, 64: 2, 0: 1}  # by texts a class
SEEDS_OF_DEFAULT = 3
DESCRIPTIONS = {
    "entertainment": "entertainment, music, film, celebrities",
    "geography": "geography, countries, rivers, mountains",
    "health": "health, disease, medicine, hospitals",
    "politics": "politics, government, elections, parliament",
    "science/technology": "science, technology, research, computers",
    "sports": "sports, football, matches, athletes",
    "travel": "travel, tourism, hotels, transport",
}
NAMES: dict[str, dict[str, list[str]] | None] = {
    "isogloss": None,
    "isogloss, class names": {name: [name] for name in DESCRIPTIONS},
    "isogloss, names and descriptions": {
        name: [name, description] for name, description in DESCRIPTIONS.items()
    },
}
TUNED = "isogloss, tuned"
TUNING: dict[str, Any] = {"learning_rate": 1e-4, "dev_split": 0.0, "precision": "bfloat16"}
EPOCHS = {8: 10, 16: 5, 64: 1}  # by texts a class
TEMPLATE, N_COPIES = "This sentence is {}", 8  # SetFit's own, for class names
DEFAULT_STEPS = -1
PRECISIONS = ("float32", "bfloat16")
EQUAL = {560: (10, 18), 1600: (29, 50)}  # texts seen: epochs of 56 texts; steps of 16 pairs


@dataclass(frozen=True)
class Cell:
    """One training: by whom, on how many texts a class (0: class names), for how many steps.

    Attributes
    ----------
    precision, n_seen
        Of a cell of the comparison at equal work, see `EQUAL`: how it is computed, and how many
        texts it sees, each as often as it does.
    """

    row: str
    n: int
    seed: int
    steps: int = 0
    precision: str = ""
    n_seen: int = 0

    @property
    def file(self) -> str:
        """Name of the file that keeps it."""
        row = self.row.replace(", ", "-").replace(" ", "-")
        equal = f"-{self.precision}-{self.n_seen}" if self.precision else ""
        return f"{row}-{self.n}-{self.seed}-{self.steps}{equal}.json"

    @property
    def is_ours(self) -> bool:
        """Whether isogloss trains."""
        return self.row != "setfit"

    @property
    def name(self) -> str:
        """The row of the table that it belongs to."""
        if self.precision:
            who = "isogloss" if self.is_ours else "SetFit"
            return f"{who}, {self.n_seen:,} texts, {self.precision}"
        if self.is_ours:
            return self.row
        return "SetFit, default" if self.steps == DEFAULT_STEPS else f"SetFit, {self.steps} steps"


@dataclass(frozen=True)
class Texts:
    """Training texts with labels, and the tests of all languages, one after the other."""

    train: Documents
    tests: dict[str, Documents]

    @property
    def tested(self) -> list[str]:
        """Texts of all languages in order."""
        return [text for one in self.tests.values() for text in one.texts]

    def sample(self, n: int, seed: int) -> tuple[list[str], list[str]]:
        """Return `n` texts of each class, or all it has, and their labels."""
        labels = [str(label) for label in self.train.labels or []]
        rows = rows_of_each_class(labels, n, seed=seed)
        return [self.train.texts[row] for row in rows], [labels[row] for row in rows]

    def right(self, predicted: list[str]) -> dict[str, np.ndarray]:
        """Return language to which of its texts are right."""
        answers, found = iter(predicted), {}
        for code, one in self.tests.items():
            found[code] = np.array([str(gold) == next(answers) for gold in one.labels or []])
        return found


def read(data: Path) -> Texts:
    """Read SIB-200."""

    def documents(name: str) -> Documents:
        path = find(data / "sib200" / name)
        return read_documents(path, format=FileFormat(quoting="csv"), needs_label=True)

    return Texts(
        documents("eng_Latn/train.tsv"),
        {code: documents(f"{code}/dev.tsv") for code in LANGUAGES},
    )


def cells(steps: int) -> Iterator[Cell]:
    """Yield all cells, seed by seed, the two sides of a sample one after the other.

    Last those of SetFit with its default number of steps, each longer than all others of a seed.
    """
    for seed in range(max(SEEDS.values())):
        for n, n_seeds in SEEDS.items():
            if seed < n_seeds:
                for row, names in NAMES.items():
                    if n or names is not None:
                        yield Cell(row, n, seed)
                if n:
                    yield Cell(TUNED, n, seed)
                yield Cell("setfit", n, seed, steps)
    for seed in range(SEEDS_OF_DEFAULT):
        yield Cell("setfit", 8, seed, DEFAULT_STEPS)


def equal_cells(n_samples: int) -> Iterator[Cell]:
    """Yield the cells of both sides in both precisions, with equal numbers of texts seen."""
    for seed in range(n_samples):
        for n_seen, (_, steps) in EQUAL.items():
            for precision in PRECISIONS:
                yield Cell(TUNED, 8, seed, 0, precision, n_seen)
                yield Cell("setfit", 8, seed, steps, precision, n_seen)


class Runner:
    """Fills cells."""

    def __init__(self, texts: Texts, encoder: Encoder, setfit: Path, out: Path) -> None:
        self.texts, self.encoder, self.setfit, self.out = texts, encoder, setfit, out
        self.prepared: Any = None  # the same for all heads on one frozen encoder

    def fill(self, cell: Cell) -> dict[str, Any]:
        """Return what is kept of a cell, made now when it is not there."""
        file = self.out / cell.file
        if file.exists():
            kept: dict[str, Any] = json.loads(file.read_text("utf-8"))
            return kept
        texts, labels = self.texts.sample(cell.n, cell.seed) if cell.n else ([], [])
        if not cell.n and cell.row == "setfit":
            labels = [name for name in DESCRIPTIONS for _ in range(N_COPIES)]
            texts = [TEMPLATE.format(name) for name in labels]
        answer = self._isogloss if cell.is_ours else self._setfit
        made = asdict(cell) | answer(cell, texts, labels)
        part = file.with_suffix(".part")
        part.write_text(json.dumps(made, ensure_ascii=False), "utf-8")
        part.replace(file)
        return made

    def _isogloss(self, cell: Cell, texts: list[str], labels: list[str]) -> dict[str, Any]:
        # A fresh one has no vectors of these texts in memory from the cell before.
        fresh = Encoder.load("bundled", device="cpu", threads=1, long_texts="cut")
        is_tuned = cell.row == TUNED
        model = TextClassifier(fresh, random_state=cell.seed)
        if is_tuned:
            training = TUNING | {"epochs": EPOCHS[cell.n]}
            if cell.precision:
                training |= {"precision": cell.precision, "epochs": EQUAL[cell.n_seen][0]}
            model.set_params(tune="full", training=training)
        cpu, wall = time.process_time(), time.perf_counter()
        model.fit(texts, labels, "en", class_names=NAMES.get(cell.row))
        seconds = {"cpu": time.process_time() - cpu, "wall": time.perf_counter() - wall}
        if is_tuned:
            answers = model.predict(self.texts.tested)
        else:
            if self.prepared is None:
                self.prepared = model.fitted_.prepare(self.texts.tested)
            answers = model.fitted_.labels_of(model.fitted_.probabilities(self.prepared))
        return {"predicted": [str(label) for label in answers], "seconds": seconds}

    def _setfit(self, cell: Cell, texts: list[str], labels: list[str]) -> dict[str, Any]:
        worker = Path(__file__).with_name("setfit_worker.py")
        with tempfile.TemporaryDirectory() as folder:
            work, answers = Path(folder) / "work.json", Path(folder) / "answers.json"
            todo = {
                "encoder": str(bundled_directory()), "prefix": self.encoder.settings.prefix.value,
                "texts": texts, "labels": labels, "tests": self.texts.tested,
                "seed": cell.seed, "max_steps": cell.steps, "folder": folder,
                "precision": cell.precision or "float32",
            }  # fmt: skip
            work.write_text(json.dumps(todo), "utf-8")
            subprocess.run(
                [self.setfit, worker, work, answers], check=True,
                env=os.environ | {"OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1"},
            )  # fmt: skip
            found: dict[str, Any] = json.loads(answers.read_text("utf-8"))
            return found


@dataclass(frozen=True)
class Results:
    """What the cells found."""

    kept: dict[Cell, dict[str, Any]]
    right: dict[Cell, dict[str, np.ndarray]]
    ids: dict[str, list[str | None] | None]

    @property
    def rows(self) -> dict[tuple[int, str], list[Cell]]:
        """Cells of each row of the tables, by texts a class and name."""
        rows: dict[tuple[int, str], list[Cell]] = {}
        for cell in sorted(self.kept, key=lambda cell: cell.n):
            rows.setdefault((cell.n, cell.name), []).append(cell)
        return rows

    def seconds(self, cells: list[Cell], kind: str) -> float:
        """Return the mean time of training."""
        return float(np.mean([self.kept[cell]["seconds"][kind] for cell in cells]))

    def accuracy(self, cells: list[Cell], minus: list[Cell] | None = None) -> Interval:
        """Return the mean over languages and samples, or the difference of two, sample by sample.

        Intervals are over sentences and samples (`comparison_seeds`).
        """
        values = {}
        for code in self.ids:
            values[code] = np.transpose([self.right[cell][code] for cell in cells]).astype(float)
            if minus is not None:
                values[code] -= np.transpose([self.right[cell][code] for cell in minus])
        found = resampled_means(values, self.ids, seed=0)
        return interval_over_seeds(found, least=0 if minus is None else -1)

    def table(self) -> Table:
        """Show each row."""
        shown = []
        for (n, name), cells in self.rows.items():
            score = self.accuracy(cells)
            means = [np.mean([part.mean() for part in self.right[one].values()]) for one in cells]
            shown.append(
                {
                    "texts a class": n,
                    "row": name,
                    "seeds": len(cells),
                    "accuracy": score.value,
                    "accuracy_low": score.low,
                    "accuracy_high": score.high,
                    "sd_over_seeds": float(np.std(means, ddof=1)) if len(means) > 1 else None,
                    "steps": max(self.kept[cell].get("steps", 0) for cell in cells),
                    "CPU seconds": self.seconds(cells, "cpu"),
                    "wall seconds": self.seconds(cells, "wall"),
                }
            )
        return Table(shown)

    def differences(self) -> Table:
        """Compare each row of isogloss with each of SetFit, on the samples that both have."""
        shown = []
        for (n, ours), own in self.rows.items():
            for (m, theirs), other in self.rows.items():
                if n != m or not own[0].is_ours or other[0].is_ours:
                    continue
                seeds = {cell.seed for cell in own} & {cell.seed for cell in other}
                pair = [[cell for cell in side if cell.seed in seeds] for side in (own, other)]
                gain = self.accuracy(pair[0], minus=pair[1])
                times = self.seconds(pair[1], "cpu") / self.seconds(pair[0], "cpu")
                shown.append(
                    {
                        "texts a class": n,
                        "row": ours,
                        "against": theirs,
                        "seeds": len(seeds),
                        "difference": gain.value,
                        "difference_low": gain.low,
                        "difference_high": gain.high,
                        "times faster": times,
                    }
                )
        return Table(shown)


def main() -> None:
    """Run what is missing and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="see docs/results.md")
    parser.add_argument("--setfit", type=Path, required=True, help="a Python that has SetFit")
    parser.add_argument("--out", type=Path, default=Path("benchmarks/out/few_labels"))
    parser.add_argument("--steps", type=int, default=50, help="of SetFit beside its default")
    parser.add_argument("--equal", action="store_true", help="equal precision and equal work")
    parser.add_argument("--samples", type=int, default=5, help="of --equal")
    parser.add_argument("--only-kept", action="store_true", help="show the table of what is there")
    add_json(parser)
    options = parser.parse_args()
    record = Record(options.json)
    torch.set_num_threads(1)
    warnings.filterwarnings("ignore", category=OmissionWarning)
    options.out.mkdir(parents=True, exist_ok=True)
    encoder = Encoder.load("bundled", device="cpu", threads=1, long_texts="cut")
    runner = Runner(read(options.data), encoder, options.setfit, options.out)
    asked = equal_cells(options.samples) if options.equal else cells(options.steps)
    wanted = [cell for cell in asked if not options.only_kept or (options.out / cell.file).exists()]
    kept = [(cell, runner.fill(cell)) for cell in wanted]
    texts = runner.texts
    results = Results(
        dict(kept),
        {cell: texts.right(found["predicted"]) for cell, found in kept},
        {code: one.ids for code, one in texts.tests.items()},
    )
    record.show("systems", results.table())
    record.show("differences", results.differences())
    record.write()


if __name__ == "__main__":
    main()
