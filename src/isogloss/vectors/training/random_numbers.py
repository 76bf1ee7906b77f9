"""Random numbers and draws in compiled code: a generator in one number, and alias tables.

A table of 100 million entries (word2vec's way) rounds the probabilities and misses the cache; an
alias table is exact to 32 bits and has one entry for each choice (Walker 1977; Vose 1991).
"""

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from isogloss.arrays import Doubles1d, Ints1d, SmallInts1d
from isogloss.compiled import compiled

Thresholds: TypeAlias = "np.ndarray[tuple[int], np.dtype[np.uint32]]"
State: TypeAlias = "np.ndarray[tuple[int], np.dtype[np.uint64]]"

CERTAIN = 0xFFFFFFFF

_MULTIPLIER = np.uint64(0x2545F4914F6CDD1D)
_GOLDEN = 0x9E3779B97F4A7C15
_12, _25, _27, _32 = np.uint64(12), np.uint64(25), np.uint64(27), np.uint64(32)
_LOW = np.uint64(CERTAIN)


@dataclass(frozen=True, eq=False)
class AliasTable:
    """Draws one of `n` choices; the arrays are empty where all are equally likely.

    Attributes
    ----------
    thresholds
        uint32 (n,): a choice is kept where 32 random bits are not above.
    aliases
        int32 (n,): the choice that takes its place otherwise.
    """

    n: int
    thresholds: Thresholds
    aliases: SmallInts1d

    @property
    def arrays(self) -> tuple[int, Thresholds, SmallInts1d]:
        """What compiled code takes."""
        return self.n, self.thresholds, self.aliases

    @classmethod
    def of(cls, counts: Ints1d, power: float) -> "AliasTable":
        """Make a table for probabilities that grow as counts ** power, 0 for a count of 0."""
        n = len(counts)
        if power == 0 or n == 0:
            return cls(n, np.zeros(0, np.uint32), np.zeros(0, np.int32))
        weights = np.zeros(n)
        np.power(counts, power, out=weights, where=counts > 0, casting="unsafe")
        if not weights.any():
            return cls.of(counts, 0)
        thresholds, aliases = _alias(weights / weights.mean())
        return cls(n, thresholds, aliases)


def seeded(seed: int, number: int) -> State:
    """Return the state of the generator for one of many parts of work (splitmix64)."""
    mixed = (seed * 0xD1342543DE82EF95 + (number + 1) * _GOLDEN) & (2**64 - 1)
    mixed = ((mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9) & (2**64 - 1)
    mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & (2**64 - 1)
    return np.array([(mixed ^ (mixed >> 31)) or _GOLDEN], np.uint64)


@compiled
def next_bits(state: Any) -> Any:
    """Return 64 random bits and move the state on (xorshift64*, Vigna 2016)."""
    x = state[0]
    x ^= x >> _12
    x ^= x << _25
    x ^= x >> _27
    state[0] = x
    return x * _MULTIPLIER


@compiled
def below(n: Any, bits: Any) -> Any:
    """Map the high half of random bits to 0 … n - 1."""
    return np.int64(((bits >> _32) * np.uint64(n)) >> _32)


@compiled
def draw(n: Any, thresholds: Any, aliases: Any, state: Any) -> Any:
    """Draw a choice from an alias table."""
    bits = next_bits(state)
    choice = below(n, bits)
    if thresholds.size > 0 and (bits & _LOW) > np.uint64(thresholds[choice]):
        return np.int64(aliases[choice])
    return choice


@compiled
def _alias(shares: Doubles1d) -> Any:
    """Return the thresholds and aliases of weights whose mean is 1."""
    n = shares.size
    left = shares.copy()
    thresholds, aliases = np.empty(n, np.uint32), np.empty(n, np.int32)
    small, large = np.empty(n, np.int32), np.empty(n, np.int32)
    n_small, n_large = 0, 0
    for i in range(n):
        if left[i] < 1.0:
            small[n_small] = i
            n_small += 1
        else:
            large[n_large] = i
            n_large += 1
    while n_small > 0 and n_large > 0:
        n_small -= 1
        poor, rich = small[n_small], large[n_large - 1]
        # A threshold of 0 keeps one draw in 2 ** 32: what has no weight still gives way.
        thresholds[poor] = np.uint32(max(left[poor], 0.0) * 4294967295.0)
        aliases[poor] = rich
        left[rich] -= 1.0 - left[poor]
        if left[rich] < 1.0:
            n_large -= 1
            small[n_small] = rich
            n_small += 1
    for i in range(n_large):
        thresholds[large[i]], aliases[large[i]] = np.uint32(4294967295), large[i]
    for i in range(n_small):
        thresholds[small[i]], aliases[small[i]] = np.uint32(4294967295), small[i]
    return thresholds, aliases
