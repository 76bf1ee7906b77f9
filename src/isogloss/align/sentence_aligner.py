"""`SentenceAligner`: trains an encoder so that translations have near vectors."""

import hashlib
import logging
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError
from torch import nn

from isogloss.align.dual_encoder import DualEncoder
from isogloss.align.export import write_sentence_transformers
from isogloss.align.options import AlignmentOptions, Preset
from isogloss.align.pairs import PairExamples, PairOrder, sentence_numbers
from isogloss.arrays import Floats2d
from isogloss.data.columns import column_of, texts_of
from isogloss.encode import Encoder
from isogloss.encode.plan import make_plan
from isogloss.encode.settings import Pooling
from isogloss.encode.tokenizer import TextTokenizer
from isogloss.errors import InputError, counted, warn_omitted
from isogloss.learn.tuned_encoder import (
    TunedEncoder,
    add_adapter,
    finished_full,
    trainable_network,
    with_settings,
)
from isogloss.retrieve.search import nearest
from isogloss.train import Checkpoints, train
from isogloss.train.cheaper_modules import cheaper_modules
from isogloss.train.processes import own_device

logger = logging.getLogger("isogloss")


@dataclass(frozen=True)
class Pairs:
    """Sentence pairs.

    Attributes
    ----------
    sources, targets
        The two sides; sentences in the same place are translations.
    langs
        Language of each pair, such as that of its target; None: not told apart.
    negatives
        A sentence for each pair that is near its target and no translation; None: none.
    """

    sources: Sequence[str]
    targets: Sequence[str]
    langs: Sequence[str] | None = None
    negatives: Sequence[str] | None = None

    def __len__(self) -> int:
        return len(self.sources)

    def select(self, rows: Sequence[int]) -> "Pairs":
        """Return some pairs, in the order given."""

        def chosen(side: Sequence[str] | None) -> list[str] | None:
            return None if side is None else [side[row] for row in rows]

        return Pairs(
            [self.sources[row] for row in rows], [self.targets[row] for row in rows],
            chosen(self.langs), chosen(self.negatives),
        )  # fmt: skip


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
        given = _checked(Pairs(sources, targets, langs, negatives))
        base = self._base()
        tokenizer = _tokenizer(base, options.max_length)
        pairs = _without_repeats(given)
        network = trainable_network(base, own_device(base.device))
        adapted = None
        if self.tune == "lora":
            adapted = add_adapter(network, rank=options.lora_rank, seed=self.random_state)
        _freeze(network.model, options, is_adapted=adapted is not None)
        if getattr(network.model, "pooler", None) is not None:
            network.model.pooler.requires_grad_(False)  # no directory can name it: see export
        plan = make_plan(
            base.settings, n_layers=base.n_layers, has_pooler=network.has_pooler,
            has_dense=bool(network.dense),
        )  # fmt: skip
        module = DualEncoder(
            network, plan, margin=options.margin, scale=options.scale,
            learns_scale=options.learns_scale,
        )  # fmt: skip
        if adapted is not None:
            module.encoder = adapted
        if options.dropout is not None:
            _set_dropout(module, options.dropout)
        order = PairOrder(
            len(pairs), pairs.langs, batch_size=options.batch_size, batches=options.batches,
            smoothing=options.smoothing, seed=self.random_state,
        )  # fmt: skip
        with cheaper_modules(network.model, is_first_enough=plan.pooling == "cls"):
            self.result_ = train(
                module, _examples(pairs, tokenizer),
                loss=module.loss,
                options=options,
                seed=self.random_state,
                order=order,
                score=None if dev is None else _DevScore(module, tokenizer, _checked(dev)),
                score_in_words=lambda score: f"retrieval accuracy {score[0]:.4f}",
                undecayed=("log_scale",),
                checkpoints=None if checkpoints is None else Checkpoints(checkpoints),
                run=None if checkpoints is None else self._run(base, options, pairs),
                description=f"aligning ({self.tune})",
            )  # fmt: skip
        network.model.get_input_embeddings().sparse = False
        if adapted is not None:
            network.model = adapted.merge_and_unload()
        network.model.requires_grad_(False)
        self.encoder_: TunedEncoder = finished_full(base, network)
        self.options_ = options
        self.n_pairs_ = len(pairs)
        self.langs_ = sorted(set(pairs.langs)) if pairs.langs is not None else []
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
        return with_settings(
            encoder, pooling=pooling or encoder.settings.pooling.value, normalize=True,
            max_length=None,
        )  # fmt: skip

    def _run(self, base: Encoder, options: AlignmentOptions, pairs: Pairs) -> dict[str, Any]:
        digest = hashlib.sha256()
        for side in (pairs.sources, pairs.targets, pairs.langs or (), pairs.negatives or ()):
            for text in side:
                digest.update(f"{len(text)} {text}".encode())
        return {
            "encoder": base.fingerprint, "pairs": digest.hexdigest(),
            "alignment": asdict(options), "tune": self.tune,
        }  # fmt: skip

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


