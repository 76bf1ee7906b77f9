"""What the options of a classifier may be, and the sentences for those that are not."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Literal

import numpy as np

from isogloss.classify.documents.documents import LinkingOptions
from isogloss.classify.documents.entity_memory import Attention
from isogloss.classify.documents.entity_source import Init
from isogloss.encode import Encoder
from isogloss.encode.settings import LongTexts, Pooling, check_long_texts, check_pooling
from isogloss.errors import InputError, InputKindError, did_you_mean
from isogloss.kb import KnowledgeBase
from isogloss.learn.tuning_options import TUNES, WINDOWS_ARE_FOR_FROZEN, Tune
from isogloss.limits import LARGEST_COUNT, LARGEST_SEED
from isogloss.text.detect import languages_of_texts
from isogloss.vectors import EntityVectors

Preset = Literal["mboe", "mboe-plus"]
AttentionChoice = Literal[True, "mean", "sum"]
Thresholds = Literal["half", "tuned"]

PRESETS: tuple[Preset, ...] = ("mboe", "mboe-plus")
THRESHOLDS: tuple[Thresholds, ...] = ("half", "tuned")
INITS = ("encoder", "random")
_KINDS: dict[str, tuple[Any, str]] = {  # of a parameter: what it may be, and how that is said
    "path": (str | Path, "the directory of a model"),
    "encoder": (str | Path | Encoder, "an Encoder, its name or its directory"),
    "kb": (str | Path | KnowledgeBase | None, "a KnowledgeBase, its directory, or None"),
    "lang": (str | None, "one code, 'auto' or None; a code for each text goes to the methods"),
    "device": (str, "'auto', 'cpu', or a graphics card, as 'cuda'"),
    "dtype": (str, "'float32', 'bfloat16' or 'float16'"),
    "cache": (str | Path | None, "a folder, or None"),
}
ATTENTIONS: dict[object, Attention] = {True: "learned", "mean": "mean", "sum": "sum"}


@dataclass(frozen=True)
class FittedOptions:
    """The parameters of `TextClassifier` as its fit used them.

    Prediction and files keep to these: a parameter that is set after `fit` waits for the next one.
    """

    preset: Preset
    tune: Tune
    multilabel: bool
    thresholds: Thresholds
    init: Init
    attention: AttentionChoice
    max_entities: int | None
    min_link_prob: float
    min_commonness: float
    nested: bool
    pooling: Pooling | None
    long_texts: LongTexts | None
    lang: str | None
    keep_examples: bool
    dtype: str
    random_state: int

    @classmethod
    def of(cls, parameters: Mapping[str, Any]) -> "FittedOptions":
        """Take these of a classifier's parameters."""
        return cls(**{field.name: parameters[field.name] for field in fields(cls)})

    @property
    def linking(self) -> LinkingOptions:
        """What is kept of what is linked."""
        return LinkingOptions(
            self.min_link_prob, self.min_commonness, self.max_entities, self.nested
        )


def check_options(options: Mapping[str, Any]) -> None:
    """Check the parameters of a classifier, by name.

    Raises
    ------
    InputError
        For the first that is not allowed; it says the value and what is.
    """
    for name, allowed in (
        ("preset", PRESETS),
        ("tune", TUNES),
        ("multilabel", (False, True)),
        ("nested", (False, True)),
        ("keep_examples", (False, True)),
        ("thresholds", THRESHOLDS),
        ("attention", tuple(ATTENTIONS)),
        ("init", INITS),
    ):
        value = options[name]
        if name == "init" and isinstance(value, EntityVectors):
            continue
        # 1 equals True, and an array equals nothing that could be asked for.
        if not isinstance(value, str | bool | np.bool_) or value not in allowed:
            hint = did_you_mean(str(value), [str(choice) for choice in allowed])
            raise InputError(f"{name} is {_shown(value)}; {hint}")
    for name in ("encoder", "kb", "lang", "device", "dtype"):
        check_kind(name, options[name])
    if options["lang"] is not None:
        languages_of_texts([], options["lang"])
    if options["pooling"] is not None:
        check_pooling(options["pooling"])
    in_windows = options["long_texts"] is not None and (
        check_long_texts(options["long_texts"]) == "windows"
    )
    if in_windows and options["tune"] != "head":
        raise InputError(WINDOWS_ARE_FOR_FROZEN)
    if options["training"] is not None and options["tune"] == "head":
        raise InputError("training is for tune='lora' or 'full'; leave it out with tune='head'")
    if options["thresholds"] == "tuned" and not options["multilabel"]:
        raise InputError("thresholds is 'tuned', which is for label sets; set multilabel too")
    seed, most = options["random_state"], options["max_entities"]
    if not _is_whole(seed) or not 0 <= seed <= LARGEST_SEED:
        raise InputError(
            f"random_state is {_shown(seed)}; give a whole number, 0 to {LARGEST_SEED:,}"
        )
    if most is not None and (not _is_whole(most) or not 1 <= most <= LARGEST_COUNT):
        raise InputError(
            f"max_entities is {_shown(most)}; give a whole number, 1 to {LARGEST_COUNT:,}, or None"
        )
    for name in ("min_link_prob", "min_commonness"):
        value = options[name]
        is_number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
        if not is_number or not 0.0 <= value <= 1.0:
            raise InputError(f"{name} is {_shown(value)}; a number in 0 to 1 is allowed")


def check_kind(name: str, value: Any) -> None:
    """Raise `InputKindError` for a value of a kind that the parameter `name` does not take."""
    kinds, what = _KINDS[name]
    if not isinstance(value, kinds):
        raise InputKindError(f"{name} is {_shown(value)}; give {what}")


def _shown(value: Any) -> str:
    """Return a value for a sentence: on one line, also an array, and not long."""
    return f"{' '.join(repr(value).split()):.40}"


def _is_whole(value: Any) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)
