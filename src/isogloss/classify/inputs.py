"""Texts and labels as users give them → lists that the rest of the package can trust."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from isogloss.errors import InputError


def checked_texts(X: Sequence[str]) -> list[str]:
    """Return texts as a list.

    Raises
    ------
    TypeError
        When `X` is one string, or a table or dictionary, which would give its column names.
    InputError
        When a text is not a string.
    """
    if isinstance(X, str):
        raise TypeError("X is one string; give a list of texts")
    if isinstance(X, Mapping) or getattr(X, "ndim", 1) != 1:
        raise TypeError("X is a table; give one column of texts, such as table['text']")
    texts = [*X]
    for row, text in enumerate(texts):
        if not isinstance(text, str):
            raise InputError(f"text {row} is {type(text).__name__} ({text!r:.40}), not a string")
    return texts


def checked_pairs(X: Sequence[str], y: Sequence[Any]) -> tuple[list[str], list[Any]]:
    """Return texts and labels as lists of plain values.

    Raises
    ------
    InputError
        When the numbers differ, there are none, a text is not a string or a label is missing.
    """
    texts = checked_texts(X)
    labels = [label.item() if isinstance(label, np.generic) else label for label in y]
    if len(texts) != len(labels):
        raise InputError(f"{len(texts)} texts but {len(labels)} labels")
    if not texts:
        raise InputError("there are no texts")
    for row, label in enumerate(labels):
        if label is None or label != label:
            raise InputError(f"the label of text {row} is missing ({label!r})")
    return texts, labels


def sorted_labels(labels: Sequence[Any]) -> list[Any]:
    """Return the distinct labels, sorted, or as first met where they have no order."""
    distinct = list(dict.fromkeys(labels))
    try:
        return sorted(distinct)
    except TypeError:
        return distinct


def label_array(labels: list[Any]) -> np.ndarray[tuple[int], np.dtype[Any]]:
    """Return labels as an array that gives each back as it is, of whatever kinds they are."""
    if len({type(label) for label in labels}) == 1 and isinstance(labels[0], str | int):
        return np.array(labels)
    array = np.empty(len(labels), dtype=object)
    array[:] = labels
    return array
