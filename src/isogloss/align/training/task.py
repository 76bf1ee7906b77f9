"""Train an encoder on pairs: its network, what of it is trained, the loop, and the encoder after.

Called by `SentenceAligner`, which checks what is given and settles the options.
"""

import hashlib
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from isogloss.align.options import LORA_RANK, AlignmentOptions
from isogloss.align.sentence_pairs import Pairs
from isogloss.align.training.dev_score import DevScore, score_in_words
from isogloss.align.training.distillation import TeacherVectors, teacher_vectors
from isogloss.align.training.dual_encoder import DualEncoder
from isogloss.align.training.freezing import freeze, set_dropout
from isogloss.align.training.negatives import with_hard_negatives
from isogloss.align.training.objective import Objective
from isogloss.align.training.order import PairOrder
from isogloss.align.training.ranking_record import RankedEpoch
from isogloss.align.training.tokenized_pairs import TokenizedPairs, tokenized_pairs
from isogloss.encode import Encoder
from isogloss.encode.model import capped_threads
from isogloss.encode.plan import make_plan
from isogloss.encode.tokenizer import TextTokenizer
from isogloss.errors import InputError, counted
from isogloss.learn.tuned_encoder import (
    TunedEncoder,
    add_adapter,
    finished_full,
    trainable_network,
)
from isogloss.train import Checkpoints, TrainingResult, train
from isogloss.train.cheaper_modules import cheaper_modules
from isogloss.train.processes import own_device, process_count


@dataclass(frozen=True, kw_only=True)
class AlignmentTask:
    """All that the result of a training depends on."""

    base: Encoder  # under the settings that the trained one is to have; it stays as it is
    pairs: Pairs  # to learn from
    options: AlignmentOptions  # settled ones
    tune: str  # "full" or "lora"
    seed: int  # of the order, of dropout and of an adapter
    dev: Pairs | None = None  # they choose the epoch; None: the last is kept
    teacher: Encoder | None = None  # of distillation
    negatives_from: Encoder | None = None  # finds hard negatives; None: the base does

    def identity(self) -> dict[str, Any]:
        """Return what makes a run this one, as JSON; the loop adds its options and the seed."""
        return {
            "encoder": self.base.fingerprint,
            "pairs": _checksum(self.pairs),
            "development pairs": None if self.dev is None else _checksum(self.dev),
            "alignment": asdict(self.options),
            "tune": self.tune,
            "teacher": None if self.teacher is None else self.teacher.fingerprint,
            "encoder of negatives": (
                None if self.negatives_from is None else self.negatives_from.fingerprint
            ),
        }


@dataclass(frozen=True)
class Aligned:
    """What training gives."""

    encoder: TunedEncoder
    result: TrainingResult
    n_pairs: int  # that were learned from
    ranked: list[RankedEpoch] = field(default_factory=list)  # of distillation alone none


def align(task: AlignmentTask, *, checkpoints: Path | None = None) -> Aligned:
    """Train the encoder.

    Parameters
    ----------
    checkpoints
        Folder for checkpoints of the run; one that was begun there resumes.
    """
    with ExitStack() as stack:
        stack.enter_context(capped_threads(task.base.threads))
        tokenizer = _tokenizer(task.base, task.options.max_length)
        tokenized = tokenized_pairs(_with_negatives(task), tokenizer)
        order = _order(task, tokenized.pairs)
        teacher = None
        if task.teacher is not None:
            teacher = stack.enter_context(
                teacher_vectors(task.teacher, tokenized.pairs.sources, width=task.base.width)
            )
        return _align(task, tokenized, tokenizer, order, teacher, checkpoints)


def _with_negatives(task: AlignmentTask) -> Pairs:
    options = task.options
    if not options.hard_negatives:
        return task.pairs
    return with_hard_negatives(
        task.pairs, task.negatives_from or task.base, n=options.hard_negatives,
        margin=options.negative_margin,
    )  # fmt: skip


def _align(
    task: AlignmentTask,
    tokenized: TokenizedPairs,
    tokenizer: TextTokenizer,
    order: PairOrder,
    teacher: TeacherVectors | None,
    checkpoints: Path | None,
) -> Aligned:
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
    module = DualEncoder(network, plan, _objective(options))
    if adapted is not None:
        module.encoder = adapted
    if options.dropout is not None:
        set_dropout(module, options.dropout)
    with cheaper_modules(network.model, is_first_enough=plan.pooling == "cls"):
        result = train(
            module, tokenized.examples(tokenizer, teacher=teacher),
            loss=module.loss,
            options=options,
            seed=task.seed,
            order=order,
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
    encoder = finished_full(base, network)
    return Aligned(encoder, result, len(tokenized.pairs), module.record.epochs)


def _objective(options: AlignmentOptions) -> Objective:
    return Objective(**{each.name: getattr(options, each.name) for each in fields(Objective)})


def _order(task: AlignmentTask, pairs: Pairs) -> PairOrder:
    """Return the order of pairs; a step must have one for every process, which else would wait."""
    options = task.options
    order = PairOrder(
        len(pairs), pairs.langs, batch_size=options.batch_size, batches=options.batches,
        smoothing=options.smoothing, seed=task.seed,
    )  # fmt: skip
    fewest, n_processes = min(len(step) for step in order(0)), process_count()
    if fewest < n_processes:
        raise InputError(
            f"the smallest batch has {counted(fewest, 'pair')} for {n_processes} processes; give a "
            "larger batch_size, mixed batches or fewer processes"
        )
    return order


def _tokenizer(base: Encoder, max_length: int | None) -> TextTokenizer:
    """Return the encoder's tokenizer, which cuts sentences sooner in training."""
    longest = base.settings.max_length.value
    return TextTokenizer(
        base.tokenizer.backend, prefix=base.tokenizer.prefix,
        max_length=min(max_length or longest, longest), is_parallel=base.tokenizer.is_parallel,
    )  # fmt: skip


def _checksum(pairs: Pairs) -> str:
    digest = hashlib.sha256()
    negatives = [text for some in pairs.negatives or () for text in ("", *some)]
    for side in (pairs.sources, pairs.targets, pairs.langs or (), negatives):
        digest.update(f"{len(side)} ".encode())
        for text in side:
            digest.update(f"{len(text)} {text}".encode("utf-8", "surrogatepass"))
    return digest.hexdigest()
