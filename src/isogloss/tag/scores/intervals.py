"""Intervals of scores of tags, and of the paired difference of two taggers; sentences are drawn.

Words of a sentence are right together, so sentences are the units, never words. Sentences with the
same id are one in all languages: translations are no new evidence. A score may be the mean of
several seeds, whose variance its interval then has as well (`statistics.seeds`).
"""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import numpy as np

from isogloss.arrays import Doubles1d, Doubles2d
from isogloss.statistics.bootstrap import Resampled, resampled_ratios
from isogloss.statistics.differences import not_certain
from isogloss.statistics.intervals import Interval, not_beyond, repeated, sums_of
from isogloss.statistics.permutation import permutation_p
from isogloss.statistics.scores import n_documents
from isogloss.statistics.seeds import (
    accuracy_over_seeds,
    difference_over_seeds,
    interval_over_seeds,
    p_over_seeds,
)
from isogloss.tag.scores.counts import EntityCounts, TagCounts

Counts: TypeAlias = TagCounts | EntityCounts
Runs: TypeAlias = Mapping[str, Sequence[Counts]]  # language to the counts of each seed
Ids: TypeAlias = Mapping[str, Sequence[str] | None]  # language to the ids of its sentences


def interval_of_score(runs: Runs, name: str, ids: Ids, *, seed: int = 0) -> Interval:
    """Return a score, the mean over languages and seeds, with its interval.

    In one language an accuracy has Wilson's, of as many words as have the variance of sentences
    (`statistics.intervals`); all else has the percentiles of resampled sentences, or Student's t
    where seeds differ, and none ends nearer to 1 than all sentences together can show.

    Parameters
    ----------
    runs
        Language to the counts of each seed, one or more.
    name
        ``accuracy``, or ``f1_strict``, ``f1_conll``, ``precision``, ``recall``.
    ids
        Language to the ids of its sentences, or None. Sentences with an id are drawn by id, jointly
        over all languages; languages without ids are drawn on their own.
    """
    drawn_by = _ids_to_draw(runs, ids)
    if len(runs) == 1 and name == "accuracy":
        ((lang, some),) = runs.items()
        return accuracy_over_seeds(_words(some), _ids_of_words(lang, some[0], ids), seed=seed)
    found = interval_over_seeds(_resampled(runs, name, drawn_by, seed), least=0)
    return not_beyond(found, _n_sentences(runs, drawn_by))


def difference_of_taggers(
    ours: Runs, theirs: Runs, name: str, ids: Ids, *, seed: int = 0
) -> Interval:
    """Return how much better one tagger is than another on the same sentences, with its interval.

    Of an accuracy it is Tango's in one language, and where few sentences differ
    (`statistics.differences`); of F1 that of resampled sentences, the same for both taggers.

    Parameters
    ----------
    ours, theirs
        As `runs` of `interval_of_score`, of the same languages, sentences and seeds.
    """
    if name == "accuracy":
        gains = {lang: _words(some) - _words(theirs[lang]) for lang, some in ours.items()}
        of_words = {lang: _ids_of_words(lang, some[0], ids) for lang, some in ours.items()}
        return difference_over_seeds(gains, of_words, seed=seed)
    drawn_by = _ids_to_draw(ours, ids)
    gain = _gain(ours, theirs, name, drawn_by, seed)
    return not_certain(interval_over_seeds(gain, least=-1), _n_sentences(ours, drawn_by))


def p_of_taggers(
    ours: Sequence[Counts],
    theirs: Sequence[Counts],
    name: str,
    ids: Sequence[str] | None = None,
    *,
    seed: int = 0,
) -> float:
    """Return the two-sided p-value of no difference in one language.

    Approximate randomisation (Yeh 2000): what both taggers gave a sentence is swapped, sentence by
    sentence and in all seeds at once. Where seeds differ, the larger of this and of
    `statistics.seeds.p_over_seeds`, so that a difference is beyond both.
    """
    groups = repeated(ids)
    sides = [
        np.hstack([np.stack(one.ratio(name), axis=1) for one in side]) for side in (ours, theirs)
    ]
    if groups is not None:
        sides = [np.stack([sums_of(groups, sums) for sums in side.T], axis=1) for side in sides]
    differences, total = sides[0] - sides[1], (sides[0] + sides[1]).sum(axis=0)

    def gain(swapped: Doubles2d) -> Doubles1d:
        one, other = (
            (sums[:, 0::2] / np.maximum(sums[:, 1::2], 1.0)).mean(axis=1)
            for sums in ((total + swapped) / 2, (total - swapped) / 2)
        )
        difference: Doubles1d = one - other
        return difference

    of_sentences = permutation_p(differences, gain)
    of_both = p_over_seeds(_gain({"": ours}, {"": theirs}, name, {"": groups}, seed))
    return of_sentences if of_both is None else max(of_sentences, of_both)


def _resampled(runs: Runs, name: str, ids: Ids, seed: int) -> Resampled:
    """Return the score of each seed, of all and of resampled sentences."""
    ratios = {lang: [one.ratio(name) for one in some] for lang, some in runs.items()}
    numerators = {
        lang: np.stack([one.numerator for one in some], axis=1) for lang, some in ratios.items()
    }
    denominators = {
        lang: np.stack([one.denominator for one in some], axis=1) for lang, some in ratios.items()
    }
    return resampled_ratios(numerators, denominators, ids, seed=seed)


def _gain(ours: Runs, theirs: Runs, name: str, ids: Ids, seed: int) -> Resampled:
    """Return how much each seed gains, of the same resampled sentences for both taggers."""
    both = {lang: [*some, *theirs[lang]] for lang, some in ours.items()}
    found = _resampled(both, name, ids, seed)
    n = len(next(iter(ours.values())))
    return Resampled(found.values[:n] - found.values[n:], found.drawn[:, :n] - found.drawn[:, n:])


def _words(runs: Sequence[Counts]) -> Doubles2d:
    """Return which words each seed gets right: float64 (n_words, n_seeds)."""
    right = [one.right for one in runs if isinstance(one, TagCounts)]
    return np.stack(right, axis=1).astype(np.float64)


def _ids_of_words(lang: str, counts: Counts, ids: Ids) -> list[str]:
    """Return for each word the id of its sentence, the language's own where it has none."""
    assert isinstance(counts, TagCounts)
    own = ids.get(lang) or [f"{lang} {number}" for number in range(len(counts.sizes))]
    return np.repeat(np.asarray(own, dtype=object), counts.sizes).tolist()


def _ids_to_draw(runs: Runs, ids: Ids) -> dict[str, Sequence[str] | None]:
    """Return the ids to draw by: those of several languages, or of one where they repeat."""
    if len(runs) > 1:
        return {lang: ids.get(lang) for lang in runs}
    return {lang: repeated(ids.get(lang)) for lang in runs}


def _n_sentences(runs: Runs, ids: Ids) -> int:
    sizes = {lang: len(_sentences(some[0])) for lang, some in runs.items()}
    return n_documents(sizes, ids)


def _sentences(counts: Counts) -> Doubles2d | Doubles1d:
    return counts.strict if isinstance(counts, EntityCounts) else counts.ratio("accuracy").numerator
