"""From tagged sentences to a `FittedTagger`: choices, head, and tuning where it is asked for."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from isogloss.compat import require
from isogloss.encode import Encoder
from isogloss.encode.words.word_vectors import network_of
from isogloss.errors import InputError, counted, warn_omitted
from isogloss.kb import KnowledgeBase
from isogloss.learn.linear_head import LinearHead
from isogloss.learn.tuned_encoder import (
    check_untuned,
    divergence_in_one_sentence,
    with_settings,
)
from isogloss.learn.tuning_options import TuningOptions
from isogloss.tag.entities import entity_scheme
from isogloss.tag.fitted import FittedOptions, FittedTagger
from isogloss.tag.head_fitting import (
    HELD_OUT,
    Judged,
    Learned,
    chosen_layers,
    fitted_head,
    judged,
    numbers_of_tags,
    tags_in,
)
from isogloss.tag.names import NameFeatures, NameVote
from isogloss.tag.options import AUTO, check_options, layers_of
from isogloss.tag.sentences import TaggedSentences
from isogloss.tag.tuning import TuningTask, tune_tagger
from isogloss.tag.word_features import Reading

TO_CHECK = 8  # training sentences that a tuned encoder must have finite vectors for


def learn_tagger(
    parameters: Mapping[str, Any],
    train: TaggedSentences,
    dev: TaggedSentences | None,
    *,
    checkpoints: Path | None,
) -> FittedTagger:
    """Learn from tagged sentences, under the parameters of a `TokenTagger` by name.

    Raises
    ------
    InputError
        For all that `TokenTagger.fit` refuses.
    """
    check_options(parameters)
    tuning = _tuning(parameters)
    if checkpoints is not None and tuning is None:
        raise InputError("checkpoints are for tune='lora' or 'full'; the head alone learns")
    names = tags_in(train, dev)
    scheme = entity_scheme(parameters["scheme"], train.tags)
    given, seed, pieces = parameters["encoder"], parameters["random_state"], parameters["pieces"]
    encoder = given
    if not isinstance(given, Encoder):
        encoder = Encoder.load(given, device=parameters["device"], dtype=parameters["dtype"])
    check_untuned(encoder)
    if tuning is not None:
        tuning = tuning.settled(tune=parameters["tune"], device=encoder.device)
        settings = encoder.settings
        encoder = with_settings(
            encoder, pooling=settings.pooling.value, normalize=settings.normalize.value,
            max_length=tuning.max_length,
        )  # fmt: skip
    data = judged(train, dev, share=HELD_OUT if tuning is None else tuning.dev_split, seed=seed)
    if tuning is not None and data.dev is None and tuning.dev_split:
        warn_omitted(
            f"{counted(len(train), 'training sentence')} are too few to split by dev_split "
            f"{tuning.dev_split:g}: nothing is held out, and the last epoch is kept"
        )
    layers = layers_of(parameters["layer"], network_of(encoder).n_layers)
    if layers is None:
        layers = chosen_layers(encoder, data, names, pieces, seed=seed)
    reading = Reading(encoder, layers, pieces)
    learned = fitted_head(
        reading, data, names, C=parameters["C"], is_last=tuning is None,
        own_heads=tuning is None and parameters["own_heads"] == AUTO, seed=seed,
    )  # fmt: skip
    if tuning is not None:
        no_words = np.zeros(0, np.int64)
        task = TuningTask(
            reading=reading, train=data.train, y=numbers_of_tags(data.train, names), dev=data.dev,
            gold=no_words if data.dev is None else numbers_of_tags(data.dev, names),
            start=learned.head, tune=parameters["tune"], options=tuning, seed=seed,
        )  # fmt: skip
        tuned = tune_tagger(task, checkpoints=checkpoints)
        reading = Reading(tuned.encoder, layers, pieces)
        with divergence_in_one_sentence(tuning):
            reading.all(data.train.sentences[:TO_CHECK])
        learned = Learned(tuned.head, tuned.n_words, tuned.head)
    vote = _vote(parameters["kb"], data, reading, learned.before, names)
    counts = np.bincount(numbers_of_tags(train, names), minlength=len(names))
    return FittedTagger(
        reading, encoder, learned.head, names, counts / counts.sum(),
        tuple(dict.fromkeys(train.langs)), learned.n_words,
        FittedOptions(
            str(parameters["layer"]), parameters["scheme"], parameters["tune"], parameters["C"],
            encoder.dtype, seed, parameters["own_heads"],
        ),
        training=tuning, scheme=scheme, names=vote, chosen_heads=learned.chosen_heads,
    )  # fmt: skip


def _vote(
    given: str | Path | KnowledgeBase | None, data: Judged, reading: Reading, head: LinearHead,
    tag_names: Sequence[str],
) -> NameVote | None:  # fmt: skip
    """Return what names say about tags, beside a head that was not fitted on `data.dev`."""
    if given is None:
        return None
    kb = given if isinstance(given, KnowledgeBase) else KnowledgeBase.open(given)
    vote = None
    if data.dev is not None:
        features = NameFeatures.of(kb, data.train.sentences, data.train.langs)
        dev = reading.all(data.dev.sentences)
        gold = np.where(dev.has_piece, numbers_of_tags(data.dev, tag_names), -1)
        vote = NameVote.fit(
            features, features(data.dev.sentences, data.dev.langs),
            head.log_probabilities(dev.vectors), gold, dev.starts,
        )  # fmt: skip
    if vote is None:
        warn_omitted(
            f"names of {kb.path} get no weight: too few held-out words are inside one, or they do "
            "not help there"
        )
    return vote


def _tuning(parameters: Mapping[str, Any]) -> TuningOptions | None:
    tune, training = parameters["tune"], parameters["training"]
    if tune == "head":
        if training is not None:
            raise InputError("training is for tune='lora' or 'full'; leave it out with tune='head'")
        return None
    options = TuningOptions.of(training)
    options.check_method(tune)
    if tune == "lora":
        require("peft", extra="tune", why="tune='lora'")
    return options
