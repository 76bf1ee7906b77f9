"""`Pretrainer`: masked and translation language modelling, of a new encoder or of any other."""

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import asdict, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Self

from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError

from isogloss.align.export.card import CardFacts, card_of
from isogloss.align.export.directory import write_sentence_transformers
from isogloss.align.export.record import Record, in_words
from isogloss.align.pretraining.corpus import Corpus, Texts, read_corpus, say
from isogloss.align.pretraining.finished import finished
from isogloss.align.pretraining.options import EncoderShape, PretrainingOptions
from isogloss.align.pretraining.run import Pretraining, pretrain
from isogloss.align.pretraining.stacking import stages
from isogloss.align.pretraining.start import Start, new_encoder, start_from
from isogloss.align.sentence_pairs import Pairs, checked_pairs
from isogloss.encode import Encoder
from isogloss.encode.model import capped_threads, choose_device
from isogloss.encode.settings import Pooling, Setting
from isogloss.errors import InputError
from isogloss.learn.tuned_encoder import TunedEncoder
from isogloss.train.processes import own_device


class Pretrainer(BaseEstimator):
    """Train an encoder to predict masked tokens of texts (MLM) and of pairs (TLM).

    Masked language modelling is that of Devlin et al. (2019), on texts of single languages;
    translation language modelling that of Conneau and Lample (2019), on concatenated pairs.

    Parameters
    ----------
    encoder
        What training starts from: an `Encoder`, or what `Encoder.load` takes; its head where its
        files hold one, else a new one whose output is tied to the embeddings. None: a new encoder.
    tokenizer
        Of a new encoder: a folder that `TrainedTokenizer.save` wrote, or any fast tokenizer's.
    shape
        Of a new encoder: an `EncoderShape`, or its fields by name.
    pooling
        Of the encoder that comes out, ``"mean"`` or ``"cls"``; None: the encoder's own, mean of a
        new one. Training does not use it.
    training
        A `PretrainingOptions`, or options of it by name.
    device, threads
        As in `Encoder.load`; an `Encoder` given as such keeps its own.
    random_state
        Seed of new weights, order, masks and dropout.

    Attributes
    ----------
    encoder_
        The trained `Encoder`.
    results_
        How training went: one result for each stage, its losses the mean over masked tokens.
    options_
        The options that held.

    Examples
    --------
    >>> pretrainer = Pretrainer("bundled", training={"steps": 1000, "learning_rate": 5e-5})
    >>> pretrainer.get_params()["training"]["steps"]
    1000
    """

    def __init__(
        self,
        encoder: Encoder | str | Path | None = None,
        *,
        tokenizer: str | Path | None = None,
        shape: EncoderShape | Mapping[str, Any] | None = None,
        pooling: Pooling | None = None,
        training: PretrainingOptions | Mapping[str, Any] | None = None,
        device: str = "auto",
        threads: int | None = None,
        random_state: int = 0,
    ) -> None:
        self.encoder = encoder
        self.tokenizer = tokenizer
        self.shape = shape
        self.pooling = pooling
        self.training = training
        self.device = device
        self.threads = threads
        self.random_state = random_state

    def fit(
        self,
        texts: Texts | None = None,
        pairs: Pairs | None = None,
        *,
        dev: Texts | None = None,
        dev_pairs: Pairs | None = None,
        checkpoints: str | Path | None = None,
    ) -> Self:
        """Train on texts, pairs, or both.

        Parameters
        ----------
        texts
            Language to its texts, which are gone through once.
        pairs
            Sentence pairs; without `langs` they are of one group.
        dev, dev_pairs
            Texts and pairs that choose the epoch, by the loss on masks that stay the same.
        checkpoints
            Folder for checkpoints; a run that was begun there resumes.

        Raises
        ------
        InputError
            When there is nothing to learn from, or an option is out of range or without effect.

        Warns
        -----
        OmissionWarning
            With the number of texts and pairs that are left out or cut.
        """
        options = PretrainingOptions.of(self.training, is_new=self.encoder is None)
        self._check(options, texts=texts, pairs=pairs)
        with ExitStack() as stack:
            start = self._start(options)
            base = start.base
            stack.enter_context(capped_threads(base.threads))
            length = min(options.max_length or base.settings.max_length.value,
                         base.settings.max_length.value)  # fmt: skip
            corpus = read_corpus(texts, _checked(pairs), base.tokenizer, max_length=length)
            say(corpus)
            judged = None
            if dev or dev_pairs is not None:
                judged = read_corpus(
                    dev, _checked(dev_pairs), base.tokenizer, max_length=length,
                    what="development texts",
                )  # fmt: skip
            run = Pretraining(start, corpus, options, seed=self.random_state, dev=judged)
            model, self.results_ = pretrain(
                run, checkpoints=None if checkpoints is None else Path(checkpoints)
            )
        self._folder = start.folder  # of a new encoder: it has to stay until it is saved
        self.encoder_: TunedEncoder = finished(base, model)
        self.has_own_head_ = start.has_own_head
        self.options_ = options
        self.record_ = self._record(start, corpus, options)
        return self

    def save(self, folder: str | Path, *, overwrite: bool = False) -> None:
        """Write the trained encoder with its head, a sentence-transformers directory with a card.

        ``AutoModelForMaskedLM`` of `transformers` reads it, `Encoder.load` and `Pretrainer` too.

        Raises
        ------
        InputError
            When `folder` exists and `overwrite` is false.
        """
        if not hasattr(self, "encoder_"):
            raise NotFittedError("this Pretrainer is not fitted; call fit first")
        encoder, record = self.encoder_, self.record_
        facts = CardFacts(
            title="Pre-trained encoder",
            limits=["Pre-trained on masked tokens: align or fine-tune it before vectors are used."],
        )
        card = card_of(record, facts, encoder.settings, width=encoder.width)
        write_sentence_transformers(
            encoder, Path(folder), card=card, record=record, overwrite=overwrite
        )

    def _check(
        self, options: PretrainingOptions, *, texts: Texts | None, pairs: Pairs | None
    ) -> None:
        if (self.encoder is None) == (self.tokenizer is None):
            raise InputError(
                "give an encoder to start from, or the tokenizer of a new one, and not both"
            )
        if self.encoder is not None and self.shape is not None:
            raise InputError("a shape is for a new encoder; leave it out, or give a tokenizer")
        if self.encoder is not None and options.stacking:
            raise InputError("stacking is for a new encoder; leave it out, or give a tokenizer")
        if options.stacking:
            stages(self._shape.layers, n_epochs=1, n_draws=1, shares=options.stage_shares)
        if options.tlm_share is not None and not (texts and pairs is not None):
            raise InputError("tlm_share is for texts beside pairs; give both, or leave it out")

    def _start(self, options: PretrainingOptions) -> Start:
        """Return the encoder to start from, of the settings that the trained one is to have."""
        if self.encoder is not None:
            base = self.encoder
            if not isinstance(base, Encoder):
                base = Encoder.load(base, device=self.device, threads=self.threads)
            return self._started(base, options)
        folder = TemporaryDirectory(prefix="isogloss-")
        made = new_encoder(
            Path(str(self.tokenizer)), Path(folder.name), self._shape,
            max_length=options.max_length, seed=self.random_state,
            device=choose_device(self.device),
        )  # fmt: skip
        base = Encoder.load(made, device=self.device, threads=self.threads)
        return replace(self._started(base, options), folder=folder)

    @property
    def _shape(self) -> EncoderShape:
        return self.shape if isinstance(self.shape, EncoderShape) else _shape_of(self.shape)

    def _started(self, base: Encoder, options: PretrainingOptions) -> Start:
        if self.pooling is not None and self.pooling != base.settings.pooling.value:
            chosen: Setting[Pooling] = Setting(self.pooling, "pre-training")
            base = base._with(settings=replace(base.settings, pooling=chosen))
        return start_from(
            base, seed=self.random_state, whole_words=options.whole_words,
            device=own_device(base.device),
        )  # fmt: skip

    def _record(self, start: Start, corpus: Corpus, options: PretrainingOptions) -> Record:
        if start.folder is None:
            record = Record.of(start.base.name)
        else:
            shape = start.base.network
            record = Record(
                f"new: {start.base.n_layers} layers, {shape.width} wide, tokenizer "
                f"{Path(str(self.tokenizer)).name}"
            )
        kinds = frozenset(corpus.blocks.is_pair)
        what = {
            frozenset({False}): "masked language modelling (Devlin et al. 2019)",
            frozenset({True}): "translation language modelling (Conneau and Lample 2019)",
        }.get(kinds, "masked and translation language modelling")
        held = asdict(options) | ({} if options.stacking else {"stage_shares": None})
        return record.and_then(what, settings=in_words(held), rows=corpus.rows)


def _shape_of(given: Any) -> EncoderShape:
    if given is not None and not isinstance(given, Mapping):
        raise InputError(f"shape is {given!r:.40}; give an EncoderShape, or {{'layers': 4}}")
    names = EncoderShape.__dataclass_fields__
    for name in given or {}:
        if name not in names:
            raise InputError(f"shape has '{name}'; allowed: {', '.join(names)}")
    return EncoderShape(**(given or {}))


def _checked(pairs: Pairs | None) -> Pairs | None:
    return None if pairs is None else checked_pairs(pairs)
