"""Fit what a classifier learns on the vectors of a frozen encoder: head, thresholds, trust."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from isogloss.arrays import Doubles1d, Doubles2d
from isogloss.classify.documents import PreparedDocuments
from isogloss.classify.entity_batch import EntityBatch
from isogloss.classify.heads import Head, log_probabilities_of
from isogloss.classify.learning import learning
from isogloss.classify.linear_head import Fold, fit_with_search
from isogloss.classify.mboe import MboeHead
from isogloss.classify.mboe_plus import MboePlusHead
from isogloss.classify.options import ATTENTIONS, FittedOptions
from isogloss.classify.thresholds import HALF, out_of_fold_thresholds, tuned_thresholds
from isogloss.classify.trust import Trust, fit_trust
from isogloss.classify.tuned_fit import Part
from isogloss.errors import InputError


@dataclass(frozen=True)
class Fitting:
    """How the parts of one classifier are fitted.

    Attributes
    ----------
    options
        Of the classifier.
    n_classes
        Classes, or labels of label sets.
    batch_of
        Gives the entities of documents with their vectors; None without a knowledge base.
    is_tuned
        Whether the encoder was tuned on the training texts, whose vectors then know their labels.
    """

    options: FittedOptions
    n_classes: int
    batch_of: Callable[[PreparedDocuments], EntityBatch] | None
    is_tuned: bool

    def head(self, train: Part, dev: Part | None) -> Head:
        """Fit the head, its hyper-parameters chosen on `dev` or by cross-validation.

        Raises
        ------
        InputError
            When the entities of the training texts have no vectors at all.
        """
        documents, y, seed = train.documents, train.y, self.options.random_state
        if self.batch_of is None:
            judged_by = None if dev is None else (dev.documents.vectors, dev.y)
            with learning(len(y), self.n_classes):
                return fit_with_search(
                    documents.vectors, y, self.n_classes, seed=seed, dev=judged_by
                )
        head = MboeHead if self.options.preset == "mboe" else MboePlusHead
        batch = self.batch_of(documents)
        if not len(batch.entities) and documents.n_without_vector:
            raise InputError(
                "no entity of the training texts has a vector among those given as init; are the "
                "ids those of the knowledge base?"
            )
        held_out = None
        if dev is not None:
            held_out = (dev.documents.vectors, self.batch_of(dev.documents), dev.y)
        with learning(len(y), self.n_classes):
            return head.fit(
                documents.vectors,
                batch,
                y,
                self.n_classes,
                attention=ATTENTIONS[self.options.attention],
                seed=seed,
                dev=held_out,
            )

    def thresholds(self, head: Head, train: Part, dev: Part | None) -> Doubles1d:
        """Return from which probability on each label is given: float64 (n_classes,).

        Raises
        ------
        InputError
            When they are to be tuned and the encoder was, with nothing held out.
        """
        if not self.options.multilabel or self.options.thresholds == "half":
            return np.full(self.n_classes, HALF)
        if dev is not None:
            return tuned_thresholds(np.exp(self.answers(head, dev.documents)), dev.y)
        if self.is_tuned:
            raise InputError("thresholds='tuned' needs texts that are held out; give dev_split")

        def answer(fold: Fold) -> Doubles2d:
            held_out = train.select(fold.test)
            fitted = self.head(train.select(fold.train), held_out)
            return np.exp(self.answers(fitted, held_out.documents))

        return out_of_fold_thresholds(answer, train.y, seed=self.options.random_state)

    def trust(self, head: Head, train: Part, dev: Part | None) -> Trust:
        """Return the calibration and the reference of forecasts."""
        if self.options.multilabel:
            return Trust()
        on_dev = None if dev is None else self.answers(head, dev.documents)
        return fit_trust(
            head, train, dev, on_dev, self.n_classes,
            tuned=self.is_tuned, seed=self.options.random_state,
        )  # fmt: skip

    def answers(self, head: Head, documents: PreparedDocuments) -> Doubles2d:
        """Return log p(c | D) before calibration: float64 (n_documents, n_classes)."""
        batch = None if self.batch_of is None else self.batch_of(documents)
        return log_probabilities_of(head, documents.vectors, batch)
