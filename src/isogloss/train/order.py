"""Which examples a step sees: all of it follows from the seed and the number of the step.

Nothing has to be remembered to go on in the middle of an epoch, and random numbers of a step do
not depend on those before it.
"""

import hashlib

import numpy as np

from isogloss.arrays import Ints1d


def batches_of(n_examples: int, *, batch_size: int, seed: int, epoch: int) -> list[Ints1d]:
    """Return the batches of an epoch: int64 arrays of example numbers, each example once.

    The last may be smaller.
    """
    order = np.random.default_rng([seed, epoch]).permutation(n_examples)
    return np.split(order, range(batch_size, n_examples, batch_size))


def share_of(batch: Ints1d, lengths: Ints1d | None, *, rank: int, size: int) -> Ints1d:
    """Return what process `rank` of `size` takes of a batch, longest first, alike in length.

    Parameters
    ----------
    lengths
        Tokens of every example of the set, or None: all alike.
    """
    if lengths is not None:
        batch = batch[np.argsort(-lengths[batch], kind="stable")]
    return batch[rank::size]


def micro_batches(
    batch: Ints1d,
    lengths: Ints1d | None,
    *,
    accumulate: int | None,
    max_tokens: int,
    part_cost: int,
) -> list[Ints1d]:
    """Cut a share of a batch, sorted by length, into parts that are computed one by one.

    Parameters
    ----------
    accumulate
        So many parts, at most one an example; None: the cheapest cut, as follows.
    max_tokens
        The most padded tokens of a part; a longer example is alone.
    part_cost
        What a part costs beside its padded tokens, in tokens. The cut is the one that is
        cheapest in all: more parts pad less.
    """
    if not len(batch):
        return []
    if accumulate is not None:
        return np.array_split(batch, min(accumulate, len(batch)))
    if lengths is None:
        return [batch]
    n_examples = len(batch)
    cheapest = np.zeros(n_examples + 1, np.int64)  # cost of the examples from here on
    sizes = np.zeros(n_examples, np.int64)  # of the part that begins here
    for start in range(n_examples - 1, -1, -1):
        length = max(1, int(lengths[batch[start]]))  # the longest comes first
        tried = np.arange(1, min(max(1, max_tokens // length), n_examples - start) + 1)
        costs = tried * length + part_cost + cheapest[start + tried]
        best = len(tried) - 1 - int(np.argmin(costs[::-1]))  # of equals the fewest parts
        sizes[start], cheapest[start] = tried[best], costs[best]
    parts, start = [], 0
    while start < n_examples:
        parts.append(batch[start : start + sizes[start]])
        start += int(sizes[start])
    return parts


def seed_of(*numbers: int) -> int:
    """Return a seed of 63 bits made of a run's seed, a step and a process."""
    digest = hashlib.blake2b(repr(numbers).encode(), digest_size=8).digest()
    return int.from_bytes(digest, "little") >> 1


def rate_at(step: int, *, n_steps: int, warm_up: float) -> float:
    """Return the share of the learning rate at a step, counted from 0: linear up, linear down."""
    n_up = round(warm_up * n_steps)
    if step < n_up:
        return (step + 1) / n_up
    return (n_steps - step) / max(1, n_steps - n_up)
