"""Tune encoder and head together; what comes out is used like a frozen encoder with its head.

W starts from the head of the frozen encoder (Kumar et al. 2022). Each word counts alike: the loss
of a window is the sum over its words, over the mean number of words of a window, so that a long
sentence weighs as much more as it has more words, and the step is that of a mean over words.
"""

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from isogloss.arrays import Ints1d
from isogloss.encode.batches import BUDGETS, budgeted_batches
from isogloss.encode.words.sentence_windows import windows_of
from isogloss.encode.words.token_pooling import BlankTokens, pooled_tokens
from isogloss.encode.words.tokens_of_words import SpannedText, overlapping, tokens_of
from isogloss.learn.linear_head import ChosenBy, LinearHead, Standardisation
from isogloss.learn.objective import SOFTMAX
from isogloss.learn.tuned_encoder import (
    TunedEncoder,
    add_adapter,
    finished_adapter,
    finished_full,
    trainable_network,
)
from isogloss.learn.tuning_options import Tune, TuningOptions
from isogloss.limits import UNPENALISED
from isogloss.tag.sentences import TaggedSentences
from isogloss.tag.word_features import Reading
from isogloss.tag.word_network import (
    WordBatch,
    WordExamples,
    WordNetwork,
    freeze_unused,
)
from isogloss.train import Checkpoints, TrainingOptions, TrainingResult, train
from isogloss.train.processes import own_device

DROPOUT = 0.1  # where an encoder's configuration names none


@dataclass(frozen=True)
class Tuned:
    """What tuning gives."""

    encoder: TunedEncoder
    head: LinearHead  # of features as they are
    n_words: int  # that were learned from


@dataclass(frozen=True, kw_only=True)
class TuningTask:
    """All that the result of a tuning depends on."""

    reading: Reading  # of the encoder before, under the settings of tuning
    train: TaggedSentences
    y: Ints1d  # of its words
    dev: TaggedSentences | None  # to choose the epoch by; None: the last is kept
    gold: Ints1d  # of its words
    start: LinearHead  # of the frozen encoder
    tune: Tune
    options: TuningOptions  # settled ones
    seed: int

    def identity(self) -> dict[str, Any]:
        """Return what makes a run this one, as JSON; the loop adds its options and the seed."""
        of_loop = {one.name for one in fields(TrainingOptions)}
        dev = None if self.dev is None else [self.dev.sentences, self.dev.tags]
        chosen = {
            field.name: getattr(self.options, field.name)
            for field in fields(TuningOptions)
            if field.name not in of_loop
        }
        data = json.dumps([self.train.sentences, self.train.tags, dev])
        weight = np.ascontiguousarray(self.start.weight)
        return {
            "encoder": self.reading.encoder.fingerprint,
            "layers": list(self.reading.layers),
            "pieces": self.reading.pieces,
            "sentences": hashlib.sha256(data.encode()).hexdigest(),
            "method": [self.tune, hashlib.sha256(weight.tobytes()).hexdigest()],
            "tuning options": chosen,
        }


def tune_tagger(task: TuningTask, *, checkpoints: Path | None) -> Tuned:
    """Train encoder and head.

    Parameters
    ----------
    checkpoints
        Folder for checkpoints of the run; one that was begun there resumes.
    """
    base, options = task.reading.encoder, task.options
    network = trainable_network(base, own_device(base.device))
    adapted = None
    if task.tune == "lora":
        adapted = add_adapter(network, rank=options.lora_rank, seed=task.seed)
    embedding = network.model.get_input_embeddings()
    embedding.weight.requires_grad_(options.embeddings in ("dense", "rows"))
    embedding.sparse = options.embeddings == "rows"
    module = WordNetwork(
        network, adapted, task.reading.layers, task.start,
        dropout=_dropout(options, network.model.config),
    )  # fmt: skip
    module.to(network.device)

    def examples(tagged: TaggedSentences, y: Ints1d) -> WordExamples:
        return _examples(task.reading, tagged, y, pad_id=network.pad_id, device=network.device)

    learned = examples(task.train, task.y)
    n_words = sum(one.n_words for one in learned.windows)
    freeze_unused(module, learned)
    result = train(
        module, learned,
        loss=_loss(module, task, n_words / len(learned)),
        options=options,
        seed=task.seed,
        score=None if task.dev is None else _score(module, examples(task.dev, task.gold)),
        score_in_words=lambda score: f"accuracy {score[0]:.4f}, log-loss {-score[1]:.4f}",
        checkpoints=None if checkpoints is None else Checkpoints(checkpoints),
        run=None if checkpoints is None else task.identity(),
        description=f"fine-tuning ({task.tune})",
    )  # fmt: skip
    embedding.weight.requires_grad_(False)
    embedding.sparse = False
    head = _head(module, f" ({task.tune}), epoch {_kept(result)} of {len(result.epochs)}")
    encoder = (
        finished_full(base, network)
        if adapted is None
        else finished_adapter(base, network, adapted)
    )
    return Tuned(encoder, head, n_words)


