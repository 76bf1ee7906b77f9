"""Vectors of words and entities: training, files of other tools, look-ups, tests of relatedness."""

from typing import TYPE_CHECKING

from isogloss.late import late_names

if TYPE_CHECKING:
    from isogloss.vectors.entity_vectors import EntityVectors
    from isogloss.vectors.for_knowledge_base import entity_vectors_for
    from isogloss.vectors.formats.files import read_vectors, write_vectors
    from isogloss.vectors.vocabulary import Vocabulary
    from isogloss.vectors.word_entity_vectors import WordEntityVectors

__all__ = [
    "EntityVectors",
    "Vocabulary",
    "WordEntityVectors",
    "entity_vectors_for",
    "read_vectors",
    "write_vectors",
]

if not TYPE_CHECKING:
    __getattr__, __dir__ = late_names(
        __name__,
        {
            "EntityVectors": "entity_vectors",
            "Vocabulary": "vocabulary",
            "WordEntityVectors": "word_entity_vectors",
            "entity_vectors_for": "for_knowledge_base",
            "read_vectors": "formats.files",
            "write_vectors": "formats.files",
        },
    )
