"""Tokenised sentences laid into blocks: short ones together, long ones in parts, none lost.

A block is what the network reads at once: special tokens around, and the closing one after every
sentence. Sentences of one language share a block; which one each goes to is found online (best fit
among some open blocks), so that little padding is left and memory is bounded. A sentence longer
than a block is cut into parts of nearly equal size, which go on one after another. A pair for
translation language modelling (Conneau and Lample 2019) is a block of its own: one side, then the
other. Unlike there, positions run on and no embedding tells the language, as in LaBSE.
"""

from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np

from isogloss.arrays import Ints1d, SmallInts1d, offsets_of
from isogloss.encode.windows import equal_parts

N_OPEN = 64  # blocks that a sentence may go to
Tokens = list[int]


@dataclass(frozen=True)
class Frame:
    """What goes around a text, and how much fits between.

    Attributes
    ----------
    head, tail
        Ids before and after a text; `tail` is between two as well.
    max_length
        Most tokens of a block.
    """

    head: Tokens
    tail: Tokens
    max_length: int

    @property
    def room(self) -> int:
        """Most tokens of one sentence in a block."""
        return self.max_length - len(self.head) - len(self.tail)


@dataclass
class PackingCounts:
    """What packing came to.

    Attributes
    ----------
    n_texts
        Texts, or pairs.
    n_empty
        Texts without a token, or pairs with such a side, which are left out.
    n_in_parts
        Texts longer than a block, which go on in the next: nothing of them is lost.
    n_cut, n_tokens_cut
        Pairs longer than a block, and the tokens that they lose.
    """

    n_texts: int = 0
    n_empty: int = 0
    n_in_parts: int = 0
    n_cut: int = 0
    n_tokens_cut: int = 0

    @property
    def n_read(self) -> int:
        """Texts, or pairs, that are in blocks."""
        return self.n_texts - self.n_empty


def packed(
    texts: Iterable[SmallInts1d], frame: Frame, counts: PackingCounts, *, n_open: int = N_OPEN
) -> Iterator[Tokens]:
    """Yield blocks of the sentences of one language, given without special tokens."""
    open_blocks: list[Tokens] = []
    for text in texts:
        counts.n_texts += 1
        counts.n_empty += not len(text)
        counts.n_in_parts += len(text) > frame.room
        for start, end in equal_parts(len(text), most=frame.room):
            part = [*text[start:end].tolist(), *frame.tail]
            if end == start:
                continue
            rooms = [frame.max_length - len(block) - len(part) for block in open_blocks]
            best = min((room for room in rooms if room >= 0), default=None)
            if best is not None:
                open_blocks[rooms.index(best)] += part
                continue
            if len(open_blocks) == n_open:
                yield open_blocks.pop(max(range(n_open), key=lambda at: len(open_blocks[at])))
            open_blocks.append([*frame.head, *part])
    yield from open_blocks


def joined_pairs(
    pairs: Iterable[tuple[SmallInts1d, SmallInts1d]], frame: Frame, counts: PackingCounts
) -> Iterator[Tokens]:
    """Yield a block for each pair, given without special tokens; too long sides lose their ends."""
    room = frame.room - len(frame.tail)
    for source, target in pairs:
        counts.n_texts += 1
        if not len(source) or not len(target):
            counts.n_empty += 1
            continue
        half = room // 2
        n_source = min(len(source), max(half, room - len(target)))
        n_target = min(len(target), room - n_source)
        n_lost = len(source) + len(target) - n_source - n_target
        counts.n_cut += n_lost > 0
        counts.n_tokens_cut += n_lost
        kept = source[:n_source].tolist(), target[:n_target].tolist()
        yield [*frame.head, *kept[0], *frame.tail, *kept[1], *frame.tail]


@dataclass(frozen=True)
class Blocks:
    """Blocks of several groups: languages, and pairs of languages.

    Attributes
    ----------
    ids
        Tokens of all blocks, one after another: 4 bytes each is what memory they take.
    offsets
        Where each begins: (n_blocks + 1,).
    groups
        Name of each group: ``"en"``, ``"en-sw"``.
    group
        Number of the group of each block: (n_blocks,).
    is_pair
        Whether the blocks of a group are pairs: (n_groups,).
    """

    ids: SmallInts1d
    offsets: Ints1d
    groups: list[str]
    group: Ints1d
    is_pair: list[bool]

    def __len__(self) -> int:
        return len(self.group)

    @property
    def lengths(self) -> Ints1d:
        """Tokens of each block: (n_blocks,)."""
        return np.diff(self.offsets)

    def __getitem__(self, number: int) -> SmallInts1d:
        """Return the tokens of a block."""
        return self.ids[self.offsets[number] : self.offsets[number + 1]]


@dataclass
class BlockWriter:
    """Gathers blocks into `Blocks`."""

    _ids: "array[int]" = field(default_factory=lambda: array("i"))
    _sizes: list[int] = field(default_factory=list)
    _group: list[int] = field(default_factory=list)
    _groups: list[str] = field(default_factory=list)
    _is_pair: list[bool] = field(default_factory=list)

    def add(self, group: str, blocks: Iterable[Tokens], *, is_pair: bool) -> int:
        """Take the blocks of a group; return how many there are."""
        before = len(self._sizes)
        for block in blocks:
            self._ids.extend(block)
            self._sizes.append(len(block))
            self._group.append(len(self._groups))
        if len(self._sizes) > before:
            self._groups.append(group)
            self._is_pair.append(is_pair)
        return len(self._sizes) - before

    def blocks(self) -> Blocks:
        """Return what was taken."""
        return Blocks(
            np.frombuffer(self._ids, np.int32) if self._ids else np.zeros(0, np.int32),
            offsets_of(self._sizes), self._groups, np.array(self._group, np.int64), self._is_pair,
        )  # fmt: skip
