"""Texts and labels as users give them → lists that the rest of the package can trust."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from isogloss.data.columns import column_of, is_hashable, is_missing, texts_of
from isogloss.errors import InputError, InputKindError, counted

ClassNames = Mapping[Any, str | Sequence[str]]


def checked_texts(X: Sequence[str]) -> list[str]:
    """Return texts as a list; see `texts_of`."""
    return texts_of(X, "X")


def checked_pairs(X: Sequence[str], y: Sequence[Any]) -> tuple[list[str], list[Any]]:
    """Return texts and labels as lists of plain values.

    Raises
    ------
    InputError
        When the numbers differ, there are none, a text is not a string, a label is missing or a
        collection, or equal labels are of different kinds: they would become one class without a
        word.
    """
    texts = checked_texts(X)
    labels = column_of(y, "y", of="labels")
    if len(texts) != len(labels):
        raise InputError(
            f"{counted(len(texts), 'text')} but {counted(len(labels), 'label')}; give one for each"
        )
    if not texts:
        raise InputError("there are no texts")
    for row, label in enumerate(labels):
        if is_missing(label):
            raise InputError(f"the label of text {row} is missing ({label!r})")
        if not is_hashable(label):
            raise InputKindError(
                f"the label of text {row} is {label!r:.40}; give one label a text, or "
                "multilabel=True for label sets"
            )
    refuse_equal_labels_of_two_kinds(enumerate(labels))
    return texts, labels


def checked_weights(weights: Sequence[float] | None, n_texts: int) -> list[float] | None:
    """Return how much each text counts, or None: all alike.

    Raises
    ------
    InputError
        When there is not one for each text, one is no number of 0 or more, or all are 0.
    """
    if weights is None:
        return None
    counts = column_of(weights, "sample_weight", of="numbers")
    if len(counts) != n_texts:
        raise InputError(
            f"{counted(len(counts), 'weight')} for {counted(n_texts, 'text')}; give one for each"
        )
    for row, weight in enumerate(counts):
        if not isinstance(weight, int | float) or not 0 <= weight < float("inf"):
            raise InputError(f"the weight of text {row} is {weight!r:.40}; give 0 or more")
    if not any(counts):
        raise InputError("all weights of texts are 0; give one above 0 at least")
    return counts


def refuse_equal_labels_of_two_kinds(labels: Iterable[tuple[int, Any]]) -> None:
    """Raise `InputError` for labels such as 1 and True, given with their rows."""
    first: dict[Any, Any] = {}
    for row, label in labels:
        met = first.setdefault(label, label)
        if type(met) is not type(label):
            raise InputError(
                f"the labels {met!r} ({type(met).__name__}) and {label!r} "
                f"({type(label).__name__}, of text {row}) are equal; give labels of one kind"
            )


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
        plain = np.array(labels)
        # numpy cuts NUL off the end of strings, and makes floats of some pairs of large integers.
        if plain.dtype.kind != "f" and plain.tolist() == labels:
            return plain
    array = np.empty(len(labels), dtype=object)
    array[:] = labels
    return array


def checked_names(class_names: ClassNames) -> dict[Any, list[str]]:
    """Return label to its names as plain values.

    Raises
    ------
    InputError
        When it is no dictionary, a label or a name is missing, two classes have the same names, or
        there are fewer than two.
    """
    if not isinstance(class_names, Mapping):
        raise InputError(
            "class_names is no dictionary; give label to name: {'sport': 'sports and games'}"
        )
    names: dict[Any, list[str]] = {}
    first: dict[frozenset[str], Any] = {}
    for label, given in class_names.items():
        plain = label.item() if isinstance(label, np.generic) else label
        if is_missing(plain):
            raise InputError(f"class_names has the label {label!r}, which marks a missing one")
        own = [given] if isinstance(given, str) else column_of(given, "a class's name", of="names")
        names[plain] = own
        for name in names[plain]:
            if not isinstance(name, str) or not name.strip():
                raise InputError(f"a name of class {label!r} is {name!r}; give it a word or more")
        if not names[plain]:
            raise InputError(f"class {label!r} has no name; give it one")
        meaning, shown = frozenset(name.strip() for name in own), own[0].strip()
        twin = first.setdefault(meaning, label)
        if twin != label:
            raise InputError(
                f"the classes {twin!r} and {label!r} have the same name ({shown!r:.40}), which "
                "cannot tell them apart; give each its own"
            )
    if len(names) < 2:
        raise InputError(f"class_names names {len(names)}; two classes are needed at least")
    return names
