"""Labels as users give them → y as heads take it, and back: one label a text, or a set of them.

`ONE_LABEL` and `LABEL_SETS` do the same things for the two kinds; `labelling_of` tells which an
estimator's ``multilabel`` means.
"""

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from isogloss.arrays import Bools2d, Doubles1d, Doubles2d
from isogloss.classify.labels.columns import (
    checked_pairs,
    checked_texts,
    label_array,
    refuse_equal_labels_of_two_kinds,
    sorted_labels,
)
from isogloss.classify.labels.unseen_labels import hint_of_separator, named_unseen
from isogloss.data.columns import column_of, is_hashable, is_missing
from isogloss.errors import InputError, InputKindError, counted, warn_omitted
from isogloss.learn.objective import SIGMOID, Targets

Array = np.ndarray[tuple[int], np.dtype[Any]]


class Labelled(NamedTuple):
    """Texts, and the label or label set of each."""

    texts: list[str]
    labels: list[Any]


class Restricted(NamedTuple):
    """Rows that a model can judge, and their labels as far as it knows them."""

    rows: list[int]
    labels: list[Any]


class Labelling(Protocol):
    """What a text may be labelled as; `classes` are labels in the order of a model's columns."""

    def check(self, X: Sequence[str], y: Sequence[Any]) -> Labelled:
        """Return texts and labels as plain values; `InputError` says what is wrong with them."""
        ...

    def classes(self, labels: Sequence[Any]) -> Array:
        """Return the distinct labels; `InputError` when there is nothing to tell apart."""
        ...

    def restrict(self, labels: Sequence[Any], classes: Array) -> Restricted:
        """Leave out what training lacks, with a `OmissionWarning`; at least one label must stay."""
        ...

    def targets(self, labels: Sequence[Any], classes: Array) -> Targets:
        """Return y as heads take it."""
        ...

    def answers(self, probabilities: Doubles2d, classes: Array, thresholds: Doubles1d) -> Array:
        """Return the answer for each row of (n_texts, n_classes) probabilities."""
        ...

    def equal(self, answer: Any, label: Any) -> bool:
        """Return whether an answer is right."""
        ...

    def is_seen(self, label: Any, known: Collection[Any]) -> bool:
        """Return whether training has met a text's label, or all of its labels."""
        ...

    def shown(self, label: Any) -> str:
        """Return a label or label set as a text."""
        ...


class _OneLabel:
    """Each text has one label; the answer is the most likely one, the first of equals."""

    def check(self, X: Sequence[str], y: Sequence[Any]) -> Labelled:
        return Labelled(*checked_pairs(X, y))

    def classes(self, labels: Sequence[Any]) -> Array:
        classes = sorted_labels(labels)
        if len(classes) < 2:
            raise InputError(
                f"all {len(labels)} training labels are {labels[0]!r}; "
                "two classes are needed at least"
            )
        return label_array(classes)

    def restrict(self, labels: Sequence[Any], classes: Array) -> Restricted:
        known = set(classes.tolist())
        kept = [row for row, label in enumerate(labels) if label in known]
        if len(kept) < len(labels):
            warn_omitted(
                f"{len(labels) - len(kept)} of {len(labels)} development texts have a label "
                f"that training lacks {named_unseen(labels, known)}; they are left out"
            )
        if not kept:
            raise InputError("no development text has a label of the training data")
        return Restricted(kept, [labels[row] for row in kept])

    def targets(self, labels: Sequence[Any], classes: Array) -> Targets:
        """Return the number of each label: int64 (n_texts,)."""
        number = {label: index for index, label in enumerate(classes.tolist())}
        return np.array([number[label] for label in labels], dtype=np.int64)

    def answers(self, probabilities: Doubles2d, classes: Array, thresholds: Doubles1d) -> Array:
        """Return the labels of the largest; thresholds have no part in it."""
        labels: Array = classes[probabilities.argmax(axis=1)]
        return labels

    def equal(self, answer: Any, label: Any) -> bool:
        return bool(answer == label)

    def is_seen(self, label: Any, known: Collection[Any]) -> bool:
        return label in known

    def shown(self, label: Any) -> str:
        return str(label)


