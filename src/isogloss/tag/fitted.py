"""What a fit gives: all that an answer needs, and the arithmetic of every answer.

`TokenTagger` keeps one and asks it; evaluation and files take it and know of no estimator.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from isogloss.arrays import Bools1d, Doubles1d, Doubles2d, Ints1d
from isogloss.encode import Encoder
from isogloss.learn.linear_head import LinearHead
from isogloss.learn.tuning_options import Tune, TuningOptions
from isogloss.tag.word_features import Reading


@dataclass(frozen=True)
class FittedOptions:
    """The parameters of `TokenTagger` as its fit used them."""

    layer: str
    tune: Tune
    C: float | None
    dtype: str
    random_state: int


class Answers(NamedTuple):
    """What a tagger says of the words of sentences, one sentence after the other.

    Attributes
    ----------
    log_probabilities
        log p(tag | word): float64 (n_words, n_tags).
    has_piece
        bool (n_words,): a word without a piece has the shares of the tags in training.
    starts
        Words of sentence i are ``starts[i]`` to ``starts[i + 1] - 1``.
    """

    log_probabilities: Doubles2d
    has_piece: Bools1d
    starts: Ints1d


@dataclass(frozen=True)
class FittedTagger:
    """A fitted tagger.

    Attributes
    ----------
    reading
        How words are read, with the tuned encoder where it was tuned.
    base
        The encoder before tuning; that of `reading` where it stayed frozen.
    head
        From features to log p(tag | word).
    tag_names
        In the order of the head's classes: sorted.
    shares
        Of each tag in the training words, (n_tags,).
    langs
        The training languages.
    n_training_words
        Words that were learned from.
    """

    reading: Reading
    base: Encoder
    head: LinearHead
    tag_names: tuple[str, ...]
    shares: Doubles1d
    langs: tuple[str, ...]
    n_training_words: int
    options: FittedOptions
    training: TuningOptions | None = None

    def answers(self, sentences: Sequence[Sequence[str]]) -> Answers:
        """Return what is said of each word of sentences."""
        found, pieces = [], []
        for block in self.reading.blocks(sentences):
            log_probabilities = self.head.log_probabilities(block.vectors)
            with np.errstate(divide="ignore"):
                log_probabilities[~block.has_piece] = np.log(self.shares)
            found.append(log_probabilities)
            pieces.append(block.has_piece)
        lengths = [len(one) for one in sentences]
        return Answers(
            np.concatenate([*found, np.empty((0, len(self.tag_names)))]),
            np.concatenate([*pieces, np.empty(0, np.bool_)]),
            np.concatenate([[0], np.cumsum(np.array(lengths, np.int64))]),
        )

    def tags_of(self, answers: Answers) -> list[list[str]]:
        """Return the most likely tag of each word, the first of equals."""
        best = answers.log_probabilities.argmax(axis=1).tolist()
        tags = [self.tag_names[place] for place in best]
        starts = answers.starts.tolist()
        return [tags[first:end] for first, end in pairwise(starts)]
