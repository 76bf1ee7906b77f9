"""The training texts nearest to a text, and what they say of its answer.

Whether a language's vectors are centred depends on the model alone, unless a caller gives further
means: an answer is the same in any block of texts.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from isogloss.arrays import Doubles1d, Doubles2d, Floats1d, Floats2d
from isogloss.classify.documents.documents import PreparedDocuments
from isogloss.classify.examples import FEWEST_FOR_MEAN, Examples, LanguageMeans
from isogloss.classify.fitted import FittedClassifier
from isogloss.errors import InputError
from isogloss.retrieve.search import Neighbours

N_EXAMPLES = 5
NO_EXAMPLES = "the model keeps no training texts; fit it with {option}"


@dataclass(frozen=True)
class Example:
    """A training text near to a text.

    Attributes
    ----------
    text, label, lang
        As in training; a tuple of labels in a model that gives several.
    similarity
        Cosine of the two vectors.
    """

    text: str
    label: Any
    lang: str | None
    similarity: float


@dataclass(frozen=True)
class NearestExamples:
    """The nearest training texts of some texts.

    Attributes
    ----------
    examples
        Of each text the `N_EXAMPLES` nearest, the nearest first.
    support
        Share of each text's 10 nearest that carry its label: (n_texts,). Of several labels the mean
        of their shares, of none the share that has none.
    """

    examples: list[list[Example]]
    support: Doubles1d


def nearest_examples(
    fitted: FittedClassifier,
    documents: PreparedDocuments,
    probabilities: Doubles2d,
    *,
    means: LanguageMeans | None = None,
) -> NearestExamples:
    """Return the nearest training texts of prepared documents.

    Parameters
    ----------
    probabilities
        The model's answers to them: (n_documents, n_classes).
    means
        Means of further languages (`language_means`); those that the model knows come first.

    Raises
    ------
    InputError
        When the model keeps no training texts.
    """
    examples = kept_examples(fitted)
    found = examples.nearest(
        _inputs(fitted, documents), documents.langs, {**(means or {}), **known_means(fitted)}
    )
    return NearestExamples(
        [
            [_example(fitted, examples, row, cosine) for row, cosine in pairs]
            for pairs in _pairs(found)
        ],
        _support(fitted, examples, found, probabilities),
    )


def kept_examples(fitted: FittedClassifier) -> Examples:
    """Return the training texts of a model; raises `InputError` where it keeps none."""
    if fitted.examples is None:
        raise InputError(NO_EXAMPLES.format(option="keep_examples=True"))
    return fitted.examples


def known_means(fitted: FittedClassifier) -> dict[str, Floats1d]:
    """Return the means that a model knows: of training languages, and of those adapted to."""
    scale = fitted.head.linear.standardisation
    adapted = {
        lang: (scale.mean + scale.deviation * correction.offset).astype(np.float32)
        for lang, correction in fitted.corrections.items()
    }
    return (kept_examples(fitted).means) | adapted


def language_means(fitted: FittedClassifier, documents: PreparedDocuments) -> dict[str, Floats1d]:
    """Return the mean of each language of which there are documents enough.

    They are for `nearest_examples`, from a sample of what will be asked.
    """
    vectors, langs = _inputs(fitted, documents), np.array(documents.langs, dtype=object)
    counts = {lang: np.flatnonzero(langs == lang) for lang in set(documents.langs) - {None}}
    return {
        lang: np.asarray(vectors[rows].mean(axis=0), np.float32)
        for lang, rows in counts.items()
        if lang is not None and len(rows) >= FEWEST_FOR_MEAN
    }


def _inputs(fitted: FittedClassifier, documents: PreparedDocuments) -> Floats2d | Doubles2d:
    batch = fitted.preparation.entity_batch(documents)
    return fitted.head.inputs(documents.vectors, batch)


def _support(
    fitted: FittedClassifier, examples: Examples, found: Neighbours, probabilities: Doubles2d
) -> Doubles1d:
    shares = examples.shares(found, len(fitted.classes))
    if not fitted.options.multilabel:
        support: Doubles1d = shares[np.arange(len(shares)), probabilities.argmax(axis=1)]
        return support
    given = probabilities >= fitted.thresholds
    of_labels = (shares * given).sum(axis=1) / np.maximum(given.sum(axis=1), 1)
    return np.where(given.any(axis=1), of_labels, examples.shares_without_label(found))


def _pairs(found: Neighbours) -> list[list[tuple[int, float]]]:
    rows, cosines = found.rows[:, :N_EXAMPLES].tolist(), found.cosines[:, :N_EXAMPLES].tolist()
    return [list(zip(*both, strict=True)) for both in zip(rows, cosines, strict=True)]


def _example(fitted: FittedClassifier, kept: Examples, row: int, cosine: float) -> Example:
    labels = fitted.classes[kept.label_numbers(row)].tolist()
    label = tuple(labels) if fitted.options.multilabel else labels[0]
    return Example(kept.text(row), label, kept.lang(row), cosine)
