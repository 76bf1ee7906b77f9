"""What each setting of alignment does, one at a time, at one small budget.

    python benchmarks/align_ablations.py --data DIR [--pairs 10000] [--seeds 1] [--only FACTOR ...]

Each run trains the bundled encoder on the same pairs of `parallel/` (those that may be given away)
and differs from the first in one setting. Scored is Tatoeba on every other language in
alphabetical order: the half that choices are made on; the other is for `align.py`. Every run is
kept in --out when it is done, so a stopped experiment resumes; a folder with all of them prints the
table again. The filter trains on as many pairs as the others: the best of a larger draw.
"""

import argparse
import json
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import torch

from align import read
from isogloss import Encoder
from isogloss.align import SentenceAligner
from isogloss.arrays import Doubles1d, Floats2d
from isogloss.learn.run_store import Experiment
from isogloss.report.table import Table
from isogloss.retrieve.benchmarks import evaluate_tatoeba
from isogloss.statistics.scores import interval_of_language_mean
from records import Record, add_json

# Languages of which 300 pairs or more are of a game's dialogues.
GAME = [
    "af", "ar", "bg", "ca", "cs", "da", "de", "el", "eo", "es", "et", "fi", "fr", "ga",
    "gd", "gl", "he", "hu", "id", "it", "ja", "ko", "lt", "lv", "nl", "pl", "pt", "ru",
    "sk", "sr", "sv", "tr", "uk", "vi", "zh",
]  # fmt: skip
KEPT = 0.8  # share of the pairs that the filter leaves
Columns = tuple[list[str], list[str], list[str]]


class Cell(msgspec.Struct):
    """What a run came to."""

    n_pairs: int
    seconds: float
    batch_accuracy: float | None  # of the last epoch; None: nothing was ranked
    n_masked: int
    right: dict[str, list[float]]  # language to the share of directions that find each sentence


@dataclass(frozen=True)
class Setting:
    """A run that differs from the first in one factor."""

    factor: str
    value: str
    training: dict[str, Any] = field(default_factory=dict)
    how: dict[str, Any] = field(default_factory=dict)  # of the estimator
    is_filtered: bool = False
    sources: tuple[str, ...] | None = None  # tags of the rows; None: all that may be given away


FIRST = Setting("none", "margin 0, scale 20, batch 256, rate 1e-4, all layers, mean")
NOT_TRAINED = Setting("not trained", "the bundled encoder")
SETTINGS = [
    FIRST,
    *(Setting("margin", str(one), {"margin": one}) for one in (0.1, 0.3)),
    *(Setting("scale", str(one), {"scale": one}) for one in (50.0, 100.0)),
    *(Setting("batch", str(one), {"batch_size": one}) for one in (64, 1024, 2048)),
    *(Setting("learning rate", f"{one:.0e}", {"learning_rate": one}) for one in (3e-5, 3e-4)),
    Setting("trained", "LoRA, rank 16", how={"tune": "lora"}),
    Setting("trained", "upper 6 layers", {"upper_layers": 6}),
    *(Setting("hard negatives", str(one), {"hard_negatives": one}) for one in (1, 3)),
    Setting("filter", f"best {KEPT:.0%} by cosine", is_filtered=True),
    *(
        Setting("distillation", f"weight {one}", {"distillation_weight": one},
                {"teacher": "bundled"})
        for one in (1.0, 10.0)
    ),
    Setting("pooling", "cls", how={"pooling": "cls"}),
    Setting("register", "a game's dialogues", sources=("wesnoth",)),
    Setting("register", "interfaces, same languages", sources=("app", "libreoffice-ui")),
    NOT_TRAINED,
]  # fmt: skip
EXPERIMENT = Experiment(
    "ablation", 1, Cell,
    {"pairs": "number of pairs", "training": "options of training", "languages": "languages"},
)  # fmt: skip


