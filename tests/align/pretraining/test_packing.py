"""Packing loses nothing, and a pair is one side and then the other."""

from itertools import chain

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.align.pretraining.packing import (
    BlockWriter,
    Frame,
    PackingCounts,
    joined_pairs,
    packed,
)

FRAME = Frame([1], [2], 12)


def tokens(*lengths: int) -> list[np.ndarray]:
    """Return texts of different tokens, from 10 on."""
    ends = np.cumsum(lengths) + 10
    return [np.arange(end - n, end, dtype=np.int32) for n, end in zip(lengths, ends, strict=True)]


@given(st.lists(st.integers(0, 40), max_size=60), st.integers(1, 5))
def test_every_token_is_in_one_block_in_order(lengths: list[int], n_open: int) -> None:
    counts = PackingCounts()
    texts = tokens(*lengths)
    blocks = list(packed(texts, FRAME, counts, n_open=n_open))
    found = [one for block in blocks for one in block if one >= 10]
    assert sorted(found) == [int(one) for text in texts for one in text]
    assert all(len(block) <= FRAME.max_length and block[0] == 1 for block in blocks)
    assert all(block[-1] == 2 for block in blocks)
    assert (counts.n_texts, counts.n_empty) == (len(lengths), lengths.count(0))
    assert counts.n_in_parts == sum(n > FRAME.room for n in lengths)
    place = {one: at for at, one in enumerate(found)}
    short = [text for text in texts if 0 < len(text) <= FRAME.room]
    assert all(np.all(np.diff([place[int(one)] for one in text]) == 1) for text in short)


def test_short_texts_fill_blocks() -> None:
    blocks = list(packed(tokens(6, 3, 4, 2, 1), FRAME, PackingCounts()))
    assert sum(map(len, blocks)) == 2 + 16 + 5
    assert sum(block.count(2) for block in blocks) == 5  # one behind every text


def test_a_pair_is_one_side_and_then_the_other() -> None:
    counts = PackingCounts()
    pairs = zip(tokens(3, 0, 2, 9, 3), [*tokens(2, 1, 0, 9, 14)], strict=True)
    blocks = list(joined_pairs(pairs, FRAME, counts))
    assert blocks[0] == [1, 10, 11, 12, 2, 10, 11, 2]
    assert blocks[1][:6] == [1, 15, 16, 17, 18, 2]
    assert [len(block) for block in blocks[1:]] == [12, 12]
    assert blocks[2][4] == 2  # the short side is whole
    assert (counts.n_texts, counts.n_empty, counts.n_cut) == (5, 2, 2)
    assert counts.n_tokens_cut == (18 - 9) + (17 - 9)


def test_blocks_keep_their_groups() -> None:
    writer = BlockWriter()
    assert writer.add("en", packed(tokens(4, 30), FRAME, PackingCounts()), is_pair=False) == 4
    assert writer.add("de", iter([]), is_pair=False) == 0
    assert writer.add("en-de", [[1, 7, 2]], is_pair=True) == 1
    blocks = writer.blocks()
    assert (blocks.groups, blocks.is_pair) == (["en", "en-de"], [False, True])
    assert blocks[4].tolist() == [1, 7, 2]
    assert len(blocks) == 5
    assert sorted(chain(*blocks))[-1] == 43


def test_no_text_gives_no_block() -> None:
    assert len(BlockWriter().blocks()) == 0
    assert list(packed([], FRAME, PackingCounts())) == []


@pytest.mark.parametrize("n_open", [1, 64])
def test_open_blocks_are_bounded(n_open: int) -> None:
    generator = packed(tokens(*[9] * 200), FRAME, PackingCounts(), n_open=n_open)
    assert len(list(generator)) == 200
