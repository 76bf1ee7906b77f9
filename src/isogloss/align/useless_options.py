"""Options that would be without effect beside others are refused, each in one sentence.

An option that silently does nothing is worse than none: who gives it believes in it. Every option
of `AlignmentOptions` stands here, with what it needs or as one that always holds; a test compares
the lists.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any

from isogloss.align.options import AlignmentOptions
from isogloss.errors import InputError


@dataclass(frozen=True, kw_only=True)
class Circumstances:
    """What beside the options decides whether they have an effect."""

    tune: str  # "full" or "lora"
    has_dev: bool  # whether development pairs were given
    has_languages: bool  # whether the pairs are of several languages that are told apart
    has_teacher: bool  # of distillation


@dataclass(frozen=True)
class _Need:
    """What an option needs; `sentence` follows its name and value."""

    is_met: Callable[[AlignmentOptions, Circumstances], bool]
    sentence: str


_LANGUAGES = _Need(
    lambda _, around: around.has_languages,
    "is for pairs of several languages that are told apart; leave it out",
)
_RANKING = _Need(
    lambda options, _: options.ranking_weight > 0,
    "is of translation ranking, whose weight is 0; leave it out",
)
_TEACHER = _Need(
    lambda _, around: around.has_teacher,
    "weighs two objectives, and there is one; give a teacher too, or leave it out",
)
NEEDS: Mapping[str, _Need] = {
    "batches": _LANGUAGES,
    "smoothing": _LANGUAGES,
    "margin": _RANKING,
    "scale": _RANKING,
    "learns_scale": _RANKING,
    "hard_negatives": _RANKING,
    "negative_margin": _Need(
        lambda options, _: options.hard_negatives > 0,
        "is for hard negatives that are mined; give hard_negatives too",
    ),
    "ranking_weight": _TEACHER,
    "distillation_weight": _TEACHER,
    "embeddings": _Need(
        lambda options, around: around.tune == "full" or options.embeddings == "frozen",
        "trains word embeddings, but tune='lora' leaves the embeddings as they are; use "
        "tune='full'",
    ),
    "lora_rank": _Need(
        lambda _, around: around.tune == "lora",
        "is for low-rank matrices; use tune='lora', or leave it out",
    ),
    "patience": _Need(
        lambda _, around: around.has_dev,
        "is for epochs that are compared; give dev pairs, or leave it out",
    ),
}
ALWAYS = frozenset({
    "epochs", "batch_size", "learning_rate", "warm_up", "weight_decay", "clip_norm", "precision",
    "average_checkpoints", "max_length", "upper_layers", "dropout",
})  # fmt: skip
NEVER = frozenset({"accumulate", "max_tokens"})  # `AlignmentOptions` refuses them itself


def refuse_useless(options: AlignmentOptions, given: set[str], around: Circumstances) -> None:
    """Raise `InputError` for an option that was given and has no effect.

    Parameters
    ----------
    given
        Names of the options that were given: `given_names`.
    """
    for name, need in NEEDS.items():
        if name in given and not need.is_met(options, around):
            raise InputError(f"{name} is {getattr(options, name)!r:.40}, which {need.sentence}")


def given_names(training: AlignmentOptions | Mapping[str, Any] | None) -> set[str]:
    """Return the names of options that say something: of those given by name all but None.

    Of an `AlignmentOptions`, which has a value for each, those that are not the default.
    """
    if isinstance(training, AlignmentOptions):
        default = AlignmentOptions()
        return {
            field.name for field in fields(training)
            if getattr(training, field.name) != getattr(default, field.name)
        }  # fmt: skip
    return {name for name, value in (training or {}).items() if value is not None}
