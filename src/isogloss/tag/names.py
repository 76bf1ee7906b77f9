"""Names of a knowledge base as evidence for the tags of words.

Of each word: whether it begins or goes on inside a linked name, whether the name has one sense or
several, and of which types its senses are. The evidence is added to what the encoder says:

    log p(t | word) ∝ log p_h(t) + V f,    f: the word's features, 0 where nothing links

so a word in no name gets exactly the encoder's answer. V is fitted on sentences that p_h has not
seen, with an L2 penalty, and only kept where it helps on words that it was not fitted on itself.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy

from isogloss.arrays import Doubles1d, Doubles2d, Ints1d
from isogloss.encode.words.tokens_of_words import SpannedText
from isogloss.kb import KnowledgeBase
from isogloss.kb.link.linker import Linker, say_missing_names
from isogloss.text.languages import UNKNOWN

N_TYPES = 64  # the commonest in training
C_OF_NAMES = 1.0
FEWEST = 20  # held-out words inside names
PARTS = ("begins", "goes on")
SENSES = ("one sense", "several senses")


@dataclass(frozen=True)
class NameFeatures:
    """Which features words have.

    Attributes
    ----------
    kb
        Where names are from.
    types
        Those of the training words' names, the commonest first; others say nothing.
    """

    kb: KnowledgeBase
    types: tuple[str, ...]

    @classmethod
    def of(
        cls, kb: KnowledgeBase, sentences: Sequence[Sequence[str]], langs: Sequence[str]
    ) -> "NameFeatures":
        """Take the commonest types of the names in training sentences."""
        found = Counter[str]()
        for words in _named_words(kb, sentences, langs):
            for one in words:
                found.update(one.types)
        order = sorted(found.items(), key=lambda pair: (-pair[1], pair[0]))
        return cls(kb, tuple(name for name, _ in order[:N_TYPES]))

    @property
    def names(self) -> tuple[str, ...]:
        """The features, in the order of the columns."""
        return tuple(f"{part}, {what}" for part in PARTS for what in (*SENSES, *self.types))

    def __call__(self, sentences: Sequence[Sequence[str]], langs: Sequence[str]) -> Doubles2d:
        """Return the features of all words, one sentence after the other: (n_words, n_features)."""
        n_words = np.array([len(words) for words in sentences], np.int64)
        starts = np.concatenate([[0], np.cumsum(n_words)])
        place = {name: at for at, name in enumerate(self.names)}
        features = np.zeros((int(starts[-1]), len(place)))
        for sentence, words in enumerate(_named_words(self.kb, sentences, langs)):
            for one in words:
                row, part = starts[sentence] + one.word, PARTS[int(one.goes_on)]
                whats = (SENSES[int(one.n_senses > 1)], *one.types)
                columns = [place[name] for what in whats if (name := f"{part}, {what}") in place]
                features[row, columns] = 1.0
        return features


@dataclass(frozen=True)
class NameVote:
    """How much the names of words say about their tags.

    Attributes
    ----------
    features
        Of words.
    weight
        V: (n_tags, n_features).
    """

    features: NameFeatures
    weight: Doubles2d

    def added(self, log_probabilities: Doubles2d, features: Doubles2d) -> Doubles2d:
        """Return log p(t | word) with the evidence; rows without a feature are as they were."""
        linked = features.any(axis=1)
        found = log_probabilities.copy()
        found[linked] = scipy.special.log_softmax(
            log_probabilities[linked] + features[linked] @ self.weight.T, axis=1
        )
        return found

    @classmethod
    def fit(
        cls, features: NameFeatures, of_words: Doubles2d, log_probabilities: Doubles2d,
        gold: Ints1d, starts: Ints1d,
    ) -> "NameVote | None":  # fmt: skip
        """Fit V on held-out words.

        Parameters
        ----------
        of_words
            Features of the words, (n_words, n_features).
        log_probabilities
            log p_h of the words, from a head that was not fitted on them: (n_words, n_tags).
        gold
            The right tag of each word, -1 for one that training lacks.
        starts
            Words of sentence i are ``starts[i]`` to ``starts[i + 1] - 1``.

        Returns
        -------
        None where too few words are inside names, or V does not help on the other half of them.
        """
        usable = of_words.any(axis=1) & (gold >= 0) & np.isfinite(log_probabilities).all(axis=1)
        if int(usable.sum()) < FEWEST:
            return None
        x, offset, y = of_words[usable], log_probabilities[usable], gold[usable]
        half = (np.repeat(np.arange(len(starts) - 1), np.diff(starts)) % 2)[usable]
        before, after = 0.0, 0.0
        for part in (0, 1):
            learned, judged = half == part, half != part
            if not learned.any() or not judged.any():
                return None
            weight = _fitted(x[learned], offset[learned], y[learned])
            before += _loss(offset[judged], y[judged])
            after += _loss(offset[judged] + x[judged] @ weight.T, y[judged])
        return cls(features, _fitted(x, offset, y)) if after < before else None


@dataclass(frozen=True)
class _NamedWord:
    word: int  # in its sentence
    goes_on: bool
    n_senses: int
    types: tuple[str, ...]


def _named_words(
    kb: KnowledgeBase, sentences: Sequence[Sequence[str]], langs: Sequence[str]
) -> list[list[_NamedWord]]:
    """Return the words of each sentence that are inside a linked name; ``und``: nothing is."""
    found: list[list[_NamedWord]] = [[] for _ in sentences]
    known = [lang for lang in dict.fromkeys(langs) if lang != UNKNOWN]
    say_missing_names(kb, [(lang, None) for lang in known])
    types_of: dict[int, tuple[str, ...]] = {}
    for lang in known:
        rows = [row for row, one in enumerate(langs) if one == lang]
        texts = [SpannedText.joined(sentences[row]) for row in rows]
        linked = Linker(kb, lang, is_quiet=True).link([one.text for one in texts])
        for at, row in enumerate(rows):
            spans = texts[at].spans
            for mention in range(*linked.text_offsets[at : at + 2].tolist()):
                first = int(np.searchsorted(spans[:, 1], linked.start[mention], "right"))
                end = int(np.searchsorted(spans[:, 0], linked.end[mention], "left"))
                senses = linked.entity[slice(*linked.candidate_offsets[mention : mention + 2])]
                kinds: dict[str, None] = {}
                for sense in senses.tolist():
                    if sense not in types_of:
                        types_of[sense] = kb.types(sense)
                    kinds |= dict.fromkeys(types_of[sense])
                found[row] += [
                    _NamedWord(word, word > first, len(senses), tuple(kinds))
                    for word in range(first, end)
                ]
    return found


def _fitted(x: Doubles2d, offset: Doubles2d, y: Ints1d) -> Doubles2d:
    """Return V of the least loss with the penalty ‖V‖² / 2C."""
    n_tags, width = offset.shape[1], x.shape[1]
    right = np.eye(n_tags)[y]

    def loss(flat: Doubles1d) -> tuple[float, Doubles1d]:
        weight = flat.reshape(n_tags, width)
        scores = offset + x @ weight.T
        gradient = (scipy.special.softmax(scores, axis=1) - right).T @ x + weight / C_OF_NAMES
        value = _loss(scores, y) + float((weight**2).sum()) / (2 * C_OF_NAMES)
        return value, gradient.ravel()

    found = scipy.optimize.minimize(loss, np.zeros(n_tags * width), jac=True, method="L-BFGS-B")
    weight: Doubles2d = found.x.reshape(n_tags, width)
    return weight


def _loss(scores: Doubles2d, y: Ints1d) -> float:
    return -float(scipy.special.log_softmax(scores, axis=1)[np.arange(len(y)), y].sum())
