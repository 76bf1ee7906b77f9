"""The knowledge base: building it from sources, opening it, and linking names in texts to it."""

import importlib
from typing import TYPE_CHECKING, Any

from isogloss.kb.base import KnowledgeBase
from isogloss.kb.link.bags import EntityBags
from isogloss.kb.link.linker import Linker
from isogloss.kb.link.mentions import Candidate, LinkedTexts, Mention

if TYPE_CHECKING:
    from isogloss.kb.build.build import BuildReport, build_knowledge_base

__all__ = [
    "BuildReport",
    "Candidate",
    "EntityBags",
    "KnowledgeBase",
    "LinkedTexts",
    "Linker",
    "Mention",
    "build_knowledge_base",
]


def __getattr__(name: str) -> Any:
    # Who opens a knowledge base needs no reader of dumps.
    if name in ("BuildReport", "build_knowledge_base"):
        return getattr(importlib.import_module("isogloss.kb.build.build"), name)
    raise AttributeError(f"module 'isogloss.kb' has no attribute {name!r}")
