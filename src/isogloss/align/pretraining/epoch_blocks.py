"""The blocks of an epoch: drawn by smoothed shares, and masked anew whenever they are met.

For the training loop an example is a draw: a place in its epoch. Everything about it follows from
the seed, the epoch and the place, so a run that resumes masks as the unbroken one.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from isogloss.align.pretraining.masking import Vocabulary, masked, n_predicted
from isogloss.align.pretraining.packing import Blocks
from isogloss.align.sampling import drawn, smoothed_sizes
from isogloss.arrays import Ints1d, SmallInts1d
from isogloss.encode.batches import pad
from isogloss.errors import InputError, counted
from isogloss.train.order import seed_of


@dataclass(frozen=True)
class MaskedBatch:
    """Blocks as the network sees them, and what it is to find.

    Attributes
    ----------
    ids, mask
        (n_blocks, longest): tokens, and 1 where there is one.
    places, targets
        (n_predicted,): tokens to be predicted, by their place in the flattened `ids`, and what
        they were.
    """

    ids: Tensor
    mask: Tensor
    places: Tensor
    targets: Tensor


@dataclass(frozen=True)
class Masking:
    """How blocks are masked, and for which device."""

    vocabulary: Vocabulary
    share: float
    seed: int
    pad_id: int
    device: str = "cpu"

    def batch(self, blocks: Sequence[SmallInts1d], keys: Sequence[Sequence[int]]) -> MaskedBatch:
        """Mask blocks; the key of each is what its masks are drawn from, beside the seed."""
        found = [
            masked(
                ids, self.vocabulary, share=self.share,
                generator=np.random.default_rng(seed_of(self.seed, *key)),
            )
            for ids, key in zip(blocks, keys, strict=True)
        ]  # fmt: skip
        padded = pad([one.ids for one in found], pad_id=self.pad_id)
        width = padded.ids.shape[1]
        places = np.concatenate([row * width + one.places for row, one in enumerate(found)])
        targets = np.concatenate([one.targets for one in found]).astype(np.int64)
        tensors = (padded.ids, padded.mask, places, targets)
        return MaskedBatch(*(torch.from_numpy(one).to(self.device) for one in tensors))

    def n_predicted(self, blocks: Blocks) -> Ints1d:
        """Return how many tokens are predicted in each block: (n_blocks,)."""
        plain = ~self.vocabulary.is_special[blocks.ids]
        sums = np.add.reduceat(plain.astype(np.int64), blocks.offsets[:-1])
        return n_predicted(sums, self.share)


class EpochBlocks:
    """The draws of an epoch; see the module.

    Parameters
    ----------
    n_draws
        Blocks of an epoch; None: as many as there are.
    tlm_share
        Share of pairs among them; None: as many as there are.
    smoothing
        A group with n blocks is drawn in proportion to n to this power.

    Attributes
    ----------
    sizes
        Group to its draws in an epoch.
    n_predicted
        Tokens predicted in a draw, on average.

    Raises
    ------
    InputError
        When nothing is drawn.
    """

    def __init__(
        self,
        blocks: Blocks,
        masking: Masking,
        *,
        n_draws: int | None,
        tlm_share: float | None,
        smoothing: float,
        batch_size: int,
    ) -> None:
        self.blocks, self.masking = blocks, masking
        self._batch_size = batch_size
        self._of_group = [np.flatnonzero(blocks.group == at) for at in range(len(blocks.groups))]
        self._sizes = self._shared_out(n_draws or len(blocks), tlm_share, smoothing)
        self.sizes = {name: self._sizes.get(at, 0) for at, name in enumerate(blocks.groups)}
        if not len(self):
            raise InputError(
                f"of {counted(len(blocks), 'block')} none is drawn; give more steps, or another "
                "share of pairs"
            )
        counts = masking.n_predicted(blocks)
        total = sum(n * counts[self._of_group[at]].mean() for at, n in self._sizes.items())
        self.n_predicted = float(total) / len(self)
        self._epoch, self._drawn = -1, np.zeros(0, np.int64)

    def _shared_out(self, n: int, tlm_share: float | None, smoothing: float) -> dict[int, int]:
        """Return the number of draws of each group: pairs among each other, and the others."""
        found: dict[int, int] = {}
        kinds = [[at for at, one in enumerate(self.blocks.is_pair) if one is kind]
                 for kind in (False, True)]  # fmt: skip
        there = [sum(len(self._of_group[at]) for at in groups) for groups in kinds]
        share = there[1] / sum(there) if tlm_share is None else tlm_share
        for groups, part in zip(kinds, (1 - share, share), strict=True):
            if groups and part:
                sizes = [len(self._of_group[at]) for at in groups]
                draws = smoothed_sizes(sizes, smoothing, total=round(part * n))
                found |= dict(zip(groups, draws, strict=True))
        return found

    def __len__(self) -> int:
        return sum(self._sizes.values())

    @property
    def lengths(self) -> Ints1d:
        """Tokens of each draw of the epoch that was last asked for: (n_draws,)."""
        lengths: Ints1d = self.blocks.lengths[self._drawn]
        return lengths

    def order(self, epoch: int) -> list[Ints1d]:
        """Draw the blocks of an epoch, and return the draws of each step."""
        generator = np.random.default_rng([self.masking.seed, epoch])
        chosen = [drawn(self._of_group[at], n, generator) for at, n in self._sizes.items()]
        self._drawn = generator.permutation(np.concatenate(chosen))
        self._epoch = epoch
        places = np.arange(len(self._drawn))
        return np.split(places, range(self._batch_size, len(places), self._batch_size))

    def collate(self, rows: list[int]) -> MaskedBatch:
        """Return some draws, masked."""
        return self.masking.batch(
            [self.blocks[self._drawn[row]] for row in rows], [(self._epoch, row) for row in rows]
        )
