"""Permutation tests of paired documents: the two sides of each are swapped at random."""

from collections.abc import Callable

import numpy as np

from isogloss.arrays import Doubles1d, Doubles2d

N_PERMUTATIONS = 10_000


def permutation_p(differences: Doubles2d, gain: Callable[[Doubles2d], Doubles1d]) -> float:
    """Return the two-sided p-value of no gain.

    Parameters
    ----------
    differences
        float64 (n_documents, n_sums): ours less theirs; to swap the sides flips the sign of a row.
    gain
        What (n, n_sums) sums of such rows make: (n,).
    """
    differing = differences[differences.any(axis=1)]
    if not len(differing):
        return 1.0
    target = abs(gain(differing.sum(axis=0)[None])[0]) - 1e-9
    generator, extreme = np.random.default_rng(0), 0
    for _ in range(N_PERMUTATIONS // 100):  # in parts: test sets may be large
        signs = generator.choice([-1.0, 1.0], size=(100, len(differing)))
        extreme += int((np.abs(gain(signs @ differing)) >= target).sum())
    return (1 + extreme) / (1 + N_PERMUTATIONS)


def sign_flip_p(differences: Doubles1d) -> float:
    """Return the two-sided p-value of a mean of 0, a difference a document."""
    return permutation_p(differences[:, None], lambda sums: sums[:, 0])
