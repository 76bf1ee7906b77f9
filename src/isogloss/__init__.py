"""Label text in one language, classify it in a hundred others, with entities as evidence."""

from typing import TYPE_CHECKING

from isogloss.late import late_names

if TYPE_CHECKING:
    from isogloss.align import SentenceAligner
    from isogloss.classify import TextClassifier
    from isogloss.encode import Encoder
    from isogloss.errors import InputError, OmissionWarning
    from isogloss.kb import KnowledgeBase, build_knowledge_base
    from isogloss.retrieve import TextIndex
    from isogloss.tag import TokenTagger
    from isogloss.vectors import EntityVectors

__version__ = "0.1.0"
__all__ = [
    "Encoder",
    "EntityVectors",
    "InputError",
    "KnowledgeBase",
    "OmissionWarning",
    "SentenceAligner",
    "TextClassifier",
    "TextIndex",
    "TokenTagger",
    "__version__",
    "build_knowledge_base",
]

if not TYPE_CHECKING:
    __getattr__, __dir__ = late_names(
        __name__,
        {
            "Encoder": "encode",
            "EntityVectors": "vectors",
            "InputError": "errors",
            "KnowledgeBase": "kb",
            "OmissionWarning": "errors",
            "SentenceAligner": "align",
            "TextClassifier": "classify",
            "TextIndex": "retrieve",
            "TokenTagger": "tag",
            "build_knowledge_base": "kb",
        },
    )