class _LabelSets:
    """Each text has any number of labels; the answer is a tuple in the order of the classes."""

    def check(self, X: Sequence[str], y: Sequence[Any]) -> Labelled:
        texts = checked_texts(X)
        if getattr(y, "ndim", 1) != 1:
            raise InputKindError("y is a matrix; give the labels of each text as a list or a set")
        given = column_of(y, "y", of="label sets")
        sets = [_set_of(labels, row) for row, labels in enumerate(given)]
        if len(texts) != len(sets):
            raise InputError(
                f"{counted(len(texts), 'text')} but {counted(len(sets), 'label set')}; "
                "give one for each"
            )
        if not texts:
            raise InputError("there are no texts")
        refuse_equal_labels_of_two_kinds(
            (row, label) for row, labels in enumerate(sets) for label in labels
        )
        return Labelled(texts, sets)

    def classes(self, labels: Sequence[Any]) -> Array:
        classes = sorted_labels([label for one in labels for label in one])
        if not classes:
            raise InputError("no training text has a label; one is needed at least")
        found = label_array(classes)
        if not SIGMOID.can_learn(self.targets(labels, found)):
            raise InputError(
                f"all {len(labels)} training texts have the same labels "
                f"({self.shown(labels[0])}); there is nothing to tell apart"
            )
        return found

    def restrict(self, labels: Sequence[Any], classes: Array) -> Restricted:
        known = set(classes.tolist())
        kept = [tuple(label for label in one if label in known) for one in labels]
        n_omitted = sum(
            len(after) < len(before) for after, before in zip(kept, labels, strict=True)
        )
        if n_omitted:
            found = [label for one in labels for label in one]
            warn_omitted(
                f"{n_omitted} of {len(labels)} development texts have a label that training lacks "
                f"{named_unseen(found, known)}; such labels are left out"
                + hint_of_separator(found, known)
            )
        if not any(kept):
            raise InputError("no development text has a label of the training data")
        return Restricted(list(range(len(kept))), kept)

    def targets(self, labels: Sequence[Any], classes: Array) -> Bools2d:
        """Return which labels each text has: bool (n_texts, n_labels)."""
        number = {label: index for index, label in enumerate(classes.tolist())}
        y = np.zeros((len(labels), len(number)), dtype=bool)
        for row, one in zip(y, labels, strict=True):
            row[[number[label] for label in one]] = True
        return y

    def answers(self, probabilities: Doubles2d, classes: Array, thresholds: Doubles1d) -> Array:
        """Return the labels whose probability reaches their threshold, a tuple a text."""
        names = classes.tolist()
        sets = np.empty(len(probabilities), dtype=object)
        for row, given in enumerate(probabilities >= thresholds):
            sets[row] = tuple(names[column] for column in np.flatnonzero(given))
        return sets

    def equal(self, answer: Any, label: Any) -> bool:
        return set(answer) == set(label)

    def is_seen(self, label: Any, known: Collection[Any]) -> bool:
        return all(one in known for one in label)

    def shown(self, label: Any) -> str:
        """Return the labels joined by ``|``."""
        return "|".join(str(one) for one in label)


ONE_LABEL, LABEL_SETS = _OneLabel(), _LabelSets()


def labelling_of(*, multilabel: bool) -> Labelling:
    """Return the kind that an estimator's parameter asks for."""
    return LABEL_SETS if multilabel else ONE_LABEL


def _set_of(labels: Any, row: int) -> tuple[Any, ...]:
    if isinstance(labels, str):
        raise InputError(
            f"the labels of text {row} are one string ({labels!r:.40}); give a list or a set"
        )
    if isinstance(labels, np.ndarray):
        labels = labels.tolist()
    if not isinstance(labels, list | tuple | set | frozenset):
        raise InputError(
            f"the labels of text {row} are {labels!r:.40}; give a list or a set, which may be empty"
        )
    plain = [label.item() if isinstance(label, np.generic) else label for label in labels]
    for label in plain:
        if is_missing(label):
            raise InputError(f"a label of text {row} is missing ({label!r})")
        if not is_hashable(label):
            raise InputKindError(
                f"a label of text {row} is {label!r:.40}; labels are single values"
            )
        if plain.count(label) > 1:
            raise InputError(
                f"text {row} has the label {label!r} twice; give label sets, not rows of 0 and 1"
            )
    return tuple(sorted_labels(plain))
