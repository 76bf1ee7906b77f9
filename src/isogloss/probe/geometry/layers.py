"""From sums to the measures of each layer, with their intervals."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from isogloss.arrays import Doubles1d, Doubles2d, Floats2d, Ints1d
from isogloss.errors import InputError
from isogloss.probe.geometry.isotropy import (
    Isotropy,
    TransformEffect,
    group_unit_sums,
    isotropy,
    transform_effects,
)
from isogloss.probe.geometry.measures import (
    explained_variance,
    gram,
    mean_cosine,
    released_share,
    self_similarity,
)
from isogloss.probe.geometry.sums import VectorSums
from isogloss.statistics.draws import N_RESAMPLES, Resampling, Sampled
from isogloss.statistics.jackknife import groups_of

N_BASELINE_DRAWS = 20  # of as many random words as a word has vectors, for each such number


@dataclass(frozen=True, eq=False)
class Adjusted:
    """A measure, its baseline over random words, and their difference."""

    raw: Sampled
    baseline: Sampled

    @property
    def adjusted(self) -> Sampled:
        """Raw minus baseline."""
        return self.raw.minus(self.baseline)


@dataclass(frozen=True, eq=False)
class LayerMeasures:
    """What is measured in a layer.

    Attributes
    ----------
    baseline
        Mean cosine of random words.
    self_similarity, intra_similarity
        Mean over words, and over sentences; `baseline` is the baseline of both.
    mev, mev_centred, mev_released
        Mean over words of the share of variance that one direction explains, by the definitions
        of `measures.ExplainedVariance`. The first two have a baseline with the words' own n; the
        third, as the authors have it, one over all random words.
    norm, norm_deviation
        Mean and standard deviation of the lengths of random words' vectors.
    """

    layer: int
    baseline: Sampled
    self_similarity: Adjusted
    intra_similarity: Adjusted
    mev: Adjusted
    mev_centred: Adjusted
    mev_released: Adjusted
    norm: float
    norm_deviation: float
    isotropy: Isotropy
    transforms: list[TransformEffect]


@dataclass(frozen=True, eq=False)
class WordMeasures:
    """What is measured of each word; arrays are (n_layers, n_words).

    Attributes
    ----------
    counts, n_vectors
        Occurrences in the sums, and those whose vectors MEV is of; (n_words,).
    """

    words: list[str]
    counts: Ints1d
    n_vectors: Ints1d
    self_similarity: Doubles2d
    mev: Doubles2d
    mev_centred: Doubles2d
    mev_released: Doubles2d


def measure_words(sums: VectorSums) -> WordMeasures:
    """Measure each word in each layer; a word with less than two vectors is left out.

    Raises
    ------
    InputError
        When that leaves none.
    """
    kept = np.flatnonzero((sums.counts > 1) & (sums.n_vectors > 1))
    if not len(kept):
        raise InputError("no chosen word has two vectors: all were cut off; give shorter sentences")
    mev, centred, released = (np.empty((sums.n_layers, len(kept))) for _ in range(3))
    for at, word in enumerate(kept):
        for layer, vectors in enumerate(sums.vectors_of(int(word))):
            # Of the (n, n) products, as n is below the width of most encoders.
            found = explained_variance(gram(vectors))
            mev[layer, at], centred[layer, at], released[layer, at] = found
    return WordMeasures(
        words=[sums.choice.words[word] for word in kept],
        counts=sums.counts[kept],
        n_vectors=sums.n_vectors[kept],
        self_similarity=self_similarity(sums.unit_sums[:, kept], sums.counts[kept]),
        mev=mev,
        mev_centred=centred,
        mev_released=released,
    )


def measure_layers(sums: VectorSums, words: WordMeasures, *, seed: int) -> Iterator[LayerMeasures]:
    """Measure each layer; words count equally, however often they occur.

    Raises
    ------
    InputError
        When too few random words were not cut off: of less than two sentences, or fewer than some
        word has vectors.
    """
    _check_random_words(sums, words)
    # All that is drawn is drawn here, once: layers are compared on the same resamples, and the
    # order of the draws decides what a seed gives.
    generator = np.random.default_rng(seed)
    sentences = sums.choice.random_sentences[sums.has_random]
    present, number = np.unique(sentences, return_inverse=True)
    drawing = _Drawing(
        by_word=Resampling.of(len(words.words), generator),
        by_sentence=Resampling.of(len(present), generator),
        again=Resampling.of(N_BASELINE_DRAWS, generator).times,
        sizes=np.bincount(number).astype(np.float64),
        subsets=_subsets(words.n_vectors, number, generator),
        fitted_on=(generator.permutation(len(present)) % 2 == 0)[number],
        groups=groups_of(len(present), generator)[number],
    )
    for layer in range(sums.n_layers):
        vectors = sums.random[layer, sums.has_random]
        intra = sums.intra[layer, present]
        yield _measure_layer(layer, vectors, number, intra, words, drawing)


def _check_random_words(sums: VectorSums, words: WordMeasures) -> None:
    n_sentences = len(np.unique(sums.choice.random_sentences[sums.has_random]))
    n_left, n = int(sums.has_random.sum()), len(sums.has_random)
    if n_sentences < 2 or n_left < words.n_vectors.max():
        raise InputError(
            f"of {n:,} random words {n - n_left:,} were beyond the encoder's maximum length or "
            "have no token, which leaves too few for the baselines; give shorter lines or a larger "
            "--random-words"
        )


@dataclass(frozen=True, eq=False)
class _Drawing:
    """What is drawn once for all layers.

    Attributes
    ----------
    subsets
        Number of vectors → that many random words, again and again; (N_BASELINE_DRAWS, n).
    groups
        Group of the sentence of each random word, for the jackknife.
    """

    by_word: Resampling
    by_sentence: Resampling
    again: Doubles2d
    sizes: Doubles1d
    subsets: dict[int, "np.ndarray[tuple[int, int], np.dtype[np.int64]]"]
    fitted_on: "np.ndarray[tuple[int], np.dtype[np.bool_]]"
    groups: Ints1d


def _measure_layer(
    layer: int, vectors: Floats2d, sentences: Ints1d, intra: Doubles1d, words: WordMeasures,
    drawing: _Drawing,
) -> LayerMeasures:  # fmt: skip
    baseline = _baseline(vectors, sentences, drawing)
    mev, centred = _mev_baselines(vectors, words.n_vectors, drawing)
    of_all = released_share(vectors)
    lengths = np.linalg.norm(vectors.astype(np.float64), axis=1)
    return LayerMeasures(
        layer=layer,
        baseline=baseline,
        self_similarity=Adjusted(drawing.by_word.mean(words.self_similarity[layer]), baseline),
        intra_similarity=Adjusted(drawing.by_sentence.mean(intra), baseline),
        mev=Adjusted(drawing.by_word.mean(words.mev[layer]), mev),
        mev_centred=Adjusted(drawing.by_word.mean(words.mev_centred[layer]), centred),
        mev_released=Adjusted(
            drawing.by_word.mean(words.mev_released[layer]),
            Sampled(of_all, np.full(N_RESAMPLES, of_all)),
        ),
        norm=float(lengths.mean()),
        norm_deviation=float(lengths.std()),
        isotropy=isotropy(vectors, sentences, drawing.groups),
        transforms=transform_effects(vectors, sentences, drawing.groups, drawing.fitted_on),
    )


def _baseline(vectors: Floats2d, sentences: Ints1d, drawing: _Drawing) -> Sampled:
    sums, times = group_unit_sums(vectors, sentences), drawing.by_sentence.times
    value = mean_cosine(sums, drawing.sizes, np.ones((1, len(sums))))[0]
    draws = mean_cosine(sums, drawing.sizes, times)
    # A resample of one sentence alone has no pairs.
    return Sampled(float(value), np.where(np.isfinite(draws), draws, value))


def _mev_baselines(
    vectors: Floats2d, n_vectors: Ints1d, drawing: _Drawing
) -> tuple[Sampled, Sampled]:
    """Return the baselines of the uncentred and the centred MEV, each with the words' own n."""
    products = gram(vectors)  # once, (n_random, n_random): draws are parts of it
    found = np.array(
        [
            [explained_variance(products[np.ix_(some, some)])[:2] for some in subsets]
            for subsets in drawing.subsets.values()
        ]
    )  # (n_kinds, n_draws, 2)
    kinds = list(drawing.subsets)
    # Words with as many vectors share their baseline; (n_words,), an index of the first axis.
    of_word = np.array([kinds.index(n) for n in n_vectors.tolist()])
    uncentred, centred = (
        drawing.by_word.mean_of_drawn_means(found[..., at], of_word, drawing.again)
        for at in range(2)
    )
    return uncentred, centred


def _subsets(
    n_vectors: Ints1d, sentences: Ints1d, generator: np.random.Generator
) -> "dict[int, np.ndarray[tuple[int, int], np.dtype[np.int64]]]":
    """Draw random words, of different sentences as far as there are enough, for each number."""
    subsets = {}
    for n in np.unique(n_vectors).tolist():
        drawn = []
        for _ in range(N_BASELINE_DRAWS):
            order = generator.permutation(len(sentences))
            # In random order, the first word of each sentence before the others.
            is_first = np.zeros(len(sentences), np.bool_)
            is_first[np.unique(sentences[order], return_index=True)[1]] = True
            drawn.append(np.concatenate([order[is_first], order[~is_first]])[:n])
        subsets[n] = np.array(drawn)
    return subsets
