"""Files of every form, damaged at random: a sentence or the same answer, and nothing else."""

from pathlib import Path

import pytest
import swaps

import damage


@pytest.mark.full
@pytest.mark.timeout(3600)
def test_damaged_files_are_refused_or_answer_the_same(tmp_path: Path) -> None:
    outcomes = damage.run(tmp_path, n_damages=3000, n_made_up=200, seed=0)
    assert len(outcomes) == 3200
    faults = [outcome for outcome in outcomes if outcome.is_fault]
    assert not faults, faults[:5]


@pytest.mark.full
@pytest.mark.timeout(1800)
def test_readers_of_a_knowledge_base_that_is_replaced_see_one_of_the_two(tmp_path: Path) -> None:
    found, said, n_swaps = swaps.run(tmp_path, n_readers=500, n_swaps=200)
    assert n_swaps >= 200
    assert found.total() == 500
    assert found["mixed"] == found["traceback"] == 0, said[:5]
    assert found["refused"] < 50, said[:5]
    assert found["whole across a swap"] > 100
