"""A classifier from the names of its classes, alone or with few labelled texts.

A class lies where its name does, and is drawn to its texts (prototypes, Snell et al. 2017, with the
name as their prior). The names and descriptions of class c are encoded as they are and in a
sentence (`TEMPLATE`), and the mean of their unit vectors is n_c. With x_i the unit vectors of its
labelled texts

    q_c = m n_c / ‖n_c‖ + Σ_i x_i        p(c | D) = softmax_c( s ‖h‖ / r cos(h, q_c) )

with r the mean norm of the names' vectors (‖h‖ = r = 1 where the encoder normalises), so that the
name counts as m texts. Nothing is searched, so a handful of texts is enough. The sentence, m and s
were chosen on MasakhaNEWS development files: see docs/few-labels.md.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from isogloss.arrays import Doubles1d, Doubles2d, Floats2d, Ints1d
from isogloss.classify.documents import Languages, resolve_languages, warn_of_empty
from isogloss.classify.inputs import checked_texts, refuse_equal_labels_of_two_kinds
from isogloss.classify.labelling import ONE_LABEL
from isogloss.classify.learning import one_thread
from isogloss.classify.linear_head import LinearHead, Standardisation, folds_of
from isogloss.classify.trust import OUT_OF_FOLD, Trust, calibrated
from isogloss.classify.vector_memo import encode_once
from isogloss.data.columns import column_of, is_missing
from isogloss.errors import InputError, counted, did_you_mean, warn_loss

if TYPE_CHECKING:
    from isogloss.classify.text_classifier import TextClassifier

ClassNames = Mapping[Any, str | Sequence[str]]

TEMPLATE = "This text is about {}."
NAME_COUNTS_AS = 32  # m, in texts
SHARPNESS = 160.0  # s


class _Classes(NamedTuple):
    names: Doubles2d  # n_c / ‖n_c‖: (n_classes, width)
    scale: float  # the usual norm of a vector of the encoder


def fit_class_names(
    model: "TextClassifier",
    class_names: ClassNames,
    X: Sequence[str],
    y: Sequence[Any],
    lang: Languages,
    *,
    has_dev: bool,
    checkpoints: object = None,
) -> None:
    """Fit a classifier of one label a text; its classes are those that have a name.

    Parameters
    ----------
    class_names
        Label to its name or description, or several of them.
    X, y, lang
        Labelled texts and their languages; there may be none.
    has_dev
        Whether development texts were given too, for which there is no use.
    checkpoints
        As in `TextClassifier.fit`: there is no use for them either.

    Raises
    ------
    InputError
        When a name is missing or empty, a text has a label without a name, there are development
        texts, or the classifier is one with entities, of label sets or with a tuned encoder.
    """
    _check_options(model)
    if has_dev:
        raise InputError("with class names nothing is chosen on development texts; leave them out")
    if checkpoints is not None:
        raise InputError("with class names nothing is tuned; leave checkpoints out")
    names = _checked_names(class_names)
    X, y = checked_texts(X), column_of(y, "y", of="labels")
    texts, labels = ONE_LABEL.check(X, y) if X or y else ([], [])
    refuse_equal_labels_of_two_kinds(enumerate([*names, *labels]))
    for row, label in enumerate(labels):
        if label not in names:
            hint = did_you_mean(str(label), [str(name) for name in names])
            raise InputError(f"the label of text {row} is {label!r}, which has no name; {hint}")
    langs = resolve_languages(lang, texts)
    model._start([*names, *labels], langs)
    warn_of_empty(texts)
    documents = model._prepare(texts, langs)
    targets = np.asarray(ONE_LABEL.targets(labels, model.classes_), dtype=np.int64)
    classes = _classes_of(model, [names[label] for label in model.classes_.tolist()])
    with one_thread():
        head = _head(classes, documents.vectors, targets)
        trust = _trust(classes, documents.vectors, targets, seed=model.options_.random_state)
    model.n_training_documents_ = len(texts)
    model.thresholds_ = np.full(len(model.classes_), 0.5)
    model.trust_, model.reference_ = trust, None
    model.head_ = head


def _check_options(model: "TextClassifier") -> None:
    for name, usual, what in (
        ("kb", None, "entities need labelled texts to learn from"),
        ("multilabel", False, "a text gets one label"),
        ("tune", "head", "the encoder stays as it is"),
    ):
        if getattr(model, name) != usual:
            raise InputError(f"with class names {what}; leave {name} out")


def _checked_names(class_names: ClassNames) -> dict[Any, list[str]]:
    if not isinstance(class_names, Mapping):
        raise InputError(
            "class_names is no dictionary; give label to name: {'sport': 'sports and games'}"
        )
    names: dict[Any, list[str]] = {}
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
    if len(names) < 2:
        raise InputError(f"class_names names {len(names)}; two classes are needed at least")
    return names


def _classes_of(model: "TextClassifier", names: list[list[str]]) -> _Classes:
    """Encode the names, a list for each class."""
    texts = [text for own in names for name in own for text in (name, TEMPLATE.format(name))]
    encoded = encode_once(model.encoder_, texts, pooling=model.options_.pooling)
    n_cut = int(encoded.truncated[::2].sum())
    if n_cut:
        warn_loss(
            f"{counted(n_cut, 'name')} of classes longer than the encoder takes; only the "
            "beginning was read"
        )
    vectors = encoded.vectors.astype(np.float64)
    ends = np.cumsum([2 * len(own) for own in names])[:-1]
    means = [part.mean(axis=0) for part in np.split(_unit(vectors), ends)]
    return _Classes(_unit(np.stack(means)), float(np.linalg.norm(vectors, axis=1).mean()))


def _head(classes: _Classes, vectors: Floats2d, y: Ints1d) -> LinearHead:
    towards = NAME_COUNTS_AS * classes.names
    if len(y):
        np.add.at(towards, y, _unit(vectors.astype(np.float64)))
    n_classes, width = towards.shape
    # Divided by the usual norm, not each text's own: the labels are those of the cosine.
    scale: Doubles1d = np.full(width, max(classes.scale, 1e-12))
    return LinearHead(
        Standardisation(np.zeros(width), scale), SHARPNESS * _unit(towards), np.zeros(n_classes),
        C=np.inf, chosen_by=f"class names, each counting as {NAME_COUNTS_AS} texts",
    )  # fmt: skip


def _trust(classes: _Classes, vectors: Floats2d, y: Ints1d, *, seed: int) -> Trust:
    """Calibrate on the labelled texts, each answered without its own fold."""
    folds = folds_of(y, seed=seed) if len(y) else None
    if folds is None:
        return Trust()
    held_out = np.empty((len(y), len(classes.names)))
    for train, test in folds:
        held_out[test] = _head(classes, vectors[train], y[train]).log_probabilities(vectors[test])
    return calibrated(held_out, y, OUT_OF_FOLD)


def _unit(vectors: Doubles2d) -> Doubles2d:
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit: Doubles2d = vectors / np.maximum(norms, 1e-12)
    return unit
