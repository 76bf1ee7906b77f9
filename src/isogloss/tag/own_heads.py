"""A head of its own for a training language of which there are few words, where that is better.

A few sentences of a language tell more about it than tens of thousands of words of others, which
outvote them in a head of all words; and alone they are too few. So a language that has fewer words
than the others together may get a head of its own, from one of two starts:

- the head of the others, which its words correct: the penalty ‖W - W₀‖² / 2C holds what they do not
  contradict, the less the more of them there are (Chelba and Acero 2006);
- nothing: its words alone.

Start and C are those of the least out-of-fold log-loss of its own words, folds of sentences. Where
the head of the others is better as it is, the language has the head of all. No other language is
answered by a head that was made for this one.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from isogloss.arrays import Doubles2d, Floats2d, Ints1d
from isogloss.errors import counted
from isogloss.learn.linear_head import ChosenBy, LinearHead
from isogloss.learn.objective import SOFTMAX, LinearWeights
from isogloss.learn.softmax_path import SMALLEST_COUNT, softmax_path
from isogloss.learn.threads import one_thread
from isogloss.limits import Count, NotNegative, Positive, Share
from isogloss.progress import activity
from isogloss.tag.heads import scores_of_inputs, standardised
from isogloss.tag.word_features import WordFeatures

Start = Literal["others", "nothing"]
C_OF_FEW = (0.03, 0.1, 0.3)
MOST_WORDS = 10_000  # by which start and C are chosen
N_FOLDS = 5
FEWEST = 5  # sentences


@dataclass(frozen=True)
class Evidence:
    """How a head does on words of its language that it did not learn from.

    Attributes
    ----------
    C
        Of the head.
    loss
        Mean of -log p of the right tag.
    accuracy
        Share of words that are right.
    """

    C: Positive
    loss: NotNegative
    accuracy: Share

    @classmethod
    def of(cls, C: float, scores: Doubles2d | Floats2d, y: Ints1d) -> "Evidence":
        """Compare scores (n_words, n_tags) with the right tags."""
        losses = SOFTMAX.loss(SOFTMAX.log_probabilities(scores.astype(np.float64)), y)
        return cls(C, float(losses.mean()), float((scores.argmax(axis=1) == y).mean()))

    def __str__(self) -> str:
        return f"{self.loss:.3f} ({self.accuracy:.3f} right)"


@dataclass(frozen=True)
class LanguageChoice:
    """Which head answers for a language with few words, and why.

    Attributes
    ----------
    lang
        The language.
    n_sentences, n_words
        That it has, and that were learned from.
    start
        Of its own head; None: it has the head of all.
    corrected, alone, without
        Out-of-fold evidence: of a head from that of the others, of one from nothing, each at its
        best C; and of that of the others as it is.
    """

    lang: str
    n_sentences: Count
    n_words: Count
    start: Start | None
    corrected: Evidence
    alone: Evidence
    without: Evidence

    def describe(self) -> str:
        """Return it in words."""
        chosen = {
            "others": "its own head, that of the others corrected by its words",
            "nothing": "its own head, of its words alone",
            None: "the head of all languages",
        }[self.start]
        few = f"{counted(self.n_sentences, 'sentence')}, {counted(self.n_words, 'word')}"
        return (
            f"{self.lang} ({few}): {chosen}; out-of-fold log-loss: corrected {self.corrected}, "
            f"alone {self.alone}, of the others {self.without}"
        )

    def head(self, own: LinearWeights, of_all: LinearHead) -> LinearHead:
        """Return its own head, on the standardisation of that of all."""
        C = (self.corrected if self.start == "others" else self.alone).C
        scale = of_all.standardisation
        return LinearHead(
            scale, own.weight, own.bias, C, ChosenBy.CROSS_VALIDATION, SOFTMAX,
            f", {N_FOLDS} folds",
        )  # fmt: skip


@dataclass(frozen=True)
class ChosenHead:
    """A choice, and the head that it is of; None: that of all languages."""

    choice: LanguageChoice
    head: LinearHead | None


def heads_of_few(
    features: WordFeatures, y: Ints1d, langs: Sequence[str], of_all: LinearHead, *, seed: int
) -> tuple[ChosenHead, ...]:
    """Choose a head for each language that has fewer words than all others together.

    Parameters
    ----------
    features, y
        The training words, and the number of each one's tag.
    langs
        Of each sentence.
    of_all
        The head that was fitted on all of them alike.
    seed
        Of the folds.

    Returns
    -------
    In the order in which languages come; one of less than `FEWEST` sentences is left out.
    """
    sentence = np.repeat(np.arange(len(langs)), np.diff(features.starts))[features.has_piece]
    y = y[features.has_piece]
    of_lang = {lang: np.asarray(langs)[sentence] == lang for lang in dict.fromkeys(langs)}
    few = [
        lang for lang, own in of_lang.items()
        if 2 * int(own.sum()) <= len(y) and len(np.unique(sentence[own])) >= FEWEST
    ]  # fmt: skip
    if not few:
        return ()
    inputs = standardised(features.vectors[features.has_piece], of_all.standardisation)
    found = []
    for lang in few:
        own = of_lang[lang]
        said = f"choosing a head for {lang}: {counted(int(own.sum()), 'word')}"
        with one_thread(), activity(said):
            words = FewWords.of(inputs[own], y[own], sentence[own], seed=seed)
            others = head_of_others(inputs[~own], y[~own], of_all)
            found.append(chosen_head(lang, words, others, of_all))
    return tuple(found)


@dataclass(frozen=True)
class FewWords:
    """Words of one language that have a piece.

    Attributes
    ----------
    inputs
        Standardised: float32 (n_words, width).
    y
        The number of each one's tag, (n_words,).
    rank
        Of each one's sentence in an order that is drawn, (n_words,); every fifth is a fold.
    """

    inputs: Floats2d
    y: Ints1d
    rank: Ints1d

    @classmethod
    def of(cls, inputs: Floats2d, y: Ints1d, sentence: Ints1d, *, seed: int) -> "FewWords":
        """Draw the order of sentences; `sentence` has the number of each word's, (n_words,)."""
        sentences, number = np.unique(sentence, return_inverse=True)
        return cls(inputs, y, np.random.default_rng(seed).permutation(len(sentences))[number])

    @property
    def n_sentences(self) -> int:
        """How many sentences have a word here."""
        return len(np.unique(self.rank))

    def judged_by(self) -> "FewWords":
        """Return the words of the first sentences in the order that is drawn, not too many."""
        n_before = np.cumsum(np.bincount(self.rank))
        kept = self.rank < max(FEWEST, int(np.searchsorted(n_before, MOST_WORDS, "right")))
        return self if kept.all() else FewWords(self.inputs[kept], self.y[kept], self.rank[kept])

    def out_of_fold(self, towards: LinearWeights | None, n_tags: int) -> Evidence:
        """Return how heads do on words that they were not fitted on, at the best of `C_OF_FEW`.

        Parameters
        ----------
        towards
            Where they start, see `softmax_path`; None: from nothing.
        """
        scores = np.empty((len(C_OF_FEW), len(self.y), n_tags))
        for fold in range(N_FOLDS):
            judged = self.rank % N_FOLDS == fold
            heads = softmax_path(
                self.inputs[~judged], self.y[~judged], n_tags, C_OF_FEW, towards=towards
            )
            for place, head in enumerate(heads):
                scores[place, judged] = scores_of_inputs(head, self.inputs[judged])
        pairs = zip(C_OF_FEW, scores, strict=True)
        return min((Evidence.of(C, one, self.y) for C, one in pairs), key=lambda one: one.loss)


