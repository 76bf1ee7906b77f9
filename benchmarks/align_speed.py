"""A step of alignment beside sentence-transformers' own trainer at its default optimiser.

    python benchmarks/align_speed.py --data DIR [--steps 4] [--rounds 2] [--loss-steps 40]

Both sides train the bundled encoder, with its dropout, on pairs of `parallel/`; the other with
MultipleNegativesRankingLoss. Speed: batches of sentences that are all cut to as many tokens, so
neither pays for padding; the sides take turns, `--rounds` times; medians of processor time over the
steps after the first. Padding: sentences as they come, where a side of a batch is padded to its
longest, and here cut into micro-batches of like lengths. Loss: that of ranking on held-back pairs
after the same number of steps, with each side's own order, for three seeds.
"""

import argparse
import gzip
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import torch
from datasets import Dataset
from sentence_transformers import (
    SentenceTransformer,
    SentenceTransformerTrainer,
    SentenceTransformerTrainingArguments,
)
from sentence_transformers.sentence_transformer.losses import MultipleNegativesRankingLoss
from transformers import TrainerCallback

from align import NOT_GIVEN_AWAY, read
from isogloss import Encoder
from isogloss.align import SentenceAligner
from isogloss.align.export import Record as TrainedFrom
from isogloss.align.export import write_sentence_transformers
from isogloss.align.training import dual_encoder
from isogloss.align.training.ranking import ranking_losses
from isogloss.errors import OmissionWarning
from isogloss.learn.tuned_encoder import finished_full, trainable_network, with_settings
from isogloss.report.table import Table
from records import Record, add_json

RATE, SCALE = 1e-4, 20.0
REFERENCE = "sentence-transformers, float32"
Pairs = tuple[list[str], list[str]]
Times = list[float]
NOT_CUT = {"cpu": 10**9}


class Clock(TrainerCallback):  # type: ignore[misc]
    """Processor time at the start of each step."""

    def __init__(self, times: Times) -> None:
        self.times = times

    def on_step_begin(self, *_: Any, **__: Any) -> None:
        """Note the time."""
        self.times.append(time.process_time())


class Sides:
    """Both sides of the comparison, from the same weights."""

    def __init__(self, folder: Path, *, batch: int, length: int) -> None:
        self.base = Encoder.load("bundled", device="cpu", threads=torch.get_num_threads())
        self.batch, self.length = batch, length
        self._folder = folder
        settings = with_settings(
            self.base, pooling=self.base.settings.pooling.value, normalize=True, max_length=None
        )
        network = trainable_network(settings, "cpu")
        network.model.requires_grad_(False)
        write_sentence_transformers(
            finished_full(settings, network),
            self._folder,
            card="",
            record=TrainedFrom.of("bundled"),
        )

    @property
    def prefix(self) -> str:
        """What is prepended to every text, on both sides."""
        return self.base.settings.prefix.value

    def reference(self, pairs: Pairs, times: Times, *, bf16: bool, seed: int = 0) -> Any:
        """Train with the other trainer; return what encodes texts."""
        model = SentenceTransformer(str(self._folder), device="cpu")
        model.prompts, model.default_prompt_name = {}, None
        model.max_seq_length = self.length
        columns = dict(zip(("anchor", "positive"), pairs, strict=True))
        dataset = Dataset.from_dict(
            {name: [self.prefix + text for text in side] for name, side in columns.items()}
        )
        with tempfile.TemporaryDirectory() as folder:
            arguments = SentenceTransformerTrainingArguments(
                output_dir=folder, num_train_epochs=1, per_device_train_batch_size=self.batch,
                learning_rate=RATE, seed=seed, use_cpu=True, bf16=bf16, report_to=[],
                save_strategy="no", disable_tqdm=True, logging_steps=10_000,
            )  # fmt: skip
            SentenceTransformerTrainer(
                model, arguments, train_dataset=dataset,
                loss=MultipleNegativesRankingLoss(model, scale=SCALE), callbacks=[Clock(times)],
            ).train()  # fmt: skip
        model.max_seq_length = self.base.settings.max_length.value  # as ours reads them
        return lambda texts: model.encode(
            [self.prefix + text for text in texts], normalize_embeddings=True
        )

    def ours(self, pairs: Pairs, times: Times, *, seed: int = 0, **training: Any) -> Any:
        """Train with `SentenceAligner`; return what encodes texts."""
        options = {
            "batch_size": self.batch, "learning_rate": RATE, "warm_up": 0.0, "weight_decay": 0.0,
            "scale": SCALE, "max_length": self.length, "dropout": None,
        } | training  # fmt: skip
        aligner = SentenceAligner(self.base, training=options, random_state=seed)
        with noted_steps(times), warnings.catch_warnings():
            warnings.simplefilter("ignore", OmissionWarning)  # they are cut on purpose
            aligner.fit(*pairs)
        return aligner.transform


