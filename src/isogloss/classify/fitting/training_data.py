"""What a fit is given, checked as far as it can be before an encoder is loaded.

Whoever loads an encoder for a fit (the command line) asks `check_training` first, so that options
that do not go together cost no minute.
"""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from isogloss.arrays import Bools2d
from isogloss.classify.documents.documents import Languages, resolve_languages
from isogloss.classify.labels.columns import (
    ClassNames,
    checked_names,
    checked_texts,
    refuse_equal_labels_of_two_kinds,
)
from isogloss.classify.labels.labelling import ONE_LABEL, Array, Labelling, labelling_of
from isogloss.classify.options import check_options
from isogloss.compat import require
from isogloss.data.columns import column_of
from isogloss.errors import (
    InputError,
    InputKindError,
    OmissionWarning,
    counted,
    did_you_mean,
    omissions_are_errors,
)
from isogloss.learn.splits import held_out
from isogloss.learn.tuning_options import TuningOptions
from isogloss.train import Checkpoints


@dataclass(frozen=True)
class LabelledRows:
    """Texts with the label (or label set) and the language of each; all of one length."""

    texts: list[str]
    labels: list[Any]
    langs: list[str | None]


@dataclass(frozen=True)
class TrainingData:
    """What a fit learns from."""

    train: LabelledRows  # texts to learn from; with class names there may be none
    # development set, without labels that training lacks; None: none were given
    dev: LabelledRows | None
    names: dict[Any, list[str]] | None  # label to its names; None: the texts alone
    classes: Array  # labels in the order of a model's columns
    langs: tuple[str, ...]  # the training languages, as first met
    # how the encoder is tuned, not yet settled for a device; None: it stays frozen
    tuning: TuningOptions | None

    @classmethod
    def of(
        cls,
        parameters: Mapping[str, Any],
        X: Sequence[str],
        y: Sequence[Any],
        lang: Languages = None,
        *,
        X_dev: Sequence[str] | None = None,
        y_dev: Sequence[Any] | None = None,
        lang_dev: Languages = None,
        class_names: ClassNames | None = None,
        checkpoints: str | Path | None = None,
    ) -> "TrainingData":
        """Check what `TextClassifier.fit` is given, under a classifier's parameters by name.

        Raises
        ------
        InputError
            For all that `TextClassifier.fit` refuses and an encoder is not needed to tell.
        """
        check_options(parameters)
        lang = parameters["lang"] if lang is None else lang
        has_dev = not (X_dev is None and y_dev is None and lang_dev is None)
        if class_names is not None:
            refuse_beside_names({**parameters, "dev": has_dev, "checkpoints": checkpoints})
            data = cls._of_names(class_names, X, y, lang)
            if parameters["keep_examples"] and not data.train.texts:
                raise InputError(
                    "keep_examples has nothing to keep: there are class names alone; give training "
                    "texts too, or leave it out"
                )
            return data
        tuning = _tuning(parameters)
        if checkpoints is not None and tuning is None:
            raise InputError("checkpoints are for tune='lora' or 'full'; the head alone learns")
        if not isinstance(checkpoints, str | Path | None):
            raise InputKindError(f"checkpoints is {checkpoints!r:.40}; give a folder")
        labelling = labelling_of(multilabel=parameters["multilabel"])
        texts, labels = labelling.check(X, y)
        train = LabelledRows(texts, labels, resolve_languages(lang, texts))
        classes, langs = labelling.classes(labels), _known(train.langs)
        if parameters["kb"] is not None and not langs:
            raise InputError(
                "the language of the training texts is needed to link them; give lang='en', a "
                "code for each text, or 'auto'"
            )
        dev = None
        if X_dev is not None or y_dev is not None:
            same = lang if lang_dev is None and isinstance(lang, str) else lang_dev
            if X_dev is None or y_dev is None:
                raise InputError("X_dev and y_dev go together; one of them is missing")
            if same is None and parameters["kb"] is not None:
                raise InputError("lang_dev is needed, as lang is given text by text")
            dev = _dev(labelling, classes, X_dev, y_dev, same)
        if tuning is not None:
            if parameters["thresholds"] == "tuned" and dev is None:
                sets = np.asarray(labelling.targets(labels, classes), dtype=np.bool_)
                _check_held_out(sets, tuning.dev_split, seed=int(parameters["random_state"]))
            if checkpoints is not None:
                Checkpoints(checkpoints).check_place()
        return cls(train, dev, None, classes, langs, tuning)

    @classmethod
    def _of_names(
        cls, class_names: ClassNames, X: Sequence[str], y: Sequence[Any], lang: Languages
    ) -> "TrainingData":
        names = checked_names(class_names)
        X, y = checked_texts(X), column_of(y, "y", of="labels")
        texts, labels = ONE_LABEL.check(X, y) if X or y else ([], [])
        refuse_equal_labels_of_two_kinds(enumerate([*names, *labels]))
        for row, label in enumerate(labels):
            if label not in names:
                hint = did_you_mean(str(label), [str(name) for name in names])
                raise InputError(f"the label of text {row} is {label!r}, which has no name; {hint}")
        train = LabelledRows(texts, labels, resolve_languages(lang, texts))
        classes = ONE_LABEL.classes([*names, *labels])
        return cls(train, None, names, classes, _known(train.langs), None)


