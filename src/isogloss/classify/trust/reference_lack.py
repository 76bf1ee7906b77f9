"""Why a classifier has nothing to compare other languages with, for `forecast` and `adapt`."""

from typing import TYPE_CHECKING

from isogloss.classify.heads.head import linear_part

if TYPE_CHECKING:
    from isogloss.classify.text_classifier import TextClassifier

BY_NAMES = "class names"  # how the C of a head that was fitted on them was chosen begins with this


def lack_of_reference(
    *, multilabel: bool, tune: str, chosen_by: str, frozen_by: str = "tune='head'"
) -> str:
    """Return why a model that has no reference has none, and what to fit instead.

    Parameters
    ----------
    multilabel, tune
        Options of the model.
    chosen_by
        That of the linear part of its head.
    frozen_by
        The option that keeps an encoder as it is, as the reader writes it.

    Examples
    --------
    >>> lack_of_reference(multilabel=False, tune="lora", chosen_by="")
    "its encoder was tuned; fit one with tune='head'"
    """
    if multilabel:
        return "it gives label sets; fit one of one label a text"
    if tune != "head":
        return f"its encoder was tuned; fit one with {frozen_by}"
    if chosen_by.startswith(BY_NAMES):
        return "it was fitted with class names; fit one on labelled texts without them"
    return "it was fitted on too few texts; fit one on more of each class"


def lack_of(model: "TextClassifier", reference: object) -> str:
    """Return the same of a fitted model, "" where it has `reference`."""
    if reference is not None:
        return ""
    options, head = model.options_, linear_part(model.head_)
    return lack_of_reference(
        multilabel=options.multilabel, tune=options.tune, chosen_by=head.chosen_by
    )