def _examples(
    reading: Reading, tagged: TaggedSentences, y: Ints1d, *, pad_id: int, device: str
) -> WordExamples:
    """Return the windows of sentences with the tags of their words."""
    tokenizer = reading.encoder.tokenizer
    is_blank = BlankTokens(tokenizer.backend)
    texts = [SpannedText.joined(words) for words in tagged.sentences]
    windows, gold = [], []
    for at, tokens in enumerate(tokens_of(tokenizer, [one.text for one in texts])):
        read = windows_of(tokenizer, tokens, overlapping(texts[at].spans, tokens))
        for words, window in read.windows:
            windows.append(pooled_tokens(window, reading.pieces, is_blank))
            gold.append(y[tagged.starts[at] + words])
    return WordExamples(windows, gold, pad_id=pad_id, device=device)


def _loss(
    module: WordNetwork, task: TuningTask, words_of_window: float
) -> Callable[[WordBatch], Tensor]:
    weights = None
    if task.options.class_weights is not None:
        n_tags = len(task.start.bias)
        counts = np.maximum(np.bincount(task.y, minlength=n_tags), 1)
        weights = torch.from_numpy((len(task.y) / (n_tags * counts)).astype(np.float32))

    def loss(batch: WordBatch) -> Tensor:
        of_tags = None if weights is None else weights.to(batch.gold.device)
        logits = module(batch).float()
        summed = functional.cross_entropy(logits, batch.gold, weight=of_tags, reduction="sum")
        return summed / words_of_window

    return loss


def _score(module: WordNetwork, dev: WordExamples) -> Callable[[], tuple[float, float]]:
    """Return what epochs are compared by: the share of right words, then the loss."""
    device = next(module.parameters()).device.type

    def score() -> tuple[float, float]:
        n_right, n_words, loss = 0.0, 0, 0.0
        for rows in budgeted_batches(dev.lengths, budget=BUDGETS[device, "float32"]):
            batch = dev.collate(rows.tolist())
            known = batch.gold >= 0
            logits = module(batch).float()
            n_right += float((logits.argmax(dim=1) == batch.gold).sum())  # of known ones alone
            loss += float(
                functional.cross_entropy(logits[known], batch.gold[known], reduction="sum")
            )
            n_words += int(known.sum())
        return n_right / n_words, -loss / n_words

    return score


def _head(module: WordNetwork, detail: str) -> LinearHead:
    weight = module.classify.weight.detach().cpu().numpy().astype(np.float64)
    bias = module.classify.bias.detach().cpu().numpy().astype(np.float64)
    width = weight.shape[1]
    as_it_is = Standardisation(np.zeros(width), np.ones(width))
    return LinearHead(as_it_is, weight, bias, UNPENALISED, ChosenBy.TUNING, SOFTMAX, detail)


def _dropout(options: TuningOptions, config: Any) -> float:
    if options.dropout is not None:
        return options.dropout
    return float(getattr(config, "hidden_dropout_prob", DROPOUT))


def _kept(result: TrainingResult) -> str:
    """Return the numbers of the epochs whose weights were kept."""
    if not result.best_steps:
        return str(len(result.epochs))
    places = {epoch.step: place + 1 for place, epoch in enumerate(result.epochs)}
    return ", ".join(str(places[step]) for step in result.best_steps)
