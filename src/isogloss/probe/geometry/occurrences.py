"""The counting pass: which words, occurrences and random words are measured.

A text is a sentence; one that was met before, blanks aside, is left out. Words that occur in enough
different sentences may be chosen, each with the same chance however frequent it is. All occurrences
of a chosen word count for sums; at most some of each, drawn at random, for what needs the vectors
themselves. What is drawn depends on the seed and the texts alone.

Memory grows with the number of different words, and by about 100 bytes a sentence.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from isogloss.arrays import Bools1d, Ints1d
from isogloss.errors import InputError, counted


class Sentence(NamedTuple):
    """A sentence: what tells it from others, and the names of its units."""

    text: str
    names: list[str]


class Marks(NamedTuple):
    """What each unit of a sentence is wanted for; arrays of (n_units,), -1 being for nothing."""

    word: Ints1d  # number of a chosen word
    is_drawn: Bools1d  # whether the occurrence was drawn, so that its vector is kept
    random: Ints1d  # number of a random word
    sentence: Ints1d  # number of the sentence, where it holds a random word

    @property
    def wanted(self) -> Ints1d:
        """Units that are wanted for something."""
        return np.flatnonzero((self.word >= 0) | (self.sentence >= 0))

    def at(self, units: Ints1d) -> "Marks":
        """Return the marks of some units."""
        return Marks(
            self.word[units], self.is_drawn[units], self.random[units], self.sentence[units]
        )

    @staticmethod
    def joined(marks: "Sequence[Marks]") -> "Marks":
        """Return the marks of one sentence after the other."""
        return Marks(*map(np.concatenate, zip(*marks, strict=True)))


@dataclass(frozen=True)
class Counts:
    """How much text there was."""

    n_duplicates: int  # texts that were met before
    n_sentences: int  # different ones, with a word in them
    n_types: int  # different words
    n_eligible: int  # of these, in enough sentences


@dataclass(frozen=True, eq=False)
class Choice:
    """What is measured."""

    words: list[str]  # names of the chosen words, sorted
    drawn: list[Ints1d]  # occurrences of each, by number in the texts, whose vectors are kept
    random_units: dict[int, Ints1d]  # number of a text → its units that are random words, sorted
    is_kept: Bools1d  # (n_texts,): whether a text is a sentence that was not met before
    counts: Counts

    @property
    def n_random(self) -> int:
        """Number of random words."""
        return sum(len(units) for units in self.random_units.values())

    @property
    def n_most_drawn(self) -> int:
        """Most drawn occurrences of a word."""
        return max(len(numbers) for numbers in self.drawn)

    @property
    def random_sentences(self) -> Ints1d:
        """Number of the sentence, counted among those with random words, of each random word."""
        sizes = [len(units) for units in self.random_units.values()]
        return np.repeat(np.arange(len(sizes)), sizes)


def choose(
    sentences: Iterable[Sentence], *, min_contexts: int, max_words: int, max_contexts: int,
    n_random: int, seed: int,
) -> Choice:  # fmt: skip
    """Count the words of texts and draw what is measured; the numbers are of `GeometryOptions`.

    No more occurrences of a word are kept than there are random words, and as few random words as
    possible are of one sentence.

    Raises
    ------
    InputError
        When no word occurs in enough sentences.
    """
    sizes, n_contexts, n_occurrences, n_duplicates = _count(sentences)
    eligible = sorted(name for name, n in n_contexts.items() if n >= min_contexts)
    counts = Counts(
        n_duplicates=n_duplicates, n_sentences=int(np.count_nonzero(sizes)),
        n_types=len(n_contexts), n_eligible=len(eligible),
    )  # fmt: skip
    if not eligible:
        most = max(n_contexts.values(), default=0)
        raise InputError(
            f"no word occurs in {min_contexts} different sentences (of "
            f"{counted(counts.n_types, 'word')} in {counted(counts.n_sentences, 'sentence')}, "
            f"{counts.n_duplicates:,} met before left out, the most frequent in {most}); give more "
            "text, one sentence a line, or lower --min-contexts"
        )
    generator = np.random.default_rng(seed)
    if len(eligible) > max_words:
        drawn = np.sort(generator.choice(len(eligible), max_words, replace=False))
        eligible = [eligible[at] for at in drawn]
    random_units = _draw_random(sizes, n_random, generator)
    n_kept = min(max_contexts, sum(len(units) for units in random_units.values()))
    return Choice(
        words=eligible,
        drawn=[_draw(n_occurrences[name], n_kept, generator) for name in eligible],
        random_units=random_units,
        is_kept=sizes > 0,
        counts=counts,
    )


class Marker:
    """Walks the sentences of a `Choice` again, in the same order, and marks their units."""

    def __init__(self, choice: Choice) -> None:
        self._number = {name: at for at, name in enumerate(choice.words)}
        self._drawn = [set(numbers.tolist()) for numbers in choice.drawn]
        self._met = [0] * len(choice.words)
        self._random: dict[int, tuple[int, int, Ints1d]] = {}
        first = 0
        for sentence, (text, units) in enumerate(choice.random_units.items()):
            self._random[text] = (sentence, first, units)
            first += len(units)

    def __call__(self, text: int, names: list[str]) -> Marks:
        """Return the marks of the units of a text that is kept, by its number."""
        nothing = np.full(len(names), -1, np.int64)
        marks = Marks(nothing, np.zeros(len(names), np.bool_), nothing.copy(), nothing.copy())
        for at, name in enumerate(names):
            word = self._number.get(name)
            if word is not None:
                marks.word[at] = word
                marks.is_drawn[at] = self._met[word] in self._drawn[word]
                self._met[word] += 1
        if text in self._random:
            sentence, first, units = self._random[text]
            marks.sentence[:] = sentence
            marks.random[units] = first + np.arange(len(units))
        return marks


class _Counted(NamedTuple):
    """Units of each text (0: left out), and of each name its sentences and occurrences."""

    sizes: Ints1d
    n_contexts: Counter[str]
    n_occurrences: Counter[str]
    n_duplicates: int


def _count(sentences: Iterable[Sentence]) -> _Counted:
    met: set[bytes] = set()
    sizes: list[int] = []
    n_contexts: Counter[str] = Counter()
    n_occurrences: Counter[str] = Counter()
    n_duplicates = 0
    for text, names in sentences:
        known = " ".join(text.split()).encode("utf-8", "replace")
        digest = hashlib.blake2b(known, digest_size=16).digest()
        if names and digest in met:
            n_duplicates += 1
            names = []
        if names:
            met.add(digest)
        sizes.append(len(names))
        n_occurrences.update(names)
        n_contexts.update(set(names))
    return _Counted(np.array(sizes, np.int64), n_contexts, n_occurrences, n_duplicates)


def _draw(n: int, n_drawn: int, generator: np.random.Generator) -> Ints1d:
    if n <= n_drawn:
        return np.arange(n)
    return np.sort(generator.choice(n, n_drawn, replace=False))


def _draw_random(sizes: Ints1d, n_drawn: int, generator: np.random.Generator) -> dict[int, Ints1d]:
    """Draw units, as few of one text as possible: the same number of each, some one more."""
    n_drawn = min(n_drawn, int(sizes.sum()))
    share = np.zeros_like(sizes)
    while share.sum() < n_drawn:
        has_more = np.flatnonzero(share < sizes)
        n_left = n_drawn - int(share.sum())
        share[has_more[_draw(len(has_more), n_left, generator)]] += 1
    return {
        int(text): _draw(int(sizes[text]), int(share[text]), generator)
        for text in np.flatnonzero(share)
    }
