"""What is right in each sentence: all that scores, their intervals and tables are made of.

Every score is a ratio of sums over sentences:

    accuracy = Σ right / Σ words        F1 = Σ 2 right / Σ (predicted + gold)

so that resampled sentences need their counts alone. A tag that training lacks is never predicted:
its words are wrong, and its entities missed, without a rule of their own.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np

from isogloss.arrays import Bools1d, Doubles1d, Doubles2d, Ints1d
from isogloss.errors import InputError, counted
from isogloss.tag.schemes.rules import Scheme
from isogloss.tag.schemes.spans import EntitySpan, Reading, spans_of

Sentences: TypeAlias = Sequence[Sequence[str]]  # the tags of each


class Ratio(NamedTuple):
    """A score as sums over sentences; both float64 (n_sentences,)."""

    numerator: Doubles1d
    denominator: Doubles1d

    @property
    def value(self) -> float:
        """The score; 0 where there is nothing to score."""
        return float(self.numerator.sum() / max(self.denominator.sum(), 1.0))


class Outcome(NamedTuple):
    """How many are right, were predicted, and are in gold."""

    n_right: int
    n_predicted: int
    n_gold: int

    @property
    def precision(self) -> float:
        """Right of predicted; 0 where nothing was."""
        return self.n_right / max(self.n_predicted, 1)

    @property
    def recall(self) -> float:
        """Right of gold; 0 where there is none."""
        return self.n_right / max(self.n_gold, 1)

    @property
    def f1(self) -> float:
        """Their harmonic mean."""
        return 2 * self.n_right / max(self.n_predicted + self.n_gold, 1)


@dataclass(frozen=True, eq=False)
class TagCounts:
    """Words and their tags, of one language.

    Attributes
    ----------
    right
        bool (n_words,): which words have their gold tag.
    sizes
        int64 (n_sentences,): the words of each sentence.
    confusions
        Pairs of gold and predicted tag, and how many words have them.
    """

    right: Bools1d
    sizes: Ints1d
    confusions: Counter[tuple[str, str]]

    @classmethod
    def of(cls, gold: Sentences, predicted: Sentences) -> "TagCounts":
        """Compare the tags of the same sentences.

        Raises
        ------
        InputError
            Numbers of sentences or words differ, or there is no word.
        """
        _check(gold, predicted)
        pairs = [
            pair
            for ours, theirs in zip(gold, predicted, strict=True)
            for pair in zip(ours, theirs, strict=True)
        ]
        right = np.array([one == other for one, other in pairs], dtype=bool)
        return cls(right, np.array([len(tags) for tags in gold], np.int64), Counter(pairs))

    def ratio(self, name: str) -> Ratio:
        """Return the sums of ``accuracy``."""
        _check_name(name, ("accuracy",))
        sentence = np.repeat(np.arange(len(self.sizes)), self.sizes)
        n_right = np.bincount(sentence, self.right, minlength=len(self.sizes))
        return Ratio(n_right.astype(np.float64), self.sizes.astype(np.float64))

    @property
    def by_label(self) -> dict[str, Outcome]:
        """Each tag of gold or prediction with its words, the commonest of gold first."""
        right, predicted, gold = Counter[str](), Counter[str](), Counter[str]()
        for (one, other), n in self.confusions.items():
            gold[one] += n
            predicted[other] += n
            right[one] += n if one == other else 0
        return _by_label(right, predicted, gold)

    @property
    def macro_f1(self) -> float:
        """The mean F1 of all tags of gold or prediction."""
        return float(np.mean([outcome.f1 for outcome in self.by_label.values()]))

    @property
    def gold_tags(self) -> Counter[str]:
        """How many words have which gold tag."""
        return Counter({tag: one.n_gold for tag, one in self.by_label.items() if one.n_gold})


@dataclass(frozen=True, eq=False)
class EntityCounts:
    """Entities of one language, read strictly and as `conlleval` reads them.

    An entity is right where an entity of the same type has the same words.

    Attributes
    ----------
    strict, conll
        Right, predicted and gold entities of each sentence: float64 (n_sentences, 3).
    by_label, by_label_conll
        The same of each type, over all sentences; the commonest of gold first.
    confusions
        Pairs of gold and predicted type of entities of the same words, strictly read, and how many
        there are; None: no entity of the other side has just these words.
    gold_tags
        How many words have which gold tag.
    """

    strict: Doubles2d
    conll: Doubles2d
    by_label: dict[str, Outcome]
    by_label_conll: dict[str, Outcome]
    confusions: Counter[tuple[str | None, str | None]]
    gold_tags: Counter[str]

    @classmethod
    def of(cls, gold: Sentences, predicted: Sentences, scheme: Scheme) -> "EntityCounts":
        """Compare the entities of the same sentences; both sides are of one scheme.

        Raises
        ------
        InputError
            Numbers of sentences or words differ, there is no word, or a tag is not of the scheme.
        """
        _check(gold, predicted)
        strict = _Read.of(gold, predicted, scheme, "strict")
        conll = _Read.of(gold, predicted, scheme, "conll")
        return cls(
            strict.counts, conll.counts, strict.by_label, conll.by_label, strict.confusions,
            Counter(tag for tags in gold for tag in tags),
        )  # fmt: skip

    def ratio(self, name: str) -> Ratio:
        """Return the sums of ``f1_strict``, ``f1_conll``, ``precision`` or ``recall`` (strict)."""
        _check_name(name, ("f1_strict", "f1_conll", "precision", "recall"))
        right, predicted, gold = (self.conll if name == "f1_conll" else self.strict).T
        if name == "precision":
            return Ratio(right, predicted)
        return Ratio(right, gold) if name == "recall" else Ratio(2 * right, predicted + gold)


@dataclass(frozen=True, eq=False)
class _Read:
    """What one reading of the tags gives; as in `EntityCounts`."""

    counts: Doubles2d
    by_label: dict[str, Outcome]
    confusions: Counter[tuple[str | None, str | None]]

    @classmethod
    def of(cls, gold: Sentences, predicted: Sentences, scheme: Scheme, reading: Reading) -> "_Read":
        counts = np.zeros((len(gold), 3))
        confusions: Counter[tuple[str | None, str | None]] = Counter()
        for number, (ours, theirs) in enumerate(zip(gold, predicted, strict=True)):
            one, other = (
                _by_words(spans_of(tags, scheme, reading=reading)) for tags in (ours, theirs)
            )
            pairs = [(one.get(words), other.get(words)) for words in {**one, **other}]
            confusions.update(pairs)
            counts[number] = sum(kind == given for kind, given in pairs), len(other), len(one)
        right, predicted_types, gold_types = Counter[str](), Counter[str](), Counter[str]()
        for (kind, given), n in confusions.items():
            if kind is not None:
                gold_types[kind] += n
                right[kind] += n if kind == given else 0
            if given is not None:
                predicted_types[given] += n
        return cls(counts, _by_label(right, predicted_types, gold_types), confusions)


def _by_words(spans: list[EntitySpan]) -> dict[tuple[int, int], str]:
    return {(span.start, span.end): span.type for span in spans}


def _by_label(
    right: Counter[str], predicted: Counter[str], gold: Counter[str]
) -> dict[str, Outcome]:
    labels = sorted({*predicted, *gold}, key=lambda label: (-gold[label], label))
    return {label: Outcome(right[label], predicted[label], gold[label]) for label in labels}


def _check(gold: Sentences, predicted: Sentences) -> None:
    if len(gold) != len(predicted):
        raise InputError(
            f"{counted(len(gold), 'sentence')} with gold tags, {len(predicted):,} with predicted "
            "ones; score the same sentences"
        )
    for number, (ours, theirs) in enumerate(zip(gold, predicted, strict=True)):
        if len(ours) != len(theirs):
            raise InputError(
                f"sentence {number + 1} has {counted(len(ours), 'gold tag')} and {len(theirs):,} "
                "predicted; score the same words"
            )
    if not any(len(tags) for tags in gold):
        raise InputError("no word to score; give sentences with words")


def _check_name(name: str, allowed: tuple[str, ...]) -> None:
    if name not in allowed:
        raise ValueError(f"no score '{name}'; allowed: {', '.join(allowed)}")
