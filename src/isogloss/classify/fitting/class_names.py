"""A classifier from the names of its classes, alone or with few labelled texts.

A class lies where its name does, and is drawn to its texts (prototypes, Snell et al. 2017, with the
name as their prior). The names and descriptions of class c are encoded as they are and in a
sentence (`TEMPLATE`), and the mean of their unit vectors is n_c. With x_i the unit vectors of its
labelled texts

    q_c = m n_c / ‖n_c‖ + Σ_i x_i        p(c | D) = softmax_c( s ‖h‖ / r cos(h, q_c) )

with r the mean norm of the names' vectors (‖h‖ = r = 1 where the encoder normalises), so that the
name counts as m texts. That number is chosen out-of-fold on the labelled texts: from the largest
of `NAME_WEIGHTS` that is no more than the texts a class has (8 at least) down to 0, which is the
usual classifier of the texts alone, the first that is not behind the best by more than one standard
error. Too few texts to divide leave 8. How all this was chosen: docs/few-labels.md.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from isogloss.arrays import Doubles1d, Doubles2d, Floats2d, Ints1d
from isogloss.classify.documents.documents import Part
from isogloss.classify.fitted import FittedClassifier
from isogloss.classify.fitting.head import examples_of
from isogloss.classify.fitting.training_data import TrainingData
from isogloss.classify.heads.head import EncoderOnlyHead
from isogloss.classify.labels.labelling import ONE_LABEL
from isogloss.classify.labels.thresholds import HALF
from isogloss.classify.preparation import Preparation
from isogloss.classify.trust.trust import Calibration, Trust, calibrated
from isogloss.encode.settings import TO_READ_ALL
from isogloss.errors import counted, warn_omitted
from isogloss.learn.linear_head import (
    ChosenBy,
    LinearHead,
    Standardisation,
    divisions_of,
    folds_of,
    out_of_fold_quality,
    strongest_within_one_error,
)
from isogloss.learn.search import Search
from isogloss.learn.threads import one_thread
from isogloss.learn.vector_memo import encode_once
from isogloss.limits import UNPENALISED

TEMPLATE = "This text is about {}."
NAME_WEIGHTS = (32, 16, 8)  # m, in texts
SHARPNESS = 160.0  # s
WITHOUT_NAMES = "class names count as 0 texts (chosen out-of-fold)"


class _Classes(NamedTuple):
    names: Doubles2d  # n_c / ‖n_c‖: (n_classes, width)
    scale: float  # the usual norm of a vector of the encoder


class Weight(NamedTuple):
    """How many texts a name counts as, and how that was chosen."""

    m: int  # 0: the texts alone
    how: str


def learn_from_names(
    preparation: Preparation, data: TrainingData, search: Search
) -> FittedClassifier | None:
    """Learn from the names of the classes, and from texts as far as there are any.

    None: the texts alone are answered better out-of-fold, so names should count nothing.
    """
    assert data.names is not None
    names = [data.names[label] for label in data.classes.tolist()]
    documents = preparation.documents(data.train.texts, data.train.langs)
    y = np.asarray(ONE_LABEL.targets(data.train.labels, data.classes), dtype=np.int64)
    part, keeps = Part(data.train.texts, documents, y), preparation.options.keep_examples
    classes = _classes_of(preparation, names)
    seed = preparation.options.random_state
    with one_thread():
        weight = _weight(classes, documents.vectors, y, search, seed=seed)
        if weight.m == 0:
            return None
        head = _head(classes, documents.vectors, y, weight)
        trust = _trust(classes, documents.vectors, y, weight, seed=seed)
    return FittedClassifier(
        preparation,
        EncoderOnlyHead(head),
        data.classes,
        thresholds=np.full(len(names), HALF),
        trust=trust,
        forecast_reference=None,
        score_reference=None,
        n_training_documents=len(y),
        examples=examples_of(preparation, EncoderOnlyHead(head), part) if keeps else None,
    )


def _classes_of(preparation: Preparation, names: Sequence[Sequence[str]]) -> _Classes:
    """Encode the names, a list for each class."""
    texts = [text for own in names for name in own for text in (name, TEMPLATE.format(name))]
    options = preparation.options
    encoded = encode_once(
        preparation.encoder, texts, pooling=options.pooling, long_texts=options.long_texts
    )
    n_cut = int(encoded.truncated[::2].sum())
    if n_cut:
        warn_omitted(
            f"{counted(n_cut, 'name')} of classes longer than "
            f"{preparation.encoder.settings.limit}; only the beginning was read; fit with "
            f"{TO_READ_ALL}"
        )
    vectors = encoded.vectors.astype(np.float64)
    ends = np.cumsum([2 * len(own) for own in names])[:-1]
    means = [part.mean(axis=0) for part in np.split(_unit(vectors), ends)]
    return _Classes(_unit(np.stack(means)), float(np.linalg.norm(vectors, axis=1).mean()))


def _weight(
    classes: _Classes, vectors: Floats2d, y: Ints1d, search: Search, *, seed: int
) -> Weight:
    """Choose m by how many texts are answered rightly out-of-fold, names before texts."""
    divisions = divisions_of(y, search.n_repeats, seed=seed) if len(y) else []
    if not divisions:
        return Weight(NAME_WEIGHTS[-1], "too few texts to choose")
    most = max(NAME_WEIGHTS[-1], len(y) / len(classes.names))
    candidates = tuple(m for m in NAME_WEIGHTS if m <= most)
    unit, scores = _unit(vectors.astype(np.float64)), []
    for m in candidates:
        runs = np.zeros(len(y))
        for folds in divisions:
            for train, test in folds:
                towards = _towards(classes, unit[train], y[train], m)
                runs[test] += (unit[test] @ towards.T).argmax(axis=1) == y[test]
        scores.append(runs / len(divisions))
    if len(np.unique(y)) == len(classes.names):  # a class without a text has nothing but its name
        of_texts = out_of_fold_quality(vectors, y, len(classes.names), divisions, search.C_values)
        scores.append(of_texts[strongest_within_one_error(of_texts)])
        candidates = (*candidates, 0)
    return Weight(candidates[strongest_within_one_error(scores)], "chosen out-of-fold")


def _towards(classes: _Classes, unit: Doubles2d, y: Ints1d, m: int) -> Doubles2d:
    """Return q_c / ‖q_c‖ from unit vectors of texts and their classes."""
    towards = m * classes.names
    np.add.at(towards, y, unit)
    return _unit(towards)


def _head(classes: _Classes, vectors: Floats2d, y: Ints1d, weight: Weight) -> LinearHead:
    towards = _towards(classes, _unit(vectors.astype(np.float64)), y, weight.m)
    n_classes, width = towards.shape
    # Divided by the usual norm, not each text's own: the labels are those of the cosine.
    scale: Doubles1d = np.full(width, max(classes.scale, 1e-12))
    how = f" ({weight.how})" if len(y) else ""
    return LinearHead(
        Standardisation(np.zeros(width), scale), SHARPNESS * towards, np.zeros(n_classes),
        C=UNPENALISED, chosen_by=ChosenBy.CLASS_NAMES,
        detail=f", each counting as {counted(weight.m, 'text')}{how}",
    )  # fmt: skip


def _trust(classes: _Classes, vectors: Floats2d, y: Ints1d, weight: Weight, *, seed: int) -> Trust:
    """Calibrate on the labelled texts, each answered without its own fold."""
    folds = folds_of(y, seed=seed) if len(y) else None
    if folds is None:
        return Trust(fitted_on=Calibration.TOO_FEW_TEXTS)
    held_out = np.empty((len(y), len(classes.names)))
    for train, test in folds:
        head = _head(classes, vectors[train], y[train], weight)
        held_out[test] = head.log_probabilities(vectors[test])
    return calibrated(held_out, y, Calibration.OUT_OF_FOLD)


def _unit(vectors: Doubles2d) -> Doubles2d:
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit: Doubles2d = vectors / np.maximum(norms, 1e-12)
    return unit
