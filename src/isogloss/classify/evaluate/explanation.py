"""Why a text got its label: its entities, and how far they changed the answer of the encoder."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from isogloss.arrays import Doubles1d
from isogloss.classify.documents.documents import PreparedDocuments
from isogloss.classify.evaluate.evidence import EntityEvidence, entity_evidence
from isogloss.classify.evaluate.nearest import Example, nearest_examples
from isogloss.classify.fitted import FittedClassifier
from isogloss.errors import InputKindError

NO_WEIGHT = "this model gives entities no weight: the label comes from the encoder alone"


@dataclass(frozen=True)
class Explanation:
    """The prediction for one text, with its evidence.

    Attributes
    ----------
    text, lang
        As given; None where the language is not known.
    label
        The prediction; a tuple of labels from a model that gives several.
    probabilities, probabilities_without_entities
        Label to probability, from two forward passes.
    entities
        Those with the largest share first.
    corrected
        Texts that the correction of the text's vector was learned from; None: there was none.
    entities_have_weight
        Whether entities can change a probability of the model (`NO_WEIGHT` says where they cannot).
    examples, support
        The nearest training texts, and the share of the 10 nearest that carry the label; None where
        the model keeps none.
    """

    text: str
    lang: str | None
    label: Any
    probabilities: dict[Any, float]
    probabilities_without_entities: dict[Any, float]
    entities: list[EntityEvidence]
    corrected: int | None = None
    entities_have_weight: bool = True
    examples: list[Example] | None = None
    support: float | None = None

    @property
    def difference(self) -> dict[Any, float]:
        """How far the entities changed the probability of each label."""
        without = self.probabilities_without_entities
        return {label: value - without[label] for label, value in self.probabilities.items()}


def difference_by_entities(
    fitted: FittedClassifier, documents: PreparedDocuments, labels: Sequence[Any]
) -> Doubles1d:
    """Return how far entities change the probability of each document's label: (n_documents,).

    Parameters
    ----------
    labels
        One for each document, each a class of the model.
    """
    columns = [fitted.classes.tolist().index(label) for label in labels]
    rows = np.arange(len(columns))
    without = np.exp(fitted.log_probabilities(documents, with_entities=False))
    change: Doubles1d = fitted.probabilities(documents)[rows, columns] - without[rows, columns]
    return change


def explain(
    fitted: FittedClassifier, text: str, lang: str | None, *, fallback_lang: str | None = None
) -> Explanation:
    """Explain the prediction of one text."""
    if not isinstance(text, str):
        raise InputKindError(f"explain takes one text, not {type(text).__name__}")
    documents = fitted.prepare([text], lang, fallback_lang=fallback_lang)
    probabilities = fitted.probabilities(documents)
    with_entities = probabilities[0]
    without = np.exp(fitted.log_probabilities(documents, with_entities=False))[0]
    labels = fitted.classes.tolist()
    (entities,) = entity_evidence(fitted, [text], documents, fallback_lang=fallback_lang)
    near = None
    if fitted.examples is not None:
        near = nearest_examples(fitted, documents, probabilities)
    return Explanation(
        text=text,
        lang=documents.langs[0],
        label=fitted.labels_of(probabilities).tolist()[0],
        probabilities=dict(zip(labels, with_entities.tolist(), strict=True)),
        probabilities_without_entities=dict(zip(labels, without.tolist(), strict=True)),
        entities=entities,
        corrected=fitted.n_texts_behind(documents.langs[0]),
        entities_have_weight=fitted.head.uses_entities,
        examples=None if near is None else near.examples[0],
        support=None if near is None else float(near.support[0]),
    )
