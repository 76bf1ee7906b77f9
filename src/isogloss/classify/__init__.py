"""Text classification across languages: the estimator, its heads, scores and evidence."""

from typing import TYPE_CHECKING

from isogloss.late import late_names

if TYPE_CHECKING:
    from isogloss.classify.adaptation import Adaptation
    from isogloss.classify.evaluate.evaluated import Evaluation
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

if not TYPE_CHECKING:
    __getattr__, __dir__ = late_names(
        __name__,
        {
            "Adaptation": "adaptation",
            "EntityEvidence": "evaluate.evidence",
            "Evaluation": "evaluate.evaluated",
            "Explanation": "evaluate.explanation",
            "FittedClassifier": "fitted",
            "Forecast": "forecast",
            "TextClassifier": "text_classifier",
        },
    )
