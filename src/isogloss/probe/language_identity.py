"""A linear probe for language identity: whether the language can be read off a vector.

The probe is a softmax regression on standardised vectors, of one strength for all, not tuned. No
translation of a test sentence is in training. What it finds behind centring is compared with what
it finds there in languages that differ in nothing but their means: `exchanged` makes these.
"""

import numpy as np
import numpy.typing as npt
from scipy.stats import t

from isogloss.arrays import Bools1d, Bools2d, Floats3d
from isogloss.classify.linear_head import C_WITHOUT_SEARCH, LinearHead
from isogloss.classify.scores import CONFIDENCE, Interval


def recognised(vectors: Floats3d, is_second: Bools1d) -> Bools2d:
    """Return whether a probe names the language of each sentence: bool (n_langs, n_sentences).

    Two probes are fitted, each on one part of the sentences, and tested on the other part.

    Parameters
    ----------
    vectors
        (n_langs, n_sentences, width).
    is_second
        Part of each sentence, the same in all languages: bool (n_sentences,), both there.
    """
    n_langs, n, width = vectors.shape
    hits = np.zeros((n_langs, n), np.bool_)
    for is_test in (is_second, ~is_second):
        train, test = vectors[:, ~is_test], vectors[:, is_test]
        labels = np.repeat(np.arange(n_langs), train.shape[1])
        probe = LinearHead.fit(
            train.reshape(-1, width), labels, n_langs, C=C_WITHOUT_SEARCH, chosen_by="fixed"
        )
        named = probe.log_probabilities(test.reshape(-1, width)).argmax(1)
        hits[:, is_test] = named.reshape(n_langs, -1) == np.arange(n_langs)[:, None]
    return hits


def exchanged(vectors: Floats3d, generator: np.random.Generator) -> Floats3d:
    """Return languages that differ in nothing: the translations of each sentence in random order.

    What is exchanged are deviations from the mean of the language (Freedman and Lane 1983), not the
    vectors themselves: the shifts of languages would become noise within each, which real centred
    vectors lack. Each sentence stays a sentence, so that vectors depend on each other as before.

    Parameters
    ----------
    vectors
        (n_langs, n_sentences, width).

    Returns
    -------
    The same shape; all means about 0, but for the noise that means of so few sentences have.
    """
    deviations = vectors - vectors.mean(1, keepdims=True, dtype=np.float64).astype(np.float32)
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
    reach = float(t.ppf((1 + CONFIDENCE) / 2, n - 1) * shares.std(ddof=1) * np.sqrt(1 + 1 / n))
    return Interval(mean, max(mean - reach, 0.0), min(mean + reach, 1.0))
