"""Why a text got its label: its entities, and how far they moved the answer of the encoder."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from isogloss.arrays import Doubles1d
from isogloss.classify.adapt.adaptation import n_texts_behind
from isogloss.classify.documents.documents import PreparedDocuments, linker_of
from isogloss.classify.heads.head import entities_have_weight, seen_entities
from isogloss.classify.text_classifier import TextClassifier
from isogloss.errors import InputKindError
from isogloss.kb import KnowledgeBase
from isogloss.kb.link.linker import languages_to_link
from isogloss.learn.linear_head import LinearHead

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
    moved
        Texts that the move of the text's vector was learned from; None: it was not moved.
    entities_have_weight
        Whether entities can move a probability of the model (`NO_WEIGHT` says where they cannot).
    """

    text: str
    lang: str | None
    label: Any
    probabilities: dict[Any, float]
    probabilities_without_entities: dict[Any, float]
    entities: list[EntityEvidence]
    moved: int | None = None
    entities_have_weight: bool = True

    @property
    def difference(self) -> dict[Any, float]:
        """How far the entities moved the probability of each label."""
        without = self.probabilities_without_entities
        return {label: value - without[label] for label, value in self.probabilities.items()}


def difference_by_entities(
    model: TextClassifier, documents: PreparedDocuments, labels: Sequence[Any]
) -> Doubles1d:
    """Return how far entities move the probability of each document's label: (n_documents,).

    Parameters
    ----------
    labels
        One for each document, each a class of the model.
    """
    columns = [model.classes_.tolist().index(label) for label in labels]
    rows = np.arange(len(columns))
    without = np.exp(model.log_probabilities(documents, with_entities=False))
    moved: Doubles1d = model.probabilities(documents)[rows, columns] - without[rows, columns]
    return moved


def explain(
    model: TextClassifier, text: str, lang: str | None, *, fallback_lang: str | None = None
) -> Explanation:
    """Explain the prediction of one text."""
    if not isinstance(text, str):
        raise InputKindError(f"explain takes one text, not {type(text).__name__}")
    documents = model.prepare([text], lang, fallback_lang=fallback_lang)
    probabilities = model.probabilities(documents)
    with_entities = probabilities[0]
    without = np.exp(model.log_probabilities(documents, with_entities=False))[0]
    labels = model.classes_.tolist()
    entities: list[EntityEvidence] = []
    kb = model.kb_
    if kb is not None and not isinstance(model.head_, LinearHead):
        batch = model.entity_batch(documents)
        assert batch is not None
        weights = model.head_.entity_weights(documents.vectors, batch)
        # The plain sum gives each entity the weight 1: a share all the same.
        shares = weights / max(float(weights.sum()), 1e-12)
        if not entities_have_weight(model.head_):
            shares = np.zeros_like(shares)
        seen = seen_entities(model.head_, batch.entities)
        spans = _spans(model, text, documents.langs[0], fallback_lang)
        entities = [
            EntityEvidence(
                id=kb.entity_id(int(batch.entities[column])),
                title=_title(kb, int(batch.entities[column]), model.langs_),
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
        label=model.labels_of(probabilities).tolist()[0],
        probabilities=dict(zip(labels, with_entities.tolist(), strict=True)),
        probabilities_without_entities=dict(zip(labels, without.tolist(), strict=True)),
        entities=entities,
        moved=n_texts_behind(model, documents.langs[0]),
        entities_have_weight=entities_have_weight(model.head_),
    )


def _title(kb: KnowledgeBase, entity: int, langs: tuple[str, ...]) -> str:
    names = (kb.title(entity, lang) for lang in langs)
    return next((name for name in names if name is not None), kb.entity_id(entity))


def _spans(
    model: TextClassifier, text: str, lang: str | None, fallback_lang: str | None
) -> dict[int, list[tuple[int, int]]]:
    """Return entity to its mentions, as the model's own linker finds them."""
    found: dict[int, list[tuple[int, int]]] = {}
    linked_by = languages_to_link(lang, fallback_lang)
    if linked_by is None or model.kb_ is None:
        return found
    lang, fallback_lang = linked_by
    linker = linker_of(model.kb_, lang, model.options_.linking, fallback_lang=fallback_lang)
    for mention in linker.link([text]).mentions(0):
        for candidate in mention.candidates:
            found.setdefault(candidate.index, []).append((mention.start, mention.end))
    return found
