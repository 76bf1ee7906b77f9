"""What an evaluation warns of: labels never met, texts without a link, texts that get no label."""

import logging
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from isogloss.classify.fitted import FittedClassifier
from isogloss.classify.labels.thresholds import warn_of_no_label
from isogloss.classify.labels.unseen_labels import hint_of_separator, named_unseen
from isogloss.errors import OmissionWarning, counted, warn_omitted
from isogloss.progress import logger


def warn_of_omissions(
    rows: Sequence[Mapping[str, Any]],
    fitted: FittedClassifier,
    gold: Mapping[str, Sequence[Any]],
    answers: Mapping[str, Sequence[Any]],
) -> None:
    """Warn of what makes scores lower than a reader would think.

    Parameters
    ----------
    rows
        As in `Evaluation`.
    gold, answers
        Language to the true and the given label, or label set, of each text.

    Warns
    -----
    OmissionWarning
        A sentence a language, and one for texts without a label.
    """
    for row in rows:
        if row["n_unseen_label"]:
            warn_omitted(_about_unseen(row, gold[row["lang"]], fitted))
        if fitted.kb is not None and row["n_unlinked"] == row["n"]:
            warn_omitted(
                f"{row['lang']}: no entity was linked in {counted(row['n'], 'text')}: their "
                "vectors alone decide here"
            )
    if fitted.options.multilabel and fitted.options.thresholds == "half":
        pairs = [(lang, at) for lang in gold for at in range(len(gold[lang]))]
        warn_of_no_label(
            [answers[lang][at] for lang, at in pairs], [gold[lang][at] for lang, at in pairs]
        )


@contextmanager
def unsaid() -> Iterator[None]:
    """Say nothing of texts that are cut or corrected, where it was said of all of them before."""
    level = logger.level
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OmissionWarning)
        logger.setLevel(max(level, logging.WARNING))
        try:
            yield
        finally:
            logger.setLevel(level)


def _about_unseen(row: Mapping[str, Any], gold: Sequence[Any], fitted: FittedClassifier) -> str:
    known, several = set(fitted.classes.tolist()), fitted.options.multilabel
    labels = [label for one in gold for label in one] if several else gold
    hint = hint_of_separator(labels, known) if several else ""  # one label has no separator
    return (
        f"{row['lang']}: {row['n_unseen_label']} of {row['n']} texts have a label that training "
        f"lacks {named_unseen(labels, known)}; they count as wrong (accuracy_seen leaves them "
        f"out){hint}"
    )
