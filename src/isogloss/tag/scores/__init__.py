"""How well tags were predicted: accuracy of words, F1 of entities, by language and on average."""

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
