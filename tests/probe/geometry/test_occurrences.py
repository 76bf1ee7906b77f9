"""The counting pass: what is counted, and what is drawn."""

from collections import Counter
from typing import Any

import numpy as np
import pytest

from isogloss.errors import InputError
from isogloss.probe.geometry.occurrences import Choice, Marker, Sentence, choose

TEXTS = [
    "a b c", "a b a", "a  b c ", "b c", "d", "", "a e", "a f", "d a", "b g", "... ", "a b c",
]  # fmt: skip


def choice_of(texts: list[str], **options: Any) -> Choice:
    asked = {"min_contexts": 2, "max_words": 99, "max_contexts": 99, "n_random": 99, "seed": 0}
    return choose(sentences_of(texts), **(asked | options))


def sentences_of(texts: list[str]) -> list[Sentence]:
    return [Sentence(text, text.replace(".", "").split()) for text in texts]


def test_words_in_enough_different_sentences_are_chosen() -> None:
    choice = choice_of(TEXTS, min_contexts=3)
    assert choice.words == ["a", "b"]
    assert [len(drawn) for drawn in choice.drawn] == [6, 4]
    assert choice_of(TEXTS).words == ["a", "b", "c", "d"]


def test_counts() -> None:
    counts = choice_of(TEXTS).counts
    assert (counts.n_duplicates, counts.n_sentences) == (2, 8)
    assert (counts.n_types, counts.n_eligible) == (7, 4)
    assert choice_of(TEXTS).is_kept.tolist() == [
        True, True, False, True, True, False, True, True, True, True, False, False,
    ]  # fmt: skip


def test_no_word_often_enough_is_said_with_the_numbers() -> None:
    said = (
        r"no word occurs in 9 different sentences \(of 7 words in 8 sentences, 2 met before left "
        r"out, the most frequent in 5\)"
    )
    with pytest.raises(InputError, match=said):
        choice_of(TEXTS, min_contexts=9)
    with pytest.raises(InputError, match="no word occurs in 2 different"):
        choice_of([])


def test_words_are_drawn_with_equal_chances() -> None:
    texts = [f"w{i} w{i} x" for i in range(6)] * 1 + [f"x w{i}" for i in range(6)]
    drawn = Counter(
        word for seed in range(300) for word in choice_of(texts, max_words=2, seed=seed).words
    )
    assert sum(drawn.values()) == 600
    assert all(55 < drawn[word] < 120 for word in ("x", *(f"w{i}" for i in range(6))))


def test_random_words_are_of_as_many_sentences_as_possible() -> None:
    few = choice_of(TEXTS, n_random=5)
    assert few.n_random == 5
    assert all(len(units) == 1 for units in few.random_units.values())
    sizes = {text: len(units) for text, units in choice_of(TEXTS, n_random=12).random_units.items()}
    assert sum(sizes.values()) == 12
    assert len(sizes) == 8
    assert max(sizes.values()) == 2
    assert choice_of(TEXTS).n_random == 17  # there are no more
    assert few.random_sentences.tolist() == [0, 1, 2, 3, 4]


def test_draws_are_the_seed_s() -> None:
    one, same, other = (
        choice_of(TEXTS, n_random=4, max_words=2, max_contexts=2, seed=seed) for seed in (1, 1, 5)
    )
    assert one.words == same.words
    assert [a.tolist() for a in one.drawn] == [a.tolist() for a in same.drawn]
    assert {k: v.tolist() for k, v in one.random_units.items()} == {
        k: v.tolist() for k, v in same.random_units.items()
    }
    assert one.random_units.keys() != other.random_units.keys()


def test_marks_say_what_each_unit_is_for() -> None:
    choice = choice_of(TEXTS, max_contexts=2, n_random=5)
    marker = Marker(choice)
    n_met: Counter[str] = Counter()
    n_drawn: Counter[str] = Counter()
    random: list[int] = []
    for text, (_, names) in enumerate(sentences_of(TEXTS)):
        if not choice.is_kept[text]:
            continue
        marks = marker(text, names)
        for at, name in enumerate(names):
            assert (marks.word[at] >= 0) == (name in choice.words)
            if name in choice.words:
                assert choice.words[marks.word[at]] == name
                n_met[name] += 1
                n_drawn[name] += int(marks.is_drawn[at])
        random += marks.random[marks.random >= 0].tolist()
        assert len(set(marks.sentence)) == 1
        assert (marks.sentence[0] >= 0) == (text in choice.random_units)
    assert random == list(range(5))
    assert n_met == {"a": 6, "b": 4, "c": 2, "d": 2}
    assert set(n_drawn.values()) == {2}


def test_no_more_occurrences_are_kept_than_there_are_random_words() -> None:
    choice = choice_of(TEXTS, n_random=3)
    assert choice.n_most_drawn == 3
    assert np.concatenate(choice.drawn).max() < 6
