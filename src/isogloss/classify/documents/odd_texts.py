"""Texts and labels that teach or tell little, counted and said once.

`fitting` asks of training texts: blank ones, the same text twice or under different labels, labels
of a single text. `text_classifier` asks of texts to predict: blank ones, those without a letter.
"""

from collections import Counter
from collections.abc import Hashable, Sequence
from typing import Any

from isogloss.errors import counted, warn_caller, warn_omitted
from isogloss.progress import logger
from isogloss.totals import tell

MANY_CLASSES = 10  # fewer of one text each are a small sample, not a column of numbers


def say_what_teaches_little(texts: Sequence[str], labels: Sequence[Any]) -> None:
    """Say what is odd in training texts and their labels (or label sets).

    Warns
    -----
    OmissionWarning
        For blank texts, and texts that stand under different labels.
    UserWarning
        When most labels have one text: perhaps the column of labels is another.
    """
    empty = sum(not text.strip() for text in texts)
    if empty:
        warn_omitted(f"{counted(empty, 'training text')} without a word: the label teaches nothing")
    _say_repeats(texts, labels)
    names = [name for label in labels for name in (label if isinstance(label, tuple) else [label])]
    n_texts_of = Counter(names)
    n_single = sum(n == 1 for n in n_texts_of.values())
    if len(n_texts_of) >= MANY_CLASSES and 2 * n_single > len(n_texts_of):
        example = next(name for name, n in n_texts_of.items() if n == 1)
        warn_caller(
            f"{n_single:,} of {counted(len(n_texts_of), 'label')} have one text each (such as "
            f"{example!r:.40}), with {counted(len(texts), 'text')} in all: are these the labels?"
        )


def _say_repeats(texts: Sequence[str], labels: Sequence[Any]) -> None:
    labels_of: dict[str, list[Hashable]] = {}
    for text, label in zip(texts, labels, strict=True):
        if text.strip():
            labels_of.setdefault(text.strip(), []).append(label)
    torn = {text: found for text, found in labels_of.items() if len(set(found)) > 1}
    if torn:
        text, found = next(iter(torn.items()))
        named = ", ".join(repr(label) for label in dict.fromkeys(found))
        warn_omitted(
            f"{counted(len(torn), 'training text')} under different labels (such as {text!r:.60}: "
            f"{named}): the labels contradict each other; correct them or leave such texts out"
        )
    n_repeats = sum(len(found) - 1 for text, found in labels_of.items() if text not in torn)
    if n_repeats:
        logger.info(
            "%s more than once, with the same label: what is chosen out-of-fold has seen them",
            counted(n_repeats, "training text"),
        )


def warn_of_wordless(texts: Sequence[str]) -> None:
    """Warn with the number of texts to predict that are empty or without a letter."""
    n_empty = sum(not text.strip() for text in texts)
    n_wordless = sum(not any(map(str.isalpha, text)) for text in texts) - n_empty
    tell(_guesses, n_empty + n_wordless, n_empty, n_wordless, by=warn_caller)


def _guesses(n_texts: int, n_empty: int, n_wordless: int) -> str:
    found = [(n_empty, "empty"), (n_wordless, "without a letter")]
    shown = " and ".join(f"{counted(n, 'text')} {what}" for n, what in found if n)
    return f"{shown}: the label is a guess from nothing"
