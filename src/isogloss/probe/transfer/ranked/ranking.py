"""Make the rankings of `result`: numbers of each training language for each target."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from isogloss.arrays import Doubles1d, Floats2d
from isogloss.encode import Encoder
from isogloss.encode.words.word_vectors import network_of
from isogloss.errors import InputError
from isogloss.probe.transfer.matrix.saved import SavedMatrix
from isogloss.probe.transfer.matrix.sets import TrainingSet
from isogloss.probe.transfer.measures.nearest_tokens import nearest_shares
from isogloss.probe.transfer.measures.overlap import overlap, token_types
from isogloss.probe.transfer.measures.pairs import Pair
from isogloss.probe.transfer.measures.typology import shared_features
from isogloss.probe.transfer.measures.word_orders import WordOrders
from isogloss.probe.transfer.ranked.result import Ranked, scores_of, scores_on_others
from isogloss.probe.transfer.ranked.token_vectors import token_vectors
from isogloss.progress import progress

Sentences = Sequence[Sequence[str]]


@dataclass(frozen=True)
class RankOptions:
    """What was asked.

    Attributes
    ----------
    layer
        Of NN-Rank; None: two thirds of the layers up, where middle layers are most alike between
        languages.
    """

    matrix: str
    wals: str | None
    system: str
    layer: int | None
    max_sentences: int


@dataclass(frozen=True)
class RankedTargets:
    """The rankings of all targets, and how they were made."""

    targets: list[Ranked]
    options: RankOptions
    notes: list[str]


def rank_sources_of(
    saved: SavedMatrix,
    encoder: Encoder,
    further: Mapping[str, Sentences],
    *,
    orders: WordOrders | None,
    options: RankOptions,
) -> RankedTargets:
    """Rank the training languages of a matrix for its test languages and further targets.

    Parameters
    ----------
    encoder
        That of the system.
    further
        Language → sentences; a sentence that is not cut into words is one word.

    Raises
    ------
    InputError
        When a file of the matrix is not what it was, or the encoder lacks the layer.
    """
    n_layers = network_of(encoder).n_layers
    layer = round(2 * n_layers / 3) if options.layer is None else options.layer
    if layer > n_layers:
        raise InputError(f"--layer is {layer}; this encoder's layers are 0 to {n_layers}")
    trains = [one for one in saved.read_trains() if one.name in saved.matrix.alone]
    texts = {lang: test.sentences for lang, test in saved.read_tests().items()}
    known = _Known(saved, encoder, layer, orders, options, trains)
    targets = []
    with progress("ranking for targets", len(texts) + len(further), "languages") as advance:
        for lang, sentences in {**texts, **further}.items():
            if any(Pair(one.name, lang).is_zero_shot for one in trains):
                targets.append(known.ranked(lang, sentences))
            advance(1)
    sizes = ", ".join(f"{one.name} {size:,}" for one, size in
                      zip(trains, known.sizes, strict=True))  # fmt: skip
    notes = [
        f"NN-Rank: layer {layer} of {encoder.name}, tokens of at most {options.max_sentences:,} "
        "sentences of a language, equal numbers of each training language",
        f"words to train on: {sizes}; where they were made equal, size can tell nothing",
    ]
    return RankedTargets(targets, replace(options, layer=layer), notes)


class _Known:
    """What is known of the training languages."""

    def __init__(
        self, saved: SavedMatrix, encoder: Encoder, layer: int, orders: WordOrders | None,
        options: RankOptions, trains: Sequence[TrainingSet],
    ) -> None:  # fmt: skip
        self.saved, self.encoder, self.layer, self.orders = saved, encoder, layer, orders
        self.options, self.trains = options, trains
        drawn = [one.drawn(saved.n_words, seed=saved.seeds[0]) for one in trains]
        there = [sum(part.n_words for part in one.parts) for one in trains]
        # What was to be drawn: whole sentences are a few words fewer, which says nothing.
        self.sizes = [min(n, saved.n_words or n) for n in there]
        self.types = [token_types(encoder.tokenizer, text.sentences) for text in drawn]
        self.vectors = [self._vectors_of(text.sentences) for text in drawn]

    def ranked(self, target: str, sentences: Sentences) -> Ranked:
        """Return the rankings for a target."""
        matrix = self.saved.matrix
        system = self.options.system
        rows = [at for at, one in enumerate(self.trains) if Pair(one.name, target).is_zero_shot]
        names = [self.trains[at].name for at in rows]
        types = token_types(self.encoder.tokenizer, sentences)  # all: a target has no tags
        shares = nearest_shares(
            self._vectors_of(sentences), {self.trains[at].name: self.vectors[at] for at in rows},
            seed=matrix.seed,
        )  # fmt: skip
        others = scores_on_others(matrix, system, target)
        numbers: dict[str, Doubles1d] = {
            "size": np.array([float(self.sizes[at]) for at in rows]),
            "overlap": np.array([overlap(self.types[at], types) for at in rows]),
            "nearest": np.array([shares[name] for name in names]),
            "others": np.array([others[name] for name in names]),
        }
        if self.orders is not None:
            numbers["typology"] = np.array([self._alike(name, target) for name in names])
        scores = scores_of(matrix, system, target) if target in matrix.tests else None
        measured = None if scores is None else np.array([scores[name] for name in names])
        return Ranked(target, names, measured, numbers)

    def _alike(self, source: str, target: str) -> float:
        found = [self.orders.of(lang) for lang in (source, target)] if self.orders else []
        first, second = found
        return shared_features(first, second).share if first and second else float("nan")

    def _vectors_of(self, sentences: Sentences) -> Floats2d:
        some = sentences[: self.options.max_sentences]
        return token_vectors(self.encoder, some, layer=self.layer)
