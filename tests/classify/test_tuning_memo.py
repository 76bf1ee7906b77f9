"""Rows that tune the same share a tuned encoder, inside of a comparison only."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from planted import JAPANESE, english

from isogloss.classify.compare.comparison import compare, compared_rows
from isogloss.classify.tuning import task as tuned
from isogloss.data.labelled import LabelledTexts
from isogloss.encode import Encoder
from isogloss.kb import KnowledgeBase
from isogloss.learn import tuning_memo
from isogloss.learn.tuning_memo import remember_tuning, seconds_spared, tuned_once


def test_the_latest_result_is_kept_inside_and_nothing_outside() -> None:
    made: list[int] = []

    def make() -> int:
        made.append(len(made))
        return made[-1]

    def thrice() -> list[int]:
        return [tuned_once({"seed": seed}, make) for seed in (1, 1, 2, 1)]

    assert thrice() == [0, 1, 2, 3]
    made.clear()
    with remember_tuning():
        assert thrice() == [0, 0, 1, 2]
    made.clear()
    assert thrice() == [0, 1, 2, 3]


def test_what_is_not_made_again_counts_as_spared(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([10.0, 17.0, 20.0, 22.0])  # the first takes 7 seconds, the second 2
    monkeypatch.setattr(tuning_memo.time, "perf_counter", lambda: next(clock))
    assert seconds_spared() == 0.0
    with remember_tuning():
        spared = []
        for seed in (1, 1, 1, 2, 2):
            tuned_once({"seed": seed}, object)
            spared.append(seconds_spared())
        assert spared == [0.0, 7.0, 14.0, 14.0, 16.0]
    assert seconds_spared() == 0.0


def test_a_comparison_tunes_an_encoder_once_for_the_rows_that_share_it(
    tiny_directory: Path, kb: KnowledgeBase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    quiet: None,
) -> None:  # fmt: skip
    runs: list[Any] = []
    tune, clock = tuned._tune, iter(range(0, 10**9, 1000))

    def counted(*arguments: Any) -> Any:
        runs.append(arguments)
        return tune(*arguments)

    monkeypatch.setattr(tuned, "_tune", counted)
    monkeypatch.setattr(tuning_memo, "time", SimpleNamespace(perf_counter=lambda: next(clock)))
    texts, labels = english(30)
    train = LabelledTexts(texts, labels, ["en"] * len(texts), [None] * len(texts))
    texts, labels = map(list, zip(*JAPANESE, strict=True))
    tests = LabelledTexts(texts, labels, ["ja"] * len(texts), [None] * len(texts))
    rows = compared_rows(["mboe", "mboe-plus", "-att"], is_tuned=True)
    found = compare(
        train, tests, encoder=Encoder.load(tiny_directory, device="cpu"), kb=kb, rows=rows,
        n_seeds=2, out=tmp_path / "out",
        options={"tune": "lora", "training": {"epochs": 1, "batch_size": 16}},
    )  # fmt: skip
    assert len(found.cells) == 6 * 2
    # Of each seed: the encoder of mboe, mboe, mboe -att, and one for the three of mboe-plus.
    assert len(runs) == 4 * 2
    # By the clock of the test each tuning takes 1000 seconds, and counts in every row that used it.
    assert all(1000 < cell.seconds < 2000 for cell in found.cells.values() if cell.seconds > 900)
    assert sum(cell.seconds > 900 for cell in found.cells.values()) == 2 * 2
