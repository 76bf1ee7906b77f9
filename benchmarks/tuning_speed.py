"""A step of tuning beside Hugging Face's Trainer at its default optimiser, on a processor.

Both sides train the same module: the bundled encoder with a linear map on [CLS]. Speed: batches of
32 texts of 64 random tokens, so neither pays for padding, medians of processor time over the steps
after the first; then sentences of SIB-200 English as they come, cut at 64 tokens, means over the
steps of an epoch but the first, each side padding as it does. Loss: these sentences again; the
log-loss of the dev texts after so many steps, for each seed. Both sides take the same number of
whole batches, so the last training texts, which would not fill an epoch of them, are left out.

    python benchmarks/tuning_speed.py --data DIR [--steps 5] [--no-sentences]
        [--loss-steps 200] [--seeds 3]
"""

import argparse
import csv
import gzip
import json
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn
from transformers import Trainer, TrainerCallback, TrainingArguments

from evaluation_data import find
from isogloss.classify.tuning.network import TextExamples, TunedNetwork, dev_score, summed_loss
from isogloss.encode import Encoder
from isogloss.encode.plan import make_plan
from isogloss.learn.tuned_encoder import trainable_network, with_settings
from isogloss.train import TrainingOptions, train
from isogloss.train.cheaper_modules import cheaper_modules
from isogloss.train.loop import PART_COST
from isogloss.train.order import batches_of, micro_batches, share_of

BATCH, LENGTH, RATE, N_CLASSES = 32, 64, 2e-5, 7
PART_COSTS = (BATCH * LENGTH, PART_COST["cpu"])  # as few parts as can be; as it is
REFERENCE = "Trainer, dense AdamW, float32"
OURS = {
    "isogloss, dense, float32": ("dense", "float32"),
    "isogloss, rows, float32": ("rows", "float32"),
    "isogloss, frozen embeddings, float32": ("frozen", "float32"),
    "isogloss, rows, bfloat16": ("rows", "bfloat16"),
    "isogloss, frozen embeddings, bfloat16": ("frozen", "bfloat16"),
}


class WithLoss(nn.Module):
    """What the Trainer wants of a module: its own loss, the mean of the batch."""

    def __init__(self, module: TunedNetwork) -> None:
        super().__init__()
        self.module = module

    def forward(self, batch: Any, labels: torch.Tensor) -> dict[str, torch.Tensor]:
        """Return loss and logits."""
        logits = self.module(batch)
        return {"loss": summed_loss(logits, labels, None) / len(labels), "logits": logits}


class Clock(TrainerCallback):  # type: ignore[misc]
    """Processor time at the start of each step."""

    def __init__(self) -> None:
        self.times: list[float] = []

    def on_step_begin(self, *_: Any, **__: Any) -> None:
        """Note the time."""
        self.times.append(time.process_time())


class TimedExamples:
    """Examples that note the processor time at the start of each step."""

    def __init__(self, examples: TextExamples, times: list[float]) -> None:
        self.examples, self.times, self.n_seen = examples, times, 0
        self.lengths = examples.lengths

    def __len__(self) -> int:
        return len(self.examples)

    def collate(self, rows: list[int]) -> Any:
        """Return a batch."""
        if self.n_seen % BATCH == 0:  # a step begins; it may have several parts
            self.times.append(time.process_time())
        self.n_seen += len(rows)
        return self.examples.collate(rows)