def head_of_others(inputs: Floats2d, y: Ints1d, of_all: LinearHead) -> LinearWeights:
    """Fit the words of the other languages; a tag that they lack is rare, not impossible."""
    (found,) = softmax_path(inputs, y, len(of_all.bias), (of_all.C,))
    return LinearWeights(found.weight, np.maximum(found.bias, np.log(SMALLEST_COUNT / len(y))))


def chosen_head(
    lang: str, words: FewWords, others: LinearWeights, of_all: LinearHead
) -> ChosenHead:
    """Choose start and C by the least out-of-fold log-loss, and fit all words of the language.

    Parameters
    ----------
    others
        As `head_of_others` fits them, on the standardisation of `of_all`.
    """
    starts: dict[Start, LinearWeights | None] = {"others": others, "nothing": None}
    judged, n_tags = words.judged_by(), len(of_all.bias)
    found = {start: judged.out_of_fold(towards, n_tags) for start, towards in starts.items()}
    without = Evidence.of(of_all.C, scores_of_inputs(others, judged.inputs), judged.y)
    start = min(starts, key=lambda one: found[one].loss)
    is_better = found[start].loss < without.loss
    choice = LanguageChoice(
        lang, words.n_sentences, len(words.y), start if is_better else None, found["others"],
        found["nothing"], without,
    )  # fmt: skip
    if not is_better:
        return ChosenHead(choice, None)
    (own,) = softmax_path(
        words.inputs, words.y, n_tags, (found[start].C,), towards=starts[start]
    )  # fmt: skip
    return ChosenHead(choice, choice.head(own, of_all))
