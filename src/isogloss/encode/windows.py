"""Texts with more tokens than an encoder takes, as windows whose vectors are averaged.

The tokens of a text itself (without its prefix and special tokens, which every window gets) are
cut into as few windows as hold them, of nearly equal size and without overlap, so that no window is
tiny and no token counts twice. The vector of the text is

    h = Σ_w n_w h_w / Σ_w n_w        n_w: tokens of the text itself in window w

with h_w the pooled vector before normalisation. A text that fits is one window, with the same
vector as without windows. `forward` calls this where ``long_texts="windows"``.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Self

import numpy as np

from isogloss.arrays import Doubles3d, Floats3d, Ints1d, SmallInts1d


@dataclass(frozen=True)
class Windows:
    """What goes through the network for some texts, one row a window.

    Attributes
    ----------
    ids
        One array a window, prefix and special tokens included.
    text
        Number of the window's text, ascending; (n_windows,).
    n_own
        Tokens of the text itself in each window, which weigh it; (n_windows,).
    n_tokens
        Tokens of each whole text, its prefix and special tokens counted once; (n_texts,).
    """

    ids: list[SmallInts1d]
    text: Ints1d
    n_own: Ints1d
    n_tokens: Ints1d

    @classmethod
    def one_each(cls, ids: list[SmallInts1d], n_tokens: Ints1d) -> Self:
        """Return texts of one window each, which are all that is read of them."""
        numbers = np.arange(len(ids), dtype=np.int64)
        return cls(ids, numbers, np.zeros_like(numbers), n_tokens)

    @property
    def lengths(self) -> Ints1d:
        """Tokens of each window."""
        return np.fromiter((len(ids) for ids in self.ids), np.int64, len(self.ids))


def equal_parts(n_tokens: int, *, most: int) -> Iterator[tuple[int, int]]:
    """Yield start and end of as few parts as hold `n_tokens`, whose sizes differ by 1 at most."""
    n_parts = max(1, -(-n_tokens // most))
    for part in range(n_parts):
        yield part * n_tokens // n_parts, (part + 1) * n_tokens // n_parts


class WindowMeans:
    """The vectors of texts, of windows that come in any order, a batch at a time.

    Only texts of several windows have a sum, in float64; others are written where they belong.

    Parameters
    ----------
    vectors
        To fill: (n_layers, n_texts, width), zeros.
    windows
        Of these texts.
    """

    def __init__(self, vectors: Floats3d, windows: Windows) -> None:
        n_layers, n_texts, width = vectors.shape
        is_split = np.bincount(windows.text, minlength=n_texts) > 1
        self.vectors, self.windows, self.is_split = vectors, windows, is_split
        self.row = np.cumsum(is_split) - 1  # of a text of several windows in `sums`
        self.sums: Doubles3d = np.zeros((n_layers, int(is_split.sum()), width))

    def add(self, batch: Ints1d, pooled: Floats3d) -> None:
        """Take the vectors of the windows with the numbers `batch`: (n_layers, n_batch, width)."""
        texts = self.windows.text[batch]
        is_split = self.is_split[texts]
        self.vectors[:, texts[~is_split]] = pooled[:, ~is_split]
        n_own = self.windows.n_own[batch].astype(np.float64)
        for at in np.flatnonzero(is_split):  # several may be of one text
            self.sums[:, self.row[texts[at]]] += n_own[at] * pooled[:, at]

    def finish(self) -> None:
        """Write the means of the texts of several windows."""
        n_own = np.bincount(self.windows.text, self.windows.n_own, len(self.is_split))
        self.vectors[:, self.is_split] = self.sums / n_own[self.is_split, None]
