"""A linear probe for language identity: whether the language can be read off a vector.

The probe is a softmax regression on standardised vectors, of one strength for all: what it says is
compared with chance and with a probe of the same kind whose training labels were shuffled (Hewitt
and Liang 2019), not tuned. No translation of a test sentence is in training.
"""

import numpy as np

from isogloss.arrays import Bools1d, Bools2d, Floats3d
from isogloss.classify.linear_head import C_WITHOUT_SEARCH, LinearHead


def recognised(
    vectors: Floats3d, is_second: Bools1d, *, shuffle: np.random.Generator | None = None
) -> Bools2d:
    """Return whether a probe names the language of each sentence: bool (n_langs, n_sentences).

    Two probes are fitted, each on one part of the sentences, and tested on the other part.

    Parameters
    ----------
    vectors
        (n_langs, n_sentences, width).
    is_second
        Part of each sentence, the same in all languages: bool (n_sentences,), both there.
    shuffle
        Shuffles the training labels: the control. None: they stay.
    """
    n_langs, n, width = vectors.shape
    hits = np.zeros((n_langs, n), np.bool_)
    for is_test in (is_second, ~is_second):
        train, test = vectors[:, ~is_test], vectors[:, is_test]
        labels = np.repeat(np.arange(n_langs), train.shape[1])
        if shuffle is not None:
            labels = shuffle.permutation(labels)
        probe = LinearHead.fit(
            train.reshape(-1, width), labels, n_langs, C=C_WITHOUT_SEARCH, chosen_by="fixed"
        )
        named = probe.log_probabilities(test.reshape(-1, width)).argmax(1)
        hits[:, is_test] = named.reshape(n_langs, -1) == np.arange(n_langs)[:, None]
    return hits
