"""Train an encoder on pairs: its network, what of it is trained, the loop, and the encoder after.

Called by `SentenceAligner`, which checks what is given and settles the options.
"""

import hashlib
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from isogloss.align.dev_score import DevScore, score_in_words
from isogloss.align.dual_encoder import DualEncoder
from isogloss.align.freezing import freeze, set_dropout
from isogloss.align.options import LORA_RANK, AlignmentOptions
from isogloss.align.pairs import PairExamples, PairOrder, sentence_numbers
from isogloss.align.sentence_pairs import Pairs
from isogloss.encode import Encoder
from isogloss.encode.model import capped_threads
from isogloss.encode.plan import make_plan
from isogloss.encode.tokenizer import TextTokenizer
from isogloss.learn.tuned_encoder import (
    TunedEncoder,
    add_adapter,
    finished_full,
    trainable_network,
)
from isogloss.train import Checkpoints, TrainingResult, train
from isogloss.train.cheaper_modules import cheaper_modules
from isogloss.train.processes import own_device


@dataclass(frozen=True, kw_only=True)
class AlignmentTask:
    """All that the result of a training depends on."""

    base: Encoder  # under the settings that the trained one is to have; it stays as it is
    pairs: Pairs  # to learn from
    options: AlignmentOptions  # settled ones
    tune: str  # "full" or "lora"
    seed: int  # of the order, of dropout and of an adapter
    dev: Pairs | None  # they choose the epoch; None: the last is kept

    def identity(self) -> dict[str, Any]:
        """Return what makes a run this one, as JSON; the loop adds its options and the seed."""
        return {
            "encoder": self.base.fingerprint,
            "pairs": _checksum(self.pairs),
            "development pairs": None if self.dev is None else _checksum(self.dev),
            "alignment": asdict(self.options),
            "tune": self.tune,
        }


@dataclass(frozen=True)
class Aligned:
    """What training gives."""

    encoder: TunedEncoder
    result: TrainingResult


def align(task: AlignmentTask, *, checkpoints: Path | None = None) -> Aligned:
    """Train the encoder.

    Parameters
    ----------
    checkpoints
        Folder for checkpoints of the run; one that was begun there resumes.
    """
    with capped_threads(task.base.threads):
        return _align(task, checkpoints)


def _align(task: AlignmentTask, checkpoints: Path | None) -> Aligned:
    base, options = task.base, task.options
    network = trainable_network(base, own_device(base.device))
    adapted = None
    if task.tune == "lora":
        adapted = add_adapter(network, rank=options.lora_rank or LORA_RANK, seed=task.seed)
    freeze(network.model, options, is_adapted=adapted is not None)
    plan = make_plan(
        base.settings, n_layers=base.n_layers, has_pooler=network.has_pooler,
        has_dense=bool(network.dense),
    )  # fmt: skip
    module = DualEncoder(
        network, plan, margin=options.margin, scale=options.scale,
        learns_scale=options.learns_scale,
    )  # fmt: skip
    if adapted is not None:
        module.encoder = adapted
    if options.dropout is not None:
        set_dropout(module, options.dropout)
    tokenizer = _tokenizer(base, options.max_length)
    with cheaper_modules(network.model, is_first_enough=plan.pooling == "cls"):
        result = train(
            module, _examples(task.pairs, tokenizer),
            loss=module.loss,
            options=options,
            seed=task.seed,
            order=_order(task),
            score=None if task.dev is None else DevScore(module, tokenizer, task.dev),
            score_in_words=score_in_words,
            undecayed=("log_scale",),
            checkpoints=None if checkpoints is None else Checkpoints(checkpoints),
            run=None if checkpoints is None else task.identity(),
            description=f"aligning ({task.tune})",
        )  # fmt: skip
    network.model.get_input_embeddings().sparse = False
    if adapted is not None:
        network.model = adapted.merge_and_unload()
    network.model.requires_grad_(False)
    return Aligned(finished_full(base, network), result)


def _order(task: AlignmentTask) -> PairOrder:
    options, pairs = task.options, task.pairs
    return PairOrder(
        len(pairs), pairs.langs, batch_size=options.batch_size, batches=options.batches,
        smoothing=options.smoothing, seed=task.seed,
    )  # fmt: skip


def _examples(pairs: Pairs, tokenizer: TextTokenizer) -> PairExamples:
    sides = [pairs.sources, pairs.targets]
    if pairs.negatives is not None:
        sides.append(pairs.negatives)
    numbers = sentence_numbers(*sides)
    ids = [tokenizer(side).ids for side in sides]
    return PairExamples(
        ids[0], ids[1], np.stack(numbers[:2]),
        negatives=ids[2] if len(ids) > 2 else None,
        negative_numbers=numbers[2] if len(ids) > 2 else None,
    )  # fmt: skip


def _tokenizer(base: Encoder, max_length: int | None) -> TextTokenizer:
    """Return the encoder's tokenizer, which cuts sentences sooner in training."""
    longest = base.settings.max_length.value
    return TextTokenizer(
        base.tokenizer.backend, prefix=base.tokenizer.prefix,
        max_length=min(max_length or longest, longest), is_parallel=base.tokenizer.is_parallel,
    )  # fmt: skip


def _checksum(pairs: Pairs) -> str:
    digest = hashlib.sha256()
    for side in (pairs.sources, pairs.targets, pairs.langs or (), pairs.negatives or ()):
        digest.update(f"{len(side)} ".encode())
        for text in side:
            digest.update(f"{len(text)} {text}".encode("utf-8", "surrogatepass"))
    return digest.hexdigest()
