"""Text classification across languages: the estimator, its heads, scores and evidence."""

from isogloss.classify.evaluation import Evaluation, evaluate
from isogloss.classify.explanation import EntityEvidence, Explanation, explain
from isogloss.classify.text_classifier import TextClassifier

__all__ = [
    "EntityEvidence",
    "Evaluation",
    "Explanation",
    "TextClassifier",
    "evaluate",
    "explain",
]
