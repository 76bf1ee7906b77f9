"""Text classification across languages: the estimator, its heads, scores and evidence."""

from isogloss.classify.adaptation import Adaptation
from isogloss.classify.evaluate.evaluation import Evaluation
from isogloss.classify.evaluate.evidence import EntityEvidence
from isogloss.classify.evaluate.explanation import Explanation
from isogloss.classify.fitted import FittedClassifier
from isogloss.classify.forecast import Forecast
from isogloss.classify.text_classifier import TextClassifier

__all__ = [
    "Adaptation",
    "EntityEvidence",
    "Evaluation",
    "Explanation",
    "FittedClassifier",
    "Forecast",
    "TextClassifier",
]
