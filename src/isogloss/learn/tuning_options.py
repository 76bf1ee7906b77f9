"""Options of tuning the encoder with the classifier: those of the loop, and those of texts."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from isogloss.errors import InputError, did_you_mean
from isogloss.limits import check_count
from isogloss.train import TrainingOptions
from isogloss.train.options import is_number

Tune = Literal["head", "lora", "full"]
Embeddings = Literal["dense", "frozen", "rows"]
TUNES: tuple[Tune, ...] = ("head", "lora", "full")
EMBEDDINGS: tuple[Embeddings, ...] = ("dense", "frozen", "rows")
LEARNING_RATES = {"full": 2e-5, "lora": 2e-4}
WINDOWS_ARE_FOR_FROZEN = (
    "long_texts is 'windows', which is for an encoder that stays frozen (tune='head'); with tuning "
    "leave it out: texts are cut"
)


@dataclass(frozen=True, kw_only=True)
class TuningOptions(TrainingOptions):
    """How the encoder is tuned; see `TrainingOptions` for what is not here.

    Attributes
    ----------
    learning_rate
        None: 2e-5 for ``tune="full"`` (the paper's), 2e-4 for ``"lora"``.
    dev_split
        Share of the training texts that is held out to choose the epoch by, where no development
        texts are given; 0: none, the last epoch is kept.
    class_weights
        ``"balanced"``: the loss of a text counts n_texts / (n_classes · n_texts of its class);
        with several labels a text, the presence of a label counts as much as its absence. None:
        all alike.
    max_length
        Maximum tokens of a text, in training and prediction; None: the encoder's maximum.
    embeddings
        Of the word embeddings: ``"dense"``: trained as all else; ``"rows"``: only the rows that a
        batch touches are updated; ``"frozen"``. None: dense on a graphics card, frozen on a
        processor. ``"lora"`` leaves them as they are.
    dropout
        Of the classifier's input; None: that of the encoder's hidden states in its configuration.
    lora_rank
        Rank of the matrices that ``"lora"`` adds to every linear map of the encoder; their sum is
        scaled by 2.
    """

    dev_split: float = 0.05
    class_weights: Literal["balanced"] | None = None
    max_length: int | None = None
    embeddings: Embeddings | None = None
    dropout: float | None = None
    lora_rank: int = 16

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("dev_split", "dropout"):
            value = getattr(self, name)
            is_share = is_number(value) and 0.0 <= value < 1.0
            if not is_share and (value is not None or name == "dev_split"):
                raise InputError(f"{name} is {value!r:.40}; give a share, 0 to below 1")
        weights, embeddings = self.class_weights, self.embeddings
        if weights is not None and not (isinstance(weights, str) and weights == "balanced"):
            raise InputError(f"class_weights is {weights!r:.40}; give 'balanced' or None")
        is_name = isinstance(embeddings, str) and embeddings in EMBEDDINGS
        if embeddings is not None and not is_name:
            hint = did_you_mean(str(embeddings), EMBEDDINGS)
            raise InputError(f"embeddings is {embeddings!r:.40}; {hint}")
        if self.max_length is not None:
            check_count("max_length", self.max_length)
        check_count("lora_rank", self.lora_rank)

    @classmethod
    def of(cls, given: "TuningOptions | Mapping[str, Any] | None") -> "TuningOptions":
        """Return options given as such, by name, or not at all."""
        if isinstance(given, TuningOptions):
            return given
        return cls(**cls.by_name(given, what="a TuningOptions"))

    def check_method(self, tune: Tune) -> None:
        """Raise `InputError` when word embeddings are to be trained by ``"lora"``."""
        if tune == "lora" and self.embeddings not in (None, "frozen"):
            raise InputError(
                f"embeddings is {self.embeddings!r}, but tune='lora' leaves the embeddings as they "
                "are; use tune='full'"
            )

    def settled(self, *, tune: Tune, device: str) -> "TuningOptions":
        """Return the options with what depends on the method and the device filled in."""
        self.check_method(tune)
        frozen = tune == "lora" or not device.startswith("cuda")
        return replace(
            self,
            learning_rate=self.learning_rate or LEARNING_RATES[tune],
            embeddings=self.embeddings or ("frozen" if frozen else "dense"),
        )
