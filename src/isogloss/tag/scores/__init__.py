"""How well tags were predicted: accuracy of words, F1 of entities, by language and on average."""

from typing import TYPE_CHECKING

from isogloss.late import late_names

if TYPE_CHECKING:
    from isogloss.tag.scores.counts import EntityCounts, TagCounts
    from isogloss.tag.scores.intervals import difference_of_taggers, interval_of_score, p_of_taggers
    from isogloss.tag.scores.scored import Scored, score_entities, score_tags

__all__ = [
    "EntityCounts",
    "Scored",
    "TagCounts",
    "difference_of_taggers",
    "interval_of_score",
    "p_of_taggers",
    "score_entities",
    "score_tags",
]

if not TYPE_CHECKING:
    __getattr__, __dir__ = late_names(
        __name__,
        {
            "EntityCounts": "counts",
            "Scored": "scored",
            "TagCounts": "counts",
            "difference_of_taggers": "intervals",
            "interval_of_score": "intervals",
            "p_of_taggers": "intervals",
            "score_entities": "scored",
            "score_tags": "scored",
        },
    )
