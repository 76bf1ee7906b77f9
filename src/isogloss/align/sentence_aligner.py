"""`SentenceAligner`: trains an encoder so that translations have near vectors."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Self

from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError

from isogloss.align.export import refuse_pooler, write_sentence_transformers
from isogloss.align.options import AlignmentOptions, Preset
from isogloss.align.sentence_pairs import Pairs, checked_pairs, without_repeats
from isogloss.align.training import AlignmentTask, align
from isogloss.align.useless_options import Circumstances, given_names, refuse_useless
from isogloss.arrays import Floats2d
from isogloss.encode import Encoder
from isogloss.encode.settings import Pooling
from isogloss.errors import InputError
from isogloss.learn.tuned_encoder import TunedEncoder, with_settings


class SentenceAligner(BaseEstimator):
    """Train an encoder by translation ranking (Feng et al. 2022, LaBSE).

    Parameters
    ----------
    encoder
        What training starts from: an `Encoder`, or what `Encoder.load` takes.
    preset
        ``"default"``; or ``"labse"``, the paper's settings: [CLS], margin 0.3, batches of 4,096.
    tune
        ``"full"``: all weights; ``"lora"``: low-rank matrices beside them, merged at the end.
    pooling
        None: the encoder's own; [CLS] under ``"labse"``.
    training
        An `AlignmentOptions`, or options of it by name.
    random_state
        Seed of the order and of dropout.

    Attributes
    ----------
    encoder_
        The trained `Encoder`, of unit vectors.
    result_
        How training went.
    options_
        The options that held.

    Examples
    --------
    >>> aligner = SentenceAligner(training={"epochs": 2, "learning_rate": 3e-5})
    >>> aligner.get_params()["training"]["epochs"]
    2
    """

    def __init__(
        self,
        encoder: Encoder | str | Path = "bundled",
        *,
        preset: Preset = "default",
        tune: str = "full",
        pooling: Pooling | None = None,
        training: AlignmentOptions | Mapping[str, Any] | None = None,
        random_state: int = 0,
    ) -> None:
        self.encoder = encoder
        self.preset = preset
        self.tune = tune
        self.pooling = pooling
        self.training = training
        self.random_state = random_state

    def fit(
        self,
        sources: Sequence[str],
        targets: Sequence[str],
        langs: Sequence[str] | None = None,
        *,
        negatives: Sequence[str] | None = None,
        dev: Pairs | None = None,
        checkpoints: str | Path | None = None,
    ) -> Self:
        """Train on pairs.

        Parameters
        ----------
        sources, targets
            Sentences; those in the same place are translations.
        langs
            Language of each pair; only `smoothing`, `batches` and the development score use it.
        negatives
            Hard negatives, one a pair (`isogloss.mine`).
        dev
            Pairs that choose the epoch, by the mean retrieval accuracy over languages.
        checkpoints
            Folder for checkpoints; a run that was begun there resumes.

        Raises
        ------
        InputError
            For sides of different lengths, fewer than two pairs, or an option out of range.

        Warns
        -----
        OmissionWarning
            With the number of pairs left out because a side is empty, or repeated.
        """
        options = AlignmentOptions.of(self.training, preset=self.preset, tune=self.tune)
        pairs = checked_pairs(Pairs(sources, targets, langs, negatives))
        judged = None if dev is None else checked_pairs(dev)
        given = given_names(self.training)
        refuse_useless(
            options, given,
            Circumstances(
                tune=self.tune, has_dev=dev is not None, has_languages=pairs.has_languages
            ),
        )  # fmt: skip
        base = self._base()
        longest = base.settings.max_length.value
        if "max_length" in given and (options.max_length or 0) > longest:
            raise InputError(
                f"max_length is {options.max_length}; {base.name} takes {longest} at most"
            )
        task = AlignmentTask(
            base=base, pairs=without_repeats(pairs), options=options, tune=self.tune,
            seed=self.random_state, dev=judged,
        )  # fmt: skip
        aligned = align(task, checkpoints=None if checkpoints is None else Path(checkpoints))
        self.encoder_: TunedEncoder = aligned.encoder
        self.result_ = aligned.result
        self.options_ = options
        self.n_pairs_ = len(task.pairs)
        self.langs_ = sorted(set(langs)) if (langs := task.pairs.langs) is not None else []
        return self

    def transform(self, texts: Sequence[str]) -> Floats2d:
        """Return unit vectors of texts: float32 (n_texts, width)."""
        self._check_fitted()
        return self.encoder_.encode(texts)  # type: ignore[return-value]

    def save(self, folder: str | Path, *, overwrite: bool = False) -> None:
        """Write the trained encoder as a sentence-transformers directory, with a model card.

        Raises
        ------
        InputError
            When `folder` exists and `overwrite` is false.
        """
        self._check_fitted()
        write_sentence_transformers(
            self.encoder_, Path(folder), card=self._card(), overwrite=overwrite
        )

    def _check_fitted(self) -> None:
        if not hasattr(self, "encoder_"):
            raise NotFittedError("this SentenceAligner is not fitted; call fit first")

    def _base(self) -> Encoder:
        """Return the encoder under the settings that the trained one is to have."""
        encoder = self.encoder
        if not isinstance(encoder, Encoder):
            encoder = Encoder.load(encoder)
        pooling = self.pooling or ("cls" if self.preset == "labse" else None)
        pooling = pooling or encoder.settings.pooling.value
        refuse_pooler(pooling)
        return with_settings(encoder, pooling=pooling, normalize=True, max_length=None)

    def _card(self) -> str:
        options, encoder = self.options_, self.encoder_
        said = ", ".join(f"{name} {value}" for name, value in asdict(options).items())
        langs = ", ".join(self.langs_) or "not told apart"
        return (
            f"# Sentence encoder\n\nTrained from `{encoder.name}` on {self.n_pairs_:,} sentence "
            f"pairs by bidirectional translation ranking (Feng et al. 2022).\n\n"
            f"- Languages of the pairs: {langs}\n- Method: {self.tune}; {said}\n"
            f"- Vectors: {encoder.width} dimensions, unit length; texts start with "
            f"`{encoder.settings.prefix.value}`\n\nThe licence of the encoder and those of the "
            "pairs hold for these weights.\n"
        )
