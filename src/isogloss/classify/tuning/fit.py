"""Fit a classifier with ``tune="lora"`` or ``"full"``: what is held out, tuned, and fitted behind.

Preset ``mboe`` is tuned as the paper has it, from a random W, with a knowledge base or without. In
``mboe-plus`` W starts from the head of the frozen encoder: first the head, then all together (Kumar
et al. 2022), so that the first steps do not tear down what a random W has no use for. Its entities
vote beside the tuned classifier, with a weight that only texts that were held out choose: on its
training texts the tuned classifier is sure of everything.
"""

from dataclasses import dataclass, replace
from math import ceil
from pathlib import Path

import numpy as np

from isogloss.arrays import Ints1d
from isogloss.classify.documents.documents import PreparedDocuments
from isogloss.classify.documents.entity_batch import EntityBatch
from isogloss.classify.documents.entity_source import EntitySource, entity_source
from isogloss.classify.heads.head import Head, linear_part
from isogloss.classify.heads.mboe_plus import MboePlusHead
from isogloss.classify.options import ATTENTIONS, FittedOptions
from isogloss.classify.tuning.task import LabelledDocuments, Tuned, TuningTask, tune_classifier
from isogloss.compat import require
from isogloss.encode import Encoder
from isogloss.errors import InputError, NotFiniteError, counted, warn_caller, warn_omitted
from isogloss.kb import EntityBags, KnowledgeBase
from isogloss.learn.linear_head import LinearHead, fit_with_search
from isogloss.learn.objective import Targets
from isogloss.learn.one_thread import learning
from isogloss.learn.splits import held_out
from isogloss.learn.tuned_encoder import check_untuned, with_settings
from isogloss.learn.tuning_options import LEARNING_RATES, Tune, TuningOptions
from isogloss.learn.vector_memo import encode_once
from isogloss.statistics.calibration import FEWEST_TEXTS

FEW_STEPS = 50  # at the usual learning rate
RECIPE = "docs/few-labels.md"


@dataclass(frozen=True)
class Part:
    """Texts to fit on, or to choose by.

    Attributes
    ----------
    texts, documents, y
        The same texts as they are, prepared, and their classes or labels.
    """

    texts: list[str]
    documents: PreparedDocuments
    y: Targets

    def select(self, rows: Ints1d) -> "Part":
        """Return some texts, in the order given."""
        texts = [self.texts[row] for row in rows.tolist()]
        return Part(texts, self.documents.select(rows), self.y[rows])

    def encoded_by(self, encoder: Encoder) -> "Part":
        """Return the texts with the vectors of another encoder."""
        encoded = encode_once(encoder, self.texts, pooling=None)
        return replace(self, documents=replace(self.documents, vectors=encoded.vectors))


@dataclass(frozen=True)
class TunedFit:
    """What a fit with tuning gives.

    Attributes
    ----------
    tuned
        Encoder and classifier.
    head
        The classifier, with its vote of entities in ``mboe-plus``.
    dev
        What was held out or given to choose by, with the tuned encoder's vectors; None without.
    n_documents
        Texts that were trained on.
    """

    tuned: Tuned
    head: Head
    dev: Part | None
    n_documents: int


def base_encoder(
    encoder: Encoder, options: FittedOptions, training: TuningOptions | None
) -> Encoder:
    """Return the encoder under the settings of h; one that stays frozen (no `training`) as it is.

    The paper's h is the last hidden state of [CLS], as it is; else h is the encoder's own vector.

    Raises
    ------
    InputError
        When it cannot be fitted on (`check_untuned`) or cannot be tuned (`with_settings`).
    """
    check_untuned(encoder)
    if training is None:
        return encoder
    if options.tune == "lora":
        require("peft", extra="tune", why="tune='lora'")
    settings, is_paper = encoder.settings, options.preset == "mboe"
    pooling = options.pooling or ("cls" if is_paper else settings.pooling.value)
    normalize = settings.normalize.value and not is_paper
    return with_settings(
        encoder, pooling=pooling, normalize=normalize, max_length=training.max_length
    )


def scale_of_names(
    kb: KnowledgeBase, encoder: Encoder, bags: EntityBags, *, langs: tuple[str, ...]
) -> float | None:
    """Return the root mean square of the encoder's vectors of the entities' names.

    Random vectors get it, so that they differ from these in nothing else; None without entities.
    """
    entities = np.unique(bags.entity).astype(np.int64)
    if not len(entities):
        return None
    source = entity_source("encoder", kb, encoder, langs=langs, pooling=None, seed=0)
    return float(np.sqrt(np.square(source.vectors(entities), dtype=np.float64).mean()))


