"""The knowledge base: building it from sources, opening it, and linking names in texts to it.

Who opens a knowledge base needs no reader of dumps.
"""

from typing import TYPE_CHECKING

from isogloss.late import late_names

if TYPE_CHECKING:
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

if not TYPE_CHECKING:
    __getattr__, __dir__ = late_names(
        __name__,
        {
            "BuildReport": "build.build",
            "Candidate": "link.mentions",
            "EntityBags": "link.bags",
            "KnowledgeBase": "base",
            "LinkedTexts": "link.mentions",
            "Linker": "link.linker",
            "Mention": "link.mentions",
            "build_knowledge_base": "build.build",
        },
    )
