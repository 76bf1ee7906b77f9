"""The entities of texts as evidence: where each is named, and its share of the attention."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from isogloss.classify.documents.documents import PreparedDocuments, linker_of, rows_of
from isogloss.classify.fitted import FittedClassifier
from isogloss.kb import KnowledgeBase
from isogloss.kb.link.linker import languages_to_link

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
    """

    id: str
    title: str
    share: float
    commonness: float
    link_probability: float
    seen: bool
    spans: list[tuple[int, int]]


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
    weights = head.entity_weights(documents.vectors, batch)
    # The plain sum gives each entity the weight 1: a share all the same.
    of_document = np.bincount(batch.documents, weights, minlength=len(batch))
    shares = weights / np.maximum(of_document, 1e-12)[batch.documents]
    if not head.uses_entities:
        shares = np.zeros_like(shares)
    seen = head.memory.is_seen(batch.entities)
    titles = [_title(kb, entity, fitted.langs) for entity in batch.entities.tolist()]
    spans = _spans(fitted, texts, documents.langs, fallback_lang)
    found: list[list[EntityEvidence]] = []
    for row, (first, last) in enumerate(
        zip(batch.offsets[:-1].tolist(), batch.offsets[1:].tolist(), strict=True)
    ):
        entities = []
        for pair in range(first, last):
            column = int(batch.columns[pair])
            entity = int(batch.entities[column])
            entities.append(
                EntityEvidence(
                    id=kb.entity_id(entity),
                    title=titles[column],
                    share=float(shares[pair]),
                    commonness=float(batch.commonness[pair]),
                    link_probability=float(batch.link_probability[pair]),
                    seen=bool(seen[column]),
                    spans=spans[row].get(entity, []),
                )
            )
        found.append(sorted(entities, key=lambda one: (-one.share, one.id)))
    return found


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
