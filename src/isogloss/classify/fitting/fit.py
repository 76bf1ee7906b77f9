"""From training data to what a classifier learns of it: head, thresholds, trust, reference.

On the vectors of a frozen encoder that is all done here; where the encoder is fine-tuned,
`tuned` gives the head.
"""

from dataclasses import replace
from pathlib import Path
from typing import cast

import numpy as np

from isogloss.arrays import Doubles1d, Doubles2d, Ints1d
from isogloss.classify.documents.documents import Part
from isogloss.classify.documents.odd_texts import say_what_teaches_little
from isogloss.classify.fitted import FittedClassifier
from isogloss.classify.fitting.class_names import WITHOUT_NAMES, learn_from_names
from isogloss.classify.fitting.head import examples_of, fit_head
from isogloss.classify.fitting.training_data import LabelledRows, TrainingData
from isogloss.classify.fitting.tuned import fit_tuned
from isogloss.classify.heads.head import Head
from isogloss.classify.labels.labelling import labelling_of
from isogloss.classify.labels.thresholds import (
    HALF,
    out_of_fold_thresholds,
    tuned_thresholds,
    warn_of_no_label,
)
from isogloss.classify.preparation import Preparation
from isogloss.classify.shift import ScoreReference
from isogloss.classify.trust.reference import ForecastReference
from isogloss.classify.trust.trust import Trust, fit_trust
from isogloss.learn.linear_head import Fold
from isogloss.learn.search import SEARCH, Search
from isogloss.learn.threads import one_thread
from isogloss.learn.tuning_options import TuningOptions


def learn(
    preparation: Preparation,
    data: TrainingData,
    *,
    tuning: TuningOptions | None,
    checkpoints: Path | None,
    search: Search = SEARCH,
) -> FittedClassifier:
    """Learn from labelled texts, or from the names of the classes.

    Parameters
    ----------
    preparation
        Of texts before any fine-tuning; its encoder is under the settings of h (`base_encoder`).
    tuning
        Settled ones; None: the encoder stays frozen.
    checkpoints
        As in `tune_classifier`.
    search
        What hyper-parameters are chosen among.

    Raises
    ------
    InputError
        When the entities of the training texts have no vectors at all, or thresholds are to be
        tuned together with the encoder and nothing could be held out.
    """
    say_what_teaches_little(data.train.texts, data.train.labels)
    if data.names is not None:
        from_names = learn_from_names(preparation, data, search)
        return from_names or _of_texts_alone(preparation, data, search)
    return _of_texts(preparation, data, tuning=tuning, checkpoints=checkpoints, search=search)


def _of_texts(
    preparation: Preparation,
    data: TrainingData,
    *,
    tuning: TuningOptions | None,
    checkpoints: Path | None,
    search: Search = SEARCH,
) -> FittedClassifier:
    n_classes, seed = len(data.classes), preparation.options.random_state
    train = _part(preparation, data, data.train)
    dev = None if data.dev is None else _part(preparation, data, data.dev)
    forecast_reference = score_reference = None
    if tuning is None:
        head = fit_head(preparation, train, dev, n_classes, search)
        n_documents = len(train.texts)
        # Of a frozen encoder alone: fine-tuned vectors have already seen their labels.
        batch, vectors = preparation.entity_batch(train.documents), train.documents.vectors
        inputs = head.inputs(vectors, batch)
        with one_thread():
            score_reference = ScoreReference.of(head.linear, inputs, train.y, seed=seed)
            if train.y.ndim == 1:
                forecast_reference = ForecastReference.fit(
                    vectors, cast(Ints1d, train.y), n_classes, C=head.linear.C, seed=seed
                )
    else:
        fitted = fit_tuned(
            preparation, train, dev, n_classes, tuning, search, checkpoints=checkpoints
        )
        preparation, head, dev = fitted.preparation, fitted.head, fitted.dev
        n_documents = fitted.n_documents
    examples = None
    if preparation.options.keep_examples:
        own = train if tuning is None else train.encoded_by(preparation.encoder)
        examples = examples_of(preparation, head, own)
    return FittedClassifier(
        preparation,
        head,
        data.classes,
        _thresholds(preparation, head, train, dev, n_classes, search),
        _trust(preparation, head, train, dev, n_classes),
        forecast_reference,
        score_reference,
        n_documents,
        tuning,
        examples=examples,
    )


def _of_texts_alone(
    preparation: Preparation, data: TrainingData, search: Search
) -> FittedClassifier:
    """Learn as if there were no class names, and say so in the head."""
    fitted = _of_texts(preparation, data, tuning=None, checkpoints=None, search=search)
    linear = fitted.head.linear
    linear = replace(linear, detail=f"{linear.detail}; {WITHOUT_NAMES}")
    return replace(fitted, head=fitted.head.with_linear(linear))


def _thresholds(
    preparation: Preparation, head: Head, train: Part, dev: Part | None, n_classes: int,
    search: Search,
) -> Doubles1d:  # fmt: skip
    """Return from which probability on each label is given: float64 (n_classes,)."""
    options = preparation.options
    if options.thresholds == "tuned" and dev is None:
        assert options.tune == "head", "`TrainingData.of` refuses to tune with nothing held out"

        def answer(fold: Fold) -> Doubles2d:
            held_out = train.select(fold.test)
            fitted = fit_head(preparation, train.select(fold.train), held_out, n_classes, search)
            return np.exp(_answers(preparation, fitted, held_out))

        return out_of_fold_thresholds(answer, train.y, seed=options.random_state)
    if options.multilabel and dev is not None:
        probabilities = np.exp(_answers(preparation, head, dev))
        if options.thresholds == "tuned":
            return tuned_thresholds(probabilities, dev.y)
        sets = (probabilities >= HALF, np.asarray(dev.y))
        warn_of_no_label(*([np.flatnonzero(row) for row in which] for which in sets))
    return np.full(n_classes, HALF)


def _trust(
    preparation: Preparation, head: Head, train: Part, dev: Part | None, n_classes: int
) -> Trust:
    options = preparation.options
    if options.multilabel:
        return Trust()
    on_dev = None if dev is None else _answers(preparation, head, dev)
    return fit_trust(
        head, train, dev, on_dev, n_classes,
        tuned=options.tune != "head", seed=options.random_state,
    )  # fmt: skip


def _answers(preparation: Preparation, head: Head, part: Part) -> Doubles2d:
    """Return log p(c | D) before calibration: float64 (n_documents, n_classes)."""
    batch = preparation.entity_batch(part.documents)
    return head.log_probabilities(part.documents.vectors, batch)


def _part(preparation: Preparation, data: TrainingData, rows: LabelledRows) -> Part:
    options = preparation.options
    # The paper's tuned classifier starts from no vectors of texts: they are not made in vain.
    in_vain = data.tuning is not None and options.preset == "mboe"
    documents = preparation.documents(rows.texts, rows.langs, without_vectors=in_vain)
    labelling = labelling_of(multilabel=options.multilabel)
    return Part(rows.texts, documents, labelling.targets(rows.labels, data.classes))
