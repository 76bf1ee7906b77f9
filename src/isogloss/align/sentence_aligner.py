"""`SentenceAligner`: trains an encoder so that translations have near vectors."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Self

from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError

from isogloss.align.export import CardFacts, Record, card_of, write_sentence_transformers
from isogloss.align.export.record import in_words
from isogloss.align.options import AlignmentOptions, Preset
from isogloss.align.sentence_pairs import Pairs, checked_pairs, without_repeats
from isogloss.align.training.task import AlignmentTask, align
from isogloss.align.useless_options import Circumstances, given_names, refuse_useless
from isogloss.arrays import Floats2d
from isogloss.encode import Encoder
from isogloss.encode.settings import Pooling
from isogloss.errors import InputError
from isogloss.learn.export.directory import refuse_pooler
from isogloss.learn.tuned_encoder import TunedEncoder, with_settings
from isogloss.text.languages import UNKNOWN


class SentenceAligner(BaseEstimator):
    """Train an encoder by translation ranking (Feng et al. 2022, LaBSE), distillation, or both.

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
    teacher
        An encoder whose vectors of the sources those of both sides are drawn to (Reimers and
        Gurevych 2020); None: there is no distillation.
    negatives_from
        The encoder that hard negatives are mined with; None: `encoder`.
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
    ranked_
        Of each epoch how its pairs were ranked in their batches; of a resumed run those since.
    options_
        The options that held.
    record_
        What the encoder was made of, in the words of its model card.

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
        teacher: Encoder | str | Path | None = None,
        negatives_from: Encoder | str | Path | None = None,
        training: AlignmentOptions | Mapping[str, Any] | None = None,
        random_state: int = 0,
    ) -> None:
        self.encoder = encoder
        self.preset = preset
        self.tune = tune
        self.pooling = pooling
        self.teacher = teacher
        self.negatives_from = negatives_from
        self.training = training
        self.random_state = random_state

    def fit(
        self,
        sources: Sequence[str],
        targets: Sequence[str],
        langs: Sequence[str] | None = None,
        *,
        negatives: Sequence[str | Sequence[str]] | None = None,
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
            Hard negatives: for each pair a sentence, or any number of them. They are mined where
            `training` has ``hard_negatives``.
        dev
            Pairs that choose the epoch, by the mean retrieval accuracy over languages.
        checkpoints
            Folder for checkpoints; a run that was begun there resumes.

        Raises
        ------
        InputError
            For sides of different lengths, fewer than two pairs, an option out of range or without
            effect, or a teacher whose vectors have another width.

        Warns
        -----
        OmissionWarning
            With the number of pairs left out because a side is empty, or repeated, and of
            sentences that were cut.
        """
        options = AlignmentOptions.of(self.training, preset=self.preset, tune=self.tune)
        pairs = checked_pairs(Pairs(sources, targets, langs, negatives))
        judged = None if dev is None else checked_pairs(dev)
        self._refuse_useless(options, pairs, dev)
        base = self._base()
        self._refuse_length(options, base)
        task = AlignmentTask(
            base=base, pairs=without_repeats(pairs), options=options, tune=self.tune,
            seed=self.random_state, dev=judged, teacher=_loaded(self.teacher, base),
            negatives_from=_loaded(self.negatives_from, base),
        )  # fmt: skip
        aligned = align(task, checkpoints=None if checkpoints is None else Path(checkpoints))
        self.encoder_: TunedEncoder = aligned.encoder
        self.result_ = aligned.result
        self.ranked_ = aligned.ranked
        self.options_ = options
        self.n_pairs_ = aligned.n_pairs
        self.record_ = Record.of(base.name).and_then(
            _objectives(options, task.teacher),
            settings=f"{self.tune}; {_said(options)}",
            rows=Counter(task.pairs.langs or [UNKNOWN] * len(task.pairs)),
        )  # fmt: skip
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
        encoder, record = self.encoder_, self.record_
        card = card_of(record, CardFacts(), encoder.settings, width=encoder.width)
        write_sentence_transformers(
            encoder, Path(folder), card=card, record=record, overwrite=overwrite
        )

    def _check_fitted(self) -> None:
        if not hasattr(self, "encoder_"):
            raise NotFittedError("this SentenceAligner is not fitted; call fit first")

    def _refuse_useless(self, options: AlignmentOptions, pairs: Pairs, dev: Pairs | None) -> None:
        around = Circumstances(
            tune=self.tune, has_dev=dev is not None, has_languages=pairs.has_languages,
            has_teacher=self.teacher is not None,
        )  # fmt: skip
        refuse_useless(options, given_names(self.training), around)
        if options.hard_negatives and pairs.negatives is not None:
            raise InputError("hard_negatives are to be mined, and negatives are given; leave one")
        if self.negatives_from is not None and not options.hard_negatives:
            raise InputError("negatives_from is for hard negatives; give hard_negatives too")
        if not options.ranking_weight and pairs.negatives is not None:
            raise InputError("negatives are for ranking, whose weight is 0; leave them out")
        if dev is not None and dev.negatives is not None:
            raise InputError("dev has negatives, which its score has no use for; leave them out")
        if self.teacher is not None and not options.distillation_weight:
            raise InputError("distillation_weight is 0, so the teacher is of no use; leave it out")

    def _refuse_length(self, options: AlignmentOptions, base: Encoder) -> None:
        longest = base.settings.max_length.value
        if "max_length" in given_names(self.training) and (options.max_length or 0) > longest:
            raise InputError(
                f"max_length is {options.max_length}; {base.name} takes {longest} at most"
            )

    def _base(self) -> Encoder:
        """Return the encoder under the settings that the trained one is to have."""
        encoder = self.encoder
        if not isinstance(encoder, Encoder):
            encoder = Encoder.load(encoder)
        pooling = self.pooling or ("cls" if self.preset == "labse" else None)
        pooling = pooling or encoder.settings.pooling.value
        refuse_pooler(pooling)
        return with_settings(encoder, pooling=pooling, normalize=True, max_length=None)


def _loaded(encoder: Encoder | str | Path | None, base: Encoder) -> Encoder | None:
    """Return an encoder beside the base, on its device."""
    if encoder is None or isinstance(encoder, Encoder):
        return encoder
    return Encoder.load(encoder, device=base.device, threads=base.threads)


def _objectives(options: AlignmentOptions, teacher: Encoder | None) -> str:
    said = []
    if options.ranking_weight:
        said.append("bidirectional translation ranking (Feng et al. 2022)")
    if teacher is not None:
        base = Record.of(teacher.name).base
        said.append(f"distillation from {base} (Reimers and Gurevych 2020)")
    return " and ".join(said)


def _said(options: AlignmentOptions) -> str:
    """Return the options of the objectives that were trained."""
    held = asdict(options)
    if not options.hard_negatives:
        del held["hard_negatives"], held["negative_margin"]
    return in_words(held)
