"""The entities of texts as arrays that a graph takes, and entities to try a graph on."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from isogloss.classify.documents.documents import Languages
from isogloss.classify.documents.entity_batch import EntityBatch
from isogloss.classify.documents.entity_source import named_in
from isogloss.classify.fitted import FittedClassifier
from isogloss.classify.heads.head import Head
from isogloss.classify.heads.mboe import MboeHead
from isogloss.classify.heads.mboe_plus import MboePlusHead
from isogloss.classify.heads.vote import attention_features

VECTORS, FEATURES, MASK = "entity_vectors", "entity_features", "entity_mask"
ENTITY_INPUTS = (VECTORS, FEATURES, MASK)
N_SEEN, N_UNSEEN = 8, 4  # entities that a graph is tried on
N_LOOKED_AT = 1000  # of a knowledge base of millions
COMMONNESS = (1.0, 0.5, 0.08)

Arrays = dict[str, np.ndarray[Any, Any]]


def entity_inputs(
    fitted: FittedClassifier,
    texts: Sequence[str],
    lang: Languages = None,
    *,
    fallback_lang: str | None = None,
) -> Arrays:
    """Link texts, and return what an exported graph takes of their entities.

    Parameters
    ----------
    fitted
        A classifier with a knowledge base, whose graph was exported.
    lang, fallback_lang
        As in `TextClassifier.predict`.

    Returns
    -------
    ``entity_vectors``: float32 (n_texts, n_entities, width); ``entity_features``: float32
    (n_texts, n_entities, n_features), of ``mboe`` the commonness, of ``mboe-plus`` the logarithms
    of commonness and inverse document frequency; ``entity_mask``: int64 (n_texts, n_entities), 1
    where there is an entity.
    """
    langs = fitted.languages_of(texts, lang)
    documents = fitted.preparation.documents(
        list(texts), langs, fallback_lang=fallback_lang, without_vectors=True
    )
    batch = fitted.preparation.entity_batch(documents)
    if batch is None:
        raise ValueError("a classifier without a knowledge base links nothing")
    return inputs_of(fitted.head, batch)


def inputs_of(head: Head, batch: EntityBatch) -> Arrays:
    """Return the arrays of prepared entities; see `entity_inputs`."""
    vectors, features = _vectors_and_features(head, batch)
    counts = batch.counts
    shape = (len(batch), max(1, int(counts.max(initial=0))))
    rows = batch.documents
    places = np.arange(len(rows)) - batch.offsets[:-1][rows]
    found: Arrays = {
        VECTORS: np.zeros((*shape, vectors.shape[1]), np.float32),
        FEATURES: np.zeros((*shape, features.shape[1]), np.float32),
        MASK: np.zeros(shape, np.int64),
    }
    found[VECTORS][rows, places] = vectors[batch.columns]
    found[FEATURES][rows, places] = features
    found[MASK][rows, places] = 1
    return found


def tried_entities(fitted: FittedClassifier, n_texts: int) -> EntityBatch | None:
    """Return entities for texts to compare on: none to eleven each; None without a knowledge base.

    Some of them training met, some it did not.
    """
    source, memory, kb = fitted.preparation.entity_source(), fitted.head.memory, fitted.kb
    if source is None or memory is None or kb is None:
        return None
    named = np.flatnonzero(named_in(kb, fitted.langs)).astype(np.int64)
    unseen = named[~memory.is_seen(named)][:N_LOOKED_AT]
    unseen = unseen[source.known(unseen)][:N_UNSEEN]
    entities = np.union1d(memory.entities[:N_SEEN], unseen).astype(np.int64)
    counts = np.arange(n_texts) % (len(entities) or 1)
    offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    n_pairs = int(offsets[-1])
    commonness = np.resize(np.array(COMMONNESS), n_pairs)
    within = np.arange(n_pairs) - np.repeat(offsets[:-1], counts)
    columns = (within + np.repeat(np.arange(n_texts), counts)) % (len(entities) or 1)
    return EntityBatch(
        offsets, columns.astype(np.int64), commonness, commonness, entities,
        source.vectors(entities),
    )  # fmt: skip


def _vectors_and_features(
    head: Head, batch: EntityBatch
) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Return vectors of the entities, (n_entities, width), and features of the pairs."""
    if isinstance(head, MboeHead):
        vectors = head.trained.pooling(batch).projected().detach().numpy()
        return vectors, batch.commonness[:, None]
    if isinstance(head, MboePlusHead):
        # Of no document: what a pair's features are beside its cosine.
        nowhere = np.zeros((len(batch), 0), np.float32)
        return batch.vectors, attention_features(head.memory, nowhere, batch)[:, 1:]
    raise ValueError("this head reads no entities")
