"""A linear probe for language identity: whether the language can be read off a vector.

The probe is a softmax regression on standardised vectors, of one strength for all, not tuned. No
translation of a test sentence is in training. What it finds after centring is compared with what
it finds there in languages that differ in their means alone: `exchanged` makes these.
"""

import numpy as np
import numpy.typing as npt
import scipy

from isogloss.arrays import Bools1d, Bools2d, Doubles2d, Floats3d
from isogloss.learn.linear_head import C_WITHOUT_SEARCH, LinearHead
from isogloss.statistics.intervals import CONFIDENCE, Interval


def recognised(vectors: Floats3d, is_second: Bools1d) -> Bools2d:
    """Return whether a probe names the language of each sentence: bool (n_langs, n_sentences).

    Two probes are fitted, each on one part of the sentences (`is_second`, the same in all
    languages), and tested on the other part. Vectors are (n_langs, n_sentences, width).
    """
    n_langs, n, width = vectors.shape
    hits = np.zeros((n_langs, n), np.bool_)
    for is_test in (is_second, ~is_second):
        train, test = vectors[:, ~is_test], vectors[:, is_test]
        labels = np.repeat(np.arange(n_langs), train.shape[1])
        probe = LinearHead.fit(train.reshape(-1, width), labels, n_langs, C=C_WITHOUT_SEARCH)
        named = probe.log_probabilities(test.reshape(-1, width)).argmax(1)
        hits[:, is_test] = named.reshape(n_langs, -1) == np.arange(n_langs)[:, None]
    return hits


def language_means(vectors: Floats3d) -> Floats3d:
    """Return the mean of each language, float32 (n_langs, 1, width)."""
    means: Floats3d = vectors.mean(1, keepdims=True, dtype=np.float64).astype(np.float32)
    return means


def exchanged(vectors: Floats3d, generator: np.random.Generator) -> Floats3d:
    """Return languages that are exchangeable: the translations of each sentence in random order.

    What is exchanged are deviations from the mean of the language (Freedman and Lane 1983), not the
    vectors themselves: the shifts of languages would become noise within each, which real centred
    vectors lack. Each sentence stays a sentence, so that vectors depend on each other as before.

    More than the means goes, then: each language gets the same mixture of all covariances, and
    is kin to none more than to another. What is above this null shows that languages are not
    exchangeable after centring, not which of these makes it.

    Parameters
    ----------
    vectors
        (n_langs, n_sentences, width).

    Returns
    -------
    The same shape; all means about 0, but for the noise that means of so few sentences have.
    """
    deviations = vectors - language_means(vectors)
    order = np.tile(np.arange(len(vectors))[:, None], vectors.shape[1])
    order = generator.permuted(order, axis=0)  # (n_langs, n_sentences)
    return np.asarray(np.take_along_axis(deviations, order[:, :, None], axis=0))


def interval_of_another(shares: npt.NDArray[np.float64]) -> Interval:
    """Return the mean of shares, and where one more of their kind lies (95 %).

    The prediction interval of Student's t, mean ± t s √(1 + 1/n), cut to 0 and 1.

    Parameters
    ----------
    shares
        (n,), two or more.
    """
    n, mean = len(shares), float(shares.mean())
    reach = float(
        scipy.stats.t.ppf((1 + CONFIDENCE) / 2, n - 1) * shares.std(ddof=1) * np.sqrt(1 + 1 / n)
    )
    return _cut(mean, reach)


def interval_of_all_languages(shares: Doubles2d) -> Interval:
    """Return the mean of shares, and where all languages of one more exchange lie (95 %).

    One interval for all: that of each language is of 1 - 5 % / n_langs (Bonferroni), so that one
    or more lie outside in 5 % of exchanges at most. Languages of one exchange depend on each
    other, so variances within and between exchanges are added as in a random-effects model, with
    the degrees of freedom of Satterthwaite (1946).

    Parameters
    ----------
    shares
        (n_exchanges, n_langs), two or more of both.
    """
    n, n_langs = shares.shape
    mean = float(shares.mean())
    between = (1 + 1 / n) * shares.mean(1).var(ddof=1)
    within = (1 - 1 / n_langs) * shares.var(1, ddof=1).mean()
    variance = between + within
    if not variance > 0:
        return _cut(mean, 0.0)
    freedom = variance**2 / (between**2 / (n - 1) + within**2 / (n * (n_langs - 1)))
    quantile = scipy.stats.t.ppf(1 - (1 - CONFIDENCE) / (2 * n_langs), freedom)
    return _cut(mean, float(quantile * np.sqrt(variance)))


def _cut(mean: float, reach: float) -> Interval:
    return Interval(mean, max(mean - reach, 0.0), min(mean + reach, 1.0))
