"""Options of training on translations, and the presets that settle them."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from isogloss.align.training.order import BATCHES, Batches
from isogloss.errors import InputError, did_you_mean
from isogloss.learn.tuning_options import EMBEDDINGS, Embeddings
from isogloss.limits import check_count
from isogloss.train import TrainingOptions
from isogloss.train.options import is_number

Preset = Literal["default", "labse"]
PRESETS: dict[str, dict[str, Any]] = {
    "default": {},
    "labse": {
        "margin": 0.3,
        "scale": 20.0,
        "batch_size": 4096,
        "learning_rate": 1e-3,
        "max_length": 64,
    },
}
LEARNING_RATES = {"full": 1e-4, "lora": 5e-4}
LORA_RANK = 16
MOST_NEGATIVES = 100  # of a pair


@dataclass(frozen=True, kw_only=True)
class AlignmentOptions(TrainingOptions):
    """How an encoder is trained on translations; see `TrainingOptions` for what is not here.

    Attributes
    ----------
    batch_size
        Pairs that are ranked against each other, over all processes; however many texts fit into
        memory at a time is found out.
    learning_rate
        None: 1e-4 for ``tune="full"``, 5e-4 for ``"lora"``.
    margin, scale
        m and s of the loss (`isogloss.align.training.ranking`). An encoder that was trained at
        another scale than its own loses what it knows of similarity: that of e5 is 100.
    learns_scale
        Whether the scale is trained too, starting from `scale`.
    ranking_weight, distillation_weight
        Of the two objectives; without a teacher the first is all there is. Ranking with weight 0:
        distillation alone (`isogloss.align.training.distillation`).
    hard_negatives
        Targets that are mined for each pair as further negatives (`isogloss.mine.negatives`); 0:
        those of the batch alone.
    negative_margin
        Least cosine by which a mined negative is less near than the translation.
    batches
        ``"mixed"``: a batch has pairs of all languages; ``"one-language"``: of one.
    smoothing
        A language with n pairs is drawn in proportion to n to this power.
    max_length
        Maximum tokens of a sentence in training; None: the encoder's maximum.
    embeddings
        Of the word embeddings: ``"rows"``: only those a batch touches are updated; ``"dense"``,
        ``"frozen"``. None: rows; frozen under ``"lora"`` and with `upper_layers`.
    upper_layers
        Layers that are trained, counted from the last, and the word embeddings where `embeddings`
        says so; None: all.
    dropout
        Of the encoder's hidden states in training; None: that of its configuration.
    lora_rank
        Rank of the matrices that ``tune="lora"`` adds; None: 16.
    """

    epochs: int = 1
    batch_size: int = 256
    margin: float = 0.0
    scale: float = 100.0
    learns_scale: bool = False
    ranking_weight: float = 1.0
    distillation_weight: float = 1.0
    hard_negatives: int = 0
    negative_margin: float = 0.05
    batches: Batches = "mixed"
    smoothing: float = 1.0
    max_length: int | None = 128
    embeddings: Embeddings | None = None
    upper_layers: int | None = None
    dropout: float | None = 0.0
    lora_rank: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.batch_size < 2:
            raise InputError("batch_size is 1; a pair is ranked against others: give 2 or more")
        for name in ("accumulate", "max_tokens"):
            if getattr(self, name) is not None:
                raise InputError(
                    f"{name} is for losses of single examples; pairs are ranked in whole batches, "
                    "and what fits into memory at a time is found out"
                )
        if not is_number(self.margin) or not -1.0 <= self.margin <= 1.0:
            raise InputError(f"margin is {self.margin!r:.40}; give a cosine, such as 0.3")
        if not is_number(self.scale) or not 0.0 < self.scale <= 1000.0:
            raise InputError(f"scale is {self.scale!r:.40}; give a number above 0, such as 100")
        if not is_number(self.smoothing) or not 0.0 <= self.smoothing <= 1.0:
            raise InputError(f"smoothing is {self.smoothing!r:.40}; give 0 to 1")
        for name in ("ranking_weight", "distillation_weight"):
            if not is_number(getattr(self, name)) or not 0.0 <= getattr(self, name) <= 1e6:
                raise InputError(f"{name} is {getattr(self, name)!r:.40}; give a weight, 0 or more")
        if not is_number(self.negative_margin) or not -1.0 <= self.negative_margin <= 1.0:
            raise InputError(
                f"negative_margin is {self.negative_margin!r:.40}; give a cosine, such as 0.05"
            )
        check_count("hard_negatives", self.hard_negatives, least=0, most=MOST_NEGATIVES)
        if self.dropout is not None and not (is_number(self.dropout) and 0 <= self.dropout < 1):
            raise InputError(f"dropout is {self.dropout!r:.40}; give a share, 0 to below 1")
        _check_name("batches", self.batches, BATCHES)
        if self.embeddings is not None:
            _check_name("embeddings", self.embeddings, EMBEDDINGS)
        for name in ("max_length", "upper_layers", "lora_rank"):
            if getattr(self, name) is not None:
                check_count(name, getattr(self, name))

    @classmethod
    def of(
        cls, given: "AlignmentOptions | Mapping[str, Any] | None", *, preset: str, tune: str
    ) -> "AlignmentOptions":
        """Return options given as such or by name, the others as a preset has them.

        Raises
        ------
        InputError
            For a name that is no option or preset, a value out of range, or a preset beside an
            `AlignmentOptions`, which leaves nothing open.
        """
        _check_name("preset", preset, PRESETS)
        _check_name("tune", tune, LEARNING_RATES)
        if isinstance(given, AlignmentOptions):
            if preset != "default":
                raise InputError(
                    f"preset is {preset!r}, and training is an AlignmentOptions, which settles all "
                    "a preset could; give options by name: {'margin': 0.3}"
                )
            return replace(given, learning_rate=given.learning_rate or LEARNING_RATES[tune])
        by_name = cls.by_name(given, what="an AlignmentOptions")
        if by_name.get("learning_rate", 0) is None:
            del by_name["learning_rate"]
        chosen: dict[str, Any] = {"learning_rate": LEARNING_RATES[tune]} | PRESETS[preset]
        return cls(**chosen | by_name)


def _check_name(option: str, value: object, known: Any) -> None:
    if not isinstance(value, str) or value not in known:
        raise InputError(f"{option} is {value!r:.40}; {did_you_mean(str(value), known)}")
