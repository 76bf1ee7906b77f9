"""From training data to what a classifier learns of it: head, thresholds, trust, reference.

On the vectors of a frozen encoder that is all done here; where the encoder is tuned, `tuned_fit`
gives the head.
"""

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from isogloss.arrays import Doubles1d, Doubles2d
from isogloss.classify.adapt.adaptation import reference_of
from isogloss.classify.documents.documents import PreparedDocuments
from isogloss.classify.documents.odd_texts import say_what_teaches_little
from isogloss.classify.fitting.class_names import WITHOUT_NAMES, learn_from_names
from isogloss.classify.fitting.learned import Learned
from isogloss.classify.fitting.training_data import LabelledRows, TrainingData
from isogloss.classify.heads.head import Head, log_probabilities_of
from isogloss.classify.heads.mboe import MboeHead
from isogloss.classify.heads.mboe_plus import MboePlusHead
from isogloss.classify.labels.labelling import labelling_of
from isogloss.classify.labels.thresholds import (
    HALF,
    out_of_fold_thresholds,
    tuned_thresholds,
    warn_of_no_label,
)
from isogloss.classify.options import ATTENTIONS
from isogloss.classify.preparation import Preparation
from isogloss.classify.trust.trust import Trust, fit_trust
from isogloss.classify.tuning.fit import Part, TunedFit, fit_tuned, scale_of_names
from isogloss.errors import InputError
from isogloss.learn.linear_head import Fold, LinearHead, fit_with_search
from isogloss.learn.one_thread import learning
from isogloss.learn.tuning_options import TuningOptions


def learn(
    preparation: Preparation,
    data: TrainingData,
    *,
    tuning: TuningOptions | None,
    checkpoints: Path | None,
) -> Learned:
    """Learn from labelled texts, or from the names of the classes.

    Parameters
    ----------
    preparation
        Of texts before any tuning; its encoder is under the settings of h (`base_encoder`).
    tuning
        Settled ones; None: the encoder stays frozen.
    checkpoints
        As in `tune_classifier`.

    Raises
    ------
    InputError
        When the entities of the training texts have no vectors at all, or thresholds are to be
        tuned together with the encoder and nothing could be held out.
    """
    say_what_teaches_little(data.train.texts, data.train.labels)
    if data.names is not None:
        learned = learn_from_names(preparation, data)
        return learned or _of_texts_alone(preparation, data)
    return _of_texts(preparation, data, tuning=tuning, checkpoints=checkpoints)


def _of_texts(
    preparation: Preparation,
    data: TrainingData,
    *,
    tuning: TuningOptions | None,
    checkpoints: Path | None,
) -> Learned:
    n_classes, seed = len(data.classes), preparation.options.random_state
    train = _part(preparation, data, data.train)
    dev = None if data.dev is None else _part(preparation, data, data.dev)
    if tuning is None:
        fitting = Fitting(preparation, n_classes, is_tuned=False)
        head, n_documents = fitting.head(train, dev), len(train.texts)
        batch = preparation.entity_batch(train.documents)
        reference = reference_of(head, train.documents.vectors, batch, train.y, seed=seed)
    else:
        preparation = _with_random_scale(preparation, train.documents)
        fitted = _tuned(preparation, train, dev, n_classes, tuning, checkpoints)
        head, dev, n_documents = fitted.head, fitted.dev, fitted.n_documents
        preparation, reference = replace(preparation, encoder=fitted.tuned.encoder), None
        fitting = Fitting(preparation, n_classes, is_tuned=True)
    thresholds = fitting.thresholds(head, train, dev)
    trust = fitting.trust(head, train, dev)
    return Learned(head, thresholds, trust, reference, n_documents, preparation)


def _of_texts_alone(preparation: Preparation, data: TrainingData) -> Learned:
    """Learn as if there were no class names, and say so in the head."""
    learned = _of_texts(preparation, data, tuning=None, checkpoints=None)
    assert isinstance(learned.head, LinearHead)
    chosen_by = f"{learned.head.chosen_by}; {WITHOUT_NAMES}"
    return replace(learned, head=replace(learned.head, chosen_by=chosen_by))