def main() -> None:
    """Run what is missing and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="the evaluation data")
    parser.add_argument("--pairs", type=int, default=10_000)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--training", default="{}", help="options of all runs, as JSON")
    parser.add_argument("--only", nargs="*", help="factors, or 'factor: value'; and the first run")
    parser.add_argument("--languages", type=int, help="score on so many only")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--out", type=Path, default=Path("benchmarks/out/align_ablations"))
    add_json(parser)
    given = parser.parse_args()
    record = Record(given.json)
    torch.set_num_threads(given.threads)
    files = sorted((given.data / "tatoeba").glob("tatoeba.*-eng.eng*"))[::2][: given.languages]
    common = {"precision": "bfloat16", "scale": 20.0} | json.loads(given.training)
    made_with = {"pairs": given.pairs, "training": common, "languages": [one.name for one in files]}
    chosen = [one for one in SETTINGS if one is FIRST or is_asked(one, given.only)]
    cells: dict[str, list[Cell]] = {}
    with EXPERIMENT.held(given.out, made_with) as runs:
        for setting in chosen:
            for seed in range(given.seeds):
                key = f"{setting.factor}-{setting.value}-{seed}".replace(" ", "_")
                if not runs.file(key).exists():
                    runs.write(key, run(setting, seed, files, common, given))
                cells.setdefault(f"{setting.factor}: {setting.value}", []).append(runs.read(key))
    record.show("settings", Table(compared(cells)))
    record.write()


def is_asked(setting: Setting, only: list[str] | None) -> bool:
    """Return whether a run is among those asked for; with nothing asked for, all are."""
    return not only or setting.factor in only or f"{setting.factor}: {setting.value}" in only


def run(setting: Setting, seed: int, files: list[Path], common: dict[str, Any], given: Any) -> Cell:
    """Train and score once."""
    base = Encoder.load("bundled", threads=given.threads)
    if setting is NOT_TRAINED:
        return Cell(0, 0.0, None, 0, scored(base, files, given.threads))
    columns = pairs_of(setting, base, given)
    aligner = SentenceAligner(
        base, training=common | setting.training, random_state=seed, **setting.how
    )
    start = time.perf_counter()
    aligner.fit(*columns)
    seconds = time.perf_counter() - start
    ranked = aligner.ranked_
    cell = Cell(
        aligner.n_pairs_, seconds, ranked[-1].accuracy if ranked else None,
        sum(epoch.n_masked for epoch in ranked), scored(aligner, files, given.threads),
    )  # fmt: skip
    mean = np.mean([np.mean(one) for one in cell.right.values()])
    print(
        f"{setting.factor}: {setting.value}, seed {seed}: {mean:.4f}, {seconds:.0f} s", flush=True
    )
    return cell


def pairs_of(setting: Setting, base: Encoder, given: Any) -> Columns:
    """Return the pairs of a run."""
    folder = given.data / "parallel"
    if setting.sources:
        return read(
            folder, n=given.pairs, seed=0, all_rows=False, langs=GAME, sources=setting.sources
        )
    if not setting.is_filtered:
        return read(folder, n=given.pairs, seed=0, all_rows=False)
    sources, targets, langs = read(folder, n=round(given.pairs / KEPT), seed=0, all_rows=False)
    one, other = (base.encode(side, normalize=True) for side in (sources, targets))
    cosines = np.einsum("ij,ij->i", one, other)
    kept: list[int] = []
    for lang in sorted(set(langs)):  # the best of each: cosines of languages do not compare
        rows = np.flatnonzero(np.array(langs) == lang)
        best = rows[np.argsort(-cosines[rows], kind="stable")]
        kept += best[: max(1, round(KEPT * len(rows)))].tolist()
    return tuple([side[row] for row in kept] for side in (sources, targets, langs))  # type: ignore[return-value]


def scored(
    trained: SentenceAligner | Encoder, files: list[Path], threads: int
) -> dict[str, list[float]]:
    """Return which sentences of Tatoeba are found in the languages of `files`."""
    with tempfile.TemporaryDirectory() as folder:
        name: str | Path = "bundled"
        if isinstance(trained, SentenceAligner):
            name = Path(folder) / "encoder"
            trained.save(name)
        encoder = Encoder.load(name, dtype="bfloat16", threads=threads)

        def vectors(texts: list[str]) -> Floats2d:
            return encoder.encode(texts, normalize=True)  # type: ignore[return-value]

        sentences = Path(folder) / "tatoeba"
        sentences.mkdir()
        for file in files:
            for other in file.parent.glob(f"{file.name.partition('-')[0]}-eng.*"):
                (sentences / other.name).symlink_to(other.resolve())
        found = evaluate_tatoeba(sentences, vectors)
    return {lang: right.tolist() for lang, right in found.right.items()}


def compared(cells: dict[str, list[Cell]]) -> list[dict[str, Any]]:
    """Return a row for each setting: its score, and what it has before the first run."""
    rows = []
    first = right_of(next(iter(cells.values())))
    for name, some in cells.items():
        right = right_of(some)
        mean = interval_of_language_mean(right, {}, seed=0)
        gain = interval_of_language_mean(
            {lang: values - first[lang] for lang, values in right.items()}, {}, seed=0
        )
        rows.append({
            "setting": name, "seeds": len(some), "pairs": some[0].n_pairs,
            "seconds": float(np.mean([one.seconds for one in some])),
            "accuracy in the batch": some[0].batch_accuracy, "masked": some[0].n_masked,
            "tatoeba": mean.value, "tatoeba_low": mean.low, "tatoeba_high": mean.high,
            "difference": gain.value, "difference_low": gain.low, "difference_high": gain.high,
        })  # fmt: skip
    return rows


def right_of(cells: list[Cell]) -> dict[str, Doubles1d]:
    """Return the mean over seeds."""
    return {lang: np.mean([one.right[lang] for one in cells], axis=0) for lang in cells[0].right}


if __name__ == "__main__":
    main()
