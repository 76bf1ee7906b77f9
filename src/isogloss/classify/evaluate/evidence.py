"""The entities of texts as evidence: where named, their share, and what they add to a class."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from isogloss.arrays import Doubles1d
from isogloss.classify.documents.documents import PreparedDocuments, linker_of, rows_of
from isogloss.classify.documents.entity_batch import EntityBatch
from isogloss.classify.evaluate.direction import log_odds_of_entities
from isogloss.classify.fitted import FittedClassifier
from isogloss.kb import KnowledgeBase
from isogloss.kb.link.linker import languages_to_link

WIKIDATA = "https://www.wikidata.org/wiki/"
Spans = dict[int, list[tuple[int, int]]]  # entity → start and end of each mention


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
    adds
        What it adds to the predicted label (of several, the likeliest) in log-odds, natural
        logarithms: how far below they are without it (`direction`).
    raises, raises_by
        The label that it raises most, and by how much; None and 0 where it raises none.
    link
        Its page, of an id of Wikidata; None of other ids.
    """

    id: str
    title: str
    share: float
    commonness: float
    link_probability: float
    seen: bool
    spans: list[tuple[int, int]]
    adds: float
    raises: Any
    raises_by: float
    link: str | None


def entity_evidence(
    fitted: FittedClassifier,
    texts: Sequence[str],
    documents: PreparedDocuments,
    *,
    fallback_lang: str | None = None,
) -> list[list[EntityEvidence]]:
    """Return the entities of each text, those with the largest share first.

    Parameters
    ----------
    texts, documents
        The same texts, as they are and prepared.
    fallback_lang
        As they were prepared with.
    """
    kb, head = fitted.kb, fitted.head
    if kb is None or head.memory is None:
        return [[] for _ in texts]
    batch = fitted.preparation.entity_batch(documents)
    assert batch is not None
    shares = _shares(fitted, documents, batch)
    added = np.zeros((len(batch.columns), len(fitted.classes)))
    if head.uses_entities:
        added = log_odds_of_entities(fitted, documents)
    best = fitted.log_probabilities(documents).argmax(axis=1)
    raised, classes = added.argmax(axis=1), fitted.classes.tolist()
    seen = head.memory.is_seen(batch.entities)
    titles = [_title(kb, entity, fitted.langs) for entity in batch.entities.tolist()]
    spans = _spans(fitted, texts, documents.langs, fallback_lang)

    def evidence(row: int, pair: int) -> EntityEvidence:
        column, most = int(batch.columns[pair]), float(added[pair, raised[pair]])
        entity = int(batch.entities[column])
        return EntityEvidence(
            id=kb.entity_id(entity),
            title=titles[column],
            share=float(shares[pair]),
            commonness=float(batch.commonness[pair]),
            link_probability=float(batch.link_probability[pair]),
            seen=bool(seen[column]),
            spans=spans[row].get(entity, []),
            adds=float(added[pair, best[row]]),
            raises=classes[raised[pair]] if most > 0 else None,
            raises_by=max(most, 0.0),
            link=_link(kb.entity_id(entity)),
        )

    found = []
    for row, (first, last) in enumerate(pairwise(batch.offsets.tolist())):
        entities = [evidence(row, pair) for pair in range(first, last)]
        found.append(sorted(entities, key=lambda one: (-one.share, one.id)))
    return found


def _shares(
    fitted: FittedClassifier, documents: PreparedDocuments, batch: EntityBatch
) -> Doubles1d:
    """Return the share of each pair among the entities of its document: (n_pairs,)."""
    if not fitted.head.uses_entities:
        return np.zeros(len(batch.columns))
    weights = fitted.head.entity_weights(documents.vectors, batch)
    # The plain sum gives each entity the weight 1: a share all the same.
    of_document = np.bincount(batch.documents, weights, minlength=len(batch))
    shares: Doubles1d = weights / np.maximum(of_document, 1e-12)[batch.documents]
    return shares


def _link(entity_id: str) -> str | None:
    return WIKIDATA + entity_id if re.fullmatch("Q[1-9][0-9]*", entity_id) else None


def _title(kb: KnowledgeBase, entity: int, langs: tuple[str, ...]) -> str:
    names = (kb.title(entity, lang) for lang in langs)
    return next((name for name in names if name is not None), kb.entity_id(entity))


def _spans(
    fitted: FittedClassifier,
    texts: Sequence[str],
    langs: Sequence[str | None],
    fallback_lang: str | None,
) -> list[Spans]:
    """Return the mentions of each text, as the model's own linker finds them."""
    found: list[Spans] = [{} for _ in texts]
    for lang in dict.fromkeys(langs):
        linked_by = languages_to_link(lang, fallback_lang)
        if linked_by is None or fitted.kb is None:
            continue
        rows = rows_of(langs, lang).tolist()
        linker = linker_of(
            fitted.kb, linked_by[0], fitted.options.linking, fallback_lang=linked_by[1]
        )
        linked = linker.link([texts[row] for row in rows])
        owners = np.repeat(np.arange(len(rows)), np.diff(linked.text_offsets))
        of_candidate = np.repeat(np.arange(linked.n_mentions), np.diff(linked.candidate_offsets))
        for mention, entity in zip(of_candidate.tolist(), linked.entity.tolist(), strict=True):
            span = int(linked.start[mention]), int(linked.end[mention])
            found[rows[owners[mention]]].setdefault(entity, []).append(span)
    return found
