"""Text classification across languages: the estimator, its heads, scores and evidence."""

from isogloss.classify.adapt.adaptation import Adaptation
from isogloss.classify.evaluate.evaluation import Evaluation, evaluate
from isogloss.classify.evaluate.explanation import EntityEvidence, Explanation, explain
from isogloss.classify.text_classifier import TextClassifier
from isogloss.classify.trust.forecast import Forecast

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
