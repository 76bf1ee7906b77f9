"""The bootstrap over documents, of which every mean, F1 and paired difference has its interval.

A document is a row of counts; a measure is a function of their sums: of hits and misses an F1, of
right answers an accuracy. Documents with the same id in several languages are drawn together, so
translations are not taken for new evidence. A draw is the same for all columns: those of several
seeds, or of two systems, stay paired.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from isogloss.arrays import Doubles1d, Doubles2d

N_RESAMPLES = 2000
N_RESAMPLES_AT_ONCE = 50

Measure = Callable[[Doubles2d], Doubles2d]  # of (n, n_sums) sums of counts: (n, n_measures)


@dataclass(frozen=True)
class Resampled:
    """Measures, and what they are of resampled documents, the same for all measures."""

    values: Doubles1d  # (n_measures,)
    drawn: Doubles2d  # (n_draws, n_measures)


def resampled(
    counts: Mapping[str, Doubles2d],
    ids: Mapping[str, Sequence[str] | None],
    measure: Measure,
    *,
    seed: int,
) -> Resampled:
    """Return the mean over languages of each measure, of all and of resampled documents.

    Parameters
    ----------
    counts
        Language to (n_documents, n_sums).
    ids
        Language to document ids, or None. Documents with an id are drawn by id, jointly over
        all languages; languages without ids are drawn on their own.
    """
    totals = [measure(columns.sum(axis=0)[None])[0] for columns in counts.values()]
    drawn = _drawn(counts, ids, measure, np.random.default_rng(seed))
    return Resampled(np.mean(totals, axis=0), drawn)


def resampled_means(
    values: Mapping[str, Doubles2d], ids: Mapping[str, Sequence[str] | None], *, seed: int
) -> Resampled:
    """Return the mean over languages of the mean of each column, as `resampled` does.

    Parameters
    ----------
    values
        Language to (n_documents, n_columns), of one document or more.
    """
    ones = {lang: np.ones((len(columns), 1)) for lang, columns in values.items()}
    return resampled_ratios(values, ones, ids, seed=seed)


def resampled_ratios(
    numerators: Mapping[str, Doubles2d],
    denominators: Mapping[str, Doubles2d],
    ids: Mapping[str, Sequence[str] | None],
    *,
    seed: int,
) -> Resampled:
    """Return the mean over languages of ratios of sums, as `resampled` does: of accuracies, F1.

    Parameters
    ----------
    numerators
        Language to (n_documents, n_columns), of one document or more.
    denominators
        Language to whole numbers of the same shape, or (n_documents, 1) where all columns share
        them. A ratio whose denominators are all 0 is 0.
    """
    ratios = {
        lang: columns.sum(axis=0) / np.maximum(denominators[lang].sum(axis=0), 1.0)
        for lang, columns in numerators.items()
    }
    mean: Doubles1d = np.mean(list(ratios.values()), axis=0)
    # Deviations from the language's ratio: a draw without a document of it changes nothing.
    counts = {
        lang: np.hstack([columns - ratios[lang] * denominators[lang], denominators[lang]])
        for lang, columns in numerators.items()
    }
    n_columns = len(mean)

    def measure(sums: Doubles2d) -> Doubles2d:
        deviations: Doubles2d = sums[:, :n_columns] / np.maximum(sums[:, n_columns:], 1.0)
        return deviations

    return Resampled(mean, mean + _drawn(counts, ids, measure, np.random.default_rng(seed)))


def _drawn(
    counts: Mapping[str, Doubles2d],
    ids: Mapping[str, Sequence[str] | None],
    measure: Measure,
    generator: np.random.Generator,
) -> Doubles2d:
    """Return the measures of resampled documents, the mean over languages: (n_draws, n_measures).

    Documents with an id are drawn by id, jointly over the languages.
    """
    shared = [lang for lang in counts if ids.get(lang) is not None]
    by_id = _by_id({lang: counts[lang] for lang in shared}, ids)
    parts = [_draws_of(by_id, measure, generator)] if shared else []
    for lang, columns in counts.items():
        if lang not in shared:
            parts.append(_draws_of({lang: columns}, measure, generator))
    total: Doubles2d = np.sum(parts, axis=0) / len(counts)
    return total


def _draws_of(
    rows: Mapping[str, Doubles2d], measure: Measure, generator: np.random.Generator
) -> Doubles2d:
    """Draw rows, the same of every language, and add up their measures over the languages."""
    n_rows = len(next(iter(rows.values())))
    shares = np.full(n_rows, 1 / n_rows)
    if len(rows) == 1:
        # A resample of n rows is a multinomial draw over the distinct ones: a handful where rows
        # are right or wrong, however many there are.
        ((lang, only),) = rows.items()
        distinct, times_met = np.unique(only, axis=0, return_counts=True)
        rows, shares = {lang: distinct}, times_met / n_rows
    drawn = []
    for _ in range(0, N_RESAMPLES, N_RESAMPLES_AT_ONCE):  # sums of many labels and runs are wide
        times = generator.multinomial(n_rows, shares, size=N_RESAMPLES_AT_ONCE)
        drawn.append(np.sum([measure(times @ columns) for columns in rows.values()], axis=0))
    return np.vstack(drawn)


def numbered_ids(ids: Iterable[Sequence[str]]) -> dict[str, int]:
    """Return id → number for the ids of several languages, as first met."""
    distinct = dict.fromkeys(entry for entries in ids for entry in entries)
    return {entry: index for index, entry in enumerate(distinct)}


def _by_id(
    counts: Mapping[str, Doubles2d], ids: Mapping[str, Sequence[str] | None]
) -> dict[str, Doubles2d]:
    """Return each language's counts by id, a row for every id of any language."""
    number = numbered_ids([ids[lang] or () for lang in counts])
    by_id = {lang: np.zeros((len(number), columns.shape[1])) for lang, columns in counts.items()}
    for lang, columns in counts.items():
        np.add.at(by_id[lang], [number[entry] for entry in ids[lang] or ()], columns)
    return by_id
