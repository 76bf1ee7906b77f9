"""Retrieval benchmarks on files in their published layouts: Tatoeba, the UN corpus, BUCC, STS.

Each function takes a folder and what turns texts into unit vectors, and returns rows of a table
with intervals. Nothing here knows an encoder.

- Tatoeba (Artetxe and Schwenk 2019): ``tatoeba.XXX-eng.XXX`` and ``tatoeba.XXX-eng.eng``, line i of
  both a pair. Accuracy of the nearest neighbour in both directions.
- UN parallel corpus test set (Ziemski et al. 2016): ``UNv1.0.testset.LANG``, line i of all files
  one sentence. Precision at 1 in both directions between English and each other language.
- BUCC 2018 (Zweigenbaum et al. 2017): ``XX-en.SPLIT.XX``, ``XX-en.SPLIT.en`` (id, tab, sentence)
  and ``XX-en.SPLIT.gold`` (id, tab, id). F1 at the threshold that is best on the split itself, as
  the published training figures have it.
- Semantic textual similarity: ``YEAR/PART.test.tsv``: score, tab, sentence, tab, sentence; rows
  without a score were not judged. Rank correlation (Spearman) of cosine and score, Pearson beside.

Lines may be gzipped, under the name with ``.gz``.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import scipy

from isogloss.arrays import Bools1d, Doubles1d, Floats2d
from isogloss.data.lines import open_lines
from isogloss.errors import InputError
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
XTREME = frozenset({  # the 36 languages of Hu et al. (2020)
    "afr", "ara", "ben", "bul", "cmn", "deu", "ell", "est", "eus", "fin", "fra", "heb", "hin",
    "hun", "ind", "ita", "jav", "jpn", "kat", "kaz", "kor", "mal", "mar", "nld", "pes", "por",
    "rus", "spa", "swh", "tam", "tel", "tha", "tgl", "tur", "urd", "vie",
})  # fmt: skip
WAYS = ("to_en", "from_en", "mean")
ZERO_SHOT = "zero-shot"
UN = "UNv1.0.testset"
SEED = 0


@dataclass(frozen=True)
class Bitext:
    """Two lists of sentences, of which those in the same place are translations."""

    lang: str
    sources: list[str]
    targets: list[str]


def refuse_without_files(
    *,
    tatoeba: Path | None = None,
    bucc: Path | None = None,
    un: Path | None = None,
    sts: Path | None = None,
) -> None:
    """Look for the files of each benchmark, which costs nothing before an encoder is loaded.

    Raises
    ------
    InputError
        For a folder that is not there, or holds no file of its benchmark.
    """
    looks = ((tatoeba, _tatoeba_files), (bucc, _gold_files), (un, _un_langs), (sts, _sts_files))
    for folder, look in looks:
        if folder is not None:
            if not folder.is_dir():
                raise InputError("no such folder; check its name", path=folder)
            look(folder)


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
    pairs = [_tatoeba_pair(file) for file in _tatoeba_files(folder)]
    whole = {"XTREME's 36": XTREME, LASER_LABSE: languages_of_the_papers()}
    found = _scored(pairs, vectors, groups=whole)
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
    langs = _un_langs(folder)
    english = _lines(folder / f"{UN}.en")
    pairs = [Bitext(lang, _lines(folder / f"{UN}.{lang}"), english) for lang in langs]
    for pair in pairs:
        _check_lengths(pair, folder / f"{UN}.{pair.lang}")
    return _scored(pairs, vectors, groups={})


def evaluate_sts(folder: Path, vectors: Vectors) -> Scored:
    """Return the correlations of cosine and judged similarity for each part; see the module.

    Raises
    ------
    InputError
        For a folder without such files, or a row that is none.
    """
    rows: list[dict[str, Any]] = []
    drawn: dict[str, list[Doubles1d]] = {"spearman": [], "pearson": []}
    for path in _sts_files(folder):
        judged, firsts, seconds = _judged(path)
        cosines = np.einsum("ij,ij->i", vectors(firsts), vectors(seconds)).astype(np.float64)
        part = path.name.removesuffix(".test.tsv")
        row: dict[str, Any] = {"part": f"{path.parent.name}/{part}", "n": len(judged)}
        for measure, draws in drawn.items():
            interval, found = _correlation(cosines, judged, ranks=measure == "spearman")
            draws.append(found)
            row |= columns_of(measure, interval)
        rows.append(row)
    mean: dict[str, Any] = {"group": "mean over parts", "n": len(rows)}
    for measure, draws in drawn.items():
        value = float(np.mean([row[measure] for row in rows]))
        mean |= columns_of(measure, interval_of_draws(value, np.mean(draws, axis=0)))
    return Scored(rows, [mean])


def evaluate_bucc(
    folder: Path, mine: Callable[[list[str], list[str]], tuple[Any, Any, Any]]
) -> Scored:
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
    rows = []
    for gold_file in _gold_files(folder):
        stem = gold_file.with_name(gold_file.name.removesuffix(".gold"))
        lang = stem.name.partition("-")[0]
        sides = [_identified(stem.with_name(f"{stem.name}.{side}")) for side in (lang, "en")]
        gold = _gold(gold_file, *sides)
        firsts, seconds, scores = mine(*[list(side.values()) for side in sides])
        ids = [list(side) for side in sides]
        right = [
            (ids[0][first], ids[1][second]) in gold
            for first, second in zip(firsts, seconds, strict=True)
        ]
        found = best_f1(np.asarray(scores, np.float64), np.asarray(right), n_gold=len(gold))
        rows.append({"lang": lang, "split": stem.name.rpartition(".")[2], "n": len(gold)} | found)
    return with_published_bucc(Scored(rows, []))


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


def _scored(pairs: Sequence[Bitext], vectors: Vectors, groups: dict[str, frozenset[str]]) -> Scored:
    rows: list[dict[str, Any]] = []
    hits: dict[str, dict[str, Doubles1d]] = {way: {} for way in WAYS}
    for pair in pairs:
        sources, targets = vectors(pair.sources), vectors(pair.targets)
        places = np.arange(len(pair.sources))
        to_en = nearest(sources, targets).rows[:, 0] == places
        from_en = nearest(targets, sources).rows[:, 0] == places
        both = (to_en.astype(np.float64) + from_en) / 2
        row: dict[str, Any] = {"lang": pair.lang, "n": len(places)}
        for way, right in zip(WAYS, (to_en, from_en, both), strict=True):
            hits[way][pair.lang] = right.astype(np.float64)
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


def _tatoeba_files(folder: Path) -> list[Path]:
    names = sorted({_bare(file) for file in folder.glob("tatoeba.*-eng.*")})
    found = [folder / name for name in names if not name.endswith(".eng")]
    if not found:
        raise InputError("holds no tatoeba.XXX-eng.XXX", path=folder)
    return found


def _gold_files(folder: Path) -> list[Path]:
    found = sorted({file.with_name(_bare(file)) for file in folder.rglob("*-en.*.gold*")})
    if not found:
        raise InputError("holds no XX-en.SPLIT.gold", path=folder)
    return found


def _un_langs(folder: Path) -> list[str]:
    langs = sorted({_bare(file).rpartition(".")[2] for file in folder.glob(f"{UN}.*")} - {"en"})
    if not langs:
        raise InputError(f"holds no {UN}.LANG beside {UN}.en", path=folder)
    return langs


def _sts_files(folder: Path) -> list[Path]:
    found = sorted({file.with_name(_bare(file)) for file in folder.glob("*/*.test.tsv*")})
    if not found:
        raise InputError("holds no YEAR/PART.test.tsv", path=folder)
    return found


def _tatoeba_pair(file: Path) -> Bitext:
    stem, _, lang = file.name.rpartition(".")
    pair = Bitext(lang, _lines(file), _lines(file.with_name(f"{stem}.eng")))
    _check_lengths(pair, file)
    return pair


def _check_lengths(pair: Bitext, path: Path) -> None:
    if len(pair.sources) != len(pair.targets):
        raise InputError(
            f"has {len(pair.sources):,} lines, and its English side {len(pair.targets):,}; line i "
            "of both is a pair",
            path=path,
        )
    if not pair.sources:
        raise InputError("is empty", path=path)


def _lines(path: Path) -> list[str]:
    return [line for _, line in open_lines(_existing(path))]


def _existing(path: Path) -> Path:
    zipped = path.with_name(f"{path.name}.gz")
    return zipped if zipped.exists() and not path.exists() else path


def _bare(file: Path) -> str:
    return file.name.removesuffix(".gz")


def _judged(path: Path) -> tuple[Doubles1d, list[str], list[str]]:
    scores, firsts, seconds = [], [], []
    for number, line in open_lines(_existing(path)):
        cells = line.split("\t")
        if len(cells) != 3:
            raise InputError(
                f"has {len(cells)} columns; a row is score, tab, sentence, tab, sentence",
                path=path, line=number,
            )  # fmt: skip
        if not cells[0].strip():
            continue
        try:
            scores.append(float(cells[0]))
        except ValueError:
            raise InputError(
                f"the score is '{cells[0]:.20}', no number", path=path, line=number
            ) from None
        firsts.append(cells[1])
        seconds.append(cells[2])
    if len(scores) < 3:
        raise InputError("has fewer than 3 rows with a score", path=path)
    return np.array(scores), firsts, seconds


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


def _identified(path: Path) -> dict[str, str]:
    found = {}
    for number, line in open_lines(_existing(path)):
        name, tab, text = line.partition("\t")
        if not tab:
            raise InputError("a row is id, tab, sentence", path=path, line=number)
        found[name] = text
    return found


def _gold(path: Path, first: dict[str, str], second: dict[str, str]) -> set[tuple[str, str]]:
    found = set()
    for number, line in open_lines(_existing(path)):
        cells = line.split("\t")
        if len(cells) != 2 or cells[0] not in first or cells[1] not in second:
            raise InputError(
                "a row is two ids, tab between, of the files beside it", path=path, line=number
            )
        found.add((cells[0], cells[1]))
    return found
