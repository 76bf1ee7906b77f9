"""Options of pre-training, and the shape of an encoder that begins from nothing."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from isogloss.align.pretraining.stacking import N_STAGES
from isogloss.errors import InputError
from isogloss.limits import check_count
from isogloss.train import TrainingOptions
from isogloss.train.options import is_number

LEARNING_RATES = {"new": 5e-4, "continued": 5e-5}


@dataclass(frozen=True, kw_only=True)
class EncoderShape:
    """Size of a new encoder, a BERT; feed-forward layers are four times as wide.

    Attributes
    ----------
    layers, width, heads
        Transformer layers, dimensions of hidden states, attention heads of a layer.
    """

    layers: int = 12
    width: int = 768
    heads: int = 12

    def __post_init__(self) -> None:
        for name in ("layers", "width", "heads"):
            check_count(name, getattr(self, name), most=1 << 16)
        if self.width % self.heads:
            raise InputError(f"width is {self.width}, no multiple of heads, {self.heads}")

    def n_parameters(self, vocab_size: int, n_positions: int) -> int:
        """Return the number of weights of a BERT of this shape, its head for tokens included."""
        width = self.width
        embeddings = (vocab_size + n_positions + 2) * width + 2 * width
        of_layer = 12 * width**2 + 13 * width  # attention, feed-forward, two norms
        return embeddings + self.layers * of_layer + width**2 + 3 * width + vocab_size


@dataclass(frozen=True, kw_only=True)
class PretrainingOptions(TrainingOptions):
    """How an encoder is pre-trained; see `TrainingOptions` for what is not here.

    Attributes
    ----------
    batch_size
        Blocks of a step: packed sentences of one language, or a pair.
    learning_rate
        None: 5e-4 for a new encoder, 5e-5 for one that is trained further.
    steps
        Steps in all, as many in each of the `epochs`, after which the development loss is
        measured; None: an epoch has as many blocks as there are.
    tlm_share
        Share of pairs among the blocks drawn; None: as many as there are.
    smoothing
        A language, or pair of languages, with n blocks is drawn in proportion to n to this power.
    mask_share
        Share of the tokens that are to be predicted.
    whole_words
        Whether all tokens of a word are masked together.
    max_length
        Most tokens of a block; a new encoder has as many positions. None: what the encoder, or the
        tokenizer, takes.
    dropout
        Of the encoder's hidden states in training; None: that of its configuration, 0.1 in a new
        one.
    stacking
        Whether a new encoder begins with a quarter of its layers, then has half of them, then all
        (`isogloss.align.pretraining.stacking`).
    stage_shares
        Share of the steps in each of the three stages.
    """

    epochs: int = 1
    batch_size: int = 64
    steps: int | None = None
    tlm_share: float | None = None
    smoothing: float = 0.7
    mask_share: float = 0.15
    whole_words: bool = False
    max_length: int | None = 128
    dropout: float | None = None
    stacking: bool = False
    stage_shares: tuple[float, ...] = (0.2, 0.2, 0.6)

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "stage_shares", tuple(self.stage_shares))
        for name in ("steps", "max_length"):
            if getattr(self, name) is not None:
                check_count(name, getattr(self, name))
        if self.steps is not None and self.steps < self.epochs:
            raise InputError(
                f"steps is {self.steps}, less than one for each of {self.epochs} epochs"
            )
        for name in ("tlm_share", "smoothing"):
            value = getattr(self, name)
            if value is not None and not (is_number(value) and 0.0 <= value <= 1.0):
                raise InputError(f"{name} is {value!r:.40}; give 0 to 1")
        if not is_number(self.mask_share) or not 0.0 < self.mask_share < 1.0:
            raise InputError(f"mask_share is {self.mask_share!r:.40}; give a share, such as 0.15")
        if self.dropout is not None and not (is_number(self.dropout) and 0 <= self.dropout < 1):
            raise InputError(f"dropout is {self.dropout!r:.40}; give a share, 0 to below 1")
        for name in ("whole_words", "stacking"):
            if not isinstance(getattr(self, name), bool):
                raise InputError(f"{name} is {getattr(self, name)!r:.40}; give True or False")
        shares = self.stage_shares
        if len(shares) != N_STAGES or not all(is_number(one) and one > 0 for one in shares):
            raise InputError(f"stage_shares is {shares!r:.40}; give three numbers above 0")
        if abs(sum(shares) - 1) > 1e-6:
            raise InputError(f"stage_shares sum to {sum(shares):g}; give shares that sum to 1")

    @classmethod
    def of(
        cls, given: "PretrainingOptions | Mapping[str, Any] | None", *, is_new: bool
    ) -> "PretrainingOptions":
        """Return options given as such or by name.

        Raises
        ------
        InputError
            For a name that is no option, or a value out of range.
        """
        rate = LEARNING_RATES["new" if is_new else "continued"]
        if isinstance(given, PretrainingOptions):
            return replace(given, learning_rate=given.learning_rate or rate)
        by_name = cls.by_name(given, what="a PretrainingOptions")
        return cls(**{"learning_rate": rate} | by_name)
