"""Thresholds by share and by precision, and files that go through a filter."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from isogloss.errors import InputError
from isogloss.mine.filter.filtering import Filtered, Scoring, filter_file
from isogloss.mine.filter.thresholds import (
    best_share,
    read_labelled_pairs,
    threshold_of_precision,
)


def test_the_best_share_is_exact_also_among_equals() -> None:
    scores = np.array([0.5, 0.9, 0.5, 0.5, 0.1], np.float32)
    assert best_share(scores, 0.6).tolist() == [True, True, True, False, False]
    assert best_share(scores, 0.0).sum() == 0
    assert best_share(scores, 1.0).all()


def test_the_lowest_threshold_with_the_precision_is_chosen() -> None:
    scores = np.array([0.9, 0.8, 0.7, 0.6, 0.5, 0.4], np.float32)
    is_right = np.array([True, True, False, True, True, False])
    found = threshold_of_precision(scores, is_right, precision=0.8)
    assert (found.threshold, found.n_kept, found.n) == (pytest.approx(0.5), 5, 6)
    assert found.precision.value == pytest.approx(0.8)
    assert found.precision.low < 0.8 < found.precision.high
    assert found.recall.value == 1.0
    assert threshold_of_precision(scores, is_right, precision=0.9).n_kept == 2


def test_it_is_what_a_search_over_all_thresholds_finds() -> None:
    generator = np.random.default_rng(0)
    for seed in range(50):
        scores = generator.integers(0, 8, 30).astype(np.float32) / 8
        is_right = generator.random(30) < scores
        wanted = 0.5 + seed % 5 / 10
        possible = [
            one for one in sorted(set(scores.tolist()))
            if is_right[scores >= one].mean() >= wanted
        ]  # fmt: skip
        if possible:
            found = threshold_of_precision(scores, is_right, precision=wanted)
            assert found.threshold == possible[0]
        else:
            with pytest.raises(InputError, match="the best is"):
                threshold_of_precision(scores, is_right, precision=wanted)


@pytest.mark.parametrize(
    ("text", "said"),
    [("a\tb\t1\n", "no two labels"), ("a\tb\t1\na\tb\tyes\n", ":2: .* the last 'yes'"),
     ("a\tb\n", ":1: .* 2 columns")],
)  # fmt: skip
def test_a_sample_without_labels_is_refused(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "s.tsv").write_text(text)
    with pytest.raises(InputError, match=said):
        read_labelled_pairs(tmp_path / "s.tsv")


def blocks(n: int, size: int) -> Iterator[tuple[list[str], list[str]]]:
    for start in range(0, n, size):
        rows = range(start, min(start + size, n))
        yield [f"a{row}\tb\n c" for row in rows], [str(row) for row in rows]


def removed_by(firsts: list[str], seconds: list[str]) -> list[str | None]:
    return ["odd" if int(second) % 2 else None for second in seconds]


@pytest.mark.parametrize("size", [1, 3, 50])
def test_what_is_kept_and_what_is_removed_are_all_there_is(tmp_path: Path, size: int) -> None:
    scoring = Scoring(
        lambda firsts, seconds: np.array([int(one) for one in seconds], np.float32),
        lambda scores: scores >= 6,
    )
    out, rest = tmp_path / f"kept{size}", tmp_path / f"rest{size}"
    done = filter_file(blocks(12, size), out, removed_by=removed_by, removed=rest, scoring=scoring)
    assert done == Filtered(12, 3, {"odd": 6, "score": 3})
    assert out.read_text() == "a6 b c\t6\na8 b c\t8\na10 b c\t10\n"
    assert sorted(rest.read_text().splitlines()) == sorted(
        f"{'odd' if row % 2 else 'score'}\ta{row} b c\t{row}" for row in [*range(6), 7, 9, 11]
    )


def test_a_fault_leaves_nothing(tmp_path: Path) -> None:
    def faulty() -> Iterator[tuple[list[str], list[str]]]:
        yield ["a"], ["2"]
        raise InputError("the end")

    with pytest.raises(InputError, match="the end"):
        filter_file(faulty(), tmp_path / "o", removed_by=removed_by, removed=tmp_path / "r")
    assert list(tmp_path.iterdir()) == []
