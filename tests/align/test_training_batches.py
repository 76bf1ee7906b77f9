"""Micro-batches change no vector and no gradient; the log counts; what cannot be used is said."""

import logging
from pathlib import Path

import numpy as np
import pytest
import torch
from small_pairs import dual_encoder, gradients, made_pairs
from tiny_models import build_tiny

from isogloss.align import SentenceAligner
from isogloss.align.training import dual_encoder as module_of_loss
from isogloss.align.training import task
from isogloss.align.training.ranking_record import RankingRecord
from isogloss.encode.batches import pad
from isogloss.errors import InputError, OmissionWarning


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tiny")
    return build_tiny(folder / "bert", kind="bert", with_pooler=False, spread=0.05)


def test_vectors_of_micro_batches_are_those_of_one_padded_batch(tiny: Path) -> None:
    module, base = dual_encoder(tiny)
    module.eval()
    ids = base.tokenizer(["fox", "forest school morning dog fox", "", "dog dog", "word"]).ids
    padded = pad(ids, pad_id=module._network.pad_id)
    whole = module._pooled(torch.from_numpy(padded.ids), torch.from_numpy(padded.mask))
    torch.testing.assert_close(module.vectors(ids), whole, atol=1e-6, rtol=0)


def test_a_text_without_a_token_leaves_the_others_where_they_are(
    tiny: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module, base = dual_encoder(tiny)
    module.eval()
    ids = base.tokenizer(["fox", "forest school"]).ids
    whole = module.vectors(ids)
    for cost in ({"cpu": 0}, {}):  # cut where it is cheapest, or by the budget
        monkeypatch.setattr(module_of_loss, "PART_COST", cost)
        found = module.vectors([ids[0], ids[0][:0], ids[1]])
        assert torch.isfinite(found).all()
        torch.testing.assert_close(found[[0, 2]], whole, atol=1e-6, rtol=0)


@pytest.mark.parametrize(("cost", "n_parts"), [(0, 3), (2, 2), (10_000, 1)])
def test_a_batch_is_cut_where_it_is_cheapest(
    tiny: Path, monkeypatch: pytest.MonkeyPatch, cost: int, n_parts: int
) -> None:
    lengths = np.array([3, 9, 3, 9, 4])
    monkeypatch.setitem(module_of_loss.PART_COST, "cpu", cost)
    parts = module_of_loss._micro_batches(lengths, "cpu")
    assert len(parts) == n_parts
    assert sorted(np.concatenate(parts).tolist()) == [0, 1, 2, 3, 4]
    found = gradients(tiny, n=12)
    monkeypatch.setitem(module_of_loss.PART_COST, "cpu", 100)
    for name, value in gradients(tiny, n=12).items():
        np.testing.assert_allclose(found[name], value, atol=1e-6, err_msg=name)


def test_the_log_counts_right_answers_and_masked_pairs() -> None:
    record = RankingRecord()
    assert record.end_epoch() == ""
    one = torch.eye(4)
    masked = torch.zeros(4, 4, dtype=torch.bool)
    masked[0, 1] = masked[1, 0] = True
    record.add(one, one[[1, 0, 2, 3]], masked)  # masked: what is nearer does not count
    record.add(one, one[[0, 1, 3, 2]], torch.zeros(4, 4, dtype=torch.bool))
    said = record.end_epoch()
    assert said == "accuracy in the batch 0.7500, 2 pairs with equal sentences masked"
    assert record.epochs[0].n_pairs == 8
    assert record.end_epoch() == ""


def test_every_epoch_says_how_its_pairs_were_ranked(
    tiny: Path, caplog: pytest.LogCaptureFixture
) -> None:
    sources, targets, _ = made_pairs(20)
    with caplog.at_level(logging.INFO, "isogloss"):
        aligner = SentenceAligner(tiny, training={"epochs": 2}).fit(
            [*sources, f"{sources[0]}!"], [*targets, f"{targets[0]}?"]
        )
    lines = [line for line in caplog.text.splitlines() if "epoch" in line]
    assert len(lines) == len(aligner.ranked_) == 2
    assert "accuracy in the batch 0." in lines[1]
    assert "2 pairs with equal sentences masked" in lines[1]
    assert [epoch.n_masked for epoch in aligner.ranked_] == [2, 2]
    assert [epoch.n_pairs for epoch in aligner.ranked_] == [21, 21]


def test_sentences_that_are_cut_are_counted(tiny: Path) -> None:
    pairs = [[*side, "fox dog " * 9] for side in made_pairs(10)[:2]]
    with pytest.warns(OmissionWarning, match="2 of 22 sentences are longer than 12 tokens"):
        SentenceAligner(tiny, training={"max_length": 12}).fit(*pairs)


def test_pairs_without_a_token_are_counted(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A tokenizer without special tokens gives none for a lone zero-width space."""
    made = task._tokenizer

    def bare(*given: object) -> object:
        tokenizer = made(*given)
        tokenizer.head = tokenizer.tail = []
        return tokenizer

    monkeypatch.setattr(task, "_tokenizer", bare)
    sources, targets, _ = made_pairs(10)
    with pytest.warns(OmissionWarning, match="1 pair of 11 with a side without any token"):
        aligner = SentenceAligner(tiny).fit([*sources, "fox"], [*targets, "\u200b\u200d"])
    assert aligner.n_pairs_ == 10


def test_a_batch_too_small_for_the_processes_is_refused(
    tiny: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WORLD_SIZE", "3")
    with pytest.raises(InputError, match="2 pairs for 3 processes"):
        SentenceAligner(tiny, training={"batch_size": 2}).fit(*made_pairs(6))
