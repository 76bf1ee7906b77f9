"""Rows of an audit: a random sample of each language, the same for the same seed."""

from collections import Counter

import numpy as np
import pytest

from isogloss.classify.audit.drawing import allocation, draw
from isogloss.errors import InputError

LANGS = ["th"] * 200 + ["sw"] * 30 + [None] * 5


def test_each_language_gets_its_rows() -> None:
    drawn = draw(LANGS, 20, seed=0)
    assert Counter(LANGS[row] for row in drawn.rows) == {"th": 20, "sw": 20, None: 5}
    assert len(set(drawn.rows)) == len(drawn.rows)
    assert drawn.sizes == {("th", None): 200, ("sw", None): 30, ("und", None): 5}


def test_the_same_seed_draws_the_same_rows_whatever_else_is_in_the_file() -> None:
    alone = draw(["th"] * 200, 20, seed=3)
    assert alone.rows == [row for row in draw(LANGS, 20, seed=3).rows if LANGS[row] == "th"]
    assert alone.rows != draw(["th"] * 200, 20, seed=4).rows
    assert alone.rows != sorted(alone.rows)  # the first few are a random sample too


@pytest.mark.parametrize("answers", [None, [0, 1, 1, 1, 2] * 47])
def test_more_rows_hold_the_fewer_of_the_same_seed(answers: list[int] | None) -> None:
    """So that a sheet is extended by rows that are a random sample together with its own."""
    for n in (6, 10, 30):
        fewer = draw(LANGS, n, seed=3, answers=answers).rows
        assert set(fewer) <= set(draw(LANGS, n + 7, seed=3, answers=answers).rows)


def test_every_row_is_equally_likely() -> None:
    counts = Counter(row for seed in range(2000) for row in draw(["th"] * 8, 2, seed=seed).rows)
    assert [round(counts[row] / 2000, 1) for row in range(8)] == [0.2] * 8 or all(
        abs(counts[row] / 2000 - 0.25) < 0.04 for row in range(8)
    )


def test_only_kept_rows_are_drawn() -> None:
    drawn = draw(["th"] * 10, 10, seed=0, kept=[1, 2, 5])
    assert sorted(drawn.rows) == [1, 2, 5]
    assert drawn.sizes == {("th", None): 3}


def test_by_class_rare_answers_are_drawn_as_often_as_they_can_be() -> None:
    answers = [0] * 170 + [1] * 25 + [2] * 5
    drawn = draw(["th"] * 200, 30, seed=0, answers=answers)
    assert Counter(answers[row] for row in drawn.rows) == {0: 13, 1: 12, 2: 5}
    assert drawn.sizes == {("th", 0): 170, ("th", 1): 25, ("th", 2): 5}
    order = [answers[row] for row in drawn.rows]
    assert order != sorted(order)  # which would tell the answers


def test_too_few_rows_for_the_answers_are_refused() -> None:
    with pytest.raises(InputError, match=r"--n 5 is too small for 3 different answers in th.*6"):
        draw(["th"] * 30, 5, seed=0, answers=[0, 1, 2] * 10)


@pytest.mark.parametrize("n", [4, 17, 60])
def test_allocation_is_equal_and_within_sizes(n: int) -> None:
    sizes = [40, 3, 11]
    drawn = allocation(sizes, n) if n >= 6 else [2, 1, 1]
    if n >= 6:
        assert sum(drawn) == min(n, sum(sizes))
        assert all(np.array(drawn) <= sizes)
        free = [one for one, size in zip(drawn, sizes, strict=True) if one < size]
        assert not free or max(free) - min(free) <= 1
