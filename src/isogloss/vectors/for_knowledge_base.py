"""Vectors of a Wikipedia for the entities of a knowledge base: by id, or by title.

Files of other tools know titles alone. A title that several entities of the knowledge base have
says nothing, so it gives none of them a vector.
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from isogloss.arrays import Ints1d
from isogloss.errors import InputError, counted, warn_omitted
from isogloss.kb import KnowledgeBase
from isogloss.storage.tensor_file import tensor_metadata
from isogloss.vectors import entity_vectors
from isogloss.vectors.entity_vectors import EntityVectors
from isogloss.vectors.formats.files import read_vectors
from isogloss.vectors.names import PackedStrings
from isogloss.vectors.word_entity_vectors import WordEntityVectors


def read_entity_vectors(
    path: str | Path, kb: KnowledgeBase | None, langs: Sequence[str]
) -> EntityVectors:
    """Read vectors of any form for a knowledge base; see `entity_vectors_for`.

    Raises
    ------
    InputError
        When the file cannot be read, or `kb` is None and the file holds titles, not ids.
    """
    path = Path(path)
    if path.is_file() and (tensor_metadata(path) or {}).get("format") == entity_vectors.FORMAT:
        return EntityVectors.load(path)
    vectors = read_vectors(path)
    if kb is None:
        raise InputError(
            "holds titles, which are looked up in a knowledge base; give one (--kb)", path=path
        )
    try:
        return entity_vectors_for(vectors, kb, langs)
    except InputError as error:
        raise InputError(str(error), path=path) from error


def entity_vectors_for(
    vectors: WordEntityVectors, kb: KnowledgeBase, langs: Sequence[str]
) -> EntityVectors:
    """Return the vectors of those entities of a knowledge base that have one.

    Parameters
    ----------
    langs
        Languages in which an entity's title is looked for, the first that has one. What `vectors`
        knows of its own (ids; its language) comes before.

    Raises
    ------
    InputError
        When no entity has a vector, or no vector is of an entity.
    """
    numbers = _numbers(vectors, kb, langs)
    known = np.flatnonzero(numbers >= 0)
    if not len(known):
        raise InputError(
            f"none of the {counted(kb.n_entities, 'entity', 'entities')} of the knowledge base "
            f"has a vector by {_how(vectors, langs)}; is it the right language?"
        )
    ids = [kb.entity_id(int(entity)) for entity in known]
    return EntityVectors(ids, vectors.matrix[vectors.n_words + numbers[known]])


def with_ids(
    vectors: WordEntityVectors, kb: KnowledgeBase, langs: Sequence[str]
) -> WordEntityVectors:
    """Return the same vectors, their entities with the ids of a knowledge base.

    Raises
    ------
    InputError
        When no vector is of an entity.
    """
    numbers = _numbers(vectors, kb, langs)
    ids = [""] * len(vectors.vocabulary.entities)
    for entity in np.flatnonzero(numbers >= 0).tolist():
        ids[int(numbers[entity])] = kb.entity_id(entity)
    vocabulary = replace(vectors.vocabulary, entity_ids=PackedStrings.of(ids))
    return WordEntityVectors(vocabulary, vectors.matrix, vectors.facts)


def _numbers(vectors: WordEntityVectors, kb: KnowledgeBase, langs: Sequence[str]) -> Ints1d:
    """Return for each entity of a knowledge base its number among the vectors', or -1.

    Raises `InputError` where no vector is of an entity.
    """
    if not len(vectors.vocabulary.entities):
        words = counted(vectors.n_words, "word")
        advice = "entities have ENTITY/ in front of their titles"
        if vectors.vocabulary.min_entity_count:
            advice = "train them on more pages, or with a lower --min-entity-count"
        raise InputError(f"holds no entity, only {words}; {advice}")
    if vectors.vocabulary.entity_ids is not None:
        number = {known: i for i, known in enumerate(vectors.vocabulary.entity_ids) if known}
        ids = (kb.entity_id(entity) for entity in range(kb.n_entities))
        return np.fromiter((number.get(known, -1) for known in ids), np.int64, kb.n_entities)
    numbers = np.full(kb.n_entities, -1, np.int64)
    for lang in _languages(vectors, langs):
        missing = np.flatnonzero((numbers < 0) & kb.has_title(lang))
        titles = [title or "" for title in kb.titles(missing.tolist(), lang)]
        numbers[missing] = vectors.vocabulary.find_entities(titles)
    found, n_times = np.unique(numbers[numbers >= 0], return_counts=True)
    is_shared = np.isin(numbers, found[n_times > 1])
    if is_shared.any():
        n_shared = counted(int(is_shared.sum()), "entity", "entities")
        warn_omitted(f"{n_shared} without a vector, for another entity has the same title")
    numbers[is_shared] = -1
    return numbers


def _languages(vectors: WordEntityVectors, langs: Sequence[str]) -> list[str]:
    own = vectors.facts.get("lang")
    return [own] if own else list(dict.fromkeys(langs))


def _how(vectors: WordEntityVectors, langs: Sequence[str]) -> str:
    if vectors.vocabulary.entity_ids is not None:
        return "its id"
    return f"its title in {', '.join(_languages(vectors, langs)) or 'any language'}"