@dataclass(frozen=True)
class Fitting:
    """How the parts of one classifier are fitted.

    Attributes
    ----------
    preparation
        Of texts, by the encoder that the classifier has in the end.
    n_classes
        Classes, or labels of label sets.
    is_tuned
        Whether the encoder was tuned on the training texts, whose vectors then know their labels.
    """

    preparation: Preparation
    n_classes: int
    is_tuned: bool

    def head(self, train: Part, dev: Part | None) -> Head:
        """Fit the head, its hyper-parameters chosen on `dev` or by cross-validation.

        Raises
        ------
        InputError
            When the entities of the training texts have no vectors at all.
        """
        options = self.preparation.options
        documents, y, seed = train.documents, train.y, options.random_state
        batch = self.preparation.entity_batch(documents)
        if batch is None:
            judged_by = None if dev is None else (dev.documents.vectors, dev.y)
            with learning(len(y), self.n_classes):
                return fit_with_search(
                    documents.vectors, y, self.n_classes, seed=seed, dev=judged_by
                )
        head = MboeHead if options.preset == "mboe" else MboePlusHead
        if not len(batch.entities) and documents.n_without_vector:
            raise InputError(
                "no entity of the training texts has a vector among those given as init; are the "
                "ids those of the knowledge base?"
            )
        held_out = None
        if dev is not None:
            of_dev = self.preparation.entity_batch(dev.documents)
            assert of_dev is not None
            held_out = (dev.documents.vectors, of_dev, dev.y)
        with learning(len(y), self.n_classes):
            return head.fit(
                documents.vectors,
                batch,
                y,
                self.n_classes,
                attention=ATTENTIONS[options.attention],
                seed=seed,
                dev=held_out,
            )

    def thresholds(self, head: Head, train: Part, dev: Part | None) -> Doubles1d:
        """Return from which probability on each label is given: float64 (n_classes,)."""
        options = self.preparation.options
        if not options.multilabel:
            return np.full(self.n_classes, HALF)
        if options.thresholds == "half":
            if dev is not None:
                self._warn_of_no_label(head, dev)
            return np.full(self.n_classes, HALF)
        if dev is not None:
            return tuned_thresholds(np.exp(self.answers(head, dev.documents)), dev.y)
        assert not self.is_tuned, "`TrainingData.of` refuses to tune with nothing held out"

        def answer(fold: Fold) -> Doubles2d:
            held_out = train.select(fold.test)
            fitted = self.head(train.select(fold.train), held_out)
            return np.exp(self.answers(fitted, held_out.documents))

        return out_of_fold_thresholds(answer, train.y, seed=options.random_state)

    def _warn_of_no_label(self, head: Head, dev: Part) -> None:
        given = np.exp(self.answers(head, dev.documents)) >= HALF
        sets = [[np.flatnonzero(row) for row in which] for which in (given, np.asarray(dev.y))]
        warn_of_no_label(*sets)

    def trust(self, head: Head, train: Part, dev: Part | None) -> Trust:
        """Return the calibration and the reference of forecasts."""
        options = self.preparation.options
        if options.multilabel:
            return Trust()
        on_dev = None if dev is None else self.answers(head, dev.documents)
        return fit_trust(
            head, train, dev, on_dev, self.n_classes,
            tuned=self.is_tuned, seed=options.random_state,
        )  # fmt: skip

    def answers(self, head: Head, documents: PreparedDocuments) -> Doubles2d:
        """Return log p(c | D) before calibration: float64 (n_documents, n_classes)."""
        batch = self.preparation.entity_batch(documents)
        return log_probabilities_of(head, documents.vectors, batch)


def _part(preparation: Preparation, data: TrainingData, rows: LabelledRows) -> Part:
    options = preparation.options
    # The paper's tuned classifier starts from no vectors of texts: they are not made in vain.
    in_vain = data.tuning is not None and options.preset == "mboe"
    documents = preparation.documents(rows.texts, rows.langs, without_vectors=in_vain)
    labelling = labelling_of(multilabel=options.multilabel)
    return Part(rows.texts, documents, labelling.targets(rows.labels, data.classes))


def _with_random_scale(preparation: Preparation, documents: PreparedDocuments) -> Preparation:
    kb, bags = preparation.kb, documents.bags
    if kb is None or bags is None or preparation.options.init != "random":
        return preparation
    scale = scale_of_names(kb, preparation.base_encoder, bags, langs=preparation.langs)
    return replace(preparation, random_scale=scale)


def _tuned(
    preparation: Preparation,
    train: Part,
    dev: Part | None,
    n_classes: int,
    tuning: TuningOptions,
    checkpoints: Path | None,
) -> TunedFit:
    return fit_tuned(
        preparation.base_encoder,
        train,
        dev,
        n_classes,
        tune=preparation.options.tune,
        options=preparation.options,
        training=tuning,
        source=preparation.entity_source(),
        checkpoints=checkpoints,
    )
