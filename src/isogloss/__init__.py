"""Label text in one language, classify it in a hundred others, with entities as evidence."""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from isogloss.classify import TextClassifier
    from isogloss.encode import Encoder
    from isogloss.kb import KnowledgeBase, build_knowledge_base
    from isogloss.vectors import EntityVectors

__version__ = "0.1.0"
__all__ = [
    "Encoder",
    "EntityVectors",
    "KnowledgeBase",
    "TextClassifier",
    "__version__",
    "build_knowledge_base",
]

_PACKAGES = {
    "Encoder": "encode",
    "EntityVectors": "vectors",
    "KnowledgeBase": "kb",
    "TextClassifier": "classify",
    "build_knowledge_base": "kb",
}


def __getattr__(name: str) -> Any:
    # torch and numba take seconds to import; a script that needs neither should not wait.
    if name in _PACKAGES:
        return getattr(importlib.import_module(f"isogloss.{_PACKAGES[name]}"), name)
    raise AttributeError(f"module 'isogloss' has no attribute {name!r}")
