"""From the vectors of one layer to all measures of language neutrality, with their intervals.

Sentences are divided for all layers alike; what a language probe finds depends on how, as much as
on which sentences there are, so it is the mean over several divisions. What is fitted is fitted on
sentences other than those it is measured on: means of languages on the other half, language probes
on the other quarter of the same half. So a probe on centred vectors sees what is left where the
means come from other text; after centring by its own training sentences a linear probe learns
nothing at all, whatever is left, since its classes have equal means. Means of few sentences are
noisy, and that noise is a shift of its own: so the same is done with languages that differ in
their means alone, and are exchangeable after centring.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from isogloss.arrays import Bools1d, Bools2d, Bools3d, Doubles2d, Floats3d, Ints1d
from isogloss.probe.neutrality.cka import language_cka
from isogloss.probe.neutrality.language_identity import (
    exchanged,
    interval_of_all_languages,
    interval_of_another,
    language_means,
    recognised,
)
from isogloss.probe.neutrality.searches import Kind, Vectors, held_out, search_folds
from isogloss.probe.neutrality.shifts import language_shifts
from isogloss.retrieve.neighbours import Pair, Score, Searches, skewness
from isogloss.statistics.draws import Resampling, Sampled
from isogloss.statistics.intervals import Interval, interval_over_divisions
from isogloss.statistics.jackknife import groups_of, jackknife_interval

N_DIVISIONS = 5  # of the sentences, for the language probe
N_EXCHANGES = 10  # of sentences among languages; the probe is fitted 2 N_DIVISIONS + this times

MOVES: tuple[Vectors, ...] = ("raw", "common mean removed", "centred")
SCORES: tuple[Score, ...] = ("cosine", "CSLS")


@dataclass(frozen=True, eq=False)
class Retrieval:
    """Accuracy of the nearest neighbour, and hubness; means over pairs of languages.

    Forwards is from the first language of a pair to the second.
    """

    accuracy: Sampled
    accuracy_forwards: Sampled
    accuracy_back: Sampled
    hubness: Interval


@dataclass(frozen=True, eq=False)
class LanguageMeasures:
    """What is measured of one language, by the names of the columns of its table.

    Attributes
    ----------
    shift
        Distance of its mean from the mean of the others, in units of the spread; for what follows
        see `shifts.LanguageShifts`.
    language_accuracy
        Share of its sentences whose language a linear probe names; see `LayerNeutrality`. The null
        is the same for all languages; see `language_identity.interval_of_all_languages`.
    cka
        Mean CKA with the other languages.
    retrieval_from, retrieval_to
        Accuracy of retrieval for its sentences, mean over its pairs; and for sentences of the other
        languages, searched among its own.
    """

    lang: str
    shift: Interval
    dimensions_of_shift: Ints1d
    shares_of_shift: npt.NDArray[np.float64]
    dimensions_for_half: int
    language_accuracy: Interval
    language_accuracy_centred: Interval
    language_accuracy_null: Interval
    cka: Interval
    retrieval_from: Interval
    retrieval_from_centred: Interval
    retrieval_to: Interval
    retrieval_to_centred: Interval


@dataclass(frozen=True)
class PairCka:
    """CKA of two languages."""

    lang: str
    other: str
    cka: Interval


@dataclass(frozen=True, eq=False)
class LayerNeutrality:
    """What is measured in a layer.

    Attributes
    ----------
    language_accuracy, language_accuracy_centred
        Accuracy of the language probe: on the vectors, and after the subtraction of each
        language's mean. Mean over the divisions, whose variance is in the interval; see
        `statistics.intervals.interval_over_divisions`.
    language_accuracy_null
        What the latter is where languages are exchangeable but for their means, see
        `language_identity.exchanged`: the mean of `N_EXCHANGES` times, and the interval in which
        one more would lie. Each is of one division, so that the interval holds their variance too;
        that of a mean over divisions would be narrower, and what is above is so all the more.
    cka
        Mean over pairs of languages.
    retrieval
        For each kind of vectors and score.
    """

    layer: int
    language_accuracy: Interval
    language_accuracy_centred: Interval
    language_accuracy_null: Interval
    cka: Interval
    retrieval: dict[Kind, Retrieval]
    languages: list[LanguageMeasures]
    pairs: list[PairCka]


class Quarters(NamedTuple):
    """Half of each sentence, and part of it within its half; bool (n_sentences,)."""

    is_second_half: Bools1d
    is_second_part: Bools1d

    @classmethod
    def of(cls, n_sentences: int, generator: np.random.Generator) -> "Quarters":
        """Divide so many sentences into quarters that differ by one at most."""
        quarter = generator.permutation(np.arange(n_sentences) % 4)
        return cls(quarter % 2 == 1, quarter >= 2)


@dataclass(frozen=True, eq=False)
class Division:
    """What is drawn of the sentences, once for all layers.

    Attributes
    ----------
    quarters
        `N_DIVISIONS` for the language probe; all else is of the first.
    groups
        Group of each sentence for the jackknife.
    seed
        Of the exchange of sentences among languages.
    """

    quarters: list[Quarters]
    groups: Ints1d
    resampling: Resampling
    seed: int

    @classmethod
    def of(cls, n_sentences: int, *, seed: int) -> "Division":
        """Draw for so many sentences."""
        generator = np.random.default_rng(seed)
        first = Quarters.of(n_sentences, generator)
        groups = groups_of(n_sentences, generator)
        resampling = Resampling.of(n_sentences, generator)
        others = [Quarters.of(n_sentences, generator) for _ in range(N_DIVISIONS - 1)]
        return cls([first, *others], groups, resampling, seed)

    @property
    def is_second_half(self) -> Bools1d:
        """Half of each sentence in the first division; bool (n_sentences,)."""
        return self.quarters[0].is_second_half


def measure_layer(
    layer: int, vectors: Floats3d, langs: Sequence[str], pairs: Sequence[Pair],
    division: Division, *, n_neighbours: int,
) -> LayerNeutrality:  # fmt: skip
    """Measure a layer, given its number and vectors: (n_langs, n_sentences, width).

    Sentence i of all languages is one. `pairs` are searched; `n_neighbours`, k of CSLS and hubness,
    is less than a half has sentences.
    """
    named = _language_hits(vectors, division)
    searches = search_folds(
        vectors, pairs, held_out(division.is_second_half), moves=MOVES, scores=SCORES,
        n_neighbours=n_neighbours,
    )  # fmt: skip
    share = division.resampling.share
    cka = language_cka(vectors, division.groups)
    off_diagonal = ~np.eye(len(langs), dtype=np.bool_)
    return LayerNeutrality(
        layer=layer,
        language_accuracy=interval_over_divisions(named.raw.mean(1)),
        language_accuracy_centred=interval_over_divisions(named.centred.mean(1)),
        language_accuracy_null=interval_of_another(named.null.mean(1)),
        cka=jackknife_interval(
            float(cka.value[off_diagonal].mean()), cka.left_out[:, off_diagonal].mean(1)
        ),
        retrieval={
            kind: Retrieval(
                accuracy=share(found.hits.mean((0, 1))),
                accuracy_forwards=share(found.hits[:, 0].mean(0)),
                accuracy_back=share(found.hits[:, 1].mean(0)),
                hubness=_hubness(found, division),
            )
            for kind, found in searches.items()
        },
        languages=_languages(
            vectors, langs, pairs, division, cka.value, cka.left_out, searches, named,
        ),
        pairs=[
            PairCka(langs[one], langs[other],
                    jackknife_interval(float(cka.value[one, other]), cka.left_out[:, one, other]))
            for one in range(len(langs))
            for other in range(one + 1, len(langs))
        ],
    )  # fmt: skip


class _LanguageHits(NamedTuple):
    """Whether probes name the language, and that share of exchanged languages."""

    raw: Bools3d  # (N_DIVISIONS, n_langs, n_sentences)
    centred: Bools3d
    null: Doubles2d  # (N_EXCHANGES, n_langs)


def _language_hits(vectors: Floats3d, division: Division) -> _LanguageHits:
    generator = np.random.default_rng([division.seed, 1])  # not the stream of the division
    each = division.quarters
    null = [
        _recognised(exchanged(vectors, generator), each[number % len(each)], centred=True).mean(1)
        for number in range(N_EXCHANGES)
    ]
    return _LanguageHits(
        np.array([_recognised(vectors, one, centred=False) for one in each]),
        np.array([_recognised(vectors, one, centred=True) for one in each]),
        np.array(null),
    )


def _recognised(vectors: Floats3d, quarters: Quarters, *, centred: bool) -> Bools2d:
    """Return whether probes name the language, centred by means of the other half or not."""
    hits = np.zeros(vectors.shape[:2], np.bool_)  # (n_langs, n_sentences)
    for held in (quarters.is_second_half, ~quarters.is_second_half):
        own = vectors[:, held] - language_means(vectors[:, ~held]) if centred else vectors[:, held]
        hits[:, held] = recognised(own, quarters.is_second_part[held])
    return hits


def _hubness(found: Searches, division: Division) -> Interval:
    """Return the mean skewness over pairs, directions and halves.

    A bootstrap would draw the tail, which makes the skewness, too seldom; so the jackknife.
    """
    n_groups = int(division.groups.max()) + 1
    times = np.array([division.groups != group for group in range(-1, n_groups)], np.float64)
    halves = []
    for held in (division.is_second_half, ~division.is_second_half):
        counts = found.occurrences[..., held].reshape(-1, int(held.sum()))
        halves.append(skewness(counts, times[:, held]).mean(1))
    whole, *left_out = np.mean(halves, axis=0)
    return jackknife_interval(float(whole), np.array(left_out))


def _languages(
    vectors: Floats3d, langs: Sequence[str], pairs: Sequence[Pair], division: Division,
    cka: Doubles2d, cka_left_out: npt.NDArray[np.float64], searches: dict[Kind, Searches],
    named: _LanguageHits,
) -> list[LanguageMeasures]:  # fmt: skip
    shifts = language_shifts(vectors, division.groups)
    share = division.resampling.share
    null = interval_of_all_languages(named.null)
    raw, centred = searches[Kind("raw", "cosine")].hits, searches[Kind("centred", "cosine")].hits
    measured = []
    for at, lang in enumerate(langs):
        others = np.arange(len(langs)) != at
        starts = [(number, 0 if pair.first == at else 1) for number, pair in enumerate(pairs)
                  if at in pair]  # fmt: skip
        as_queries = tuple(np.array(starts).T)
        as_targets = (as_queries[0], 1 - as_queries[1])
        measured.append(
            LanguageMeasures(
                lang=lang,
                shift=jackknife_interval(float(shifts.distance[at]), shifts.left_out[:, at]),
                dimensions_of_shift=shifts.dimensions[at],
                shares_of_shift=shifts.shares[at],
                dimensions_for_half=int(shifts.n_for_half[at]),
                language_accuracy=interval_over_divisions(named.raw[:, at].astype(np.float64)),
                language_accuracy_centred=interval_over_divisions(
                    named.centred[:, at].astype(np.float64)
                ),
                language_accuracy_null=null,
                cka=jackknife_interval(
                    float(cka[at, others].mean()), cka_left_out[:, at, others].mean(1)
                ),
                retrieval_from=share(raw[as_queries].mean(0)).interval,
                retrieval_from_centred=share(centred[as_queries].mean(0)).interval,
                retrieval_to=share(raw[as_targets].mean(0)).interval,
                retrieval_to_centred=share(centred[as_targets].mean(0)).interval,
            )
        )
    return measured
