"""How well vectors say what is related: the KORE and WikiSim tests, as published.

- KORE (Hoffart et al. 2012): 21 entities, each with 20 others, the most related first. A line is a
  seed, or a tab and a candidate. The score is the mean over seeds of Spearman's correlation.
- WikiSim-353 (Milne and Witten 2008): pairs of articles with a score. Seven columns with a header:
  ``termA idA matchA termB idB matchB relatedness``; ``null`` where a word has no article. The
  score is Spearman's correlation over the pairs.

What has no vector is left out, as in Wikipedia2Vec's own evaluation, and counted. Intervals are
percentiles of a bootstrap, over seeds or over pairs.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import scipy

from isogloss.arrays import Doubles1d, Doubles2d
from isogloss.data.lines import open_lines
from isogloss.errors import InputError
from isogloss.vectors.word_entity_vectors import WordEntityVectors, cosines_with

N_RESAMPLES = 2000
HEADER = ("termA", "idA", "matchA", "termB", "idB", "matchB", "relatedness")
NO_ARTICLE = "null"


@dataclass(frozen=True)
class Relatedness:
    """A correlation with human judgements.

    Attributes
    ----------
    spearman, spearman_low, spearman_high
        Correlation and its interval at 95 %; NaN where nothing could be compared.
    n
        Pairs of entities compared.
    n_missing
        Pairs left out because one has no vector.
    n_without_article
        Pairs left out because the test names no article.
    """

    test: str
    spearman: float
    spearman_low: float
    spearman_high: float
    n: int
    n_missing: int
    n_without_article: int


def evaluate_kore(vectors: WordEntityVectors, path: Path, *, seed: int = 0) -> Relatedness:
    """Compare with KORE's ranks; the file is its ``rankedrelatedentities.txt``.

    Raises
    ------
    InputError
        When the file is missing or of another form; with the line.
    """
    correlations, n, n_missing = [], 0, 0
    for title, others in read_kore(path):
        cosines = [_cosine(vectors, title, other) for other in others]
        known = np.array([cosine for cosine in cosines if cosine is not None])
        n, n_missing = n + len(known), n_missing + len(others) - len(known)
        if len(known) > 1:
            correlations.append(spearman(-np.arange(len(known), dtype=np.float64), known))
    values = np.array([value for value in correlations if np.isfinite(value)])
    means = np.zeros(0)
    if len(values):
        drawn = np.random.default_rng(seed).integers(len(values), size=(N_RESAMPLES, len(values)))
        means = values[drawn].mean(axis=1)
    score = float(values.mean()) if len(values) else np.nan
    return Relatedness("kore", score, *_interval(means), n, n_missing, 0)


def evaluate_wikisim(vectors: WordEntityVectors, path: Path, *, seed: int = 0) -> Relatedness:
    """Compare with the scores of WikiSim-353.

    Raises
    ------
    InputError
        When the file is missing or of another form; with the line.
    """
    gold, cosines, n_missing, n_without = [], [], 0, 0
    for first, second, score in read_wikisim(path):
        if NO_ARTICLE in (first, second):
            n_without += 1
            continue
        cosine = _cosine(vectors, first, second)
        if cosine is None:
            n_missing += 1
            continue
        gold.append(score)
        cosines.append(cosine)
    pairs = np.array([gold, cosines])
    n = len(gold)
    drawn = np.zeros(0)
    if n > 1:
        places = np.random.default_rng(seed).integers(n, size=(N_RESAMPLES, n))
        drawn = _correlations(pairs[0][places], pairs[1][places])
        drawn = drawn[np.isfinite(drawn)]
    score = spearman(pairs[0], pairs[1]) if n > 1 else np.nan
    return Relatedness("wikisim", score, *_interval(drawn), n, n_missing, n_without)


def read_kore(path: Path) -> list[tuple[str, list[str]]]:
    """Read seeds and their candidates, the most related first."""
    seeds: list[tuple[str, list[str]]] = []
    for number, line in open_lines(path):
        if not line.strip():
            continue
        if not line.startswith("\t"):
            seeds.append((line.strip(), []))
        elif seeds:
            seeds[-1][1].append(line.strip())
        else:
            raise InputError("a candidate before the first seed", path=path, line=number)
    if not any(others for _, others in seeds):
        raise InputError(
            "is not KORE's form: no line begins with a tab, as those of related entities do",
            path=path,
        )
    return seeds


def read_wikisim(path: Path) -> list[tuple[str, str, float]]:
    """Read pairs of titles with their scores."""
    pairs = []
    for number, line in open_lines(path):
        fields = line.split("\t")
        if number == 1:
            if tuple(field.strip() for field in fields) != HEADER:
                raise InputError(
                    f"is not WikiSim's form; the first line is {' '.join(HEADER)}, tabs between",
                    path=path,
                    line=1,
                )
            continue
        if not line.strip():
            continue
        try:
            pair = _title(fields[2]), _title(fields[5]), float(fields[6])
        except (IndexError, ValueError):
            pair = "", "", np.nan
        if not np.isfinite(pair[2]):
            raise InputError(
                "is no pair with a score: seven columns, the last a number", path=path, line=number
            )
        pairs.append(pair)
    if not pairs:
        raise InputError("holds no pair with a score", path=path)
    return pairs


def spearman(first: Doubles1d, second: Doubles1d) -> float:
    """Return Spearman's rank correlation, equal values with their mean rank; NaN for constants."""
    return float(_correlations(first[None], second[None])[0])


def _correlations(first: Doubles2d, second: Doubles2d) -> Doubles1d:
    """Return Spearman's correlation of each row; (n_rows, n) → (n_rows,)."""
    a, b = (scipy.stats.rankdata(values, axis=1) for values in (first, second))
    a, b = a - a.mean(axis=1, keepdims=True), b - b.mean(axis=1, keepdims=True)
    lengths = np.sqrt((a * a).sum(axis=1) * (b * b).sum(axis=1))
    products = (a * b).sum(axis=1)
    return np.divide(products, lengths, out=np.full(len(a), np.nan), where=lengths > 0)


def _interval(drawn: Doubles1d) -> tuple[float, float]:
    if not len(drawn):
        return np.nan, np.nan
    low, high = np.percentile(drawn, [2.5, 97.5])
    return float(low), float(high)


def _cosine(vectors: WordEntityVectors, first: str, second: str) -> float | None:
    numbers = [vectors.vocabulary.find_entity(title) for title in (first, second)]
    if min(numbers) < 0:
        return None
    rows = [vectors.n_words + number for number in numbers]
    return float(cosines_with(vectors.matrix[rows[0]][None], vectors.matrix[rows[1]])[0])


def _title(field: str) -> str:
    """Undo the quotes around some titles of the published file."""
    return field.strip().strip('"').replace("_", " ")
