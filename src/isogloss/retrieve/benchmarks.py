"""Retrieval benchmarks measured: Tatoeba, the UN corpus, BUCC, STS.

Each function takes a folder, as `benchmark_files` reads it, and what turns texts into unit vectors,
and returns rows of a table with intervals. Nothing here knows an encoder.

- Tatoeba (Artetxe and Schwenk 2019): accuracy of the nearest neighbour in both directions.
- UN parallel corpus test set (Ziemski et al. 2016): precision at 1 in both directions between
  English and each other language.
- BUCC 2018 (Zweigenbaum et al. 2017): F1 at the threshold that is best on the split itself, as the
  published training figures have it.
- Semantic textual similarity: rank correlation (Spearman) of cosine and score, Pearson beside.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import scipy

from isogloss.arrays import Bools1d, Doubles1d, Floats2d
from isogloss.retrieve.benchmark_files import (
    Bitext,
    ComparableText,
    JudgedPairs,
    read_bucc,
    read_sts,
    read_tatoeba,
    read_un,
)
from isogloss.retrieve.published import (
    LASER_LABSE,
    languages_of_the_papers,
    unseen,
    with_published_bucc,
    with_published_tatoeba,
)
from isogloss.retrieve.scored import Scored
from isogloss.retrieve.search import nearest
from isogloss.statistics.draws import Resampling, columns_of
from isogloss.statistics.intervals import Interval, interval_of_accuracy, interval_of_draws
from isogloss.statistics.scores import interval_of_language_mean

Vectors = Callable[[list[str]], Floats2d]
Mine = Callable[[list[str], list[str]], tuple[Any, Any, Any]]
XTREME = frozenset({  # the 36 languages of Hu et al. (2020)
    "afr", "ara", "ben", "bul", "cmn", "deu", "ell", "est", "eus", "fin", "fra", "heb", "hin",
    "hun", "ind", "ita", "jav", "jpn", "kat", "kaz", "kor", "mal", "mar", "nld", "pes", "por",
    "rus", "spa", "swh", "tam", "tel", "tha", "tgl", "tur", "urd", "vie",
})  # fmt: skip
GROUPS = {"XTREME's 36": XTREME, LASER_LABSE: languages_of_the_papers()}
WAYS = ("to_en", "from_en", "mean")
ZERO_SHOT = "zero-shot"
SEED = 0


@dataclass(frozen=True, eq=False)
class FoundTranslations:
    """Of each pair of a language, whether either side finds the other; (n_pairs,)."""

    lang: str
    to_en: Bools1d
    from_en: Bools1d


@dataclass(frozen=True, eq=False)
class Similarity:
    """Of each judged pair of a part, the cosine and the score; (n_judged,)."""

    part: str
    cosines: Doubles1d
    judged: Doubles1d


def evaluate_tatoeba(
    folder: Path, vectors: Vectors, *, seen: Collection[str] | None = None
) -> Scored:
    """Return accuracy in both directions for each language of a folder; see the module.

    Published accuracies stand beside (`published`).

    Parameters
    ----------
    seen
        Languages that the encoder was trained on: the others are zero-shot, and a group of their
        own, with the share of them at or above an accuracy (to English) of 75 %, and how many are
        below 25 % (Feng et al. 2022); None: not known.

    Raises
    ------
    InputError
        For a folder without such files, a missing side, or sides of different lengths.
    """
    pairs = read_tatoeba(folder)
    found = scored_translations([found_translations(pair, vectors) for pair in pairs], GROUPS)
    if seen is not None:
        found = _with_zero_shot(found, unseen(list(found.right), seen))
    return with_published_tatoeba(found)


def evaluate_un(folder: Path, vectors: Vectors) -> Scored:
    """Return precision at 1 in both directions between English and each language; see the module.

    Raises
    ------
    InputError
        For a folder without an English file and another, or files of different lengths.
    """
    return scored_translations([found_translations(pair, vectors) for pair in read_un(folder)])


def evaluate_sts(folder: Path, vectors: Vectors) -> Scored:
    """Return the correlations of cosine and judged similarity for each part; see the module.

    Raises
    ------
    InputError
        For a folder without such files, or a row that is none.
    """
    return scored_similarity([found_similarity(pairs, vectors) for pairs in read_sts(folder)])


def found_similarity(pairs: JudgedPairs, vectors: Vectors) -> Similarity:
    """Return the cosine of each judged pair."""
    cosines = np.einsum("ij,ij->i", vectors(pairs.firsts), vectors(pairs.seconds))
    return Similarity(pairs.part, cosines.astype(np.float64), pairs.scores)


def scored_similarity(parts: Sequence[Similarity]) -> Scored:
    """Return the correlations of each part, and their means over parts."""
    rows: list[dict[str, Any]] = []
    drawn: dict[str, list[Doubles1d]] = {"spearman": [], "pearson": []}
    for one in parts:
        row: dict[str, Any] = {"part": one.part, "n": len(one.judged)}
        for measure, draws in drawn.items():
            interval, found = _correlation(one.cosines, one.judged, ranks=measure == "spearman")
            draws.append(found)
            row |= columns_of(measure, interval)
        rows.append(row)
    mean: dict[str, Any] = {"group": "mean over parts", "n": len(rows)}
    for measure, draws in drawn.items():
        value = float(np.mean([row[measure] for row in rows]))
        mean |= columns_of(measure, interval_of_draws(value, np.mean(draws, axis=0)))
    return Scored(rows, [mean])


def evaluate_bucc(folder: Path, mine: Mine) -> Scored:
    """Return F1 of mined pairs for each language pair and split of a folder; see the module.

    Parameters
    ----------
    mine
        From sentences of two languages to candidates: places in the first and in the second list,
        and scores, all (n_candidates,).

    Raises
    ------
    InputError
        For a folder without such files, or a gold pair of unknown ids.
    """
    return with_published_bucc(Scored([mined_row(text, mine) for text in read_bucc(folder)], []))


def mined_row(text: ComparableText, mine: Mine) -> dict[str, Any]:
    """Return the row of one language and split: F1 of what is mined."""
    firsts, seconds, scores = mine(list(text.sources.values()), list(text.targets.values()))
    ids = list(text.sources), list(text.targets)
    right = [
        (ids[0][first], ids[1][second]) in text.gold
        for first, second in zip(firsts, seconds, strict=True)
    ]
    found = best_f1(np.asarray(scores, np.float64), np.asarray(right), n_gold=len(text.gold))
    return {"lang": text.lang, "split": text.split, "n": len(text.gold)} | found


def best_f1(scores: Doubles1d, is_right: Bools1d, *, n_gold: int) -> dict[str, float]:
    """Return precision, recall and F1 at the threshold with the best F1, and the threshold.

    Parameters
    ----------
    scores, is_right
        (n_candidates,): pairs of equal score are taken together.
    n_gold
        Pairs that are to be found.
    """
    nothing = {"precision": 0.0, "recall": 0.0, "f1": 0.0, "threshold": float("nan")}
    if not len(scores) or not n_gold:
        return nothing
    order = np.argsort(-scores, kind="stable")
    n_right = np.cumsum(is_right[order])
    is_end = np.append(scores[order][1:] != scores[order][:-1], True)
    n_taken = np.arange(1, len(scores) + 1)
    f1 = np.where(is_end, 2 * n_right / (n_taken + n_gold), -1.0)
    at = int(f1.argmax())
    return {
        "precision": float(n_right[at] / n_taken[at]),
        "recall": float(n_right[at] / n_gold),
        "f1": float(f1[at]),
        "threshold": float(scores[order][at]),
    }


def found_translations(pair: Bitext, vectors: Vectors) -> FoundTranslations:
    """Return which sentences of a language find their translation, and which are found."""
    sources, targets = vectors(pair.sources), vectors(pair.targets)
    places = np.arange(len(pair.sources))
    return FoundTranslations(
        pair.lang,
        nearest(sources, targets).rows[:, 0] == places,
        nearest(targets, sources).rows[:, 0] == places,
    )


def scored_translations(
    found: Sequence[FoundTranslations], groups: Mapping[str, frozenset[str]] | None = None
) -> Scored:
    """Return the accuracy of each language, and means over the groups that are whole, and all."""
    groups = groups or {}
    rows: list[dict[str, Any]] = []
    hits: dict[str, dict[str, Doubles1d]] = {way: {} for way in WAYS}
    for one in found:
        sides = one.to_en.astype(np.float64), one.from_en.astype(np.float64)
        row: dict[str, Any] = {"lang": one.lang, "n": len(one.to_en)}
        for way, right in zip(WAYS, (*sides, (sides[0] + sides[1]) / 2), strict=True):
            hits[way][one.lang] = right
            row |= columns_of(way, interval_of_accuracy(right))
        rows.append(row)
    there = set(hits["mean"])
    chosen = {name: langs for name, langs in groups.items() if langs <= there}
    if there not in chosen.values():
        chosen["all"] = frozenset(there)
    of_group = {name: [lang for lang in hits["mean"] if lang in langs]
                for name, langs in chosen.items()}  # fmt: skip
    means = [_mean(name, langs, hits) for name, langs in of_group.items()]
    return Scored(rows, means, hits["mean"], of_group)


def _mean(
    group: str, langs: Sequence[str], hits: Mapping[str, Mapping[str, Doubles1d]]
) -> dict[str, Any]:
    row: dict[str, Any] = {"group": group, "n": len(langs)}
    for way, right in hits.items():
        chosen = {lang: right[lang] for lang in langs}
        row |= columns_of(way, interval_of_language_mean(chosen, {}, seed=SEED))
    return row


def _with_zero_shot(found: Scored, langs: list[str]) -> Scored:
    """Return the scores with a mean over some languages, in the form of the paper's own."""
    if not langs:
        return found
    accuracy = np.array([row["to_en"] for row in found.rows if row["lang"] in langs])
    row: dict[str, Any] = {"group": ZERO_SHOT, "n": len(langs)}
    for way in WAYS:
        row[way] = float(np.mean([one[way] for one in found.rows if one["lang"] in langs]))
    row |= {
        "share_75": float((accuracy >= 0.75).mean()),
        "n_below_25": int((accuracy < 0.25).sum()),
    }
    return replace(
        found, means=[*found.means, row], groups=found.groups | {ZERO_SHOT: langs}
    )  # fmt: skip


def _correlation(
    cosines: Doubles1d, judged: Doubles1d, *, ranks: bool
) -> tuple[Interval, Doubles1d]:
    """Return a correlation with its bootstrap interval over the pairs, and its draws.

    A resample keeps the ranks of the whole set, which spares ranking it anew.
    """
    if ranks:
        cosines, judged = scipy.stats.rankdata(cosines), scipy.stats.rankdata(judged)
    times = Resampling.of(len(judged), np.random.default_rng(SEED)).times / len(judged)
    x, y = cosines - cosines.mean(), judged - judged.mean()
    mean_x, mean_y = times @ x, times @ y
    covariance = times @ (x * y) - mean_x * mean_y
    spread = np.sqrt((times @ x**2 - mean_x**2) * (times @ y**2 - mean_y**2))
    draws = covariance / np.maximum(spread, 1e-300)
    value = float(scipy.stats.pearsonr(cosines, judged).statistic)
    return interval_of_draws(value, draws), draws