class _DevScore:
    """Mean over languages of the accuracy of retrieval, both directions, on development pairs."""

    def __init__(self, module: DualEncoder, tokenizer: TextTokenizer, dev: Pairs) -> None:
        if not len(dev):
            raise InputError("dev holds no pairs; give two or more, or leave it out")
        self._module = module
        self._ids = tokenizer([*dev.sources, *dev.targets]).ids
        langs = np.asarray(dev.langs if dev.langs is not None else [""] * len(dev), dtype=str)
        self._rows = [np.flatnonzero(langs == lang) for lang in np.unique(langs)]
        self._n = len(dev)

    def __call__(self) -> tuple[float]:
        vectors = self._module.vectors(self._ids).float().cpu().numpy()
        sources, targets = vectors[: self._n], vectors[self._n :]
        found = []
        for rows in self._rows:
            places = np.arange(len(rows))
            for some, others in ((sources, targets), (targets, sources)):
                hits = nearest(some[rows], others[rows]).rows[:, 0] == places
                found.append(float(hits.mean()))
        return (float(np.mean(found)),)


def _checked(pairs: Pairs) -> Pairs:
    sources = texts_of(pairs.sources, "sources")
    targets = texts_of(pairs.targets, "targets")
    columns: dict[str, Any] = {"targets": targets}
    langs = negatives = None
    if pairs.langs is not None:
        langs = columns["langs"] = column_of(pairs.langs, "langs", of="languages")
    if pairs.negatives is not None:
        negatives = columns["negatives"] = texts_of(pairs.negatives, "negatives")
    for name, column in columns.items():
        if len(column) != len(sources):
            raise InputError(
                f"{counted(len(column), name.removesuffix('s'))} for "
                f"{counted(len(sources), 'source')}; give one for each"
            )
    return Pairs(sources, targets, langs, negatives)


def _without_repeats(pairs: Pairs) -> Pairs:
    """Leave out pairs with an empty side and repeated pairs; say how many."""
    is_empty = np.array(
        [not source.strip() or not target.strip()
         for source, target in zip(pairs.sources, pairs.targets, strict=True)], bool,
    )  # fmt: skip
    met: set[tuple[str, str]] = set()
    first = np.zeros(len(pairs), bool)
    for row, (source, target) in enumerate(zip(pairs.sources, pairs.targets, strict=True)):
        first[row] = (source.strip(), target.strip()) not in met
        met.add((source.strip(), target.strip()))
    kept = np.flatnonzero(first & ~is_empty)
    n_repeated = int((~first & ~is_empty).sum())
    if is_empty.any() or n_repeated:
        warn_omitted(
            f"{counted(int(is_empty.sum()), 'pair')} with an empty side and "
            f"{counted(n_repeated, 'repeated pair')} of {len(pairs):,} are left out"
        )
    if len(kept) < 2:
        raise InputError(f"{counted(len(kept), 'pair')} to learn from; give two or more")
    return pairs.select(kept.tolist())


def _examples(pairs: Pairs, tokenizer: TextTokenizer) -> PairExamples:
    sides = [pairs.sources, pairs.targets]
    if pairs.negatives is not None:
        sides.append(pairs.negatives)
    numbers = sentence_numbers(*sides)
    ids = [tokenizer(side).ids for side in sides]
    return PairExamples(
        ids[0], ids[1], np.stack(numbers[:2]),
        negatives=ids[2] if len(ids) > 2 else None,
        negative_numbers=numbers[2] if len(ids) > 2 else None,
    )  # fmt: skip


def _tokenizer(base: Encoder, max_length: int | None) -> TextTokenizer:
    """Return the encoder's tokenizer, which cuts sentences sooner in training."""
    longest = base.settings.max_length.value
    return TextTokenizer(
        base.tokenizer.backend, prefix=base.tokenizer.prefix,
        max_length=min(max_length or longest, longest), is_parallel=base.tokenizer.is_parallel,
    )  # fmt: skip


def _freeze(model: Any, options: AlignmentOptions, *, is_adapted: bool) -> None:
    """Leave out of training what the options say."""
    how = options.embeddings or ("frozen" if is_adapted else "rows")
    if is_adapted and how != "frozen":
        raise InputError(
            f"embeddings is {how!r}, but tune='lora' leaves the embeddings as they are; use "
            "tune='full'"
        )
    if options.upper_layers is not None:
        layers = _layers(model)
        if options.upper_layers > len(layers):
            raise InputError(
                f"upper_layers is {options.upper_layers}; the encoder has {len(layers)} layers"
            )
        n_lower = len(layers) - options.upper_layers
        if is_adapted:
            layers[:n_lower].requires_grad_(False)
        else:
            model.requires_grad_(False)
            layers[n_lower:].requires_grad_(True)
        how = "frozen"
    if not is_adapted:
        embedding = model.get_input_embeddings()
        embedding.weight.requires_grad_(how in ("dense", "rows"))
        embedding.sparse = how == "rows"


def _layers(model: Any) -> nn.ModuleList:
    """Return the transformer layers: the longest list of modules there is."""
    lists = [part for part in model.modules() if isinstance(part, nn.ModuleList)]
    return max(lists, key=len)


def _set_dropout(module: nn.Module, share: float) -> None:
    for part in module.modules():
        if isinstance(part, nn.Dropout):
            part.p = share
