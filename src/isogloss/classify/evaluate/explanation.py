"""Why a text got its label: its entities, and how far they changed the answer of the encoder."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from isogloss.arrays import Doubles1d
from isogloss.classify.documents.documents import PreparedDocuments, linker_of
from isogloss.classify.fitted import FittedClassifier
from isogloss.errors import InputKindError
from isogloss.kb import KnowledgeBase
from isogloss.kb.link.linker import languages_to_link

NO_WEIGHT = "this model gives entities no weight: the label comes from the encoder alone"


@dataclass(frozen=True)
class EntityEvidence:
    """An entity of a text.

    Attributes
    ----------
    id, title
        Of the entity; the title is its first name in a training language.
    share
        Its share of the attention a_e among the entities of the text. It says nothing of how much
        the entities count beside the encoder. 0 in a model that gives entities no weight.
    commonness, link_probability
        The largest over its mentions.
    seen
        Whether training met it.
    spans
        (start, end) of each mention in the text.
    """

    id: str
    title: str
    share: float
    commonness: float
    link_probability: float
    seen: bool
    spans: list[tuple[int, int]]


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
    """

    text: str
    lang: str | None
    label: Any
    probabilities: dict[Any, float]
    probabilities_without_entities: dict[Any, float]
    entities: list[EntityEvidence]
    corrected: int | None = None
    entities_have_weight: bool = True

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
    entities: list[EntityEvidence] = []
    kb, head = fitted.kb, fitted.head
    if kb is not None and head.memory is not None:
        batch = fitted.preparation.entity_batch(documents)
        assert batch is not None
        weights = head.entity_weights(documents.vectors, batch)
        # The plain sum gives each entity the weight 1: a share all the same.
        shares = weights / max(float(weights.sum()), 1e-12)
        if not head.uses_entities:
            shares = np.zeros_like(shares)
        seen = head.memory.is_seen(batch.entities)
        spans = _spans(fitted, text, documents.langs[0], fallback_lang)
        entities = [
            EntityEvidence(
                id=kb.entity_id(int(batch.entities[column])),
                title=_title(kb, int(batch.entities[column]), fitted.langs),
                share=float(share),
                commonness=float(commonness),
                link_probability=float(link_probability),
                seen=bool(seen[column]),
                spans=spans.get(int(batch.entities[column]), []),
            )
            for column, share, commonness, link_probability in zip(
                batch.columns, shares, batch.commonness, batch.link_probability, strict=True
            )
        ]
        entities.sort(key=lambda entity: (-entity.share, entity.id))
    return Explanation(
        text=text,
        lang=documents.langs[0],
        label=fitted.labels_of(probabilities).tolist()[0],
        probabilities=dict(zip(labels, with_entities.tolist(), strict=True)),
        probabilities_without_entities=dict(zip(labels, without.tolist(), strict=True)),
        entities=entities,
        corrected=fitted.n_texts_behind(documents.langs[0]),
        entities_have_weight=head.uses_entities,
    )


def _title(kb: KnowledgeBase, entity: int, langs: tuple[str, ...]) -> str:
    names = (kb.title(entity, lang) for lang in langs)
    return next((name for name in names if name is not None), kb.entity_id(entity))


def _spans(
    fitted: FittedClassifier, text: str, lang: str | None, fallback_lang: str | None
) -> dict[int, list[tuple[int, int]]]:
    """Return entity to its mentions, as the model's own linker finds them."""
    found: dict[int, list[tuple[int, int]]] = {}
    linked_by = languages_to_link(lang, fallback_lang)
    if linked_by is None or fitted.kb is None:
        return found
    lang, fallback_lang = linked_by
    linker = linker_of(fitted.kb, lang, fitted.options.linking, fallback_lang=fallback_lang)
    for mention in linker.link([text]).mentions(0):
        for candidate in mention.candidates:
            found.setdefault(candidate.index, []).append((mention.start, mention.end))
    return found
