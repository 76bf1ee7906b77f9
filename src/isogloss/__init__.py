"""Label text in one language, classify it in a hundred others, with entities as evidence."""

import importlib
from typing import TYPE_CHECKING, Any

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

_MODULES = {
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
}


def __getattr__(name: str) -> Any:
    # torch and numba take seconds to import; a script that needs neither should not wait.
    if name in _MODULES:
        return getattr(importlib.import_module(f"isogloss.{_MODULES[name]}"), name)
    raise AttributeError(f"module 'isogloss' has no attribute {name!r}")
