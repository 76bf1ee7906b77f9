"""Hard negatives are near, and no translations, as far as the pairs tell."""

import logging
from pathlib import Path

import numpy as np
import pytest
import torch
from small_pairs import aligned, dual_encoder, made_pairs
from tiny_models import build_tiny

from isogloss.align import Pairs, SentenceAligner
from isogloss.align.training.negatives import with_hard_negatives
from isogloss.align.training.ranking import ranking_losses
from isogloss.align.training.tokenized_pairs import tokenized_pairs
from isogloss.encode import Encoder
from isogloss.mine import negatives
from isogloss.mine.negatives import hard_negatives


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tiny")
    return build_tiny(folder / "bert", kind="bert", with_pooler=False, spread=0.05)


def units(n: int, seed: int) -> np.ndarray:
    vectors = np.random.default_rng(seed).normal(size=(n, 4)).astype(np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def by_hand(
    x: np.ndarray, y: np.ndarray, numbers: np.ndarray, n: int, margin: float
) -> list[list[int]]:
    """Return the numbers of the negatives of each pair, nearest first."""
    pairs = {(int(one), int(other)) for one, other in numbers.T}
    found = []
    for i in range(len(x)):
        near: dict[int, float] = {}
        for j in range(len(x)):
            target = int(numbers[1, j])
            if (int(numbers[0, i]), target) in pairs or target == numbers[0, i]:
                continue
            if x[i] @ y[j] <= x[i] @ y[i] - margin:
                near.setdefault(target, float(x[i] @ y[j]))
        found.append(sorted(near, key=lambda target: -near[target])[:n])
    return found


@pytest.mark.parametrize(("n", "margin"), [(1, 0.0), (3, 0.1), (2, -1.0)])
def test_negatives_are_the_nearest_below_the_translation(
    n: int, margin: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    x, y = units(60, 0), units(60, 1)
    numbers = np.stack([np.arange(60), np.arange(100, 160)])
    numbers[0, 5] = numbers[0, 6]  # one source, two translations
    numbers[1, 20], y[20] = numbers[1, 21], y[21]  # a target that comes twice
    numbers[1, 30] = numbers[0, 31]  # a target that is the source of another pair
    expected = by_hand(x, y, numbers, n, margin)
    for at_once in (7, 8192):
        monkeypatch.setattr(negatives, "N_SOURCES_AT_ONCE", at_once)
        found = hard_negatives(x, y, numbers=numbers, n=n, margin=margin)
        parts = np.split(numbers[1][found.rows], np.cumsum(found.counts)[:-1])
        assert [part.tolist() for part in parts] == expected
    assert any(len(some) < n for some in expected) or margin < 0


def test_negatives_are_of_the_pairs_language_and_counted(
    tiny: Path, caplog: pytest.LogCaptureFixture
) -> None:
    pairs = Pairs(*made_pairs(30))
    encoder = Encoder.load(tiny)
    with caplog.at_level(logging.INFO, "isogloss"):
        mined = with_hard_negatives(pairs, encoder, n=2, margin=0.0)
    n_none = sum(not some for some in mined.negatives)
    assert n_none < 30  # how many depends on the tiny vocabulary, of which ties are not settled
    n_found = sum(map(len, mined.negatives))
    assert f"{n_found} negatives for 30 pairs; {n_none} pair" in caplog.text
    lang_of = dict(zip(pairs.targets, pairs.langs, strict=True))
    for row, some in enumerate(mined.negatives):
        assert {lang_of[text] for text in some} <= {pairs.langs[row]}
        assert pairs.targets[row] not in some


def test_a_negative_that_translates_another_source_is_masked_there(tiny: Path) -> None:
    module, base = dual_encoder(tiny, learns_scale=False)
    module.eval()
    # "dog" is a translation of "fox", by the last pair, which is not in the batch.
    pairs = Pairs(
        ["fox", "school", "fox"], ["forest", "morning", "dog"],
        negatives=[[], ["dog", "country"], []],
    )  # fmt: skip
    batch = tokenized_pairs(pairs, base.tokenizer).examples(base.tokenizer, teacher=None)
    texts = ["fox", "school", "forest", "morning", "dog", "country"]
    x = module.vectors(base.tokenizer(texts).ids)
    masked = torch.tensor([[True, False], [False, False]])
    expected = ranking_losses(
        x[:2], x[2:4], margin=0.1, scale=5.0, negatives=x[4:], negatives_masked=masked
    ).sum()
    assert torch.allclose(module.loss(batch.collate([0, 1])), expected, atol=1e-6)


def test_hard_negatives_change_what_is_learned(tiny: Path) -> None:
    plain = aligned(tiny).encoder_.weights
    hard = aligned(tiny, hard_negatives=2, negative_margin=0.0).encoder_.weights
    assert any(not torch.equal(value, hard[name]) for name, value in plain.items())
    pairs = Pairs(*made_pairs(41))
    mined = with_hard_negatives(pairs, Encoder.load(tiny, threads=1), n=2, margin=0.0)
    given = SentenceAligner(
        Encoder.load(tiny, threads=1),
        training={"epochs": 2, "batch_size": 16, "learning_rate": 1e-3},
    )
    given.fit(pairs.sources, pairs.targets, pairs.langs, negatives=mined.negatives)
    for name, value in hard.items():
        assert torch.equal(value, given.encoder_.weights[name]), name


def test_another_encoder_can_find_the_negatives(tmp_path: Path, tiny: Path) -> None:
    other = build_tiny(tmp_path / "other", kind="bert", with_pooler=False, spread=0.5)
    found = []
    for encoder in (None, other):
        aligner = SentenceAligner(
            tiny, negatives_from=encoder, training={"hard_negatives": 1, "learning_rate": 1e-2}
        )
        found.append(aligner.fit(*made_pairs(30)).encoder_.weights)
    assert any(not torch.equal(value, found[1][name]) for name, value in found[0].items())


def test_one_sentence_is_a_list_of_one(tiny: Path) -> None:
    pairs = made_pairs(12)
    near = pairs[1][1:] + pairs[1][:1]
    found = [
        SentenceAligner(tiny).fit(*pairs, negatives=given).encoder_.weights
        for given in (near, [[text] for text in near])
    ]
    assert all(torch.equal(value, found[1][name]) for name, value in found[0].items())
