"""Values with their bootstrap draws, so that differences and extremes of values have intervals too.

Draws of one resampling belong together: the same words, or the same sentences, in every layer and
every measure.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from isogloss.arrays import Doubles1d, Doubles2d, Ints1d
from isogloss.statistics.differences import FEW, interval_of_gains
from isogloss.statistics.intervals import Interval, interval_of_draws, interval_of_shares

N_RESAMPLES = 1000


def columns_of(name: str, interval: Interval) -> dict[str, float]:
    """Return a value and its interval as columns of a table."""
    return {name: interval.value, f"{name}_low": interval.low, f"{name}_high": interval.high}


def row_of(record: Any) -> dict[str, Any]:
    """Return the fields of a dataclass as columns of a table, intervals with their ends."""
    row: dict[str, Any] = {}
    for field in fields(record):
        value = getattr(record, field.name)
        value = value.interval if isinstance(value, Sampled) else value
        is_interval = isinstance(value, Interval)
        row |= columns_of(field.name, value) if is_interval else {field.name: value}
    return row


@dataclass(frozen=True, eq=False)
class Sampled:
    """A value and what it was in each resampling; (n_resamples,)."""

    value: float
    draws: Doubles1d
    shares: Doubles1d | None = None  # (n,): of units, of which it is the mean
    own: Interval | None = None  # which no few units shrink

    def minus(self, other: "Sampled | float") -> "Sampled":
        """Return the difference, draw by draw."""
        if not isinstance(other, Sampled):
            return Sampled(self.value - other, self.draws - other)
        own = None
        if self.shares is not None and other.shares is not None:
            gains = self.shares - other.shares
            own = interval_of_gains(gains) if np.count_nonzero(gains) < FEW else None
        return Sampled(self.value - other.value, self.draws - other.draws, own=own)

    @property
    def interval(self) -> Interval:
        """The value with its percentile interval, or with that of the share it is."""
        return self.own or interval_of_draws(self.value, self.draws)


@dataclass(frozen=True, eq=False)
class Resampling:
    """How often each of n units counts in each of the resamplings; float64 (n_resamples, n)."""

    times: Doubles2d

    @classmethod
    def of(cls, n: int, generator: np.random.Generator) -> "Resampling":
        """Draw n of n units with replacement, again and again."""
        return cls(generator.multinomial(n, np.full(n, 1 / n), size=N_RESAMPLES).astype(np.float64))

    def mean(self, values: Doubles1d) -> Sampled:
        """Return the mean of (n,) values, one a unit; NaN is left out."""
        has_value = np.isfinite(values)
        if not has_value.any():
            return Sampled(np.nan, np.full(len(self.times), np.nan))
        filled = np.where(has_value, values, 0.0)
        n_drawn = self.times @ has_value
        draws = (self.times @ filled) / np.where(n_drawn > 0, n_drawn, np.nan)
        value = float(filled.sum() / has_value.sum())
        return Sampled(value, np.where(np.isfinite(draws), draws, value))

    def share(self, values: Doubles1d) -> Sampled:
        """Return the mean of (n,) shares of what is right, 0 to 1 each and none NaN."""
        return replace(self.mean(values), shares=values, own=interval_of_shares(values))

    def mean_of_drawn_means(self, drawn: Doubles2d, of_unit: Ints1d, again: Doubles2d) -> Sampled:
        """Return the mean over units of the mean of the draws that stand for each unit.

        Parameters
        ----------
        drawn
            (n_kinds, n_draws): random draws for each kind of unit.
        of_unit
            (n,): the kind of each unit.
        again
            (n_resamples, n_draws): how often each draw counts in each resampling.
        """
        n_kinds, n_draws = drawn.shape
        kinds = np.eye(n_kinds)[of_unit]  # (n, n_kinds)
        shares = self.times @ kinds / len(of_unit)
        draws = (shares * (again @ drawn.T / n_draws)).sum(1)
        return Sampled(float(kinds.mean(0) @ drawn.mean(1)), draws)


def least(values: Sequence[Sampled]) -> Sampled:
    """Return the smallest of values; its interval is that of the smallest of each resampling."""
    return Sampled(
        float(np.min([one.value for one in values])), np.min([one.draws for one in values], axis=0)
    )


def greatest(values: Sequence[Sampled]) -> Sampled:
    """Return the largest of values, as `least` does the smallest."""
    return Sampled(
        float(np.max([one.value for one in values])), np.max([one.draws for one in values], axis=0)
    )


def mean_of(values: Sequence[Sampled]) -> Sampled:
    """Return the mean of values that were resampled together."""
    value = np.mean([one.value for one in values])
    return Sampled(float(value), np.mean([one.draws for one in values], axis=0))
