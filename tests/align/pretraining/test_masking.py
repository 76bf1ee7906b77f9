"""Rates of masking, whole words, and masks that follow from seed, epoch and place."""

import numpy as np
import pytest

from isogloss.align.pretraining.epoch_blocks import EpochBlocks, Masking
from isogloss.align.pretraining.masking import Vocabulary, beginnings, masked, n_predicted
from isogloss.align.pretraining.packing import Blocks, BlockWriter
from isogloss.errors import InputError

N_IDS, MASK = 1000, 4
IS_SPECIAL = np.arange(N_IDS) < 5
PLAIN = Vocabulary(MASK, IS_SPECIAL)


def text(n: int, *, seed: int = 0) -> np.ndarray:
    inner = np.random.default_rng(seed).integers(5, N_IDS, n)
    return np.concatenate([[2], inner, [3]]).astype(np.int32)


def blocks_of(**groups: list[np.ndarray]) -> Blocks:
    writer = BlockWriter()
    for name, some in groups.items():
        writer.add(name, [one.tolist() for one in some], is_pair="_" in name)
    return writer.blocks()


def test_rates() -> None:
    generator = np.random.default_rng(1)
    fates = np.zeros(3)
    for seed in range(40):
        ids = text(1000, seed=seed)
        found = masked(ids, PLAIN, share=0.15, generator=generator)
        assert len(found.places) == 150
        assert (found.targets == ids[found.places]).all()
        assert not IS_SPECIAL[found.targets].any()
        shown = found.ids[found.places]
        fates += [(shown == MASK).sum(), ((shown != MASK) & (shown != found.targets)).sum(),
                  (shown == found.targets).sum()]  # fmt: skip
        others = np.setdiff1d(np.arange(len(ids)), found.places)
        assert (found.ids[others] == ids[others]).all()
        assert not (IS_SPECIAL[shown] & (shown != MASK)).any()
    assert fates / fates.sum() == pytest.approx([0.8, 0.1, 0.1], abs=0.015)


def test_the_number_is_the_rounded_share_and_one_at_least() -> None:
    assert n_predicted(np.array([0, 1, 2, 10, 100]), 0.15).tolist() == [0, 1, 1, 2, 15]
    nothing = masked(np.array([2, 3], np.int32), PLAIN, share=0.15,
                     generator=np.random.default_rng(0))  # fmt: skip
    assert len(nothing.places) == 0


def test_whole_words_are_masked_as_wholes() -> None:
    begins = np.arange(N_IDS) % 3 == 0
    words = Vocabulary(MASK, IS_SPECIAL, begins)
    for seed in range(30):
        ids = text(200, seed=seed)
        found = masked(ids, words, share=0.15, generator=np.random.default_rng(seed))
        assert 20 <= len(found.places) <= 30
        number = np.cumsum(begins[ids] | IS_SPECIAL[ids])
        sizes = np.bincount(number)
        for word in set(number[found.places]):
            if sizes[word] <= 8:
                assert (number[found.places] == word).sum() == sizes[word] - (word == 1)


def test_a_text_without_blanks_is_masked_token_by_token() -> None:
    words = Vocabulary(MASK, IS_SPECIAL, np.zeros(N_IDS, np.bool_))
    found = masked(text(100), words, share=0.15, generator=np.random.default_rng(0))
    assert len(found.places) == 15


def test_the_beginnings_of_words_are_in_the_names_of_tokens() -> None:
    piece = {"[CLS]": 0, "fox": 1, "##es": 2}
    assert beginnings(piece, {"type": "WordPiece"}, 3).tolist() == [True, True, False]
    gram = {"▁fox": 0, "es": 1, "\1▁dog": 2}
    assert beginnings(gram, {"type": "Unigram"}, 3).tolist() == [True, False, True]
    assert beginnings({"Ġfox": 0, "es": 1}, {"type": "BPE"}, 2).tolist() == [True, False]
    with pytest.raises(InputError, match="where a word begins"):
        beginnings({"a": 0, "b": 1}, {"type": "BPE"}, 2)


def epoch_blocks(blocks: Blocks, **more: object) -> EpochBlocks:
    options = {"n_draws": None, "tlm_share": None, "smoothing": 1.0, "batch_size": 4} | more
    return EpochBlocks(blocks, Masking(PLAIN, 0.15, 7, 0), **options)  # type: ignore[arg-type]


def test_masks_are_drawn_anew_in_each_epoch_and_again_in_a_resumed_run() -> None:
    blocks = blocks_of(en=[text(40, seed=seed) for seed in range(6)])
    one, other = epoch_blocks(blocks), epoch_blocks(blocks)
    steps = {epoch: one.order(epoch) for epoch in (0, 1)}
    second = [one.collate(rows.tolist()) for rows in steps[1]]
    one.order(0)
    first = [one.collate(rows.tolist()) for rows in steps[0]]
    other.order(1)  # as a run that begins there does
    again = [other.collate(rows.tolist()) for rows in steps[1]]
    for found, expected in zip(again, second, strict=True):
        assert all((a == b).all() for a, b in zip(vars(found).values(), vars(expected).values(),
                                                  strict=True))  # fmt: skip
    masks = [{tuple(np.flatnonzero(row == MASK)) for batch in epoch for row in batch.ids.numpy()}
             for epoch in (first, second)]  # fmt: skip
    assert not masks[0] & masks[1]


def test_a_batch_finds_its_tokens_in_the_flattened_matrix() -> None:
    blocks = blocks_of(en=[text(9), text(30, seed=2)])
    batch = epoch_blocks(blocks).masking.batch([blocks[0], blocks[1]], [(0, 0), (0, 1)])
    assert batch.ids.shape == (2, 32)
    assert batch.mask.sum(1).tolist() == [11, 32]
    whole = np.concatenate([np.pad(blocks[0], (0, 21)), blocks[1]])
    assert (whole[batch.places.numpy()] == batch.targets.numpy()).all()
    assert len(batch.places) == 1 + round(0.15 * 30)


def test_languages_and_pairs_are_drawn_by_their_shares() -> None:
    blocks = blocks_of(en=[text(9)] * 90, sw=[text(9)] * 10, en_sw=[text(5)] * 100)
    assert epoch_blocks(blocks).sizes == {"en": 90, "sw": 10, "en_sw": 100}
    smoothed = epoch_blocks(blocks, smoothing=0.5, tlm_share=0.25, n_draws=400)
    assert smoothed.sizes == {"en": 225, "sw": 75, "en_sw": 100}
    assert len(smoothed) == 400
    steps = smoothed.order(3)
    assert sum(map(len, steps)) == 400
    assert len(smoothed.lengths) == 400
    assert epoch_blocks(blocks, tlm_share=0.0).sizes["en_sw"] == 0
    assert smoothed.n_predicted == 1
    few = epoch_blocks(blocks_of(**{f"x{n}": [text(9)] * 3 for n in range(9)}), n_draws=4)
    assert len(few) == 4  # fewer draws than languages: a step has the size it was given
