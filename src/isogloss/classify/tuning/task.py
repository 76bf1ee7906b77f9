"""Tune encoder, entities and classifier together; what comes out is used like a frozen one.

`tune_classifier` trains a `TunedNetwork` in the training loop and takes it apart again: an encoder
that gives h, and a head that classifies it, without standardisation.
Prediction, explanation and evaluation so need not know that anything was tuned.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from isogloss.arrays import Bools1d, Ints1d
from isogloss.classify.documents.attention import EntityPairs, EntityPooling
from isogloss.classify.documents.entity_batch import EntityBatch
from isogloss.classify.documents.entity_memory import Attention, EntityMemory
from isogloss.classify.documents.trained_vectors import TrainedVectors
from isogloss.classify.heads.head import EncoderOnlyHead, Head
from isogloss.classify.heads.mboe import INITIAL_ATTENTION, MboeHead
from isogloss.classify.tuning.network import (
    TextExamples,
    TunedNetwork,
    balanced_weights,
    dev_score,
    score_in_words,
    summed_loss,
)
from isogloss.encode import Encoder
from isogloss.encode.batches import BUDGETS, budgeted_batches
from isogloss.encode.plan import make_plan
from isogloss.encode.tokenizer import TokenizedTexts
from isogloss.learn.linear_head import ChosenBy, LinearHead, Standardisation
from isogloss.learn.objective import Targets, objective_of
from isogloss.learn.tuned_encoder import (
    TunedEncoder,
    add_adapter,
    finished_adapter,
    finished_full,
    trainable_network,
)
from isogloss.learn.tuning_memo import tuned_once
from isogloss.learn.tuning_options import Tune, TuningOptions
from isogloss.limits import UNPENALISED
from isogloss.train import Checkpoints, TrainingOptions, TrainingResult, train
from isogloss.train.cheaper_modules import cheaper_modules
from isogloss.train.processes import own_device

DROPOUT = 0.1  # where an encoder's configuration names none


@dataclass(frozen=True)
class LabelledDocuments:
    """Texts to learn from, or to choose the epoch by."""

    texts: Sequence[str]
    gold: Targets  # int64 (n_texts,) class of each, or bool (n_texts, n_classes) labels of each
    # their entities; None without a knowledge base, or where the classifier has no use for them
    batch: EntityBatch | None

    def select(self, rows: Ints1d) -> "LabelledDocuments":
        """Return some documents, in the order given."""
        batch = None if self.batch is None else self.batch.select(rows)
        return LabelledDocuments([self.texts[row] for row in rows.tolist()], self.gold[rows], batch)


@dataclass(frozen=True)
class Tuned:
    """What tuning gives."""

    encoder: TunedEncoder  # gives h
    head: Head  # the classifier of h
    result: TrainingResult  # how training went
    truncated: Bools1d  # bool (n_texts,): which training texts were cut


@dataclass(frozen=True, kw_only=True)
class TuningTask:
    """All that the result of a tuning depends on."""

    # the encoder, under the settings that h is to have (`with_settings`); it stays as it is
    base: Encoder
    documents: LabelledDocuments  # texts to learn from
    n_classes: int  # classes, or labels of label sets
    tune: Tune  # ``"full"`` or ``"lora"``
    options: TuningOptions  # settled ones
    attention: Attention  # how entities are weighed
    seed: int  # of order, dropout and initial numbers
    dev: LabelledDocuments | None = None  # texts to choose the epoch by; None: the last is kept
    # a classifier of the base's vectors that W and b start from; None: small random numbers
    start: LinearHead | None = None

    def identity(self) -> dict[str, Any]:
        """Return what makes a run this one, as JSON; the loop adds its options and the seed."""
        of_loop = {one.name for one in fields(TrainingOptions)}
        chosen = {
            field.name: getattr(self.options, field.name)
            for field in fields(TuningOptions)
            if field.name not in of_loop
        }
        return {
            "encoder": self.base.fingerprint,
            "training texts": _checksum(self.documents),
            "development texts": None if self.dev is None else _checksum(self.dev),
            "number of classes": self.n_classes,
            "method": [self.tune, None if self.start is None else _sha_of_head(self.start)],
            "attention": None if self.documents.batch is None else self.attention,
            "tuning options": chosen,
        }


def tune_classifier(task: TuningTask, *, checkpoints: Path | None = None) -> Tuned:
    """Train the whole classifier.

    Parameters
    ----------
    checkpoints
        Folder for checkpoints of the run; one that was begun there goes on.
    """
    if checkpoints is not None:
        return _tune(task, checkpoints)
    alike = task.identity() | {"seed": task.seed, "options": task.options.of_loop()}
    return tuned_once(alike, lambda: _tune(task, None))


def _tune(task: TuningTask, checkpoints: Path | None) -> Tuned:
    base, documents, options, seed = task.base, task.documents, task.options, task.seed
    network = trainable_network(base, own_device(base.device))
    adapted = None
    if task.tune == "lora":
        adapted = add_adapter(network, rank=options.lora_rank, seed=seed)
    _train_embeddings(network.model, options.embeddings)
    initial = None
    if documents.batch is not None:
        memory = EntityMemory.of(
            documents.batch, attention=task.attention, initial_attention=INITIAL_ATTENTION
        )
        initial = TrainedVectors.initial(memory, documents.batch, width=base.width, seed=seed)
    plan = make_plan(
        base.settings,
        n_layers=base.n_layers,
        has_pooler=network.has_pooler,
        has_dense=bool(network.dense),
    )
    module = TunedNetwork(
        network, plan, None if initial is None else _pooling(initial),
        n_classes=task.n_classes, dropout=_dropout(options, network.model.config), seed=seed,
    )  # fmt: skip
    if task.start is not None:
        _start_from(module, task.start)
    module.to(network.device)
    if adapted is not None:
        module.encoder = adapted
    _freeze_unused(module, base.settings.pooling.value)
    work = _Work(base, network.device, network.pad_id, module, initial, options, task.n_classes)
    tokenized = base.tokenizer(documents.texts)
    examples = work.examples(tokenized, documents)
    with cheaper_modules(network.model, is_first_enough=plan.pooling == "cls"):
        result = train(
            module, examples,
            loss=work.loss(documents.gold),
            options=options,
            seed=seed,
            score=None if task.dev is None else work.score(task.dev),
            score_in_words=partial(score_in_words, several=documents.gold.ndim > 1),
            undecayed=("pooling.vectors", "pooling.attention_weight"),
            checkpoints=None if checkpoints is None else Checkpoints(checkpoints),
            run=None if checkpoints is None else task.identity(),
            description=f"fine-tuning ({task.tune})",
        )  # fmt: skip
    head = work.head(documents.gold, f" ({task.tune}), {_in_words(result)}")
    _train_embeddings(network.model, "frozen")
    encoder = (
        finished_full(base, network)
        if adapted is None
        else finished_adapter(base, network, adapted)
    )
    return Tuned(encoder, head, result, tokenized.truncated)


@dataclass(frozen=True)
class _Work:
    """The module with what stands around it: batches, loss, score and the head it becomes."""

    base: Encoder
    device: str
    pad_id: int
    module: TunedNetwork
    initial: TrainedVectors | None
    options: TuningOptions
    n_classes: int

    def examples(self, tokenized: TokenizedTexts, documents: LabelledDocuments) -> TextExamples:
        return TextExamples(
            tokenized.ids, documents.gold, documents.batch,
            known=None if self.initial is None else self.initial.memory.entities,
            pad_id=self.pad_id, device=self.device,
        )  # fmt: skip

    def loss(self, gold: Targets) -> Any:
        weights = None
        if self.options.class_weights is not None:
            weights = balanced_weights(gold, self.n_classes).to(self.device)

        def loss(batch: Any) -> Tensor:
            return summed_loss(self.module(batch), batch.gold, weights)

        return loss

    def score(self, dev: LabelledDocuments) -> Any:
        gold = torch.from_numpy(dev.gold)
        gold = gold if gold.ndim == 1 else gold.float()
        tokenized = self.base.tokenizer(dev.texts)
        tokens = self.examples(tokenized, LabelledDocuments(dev.texts, dev.gold, None))
        kind = self.device.partition(":")[0]
        budget = BUDGETS[kind, "float32"]

        def score() -> tuple[float, float]:
            width = self.module.classify.in_features
            vectors = torch.zeros(len(dev.texts), width)
            for rows in budgeted_batches(tokens.lengths, budget=budget):
                batch = tokens.collate(rows.tolist())
                vectors[torch.from_numpy(rows)] = self.module.vectors(batch.ids, batch.mask).cpu()
            with torch.autocast(kind, enabled=False):
                vectors = vectors + self._entities(vectors, dev.batch)
                classify = self.module.classify
                logits = vectors @ classify.weight.cpu().T + classify.bias.cpu()
                return dev_score(logits, gold)

        return score

    def head(self, gold: Targets, detail: str) -> Head:
        classify = self.module.classify
        weight = classify.weight.detach().cpu().numpy().astype(np.float64)
        bias = classify.bias.detach().cpu().numpy().astype(np.float64)
        width = weight.shape[1]
        as_it_is = Standardisation(np.zeros(width), np.ones(width))
        linear = LinearHead(
            as_it_is, weight, bias, UNPENALISED, ChosenBy.TUNING, objective_of(gold), detail
        )
        trained = self._trained()
        return EncoderOnlyHead(linear) if trained is None else MboeHead(linear, trained)

    def _trained(self) -> TrainedVectors | None:
        if self.initial is None or self.module.pooling is None:
            return None
        return self.initial.learn(self.module.pooling)

    def _entities(self, vectors: Tensor, batch: EntityBatch | None) -> Tensor:
        """Return z of development documents, whose entities need not be those of training."""
        trained = self._trained()
        if trained is None or batch is None:
            return torch.zeros_like(vectors)
        pairs = EntityPairs.of(batch.offsets, batch.columns, batch.commonness[:, None])
        pooled: Tensor = trained.pooling(batch)(vectors, pairs)
        return pooled


def _pooling(initial: TrainedVectors) -> EntityPooling:
    projection = initial.projection
    return EntityPooling(
        torch.from_numpy(initial.vectors),
        torch.from_numpy(initial.memory.attention_weight),
        attention=initial.memory.attention,
        projection=None if projection is None else torch.from_numpy(projection),
    )


def _dropout(options: TuningOptions, config: Any) -> float:
    if options.dropout is not None:
        return options.dropout
    return float(getattr(config, "hidden_dropout_prob", DROPOUT))


def _train_embeddings(model: Any, how: str | None) -> None:
    embedding = model.get_input_embeddings()
    embedding.weight.requires_grad_(how in ("dense", "rows"))
    embedding.sparse = how == "rows"


def _start_from(module: TunedNetwork, head: LinearHead) -> None:
    """Take W and b of a linear head, its standardisation folded in."""
    weight = head.weight / head.standardisation.deviation
    with torch.no_grad():
        module.classify.weight.copy_(torch.from_numpy(weight))
        module.classify.bias.copy_(torch.from_numpy(head.bias - weight @ head.standardisation.mean))


def _freeze_unused(module: TunedNetwork, pooling: str) -> None:
    pooler = getattr(module.encoder, "pooler", None)
    if pooler is not None and pooling != "pooler":
        pooler.requires_grad_(False)
    if module.pooling is not None and module.pooling.attention != "learned":
        module.pooling.attention_weight.requires_grad_(False)


def _checksum(documents: LabelledDocuments) -> str:
    arrays: list[np.ndarray[Any, Any]] = [documents.gold]
    if documents.batch is not None:
        batch = documents.batch
        arrays += [batch.offsets, batch.columns, batch.commonness, batch.entities, batch.vectors]
    return _sha(np.frombuffer(json.dumps(list(documents.texts)).encode(), np.uint8), *arrays)


def _sha_of_head(head: LinearHead) -> str:
    scale = head.standardisation
    return _sha(scale.mean, scale.deviation, head.weight, head.bias)


def _sha(*arrays: np.ndarray[Any, Any]) -> str:
    digest = hashlib.sha256()
    for array in arrays:
        digest.update(f"{array.dtype}{array.shape}".encode())
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


def _in_words(result: TrainingResult) -> str:
    n_run = len(result.epochs)
    if not result.best_steps:
        return f"epoch {n_run} of {n_run}"
    places = {epoch.step: place + 1 for place, epoch in enumerate(result.epochs)}
    best = ", ".join(str(places[step]) for step in result.best_steps)
    one = "epoch" if len(result.best_steps) == 1 else "mean of epochs"
    return f"{one} {best} of {n_run}{', stopped early' if result.is_stopped_early else ''}"
