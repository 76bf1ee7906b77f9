"""Training on a world whose neighbours are known, made by the benchmark of speed."""

import runpy
import threading
import tracemalloc
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from repository import ROOT

from isogloss.errors import InputError
from isogloss.vectors import read_vectors, write_vectors
from isogloss.vectors.corpus.corpus import Link, Page, TrainingCorpus, corpus_of
from isogloss.vectors.training.training import (
    VectorTraining,
    bytes_needed,
    keep_probabilities,
    train_vectors,
)
from isogloss.vectors.vocabulary import Vocabulary

BENCHMARK = ROOT / "benchmarks" / "vectors_speed.py"
QUICK = VectorTraining(width=32, epochs=10, sample=1e-3)


@pytest.fixture(scope="module")
def planted() -> Any:
    functions = runpy.run_path(str(BENCHMARK))

    def make(seed: int, n_pages: int = 250) -> TrainingCorpus:
        return functions["planted_corpus"](
            n_pages=n_pages, seed=seed, n_topics=5, n_words=20, n_tokens=200
        )

    make.found = functions["planted_found"]  # type: ignore[attr-defined]
    return make


@pytest.mark.parametrize("seed", [0, *(pytest.param(n, marks=pytest.mark.full) for n in (1, 2))])
def test_planted_relations_are_found(planted: Any, seed: int) -> None:
    """By chance a fifth of the entities are of one topic and one in 99 is of one group."""
    found = planted.found(train_vectors(planted(seed), QUICK, seed=seed, n_workers=1))
    assert found["topic"] > 0.98
    assert found["group"] > 0.3
    assert found["group of words"] > 0.95


def test_shared_negatives_find_them_too(planted: Any) -> None:
    shared = replace(QUICK, shared_negatives=True)
    found = planted.found(train_vectors(planted(0), shared, n_workers=1))
    assert found["topic"] > 0.98
    assert found["group of words"] > 0.95


def test_two_threads_find_them_too(planted: Any) -> None:
    found = planted.found(train_vectors(planted(0), QUICK, n_workers=2))
    assert found["topic"] > 0.98
    assert found["group of words"] > 0.95


def test_the_link_graph_alone_and_left_out(planted: Any) -> None:
    corpus = planted(0, n_pages=100)
    silent = replace(corpus, tokens=np.full_like(corpus.tokens, -1))
    assert planted.found(train_vectors(silent, QUICK, n_workers=1))["topic"] > 0.9
    with pytest.raises(InputError, match="there was nothing to learn"):
        train_vectors(silent, replace(QUICK, link_graph=False), n_workers=1)


def test_same_seed_same_bytes_with_one_worker(planted: Any) -> None:
    corpus = planted(0, n_pages=60)
    training = replace(QUICK, epochs=2)

    def trained(seed: int) -> bytes:
        return train_vectors(corpus, training, seed=seed, n_workers=1).matrix.tobytes()

    assert trained(3) == trained(3)
    assert trained(3) != trained(4)


def test_a_mapped_corpus_gives_the_same_bytes(planted: Any, tmp_path: Path) -> None:
    corpus = planted(0, n_pages=60)
    training = replace(QUICK, epochs=1)
    mapped = []
    for number, array in enumerate(corpus.arrays):
        np.save(tmp_path / f"{number}.npy", array)
        mapped.append(np.asarray(np.load(tmp_path / f"{number}.npy", mmap_mode="r")))
    on_disk = TrainingCorpus(*mapped, corpus.vocabulary)
    both = [train_vectors(some, training, n_workers=1) for some in (corpus, on_disk)]
    assert both[0].matrix.tobytes() == both[1].matrix.tobytes()


def test_result_says_how_it_was_made_and_is_written(planted: Any, tmp_path: Path) -> None:
    vectors = train_vectors(planted(0, n_pages=20), replace(QUICK, epochs=1), lang="tr")
    assert vectors.facts["training"]["window"] == 5
    assert vectors.facts["lang"] == "tr"
    write_vectors(vectors, tmp_path / "v", "native")
    assert read_vectors(tmp_path / "v").facts == vectors.facts


@pytest.mark.parametrize(
    ("options", "less"),
    [
        ({"window": 1}, True), ({"window": 10}, False), ({"epochs": 1}, True),
        ({"epochs": 4}, False), ({"sample": 1e-5}, True), ({"sample": 0.0}, False),
        ({"entities_per_page": 1}, True), ({"entities_per_page": 20}, False),
        ({"link_graph": False}, True),
    ],
)  # fmt: skip
def test_options_change_the_number_of_pairs(planted: Any, options: Any, less: bool) -> None:
    corpus = planted(0, n_pages=40)
    usual = replace(QUICK, epochs=2)
    counts = []
    for training in (usual, replace(usual, **options)):
        n_pairs: list[int] = []
        train_vectors(corpus, training, n_workers=1, on_pairs=n_pairs.append)
        counts.append(sum(n_pairs))
    assert (counts[1] < counts[0]) == less


