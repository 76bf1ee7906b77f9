"""The knowledge base: building it from sources, opening it, and linking names in texts to it."""

from isogloss.kb.base import KnowledgeBase
from isogloss.kb.build.build import BuildReport, build_knowledge_base
from isogloss.kb.link.bags import EntityBags
from isogloss.kb.link.linker import Linker
from isogloss.kb.link.mentions import Candidate, LinkedTexts, Mention

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
