"""The knowledge base: building it from sources, opening it, and linking names in texts to it."""

from isogloss.kb.bags import EntityBags
from isogloss.kb.base import KnowledgeBase
from isogloss.kb.build import BuildReport, build_knowledge_base
from isogloss.kb.linker import Linker
from isogloss.kb.mentions import Candidate, LinkedTexts, Mention

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
