"""Fit with ``tune="lora"`` or ``"full"``: what is held out, fine-tuned, and fitted afterwards.

Preset ``mboe`` is fine-tuned as in the paper, from a random W, with a knowledge base or without. In
``mboe-plus`` W starts from the head of the frozen encoder: first the head, then all together (Kumar
et al. 2022), so that the first steps do not tear down what a random W has no use for. Its entities
vote beside the fine-tuned classifier, with a weight that only held-out texts choose: on its
training texts the classifier is overconfident.
"""

from dataclasses import dataclass, replace
from math import ceil
from pathlib import Path

import numpy as np

from isogloss.classify.documents.documents import Part
from isogloss.classify.documents.entity_source import entity_source
from isogloss.classify.fitting.head import fit_encoder_only, fit_head
from isogloss.classify.heads.head import Head
from isogloss.classify.options import ATTENTIONS, FittedOptions
from isogloss.classify.preparation import Preparation
from isogloss.classify.tuning.task import LabelledDocuments, TuningTask, tune_classifier
from isogloss.compat import require
from isogloss.encode import Encoder
from isogloss.errors import counted, warn_caller, warn_omitted
from isogloss.learn.search import Search
from isogloss.learn.splits import held_out
from isogloss.learn.tuned_encoder import (
    check_untuned,
    divergence_in_one_sentence,
    with_settings,
)
from isogloss.learn.tuning_options import LEARNING_RATES, Tune, TuningOptions
from isogloss.statistics.calibration import FEWEST_TEXTS

FEW_STEPS = 50  # at the usual learning rate
RECIPE = "docs/few-labels.md"


@dataclass(frozen=True)
class TunedFit:
    """What a fit with tuning gives."""

    preparation: Preparation  # with the fine-tuned encoder
    head: Head  # the classifier, with its vote of entities in ``mboe-plus``
    # what was held out or given to choose by, with the tuned encoder's vectors; None without
    dev: Part | None
    n_documents: int  # texts that were trained on


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


def fit_tuned(
    preparation: Preparation,
    train: Part,
    dev: Part | None,
    n_classes: int,
    training: TuningOptions,
    search: Search,
    *,
    checkpoints: Path | None,
) -> TunedFit:
    """Fit on prepared texts; see the module's docstring.

    Parameters
    ----------
    preparation
        Of texts, its encoder from `base_encoder`.
    checkpoints
        As in `tune_classifier`.
    """
    options = preparation.options
    seed, is_paper, tune = options.random_state, options.preset == "mboe", options.tune
    preparation = replace(preparation, random_scale=_random_scale(preparation, train))
    base = preparation.base_encoder
    if dev is None:
        train, dev = _hold_out(train, training.dev_split, n_classes, seed=seed)
    _warn_of_few(len(train.y), None if dev is None else len(dev.y), tune, training)
    in_network = preparation if is_paper else replace(preparation, kb=None)
    task = TuningTask(
        base=base,
        documents=_labelled(train, in_network),
        n_classes=n_classes,
        tune=tune,
        options=training,
        attention=ATTENTIONS[options.attention],
        seed=seed,
        dev=None if dev is None else _labelled(dev, in_network),
        start=None if is_paper else fit_encoder_only(train, dev, n_classes, search, seed=seed),
    )
    tuned = tune_classifier(task, checkpoints=checkpoints)
    if is_paper and tuned.truncated.any():
        warn_omitted(
            f"{tuned.truncated.sum()} of {counted(len(train.texts), 'training text')} longer than "
            f"{base.settings.limit}; only their beginning was read"
        )
    some = train.select(np.arange(1)) if dev is None else dev
    with divergence_in_one_sentence(training):
        encoded = some.encoded_by(tuned.encoder)
    if dev is not None:
        dev = encoded
    head: Head = tuned.head
    preparation = replace(preparation, encoder=tuned.encoder)
    if preparation.kb is not None and not is_paper:
        if dev is None:
            warn_omitted("no texts are held out to weigh the entities by; they get no weight")
        own = train.encoded_by(tuned.encoder)
        head = fit_head(preparation, own, dev, n_classes, search, fine_tuned=head.linear)
    return TunedFit(preparation, head, dev, len(train.texts))


def _random_scale(preparation: Preparation, train: Part) -> float | None:
    """Return the root mean square of the encoder's vectors of the entities' names.

    Random vectors get it, so that they differ from these in nothing else; None without entities.
    """
    kb, bags, base = preparation.kb, train.documents.bags, preparation.base_encoder
    if kb is None or bags is None or preparation.options.init != "random" or not len(bags.entity):
        return None
    entities = np.unique(bags.entity).astype(np.int64)
    source = entity_source("encoder", kb, base, langs=preparation.langs, pooling=None, seed=0)
    return float(np.sqrt(np.square(source.vectors(entities), dtype=np.float64).mean()))


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


def _labelled(part: Part, preparation: Preparation) -> LabelledDocuments:
    return LabelledDocuments(part.texts, part.y, preparation.entity_batch(part.documents))
