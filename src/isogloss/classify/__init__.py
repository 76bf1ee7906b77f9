"""Text classification across languages: the estimator, its heads, scores and evidence."""

from isogloss.classify.adaptation import Adaptation
from isogloss.classify.evaluation import Evaluation, evaluate
from isogloss.classify.explanation import EntityEvidence, Explanation, explain
from isogloss.classify.forecast import Forecast
from isogloss.classify.text_classifier import TextClassifier

__all__ = [
    "Adaptation",
    "EntityEvidence",
    "Evaluation",
    "Explanation",
    "Forecast",
    "TextClassifier",
    "evaluate",
    "explain",
]