def main() -> None:
    """Measure, write JSON to benchmarks/out, print Markdown tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--steps", type=int, default=5)
    parser.add_argument("--no-sentences", dest="sentences", action="store_false")
    parser.add_argument("--loss-steps", type=int, default=200)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--out", type=Path, default=Path("benchmarks/out/tuning_speed.json"))
    options = parser.parse_args()
    torch.set_num_threads(1)
    encoder = Encoder.load("bundled", device="cpu", threads=1)
    base = with_settings(encoder, pooling="cls", normalize=False, max_length=LENGTH)
    result: dict[str, Any] = {"torch": torch.__version__, "threads": 1}
    if options.steps:
        examples = made_examples(base, options.steps + 1)
        result["seconds"] = speeds(base, examples, options.steps + 1, np.median)
        print_speeds(result["seconds"])
    if options.sentences:
        examples, _ = sentences(base, options.data, n_steps=None)
        n_steps = len(examples) // BATCH
        result["padded"] = {str(cost): padded(examples, cost) for cost in PART_COSTS}
        print(f"padded tokens for each real one, by cost of a part: {result['padded']}")
        result["seconds_on_sentences"] = speeds(base, examples, n_steps, np.mean)
        print_speeds(result["seconds_on_sentences"])
    if options.loss_steps:
        result["loss_steps"] = options.loss_steps
        result["dev_loss"] = losses(base, options)
        for name, values in result["dev_loss"].items():
            shown = ", ".join(f"{value:.4f}" for value in values)
            print(f"| {name} | {shown} | {np.mean(values):.4f} |")
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(json.dumps(result, indent=2) + "\n", "utf-8")


def speeds(
    base: Encoder, examples: TextExamples, n_steps: int, typical: Callable[[Any], Any]
) -> dict[str, float]:
    """Return the typical processor seconds of a step after the first for each row."""
    clock = Clock()
    run_reference(module_of(base, 0, "dense"), examples, n_steps, 0, clock)
    found = {REFERENCE: float(typical(np.diff(clock.times)[1:]))}
    for name, (embeddings, precision) in OURS.items():
        times: list[float] = []
        module = module_of(base, 0, embeddings)
        run_ours(module, examples, n_steps, 0, precision, times)
        found[name] = float(typical(np.diff(times)[1:]))
    return found


def made_examples(base: Encoder, n_steps: int) -> TextExamples:
    """Return texts of equal length for so many steps."""
    rng = np.random.default_rng(0)
    n_texts = BATCH * n_steps
    ids = list(rng.integers(5, 200_000, (n_texts, LENGTH)).astype(np.int32))
    return examples_of(base, ids, rng.integers(0, N_CLASSES, n_texts))


def sentences(base: Encoder, data: Path, *, n_steps: int | None) -> list[TextExamples]:
    """Return training and dev sentences of SIB-200 English.

    Of the training ones as many as fill the batches of an epoch; with `n_steps`, of an epoch of
    which these are a whole number.
    """
    folder = data / "sib200" / "eng_Latn"
    train_rows, dev_rows = (read(find(folder / f"{part}.tsv")) for part in ("train", "dev"))
    names = sorted({label for label, _ in train_rows})
    n_batches = len(train_rows) // BATCH
    if n_steps is not None:
        n_batches = max(n for n in range(1, n_batches + 1) if n_steps % n == 0)
    sides = []
    for rows in (train_rows[: BATCH * n_batches], dev_rows):
        ids = base.tokenizer([text for _, text in rows]).ids
        sides.append(examples_of(base, ids, np.array([names.index(label) for label, _ in rows])))
    return sides


def padded(examples: TextExamples, part_cost: int) -> float:
    """Return how many tokens an epoch computes for each real one."""
    lengths, n_padded = examples.lengths, 0
    for batch in batches_of(len(examples), batch_size=BATCH, seed=0, epoch=0):
        parts = micro_batches(
            share_of(batch, lengths, rank=0, size=1), lengths,
            accumulate=None, max_tokens=BATCH * LENGTH, part_cost=part_cost,
        )  # fmt: skip
        n_padded += sum(len(part) * int(lengths[part].max()) for part in parts)
    return n_padded / int(lengths.sum())


def losses(base: Encoder, options: argparse.Namespace) -> dict[str, list[float]]:
    """Return the dev loss of each row and seed."""
    train_examples, dev_examples = sentences(base, options.data, n_steps=options.loss_steps)
    found: dict[str, list[float]] = {}
    chosen = ("isogloss, rows, float32", "isogloss, frozen embeddings, bfloat16")
    for seed in range(options.seeds):
        module = module_of(base, seed, "dense")
        run_reference(module, train_examples, options.loss_steps, seed, Clock())
        found.setdefault(REFERENCE, []).append(loss_on(module, dev_examples))
        for name in chosen:
            embeddings, precision = OURS[name]
            module = module_of(base, seed, embeddings)
            run_ours(module, train_examples, options.loss_steps, seed, precision, [])
            found.setdefault(name, []).append(loss_on(module, dev_examples))
        print(json.dumps(found), flush=True)
    return found


def module_of(base: Encoder, seed: int, embeddings: str) -> TunedNetwork:
    """Return the module that both sides train."""
    network = trainable_network(base, "cpu")
    word = network.model.get_input_embeddings()
    word.weight.requires_grad_(embeddings != "frozen")
    word.sparse = embeddings == "rows"
    if getattr(network.model, "pooler", None) is not None:
        network.model.pooler.requires_grad_(False)
    plan = make_plan(base.settings, n_layers=base.n_layers, has_pooler=False, has_dense=False)
    return TunedNetwork(network, plan, None, n_classes=N_CLASSES, dropout=0.1, seed=seed)


def run_reference(
    module: TunedNetwork, examples: TextExamples, n_steps: int, seed: int, clock: Clock
) -> None:
    """Train with the Trainer, as it comes but for the learning rate."""

    def collate(rows: list[int]) -> dict[str, Any]:
        batch = examples.collate(rows)
        return {"batch": batch, "labels": batch.gold}

    with tempfile.TemporaryDirectory() as folder:
        arguments = TrainingArguments(
            output_dir=folder, max_steps=n_steps, per_device_train_batch_size=BATCH,
            learning_rate=RATE, seed=seed, use_cpu=True, report_to=[], save_strategy="no",
            remove_unused_columns=False, disable_tqdm=True, logging_steps=10_000,
        )  # fmt: skip
        Trainer(
            WithLoss(module), arguments, train_dataset=range(len(examples)), data_collator=collate,
            callbacks=[clock],
        ).train()  # fmt: skip
    module.eval()


def run_ours(
    module: TunedNetwork,
    examples: TextExamples,
    n_steps: int,
    seed: int,
    precision: Any,
    times: list[float],
) -> None:
    """Train with the loop of isogloss."""
    n_epochs, rest = divmod(n_steps * BATCH, len(examples))
    assert rest == 0  # else the two sides would take different numbers of steps

    options = TrainingOptions(
        epochs=n_epochs, batch_size=BATCH, learning_rate=RATE, warm_up=0.0, precision=precision,
        weight_decay=0.0, max_tokens=BATCH * LENGTH,
    )  # fmt: skip
    with cheaper_modules(module.encoder, is_first_enough=True):
        train(
            module, TimedExamples(examples, times), options=options, seed=seed,
            loss=lambda batch: summed_loss(module(batch), batch.gold, None),
        )  # fmt: skip


def loss_on(module: TunedNetwork, examples: TextExamples) -> float:
    """Return the log-loss on all examples."""
    with torch.inference_mode():
        logits = torch.cat([module(examples.collate([row])) for row in range(len(examples))])
    return -dev_score(logits, torch.from_numpy(examples.gold))[1]


def examples_of(base: Encoder, ids: list[Any], gold: Any) -> TextExamples:
    """Return examples without entities."""
    pad_id = base.network.pad_id
    return TextExamples(ids, gold, None, known=None, pad_id=pad_id, device="cpu")


def read(path: Path) -> list[tuple[str, str]]:
    """Return (label, text) of each row."""
    content = path.read_bytes()
    lines = (gzip.decompress(content) if path.suffix == ".gz" else content).decode().splitlines()
    rows = csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
    return [(row["category"], row["text"]) for row in rows]


def print_speeds(seconds: dict[str, float]) -> None:
    """Print a Markdown table."""
    print("| | CPU s a step | times faster |\n| --- | --- | --- |")
    for name, value in seconds.items():
        print(f"| {name} | {value:.2f} | {seconds[REFERENCE] / value:.2f} |", flush=True)


if __name__ == "__main__":
    main()