def fit_tuned(
    base: Encoder,
    train: Part,
    dev: Part | None,
    n_classes: int,
    *,
    tune: Tune,
    options: FittedOptions,
    training: TuningOptions,
    source: EntitySource | None,
    checkpoints: Path | None,
) -> TunedFit:
    """Fit on prepared texts; see the module's docstring.

    Parameters
    ----------
    base
        From `base_encoder`.
    source
        Initial vectors of entities; None without a knowledge base.
    checkpoints
        As in `tune_classifier`.
    """
    seed, is_paper = options.random_state, options.preset == "mboe"
    if dev is None:
        train, dev = _hold_out(train, training.dev_split, n_classes, seed=seed)
    _warn_of_few(len(train.y), None if dev is None else len(dev.y), tune, training)
    start = None if is_paper else _frozen_head(train, dev, n_classes, seed=seed)
    in_network = source if is_paper else None
    task = TuningTask(
        base=base,
        documents=_labelled(train, in_network),
        n_classes=n_classes,
        tune=tune,
        options=training,
        attention=ATTENTIONS[options.attention],
        seed=seed,
        dev=None if dev is None else _labelled(dev, in_network),
        start=start,
    )
    tuned = tune_classifier(task, checkpoints=checkpoints)
    if is_paper and tuned.truncated.any():
        warn_omitted(
            f"{tuned.truncated.sum()} of {counted(len(train.texts), 'training text')} longer than "
            f"{base.settings.limit}; only their beginning was read"
        )
    some = train.select(np.arange(1)) if dev is None else dev
    encoded = _encoded_by_tuned(some, tuned.encoder, training)
    if dev is not None:
        dev = encoded
    head: Head = tuned.head
    if source is not None and not is_paper:
        head = _with_vote(
            train.encoded_by(tuned.encoder), dev, n_classes, linear_part(head),
            options=options, source=source,
        )  # fmt: skip
    return TunedFit(tuned, head, dev, len(train.texts))


def _hold_out(train: Part, share: float, n_classes: int, *, seed: int) -> tuple[Part, Part | None]:
    if share == 0.0:
        return train, None
    sets = np.eye(n_classes, dtype=bool)[train.y] if train.y.ndim == 1 else train.y
    rows = held_out(
        np.asarray(sets, dtype=np.bool_).reshape(len(train.y), n_classes), share, seed=seed
    )
    if rows is None:
        warn_omitted(
            f"{counted(len(train.texts), 'training text')} are too few to split by dev_split "
            f"{share:g}: nothing is held out, and the last epoch is kept"
        )
        return train, None
    return train.select(np.flatnonzero(~rows)), train.select(np.flatnonzero(rows))


def _warn_of_few(n_train: int, n_dev: int | None, tune: Tune, training: TuningOptions) -> None:
    """Warn where the epoch is chosen on few texts, or the steps are too few for their size."""
    n_steps = training.epochs * ceil(n_train / training.batch_size)
    usual, rate = LEARNING_RATES[tune], training.learning_rate or LEARNING_RATES[tune]
    few = []
    if n_dev is not None and n_dev < FEWEST_TEXTS and training.epochs > 1:
        few.append(f"the epoch is chosen on {counted(n_dev, 'development text')}")
    if n_steps * rate < FEW_STEPS * usual:
        few.append(f"{counted(n_steps, 'step')} at a learning rate of {rate:g} change little")
    if few:
        warn_caller(f"{'; '.join(few)}: see {RECIPE} for a recipe for few labels")


def _encoded_by_tuned(part: Part, encoder: Encoder, training: TuningOptions) -> Part:
    """Return texts with the tuned encoder's vectors; the fault of one that diverged is the rate."""
    try:
        return part.encoded_by(encoder)
    except NotFiniteError as error:
        raise InputError(
            f"tuning with learning_rate {training.learning_rate:g} left an encoder whose vectors "
            "are not finite; give a smaller learning rate, or precision float32"
        ) from error


def _frozen_head(train: Part, dev: Part | None, n_classes: int, *, seed: int) -> LinearHead:
    judged_by = None if dev is None else (dev.documents.vectors, dev.y)
    with learning(len(train.y), n_classes):
        return fit_with_search(
            train.documents.vectors, train.y, n_classes, seed=seed, dev=judged_by
        )


def _with_vote(
    train: Part,
    dev: Part | None,
    n_classes: int,
    encoder_only: LinearHead,
    *,
    options: FittedOptions,
    source: EntitySource,
) -> MboePlusHead:
    if dev is None:
        warn_omitted("no texts are held out to weigh the entities by; they get no weight")
    batch = _batch(train, source)
    held_out = None
    if dev is not None:
        held_out = (dev.documents.vectors, _batch(dev, source), dev.y)
    with learning(len(train.y), n_classes):
        return MboePlusHead.fit(
            train.documents.vectors, batch, train.y, n_classes,
            attention=ATTENTIONS[options.attention], seed=options.random_state, dev=held_out,
            encoder_only=encoder_only,
        )  # fmt: skip


def _labelled(part: Part, source: EntitySource | None) -> LabelledDocuments:
    batch = None if source is None else _batch(part, source)
    return LabelledDocuments(part.texts, part.y, batch)


def _batch(part: Part, source: EntitySource) -> EntityBatch:
    if part.documents.bags is None:
        raise ValueError("these documents were prepared without a knowledge base")
    return EntityBatch.of(part.documents.bags, source)
