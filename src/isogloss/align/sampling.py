"""Languages drawn by smoothed shares: in proportion to what they have, to a power.

With exponent 1 each language is met as often as there is text of it, with 0 all alike.
"""

from collections.abc import Sequence

import numpy as np

from isogloss.arrays import Ints1d


def smoothed_sizes(
    sizes: Sequence[int], smoothing: float, *, total: int | None = None
) -> list[int]:
    """Return how much of each language to draw: p ∝ n^smoothing.

    Parameters
    ----------
    sizes
        How much there is of each, above 0.
    total
        How much in all, exactly (by largest remainders); None: as much as there is, but for
        rounding, and 1 at least of each.

    Examples
    --------
    >>> smoothed_sizes([900, 100], 1.0), smoothed_sizes([900, 100], 0.5)
    ([900, 100], [750, 250])
    """
    weights = np.asarray(sizes, np.float64) ** smoothing
    shares = weights / weights.sum() * (sum(sizes) if total is None else total)
    if total is None:
        return [max(1, round(share)) for share in shares.tolist()]
    whole = np.floor(shares).astype(np.int64)
    largest = np.argsort(whole - shares, kind="stable")[: total - int(whole.sum())]
    whole[largest] += 1
    return [int(n) for n in whole]


def drawn(rows: Ints1d, size: int, generator: np.random.Generator) -> Ints1d:
    """Draw `size` rows, each as often as another but for one time."""
    whole, rest = divmod(size, len(rows))
    parts = [generator.permutation(rows) for _ in range(whole)]
    return np.concatenate([*parts, generator.permutation(rows)[:rest]])
