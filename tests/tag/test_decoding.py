"""The best allowed sequence of tags is that of a search through all sequences."""

import itertools
import random

import numpy as np
import pytest
from tag_sequences import legal_tags

from isogloss.arrays import offsets_of
from isogloss.tag.decoding import decoded
from isogloss.tag.schemes import (
    SCHEMES,
    Scheme,
    Transitions,
    allowed_transitions,
    check_tags,
    spans_of,
)

PREFIXES: dict[Scheme, str] = {"IOB1": "BI", "IOB2": "BI", "BIOES": "BIES", "BILOU": "BILU"}


def names_of(scheme: Scheme, kinds: str = "XY") -> list[str]:
    return [*(f"{prefix}-{kind}" for kind in kinds for prefix in PREFIXES[scheme]), "O"]


def best_of_all(scores: np.ndarray, allowed: Transitions) -> list[int] | None:
    """Return the best sequence of one sentence by looking at every one."""
    best, highest = None, -np.inf
    for path in itertools.product(range(scores.shape[1]), repeat=len(scores)):
        fits = not path or (allowed.start[path[0]] and allowed.end[path[-1]])
        if fits and all(allowed.between[pair] for pair in itertools.pairwise(path)):
            value = sum(scores[word, tag] for word, tag in enumerate(path))
            if value > highest:
                best, highest = list(path), value
    return best


@pytest.mark.parametrize("scheme", SCHEMES)
def test_it_is_the_best_of_all_sequences(scheme: Scheme) -> None:
    rng = np.random.default_rng(0)
    names = names_of(scheme, "XY" if len(PREFIXES[scheme]) == 2 else "X")
    allowed = allowed_transitions(names, scheme)
    offsets = offsets_of(rng.integers(0, 6, size=60))
    scores = np.log(rng.dirichlet(np.full(len(names), 0.5), size=offsets[-1]))
    tags = decoded(scores.astype(np.float32), offsets, allowed)
    sentences = np.split(tags, offsets[1:-1])
    parts = np.split(scores.astype(np.float32), offsets[1:-1])
    # The sums of float32 log-probabilities are taken in float64: no path wins by rounding.
    for found, one in zip(sentences, parts, strict=True):
        assert found.tolist() == best_of_all(one.astype(np.float64), allowed)
    check_tags([[names[tag] for tag in one] for one in sentences], scheme)
    greedy = scores.argmax(axis=1)
    assert (tags != greedy).any()  # or the test would show nothing


def test_any_transitions_with_start_and_end() -> None:
    rng = np.random.default_rng(3)
    n_failed = 0
    for _ in range(200):
        n_tags, n_words = rng.integers(1, 5), rng.integers(1, 6)
        allowed = Transitions(
            rng.random(n_tags) < 0.7, rng.random((n_tags, n_tags)) < 0.5, rng.random(n_tags) < 0.7
        )
        scores = rng.normal(size=(n_words, n_tags)) - 3
        expected = best_of_all(scores, allowed)
        if expected is None:
            n_failed += 1
            with pytest.raises(ValueError, match="allowed in sentence 2"):
                decoded(scores, np.array([0, 0, n_words]), allowed)
        else:
            assert decoded(scores, np.array([0, n_words]), allowed).tolist() == expected
    assert 20 < n_failed < 180


@pytest.mark.parametrize("scheme", SCHEMES)
def test_tags_of_the_scheme_come_back_as_they_are(scheme: Scheme) -> None:
    sentences = legal_tags(random.Random(2), scheme, n_sentences=100)
    names = sorted({tag for tags in sentences for tag in tags})
    number = [names.index(tag) for tags in sentences for tag in tags]
    scores = np.where(np.eye(len(names), dtype=bool)[number], -0.1, -4.0).astype(np.float32)
    offsets = offsets_of([len(tags) for tags in sentences])
    assert decoded(scores, offsets, allowed_transitions(names, scheme)).tolist() == number


def test_a_sentence_does_not_depend_on_its_neighbours_nor_on_strides() -> None:
    names = names_of("IOB2")
    allowed = allowed_transitions(names, "IOB2")
    rng = np.random.default_rng(5)
    sizes = [4, 0, 1, 300, 7]
    offsets = offsets_of(sizes)
    scores = rng.normal(size=(offsets[-1], len(names)))
    together = decoded(scores, offsets, allowed)
    alone = [
        decoded(scores[begin:end], np.array([0, end - begin]), allowed)
        for begin, end in itertools.pairwise(offsets)
    ]
    assert together.tolist() == np.concatenate(alone).tolist()
    assert decoded(np.asfortranarray(scores), offsets, allowed).tolist() == together.tolist()
    flipped = scores[::-1][::-1].astype(np.float16).astype(np.float64)
    assert decoded(flipped[::-1][::-1], offsets, allowed).tolist() == (
        decoded(flipped, offsets, allowed).tolist()
    )


def test_an_impossible_tag_is_taken_only_where_nothing_else_is_allowed() -> None:
    allowed = allowed_transitions(["B-X", "E-X", "O"], "BIOES")
    with np.errstate(divide="ignore"):
        certain = np.log(np.array([[1.0, 0, 0], [0, 0, 1.0]]))  # B- then O
    assert decoded(certain, np.array([0, 2]), allowed).tolist() in ([0, 1], [2, 2])
    assert decoded(certain[:1], np.array([0, 1]), allowed).tolist() == [2]


def test_no_sentence_and_no_word() -> None:
    allowed = allowed_transitions(["O"], "IOB2")
    for offsets in ([0], [0, 0, 0]):
        assert decoded(np.zeros((0, 1)), np.array(offsets), allowed).tolist() == []


@pytest.mark.parametrize(
    ("scores", "offsets", "message"),
    [
        (np.zeros(3), [0, 3], "log-probabilities are"),
        (np.zeros((3, 3)), [], "log-probabilities are"),
        (np.zeros((3, 3)), [1, 3], "do not rise"),
        (np.zeros((3, 3)), [0, 4], "do not rise"),
        (np.zeros((3, 3)), [0, 2, 1, 3], "do not rise"),
        (np.zeros((3, 2)), [0, 3], "not those of 2 tags"),
        (np.full((3, 3), np.nan), [0, 3], "NaN"),
        (np.full((3, 3), np.inf), [0, 3], "infinity"),
    ],
)
def test_what_does_not_fit_never_reaches_compiled_code(
    scores: np.ndarray, offsets: list[int], message: str
) -> None:
    allowed = allowed_transitions(["O", "B-X", "I-X"], "IOB2")
    with pytest.raises(ValueError, match=message):
        decoded(scores, np.array(offsets, dtype=np.int64), allowed)


def test_tags_without_an_allowed_sequence_are_named() -> None:
    allowed = allowed_transitions(["B-X", "E-X"], "BIOES")
    assert decoded(np.zeros((2, 2)), np.array([0, 2]), allowed).tolist() == [0, 1]
    with pytest.raises(ValueError, match="no sequence of tags is allowed in sentence 2"):
        decoded(np.zeros((3, 2)), np.array([0, 2, 3]), allowed)
    assert spans_of(["B-X", "E-X"], "BIOES")[0].end == 2
