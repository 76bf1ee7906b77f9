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
from isogloss.learn.linear_head import ChosenBy, LinearHead
from isogloss.learn.tuning_options import Tune, TuningOptions
from isogloss.tag.decoding import decoded
from isogloss.tag.entities import SchemeChoice
from isogloss.tag.names import NameVote
from isogloss.tag.options import AUTO, OwnHeads
from isogloss.tag.own_heads import ChosenHead
from isogloss.tag.schemes import Scheme, allowed_transitions
from isogloss.tag.word_features import Reading, WordFeatures


@dataclass(frozen=True)
class FittedOptions:
    """The parameters of `TokenTagger` as its fit used them."""

    layer: str
    scheme: SchemeChoice
    tune: Tune
    C: float | None
    dtype: str
    random_state: int
    own_heads: OwnHeads


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
    n_windows
        Windows that each sentence was read in.
    """

    log_probabilities: Doubles2d
    has_piece: Bools1d
    starts: Ints1d
    n_windows: Ints1d


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
        From features to log p(tag | word), of languages that have no head of their own.
    tag_names
        In the order of the head's classes: sorted.
    shares
        Of each tag in the training words, (n_tags,).
    langs
        The training languages.
    n_training_words
        Words that were learned from.
    scheme
        Of tags of entities; None: each word is tagged by itself.
    names
        What names of a knowledge base say about tags; None: nothing is linked.
    chosen_heads
        Of training languages with few words, which may have a head of their own.
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
    scheme: Scheme | None = None
    names: NameVote | None = None
    chosen_heads: tuple[ChosenHead, ...] = ()

    def describe(self) -> list[str]:
        """Return what was learned, in words, a line each."""
        layers = self.reading.layers
        shown = f"{layers[0]}-{layers[-1]}, their mean" if len(layers) > 1 else str(layers[0])
        of_entities = f", entities in {self.scheme}" if self.scheme else ""
        return [
            f"languages: {', '.join(self.langs)}",
            f"tags: {len(self.tag_names)}{of_entities}",
            f"layers: {shown} ({self._layers_by()})",
            f"head: {self.head.describe()}",
            *(one.choice.describe() for one in self.chosen_heads),
            *([] if self.names is None else [f"names: of {self.names.features.kb.path}"]),
        ]

    def _layers_by(self) -> str:
        if self.options.layer != AUTO:
            return "given"
        is_few = self.head.chosen_by is ChosenBy.TOO_FEW_SENTENCES
        return "the middle third: too few sentences to choose by" if is_few else "chosen"

    def answers(self, sentences: Sequence[Sequence[str]], langs: Sequence[str]) -> Answers:
        """Return what is said of each word of sentences, whose languages are `langs`."""
        blocks, n_done = [], 0
        for block in self.reading.blocks(sentences):
            n = len(block.starts) - 1
            blocks.append(self.answers_of(block, langs[n_done : n_done + n]))
            n_done += n
        found = [block.log_probabilities for block in blocks]
        pieces = [block.has_piece for block in blocks]
        windows = [block.n_windows for block in blocks]
        lengths = [len(one) for one in sentences]
        of_words = np.concatenate([*found, np.empty((0, len(self.tag_names)))])
        if self.names is not None:
            of_words = self.names.added(of_words, self.names.features(sentences, langs))
        return Answers(
            of_words,
            np.concatenate([*pieces, np.empty(0, np.bool_)]),
            np.concatenate([[0], np.cumsum(np.array(lengths, np.int64))]),
            np.concatenate([*windows, np.empty(0, np.int64)]),
        )

    def answers_of(self, features: WordFeatures, langs: Sequence[str] | None = None) -> Answers:
        """Return what the head says of each word, from what a tagger sees of it, without names.

        Parameters
        ----------
        langs
            Of each sentence; None: the head of all languages answers.
        """
        log_probabilities = self.head.log_probabilities(features.vectors)
        for lang, head in self.own_heads.items() if langs is not None else ():
            words = np.repeat(np.asarray(langs, np.str_) == lang, np.diff(features.starts))
            log_probabilities[words] = head.log_probabilities(features.vectors[words])
        with np.errstate(divide="ignore"):
            log_probabilities[~features.has_piece] = np.log(self.shares)
        return Answers(log_probabilities, *features[1:])

    @property
    def own_heads(self) -> dict[str, LinearHead]:
        """Language → its own head, of those that do not use `head`."""
        return {one.choice.lang: one.head for one in self.chosen_heads if one.head is not None}

    def tags_of(self, answers: Answers) -> list[list[str]]:
        """Return the most likely tag of each word, the first of equals; see `scheme`."""
        tags = [self.tag_names[place] for place in self._best(answers).tolist()]
        return [tags[first:end] for first, end in pairwise(answers.starts.tolist())]

    def probabilities_of_tags(self, answers: Answers) -> list[list[float]]:
        """Return p of the tag that `tags_of` gives each word."""
        best = self._best(answers)
        p = np.exp(answers.log_probabilities[np.arange(len(best)), best]).tolist()
        return [p[first:end] for first, end in pairwise(answers.starts.tolist())]

    def _best(self, answers: Answers) -> Ints1d:
        if self.scheme is None:
            best: Ints1d = answers.log_probabilities.argmax(axis=1)
            return best
        allowed = allowed_transitions(self.tag_names, self.scheme)
        return decoded(answers.log_probabilities, answers.starts, allowed)