@pytest.mark.parametrize(
    "options",
    [{"negatives": 1}, {"word_neg_power": 0.0}, {"entity_neg_power": 1.0}, {"learning_rate": 0.05},
     {"min_learning_rate": 0.02}, {"shared_negatives": True}],
)  # fmt: skip
def test_options_change_the_vectors(planted: Any, options: Any) -> None:
    corpus = planted(0, n_pages=40)
    usual = replace(QUICK, epochs=1)
    one, other = (
        train_vectors(corpus, training, n_workers=1).matrix
        for training in (usual, replace(usual, **options))
    )
    assert one.shape == other.shape
    assert not np.array_equal(one, other)


def test_words_alone_and_entities_alone() -> None:
    words = corpus_of([Page("p", [["a", "b"] * 20])])
    assert len(train_vectors(words, QUICK, n_workers=1)) == 2
    pages = [Page("A", [["a"]], [[Link(0, 1, "B")]]), Page("B", [["b"]], [[Link(0, 1, "A")]])]
    entities = corpus_of(pages, min_word_count=2)
    vectors = train_vectors(entities, QUICK, n_workers=1)
    assert [other.label for other in vectors.similar("A")] == ["ENTITY/B"]


def test_no_page_to_train_on() -> None:
    offsets, none, numbers = np.zeros(1, np.int64), np.zeros(0, np.int64), np.zeros(0, np.int32)
    empty = TrainingCorpus(
        numbers, offsets, offsets, none, none, numbers, offsets, offsets, numbers, Vocabulary.of([])
    )
    with pytest.raises(InputError, match="there is no page to train on"):
        train_vectors(empty, QUICK)


def test_probabilities_to_keep_a_word() -> None:
    counts = np.array([10_000, 100, 1])
    share = counts / counts.sum()
    expected = np.minimum((np.sqrt(share / 1e-3) + 1) * 1e-3 / share, 1)
    assert keep_probabilities(counts, 1e-3) / 2**32 == pytest.approx(expected, abs=1e-6)
    assert (keep_probabilities(counts, 0) == 2**32 - 1).all()


def test_memory_is_that_of_the_matrices() -> None:
    n_words = 20_000
    generator = np.random.default_rng(0)
    tokens = generator.integers(n_words, size=5000).astype(np.int32)
    corpus = TrainingCorpus(
        tokens, np.array([0, 5000]), np.array([0, 1]), np.zeros(0, np.int64),
        np.zeros(0, np.int64), np.zeros(0, np.int32), np.zeros(2, np.int64),
        np.zeros(1, np.int64), np.zeros(0, np.int32),
        Vocabulary.of([str(i) for i in range(n_words)], word_counts=[1] * n_words),
    )  # fmt: skip
    training = VectorTraining(width=100, epochs=1)
    together = corpus_of([Page("p", [["a", "b"]])])
    train_vectors(together, replace(training, sample=0), n_workers=1)  # compiled now
    tracemalloc.start()
    vectors = train_vectors(corpus, training, n_workers=1)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    matrices = 2 * vectors.matrix.nbytes
    assert peak < 1.2 * matrices
    assert bytes_needed(n_words, 100) == pytest.approx(matrices, rel=0.02)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"width": 0}, "width is 0; give 1 to 100,000"),
        ({"window": 10**22}, "window is 10000000000000000000000; give 1 to"),
        ({"negatives": 0}, "negatives is 0"),
        ({"sample": -1.0}, "sample is -1.0; give a number of 0 or more"),
        ({"learning_rate": float("nan")}, "learning_rate is nan"),
    ],
)
def test_bad_options(options: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        VectorTraining(**options)


def test_training_on_nothing_is_refused() -> None:
    alone = corpus_of([Page("A", [["one"]])], min_word_count=1, min_entity_count=1)
    with pytest.raises(InputError, match="there was nothing to learn: of what"):
        train_vectors(alone, QUICK)


def test_a_fault_in_a_thread_reaches_the_caller(
    planted: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from isogloss.vectors.training import training as module

    def broken(*_: Any) -> int:
        raise MemoryError("no more")

    monkeypatch.setattr(module, "train_pages", broken)
    n_threads = threading.active_count()
    with pytest.raises(MemoryError, match="no more"):
        train_vectors(planted(0, n_pages=300), QUICK, n_workers=2)
    assert threading.active_count() == n_threads