def check_training(parameters: Mapping[str, Any], *columns: Any, **given: Any) -> None:
    """Raise what `TrainingData.of` raises, and say nothing of losses: the fit will.

    Raises
    ------
    InputError
        As `TrainingData.of`, whose arguments these are.
    """
    with warnings.catch_warnings():
        if not omissions_are_errors():
            warnings.simplefilter("ignore", OmissionWarning)
        TrainingData.of(parameters, *columns, **given)


def refuse_beside_names(
    given: Mapping[str, object], *, names: str = "class names", dashes: str = ""
) -> None:
    """Raise `InputError` for options that there is no use for beside class names.

    Parameters
    ----------
    given
        ``kb``, ``multilabel``, ``tune``, ``checkpoints`` and ``dev`` by name.
    names, dashes
        What the reader calls class names, and writes before an option.
    """
    for name, usual, what in (
        ("kb", None, "the encoder alone answers, without entities"),
        ("multilabel", False, "a text gets one label"),
        ("tune", "head", "the encoder stays as it is"),
        ("checkpoints", None, "nothing is tuned"),
        ("dev", None, "nothing is chosen on development texts"),
    ):
        if given[name] and given[name] != usual:
            raise InputError(f"with {names} {what}; leave {dashes}{name} out")


def _tuning(parameters: Mapping[str, Any]) -> TuningOptions | None:
    tune = parameters["tune"]
    if tune == "head":
        return None
    tuning = TuningOptions.of(parameters["training"])
    tuning.check_method(tune)
    if tune == "lora":
        require("peft", extra="tune", why="tune='lora'")
    return tuning


def _dev(
    labelling: Labelling, classes: Array, X: Sequence[str], y: Sequence[Any], lang: Languages
) -> LabelledRows:
    texts, labels = labelling.check(X, y)
    rows, labels = labelling.restrict(labels, classes)
    langs = resolve_languages(lang, texts)
    return LabelledRows([texts[row] for row in rows], labels, [langs[row] for row in rows])


def _check_held_out(sets: Bools2d, share: float, *, seed: int) -> None:
    """Refuse to choose thresholds where tuning holds no text out; `sets`: (n_texts, n_classes)."""
    if share == 0.0:
        raise InputError(
            "thresholds='tuned' needs texts that are held out, and dev_split is 0; give a larger "
            "one, or development texts"
        )
    if held_out(sets, share, seed=seed) is None:
        raise InputError(
            f"thresholds='tuned' needs texts that are held out, and {counted(len(sets), 'text')} "
            f"are too few to hold out a share of {share:g} (dev_split); give a larger one, or "
            "development texts"
        )


def _known(langs: list[str | None]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(lang for lang in langs if lang is not None))
