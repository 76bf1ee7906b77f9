"""A small WALS, and transfer matrices with planted counts."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from written_wals import write_wals

from isogloss.probe.transfer.matrix.matrix import Matrix, System
from isogloss.probe.transfer.matrix.scores import PairCounts
from isogloss.probe.transfer.measures.pairs import Pair


@pytest.fixture(scope="session")
def cldf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A CLDF folder of a small WALS."""
    return write_wals(tmp_path_factory.mktemp("cldf"))


N_SENTENCES, N_WORDS = 40, 10
# Language → how much it has in common with others; a pair's accuracy is the mean of two.
EASE = {"en": 0.9, "de": 0.8, "ja": 0.3, "zh": 0.5, "cy": 0.4}


def planted_counts(
    accuracy: float, *, n_seeds: int = 2, seed: int = 0, n: int = N_SENTENCES
) -> PairCounts:
    """Counts of sentences of ten words, each right with a probability; what is hard stays hard."""
    generator = np.random.default_rng(seed)
    hard = generator.beta(4, 4, size=(n, 1)) - 0.5
    right = generator.binomial(N_WORDS, np.clip(accuracy + hard, 0, 1), size=(n, n_seeds))
    return PairCounts(right.astype(np.float64), np.full((n, n_seeds), float(N_WORDS)))


def planted_matrix(trains: list[str], tests: list[str], **options: Any) -> Matrix:
    """An encoder that transfers whatever the languages, and a control that hardly does."""
    systems = [System("enc", "enc"), System("enc, layer 0", "enc", "enc")]
    counts = {}
    for system in systems:
        for train in trains:
            for number, test in enumerate(tests):
                langs = train.split("+")
                mean = (np.mean([EASE[lang] for lang in langs]) + EASE[test]) / 2
                if test in langs:
                    mean = 0.9
                elif system.is_control:
                    mean /= 2
                counts[system.name, Pair(train, test)] = planted_counts(mean, seed=number)
    ids = [f"s{number}" for number in range(N_SENTENCES)]
    return Matrix("upos", systems, trains, tests, counts, dict.fromkeys(tests, ids), **options)


@pytest.fixture(scope="session")
def square() -> Matrix:
    return planted_matrix([*EASE], [*EASE])


@pytest.fixture(scope="session")
def matrix() -> Matrix:
    return planted_matrix(["en", "ja", "en+ja"], ["en", "de", "ja", "zh"])