@contextmanager
def noted_steps(times: Times) -> Iterator[None]:
    """Note the processor time at the start of each step of ours."""
    loss = dual_encoder.DualEncoder.loss

    def noted(self: Any, batch: Any) -> torch.Tensor:
        times.append(time.process_time())
        return loss(self, batch)

    dual_encoder.DualEncoder.loss = noted  # type: ignore[method-assign]
    try:
        yield
    finally:
        dual_encoder.DualEncoder.loss = loss  # type: ignore[method-assign]


@contextmanager
def one_padded_batch() -> Iterator[None]:
    """Let ours compute all texts of a step together, padded to the longest."""
    before = dual_encoder.TOKENS_OF_A_MICRO_BATCH, dual_encoder.PART_COST
    dual_encoder.TOKENS_OF_A_MICRO_BATCH = dual_encoder.PART_COST = NOT_CUT
    try:
        yield
    finally:
        dual_encoder.TOKENS_OF_A_MICRO_BATCH, dual_encoder.PART_COST = before


def main() -> None:
    """Measure and print tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="the evaluation data")
    parser.add_argument("--batch", type=int, default=64, help="pairs of a step")
    parser.add_argument("--length", type=int, default=24, help="tokens of a sentence")
    parser.add_argument("--steps", type=int, default=4, help="0: no speed at equal padding")
    parser.add_argument("--padding-steps", type=int, default=4, help="0: no sentences as they come")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--loss-steps", type=int, default=40, help="0: no loss")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=1)
    add_json(parser)
    given = parser.parse_args()
    record = Record(given.json)
    torch.set_num_threads(given.threads)
    with tempfile.TemporaryDirectory() as folder:
        sides = Sides(Path(folder) / "equal", batch=given.batch, length=given.length)
        if given.steps:
            pairs = long_pairs(sides, given.data, n=given.batch * (given.steps + 1))
            record.show("equal padding", speeds(equal(sides, pairs), given.rounds))
        if given.padding_steps:
            pairs = drawn(given.data, n=given.batch * (given.padding_steps + 1))
            natural = Sides(Path(folder) / "natural", batch=given.batch, length=128)
            print(f"padded tokens for each real one: {padded(natural, pairs)}")
            record.show("sentences", speeds(as_they_come(natural, pairs), given.rounds))
        if given.loss_steps:
            record.show("loss", losses(sides, given))
    record.write()


def equal(sides: Sides, pairs: Pairs) -> dict[str, Callable[[Times], Any]]:
    """Return the rows at equal padding."""
    found: dict[str, Callable[[Times], Any]] = {
        f"sentence-transformers, {dtype}": (
            lambda times, dtype=dtype: sides.reference(pairs, times, bf16=dtype == "bfloat16")
        )
        for dtype in ("float32", "bfloat16")
    }
    for embeddings in ("dense", "rows"):
        for dtype in ("float32", "bfloat16"):
            found[f"isogloss, {embeddings}, {dtype}"] = (
                lambda times, embeddings=embeddings, dtype=dtype: sides.ours(
                    pairs, times, embeddings=embeddings, precision=dtype
                )
            )
    return found


def as_they_come(sides: Sides, pairs: Pairs) -> dict[str, Callable[[Times], Any]]:
    """Return the rows on sentences of all lengths."""

    def in_one(times: Times) -> None:
        with one_padded_batch():
            sides.ours(pairs, times)

    return {
        REFERENCE: lambda times: sides.reference(pairs, times, bf16=False),
        "isogloss, a step padded as one": in_one,
        "isogloss, micro-batches of like lengths": lambda times: sides.ours(pairs, times),
    }


def speeds(rows: dict[str, Callable[[Times], Any]], n_rounds: int) -> Table:
    """Return the median processor seconds of a step after the first; the rows take turns."""
    found: dict[str, Times] = {name: [] for name in rows}
    for _ in range(n_rounds):
        for name, run in rows.items():
            times: Times = []
            run(times)
            found[name] += np.diff(times)[1:].tolist() or np.diff(times).tolist()
    seconds = {name: float(np.median(steps)) for name, steps in found.items()}
    shown = [
        {"trainer": name, "CPU s a step": value, "times faster": seconds[REFERENCE] / value,
         "fastest": min(found[name]), "slowest": max(found[name])}
        for name, value in seconds.items()
    ]  # fmt: skip
    return Table(shown)


def padded(sides: Sides, pairs: Pairs) -> dict[str, float]:
    """Return how many tokens each way computes for each real one."""
    lengths = [sides.base.tokenizer(side).lengths for side in pairs]
    lengths = [np.minimum(one, sides.length) for one in lengths]
    real = sum(int(one.sum()) for one in lengths)
    found = {"each side to its longest": 0, "a step to its longest": 0, "micro-batches": 0}
    for start in range(0, len(pairs[0]), sides.batch):
        some = [one[start : start + sides.batch] for one in lengths]
        whole = np.concatenate(some)
        found["each side to its longest"] += sum(len(one) * int(one.max()) for one in some)
        found["a step to its longest"] += len(whole) * int(whole.max())
        for part in dual_encoder._micro_batches(whole, "cpu"):
            found["micro-batches"] += len(part) * int(whole[part].max())
    return {name: value / real for name, value in found.items()}


def losses(sides: Sides, given: Any) -> Table:
    """Return the dev loss of each row over the seeds."""
    pairs = drawn(given.data, n=given.batch * given.loss_steps)
    dev = drawn(given.data / "parallel" / "dev", n=256, is_folder=True)
    rows: dict[str, Callable[[int], Any]] = {
        REFERENCE: lambda seed: sides.reference(pairs, [], bf16=False, seed=seed),
        "isogloss, rows, float32": lambda seed: sides.ours(pairs, [], seed=seed),
        "isogloss, rows, bfloat16": lambda seed: sides.ours(
            pairs, [], seed=seed, precision="bfloat16"
        ),
    }
    found: dict[str, list[float]] = {"at the start": [loss_on(sides.base.encode, dev)]}
    for seed in range(given.seeds):
        for name, run in rows.items():
            found.setdefault(name, []).append(loss_on(run(seed), dev))
    shown = [
        {
            "trainer": name,
            "mean": float(np.mean(values)),
            "lowest": min(values),
            "highest": max(values),
        }
        for name, values in found.items()
    ]
    return Table(shown)


def loss_on(encode: Any, dev: Pairs) -> float:
    """Return the ranking loss of pairs in one batch, both directions added, in float64."""
    one, other = (torch.from_numpy(np.asarray(encode(side), np.float64)) for side in dev)
    one, other = (torch.nn.functional.normalize(side, dim=1) for side in (one, other))
    return float(ranking_losses(one, other, margin=0.0, scale=SCALE).mean())


def drawn(folder: Path, *, n: int, is_folder: bool = False) -> Pairs:
    """Return `n` pairs, drawn evenly by language."""
    found = read(folder if is_folder else folder / "parallel", n=n + 200, seed=0, all_rows=False)
    places = np.random.default_rng(0).permutation(len(found[0]))[:n]
    return [found[0][place] for place in places], [found[1][place] for place in places]


def long_pairs(sides: Sides, data: Path, *, n: int) -> Pairs:
    """Return pairs of which both sentences have at least so many tokens as they are cut to."""
    firsts: list[str] = []
    seconds: list[str] = []
    for file in sorted((data / "parallel").glob("*.tsv.gz")):
        with gzip.open(file, "rt", encoding="utf-8") as lines:
            rows = [line.rstrip("\n").split("\t") for line in lines]
        rows = [row for row in rows if row[2] not in NOT_GIVEN_AWAY][: 8 * n // 90 + 8]
        columns = [[row[side] for row in rows] for side in (0, 1)]
        lengths = [sides.base.tokenizer(column).lengths for column in columns]
        for row in np.flatnonzero(np.minimum(*lengths) >= sides.length).tolist():
            firsts.append(columns[0][row])
            seconds.append(columns[1][row])
    if len(firsts) < n:
        raise SystemExit(f"only {len(firsts)} pairs have {sides.length} tokens; give fewer steps")
    places = np.random.default_rng(0).permutation(len(firsts))[:n]
    return [firsts[place] for place in places], [seconds[place] for place in places]


if __name__ == "__main__":
    main()
