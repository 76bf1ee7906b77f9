"""Learn a tagger: layers and penalty by the rule of `choice`, then the head on all words.

One split of sentences is held out for both choices (150 fits on words are too dear for folds),
or development sentences are given. Layers are compared at one penalty, `C_OF_LAYERS`, on at most
`WORDS_OF_LAYERS` words; the head is fitted at every C of `C_VALUES`, and again on all words.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from isogloss.arrays import Ints1d
from isogloss.encode import Encoder
from isogloss.encode.words.token_pooling import WordPooling
from isogloss.encode.words.word_vectors import network_of
from isogloss.errors import InputError, counted, warn_omitted
from isogloss.learn.linear_head import ChosenBy, LinearHead
from isogloss.learn.threads import one_thread
from isogloss.progress import activity
from isogloss.tag.choice import HeldOutScore, near_best
from isogloss.tag.entities import outside_of
from isogloss.tag.heads import heads_of_words, scores_of
from isogloss.tag.own_heads import ChosenHead, heads_of_few
from isogloss.tag.sentences import TaggedSentences, some_words
from isogloss.tag.word_features import Reading, WordFeatures, features_of, layer_states

C_VALUES = (0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1)
C_OF_LAYERS = 0.003
WORDS_OF_LAYERS = 20_000
HELD_OUT = 0.2  # share of the training sentences
C_WITHOUT_CHOICE = 0.003
FEWEST_TO_SPLIT = 5  # sentences


@dataclass(frozen=True)
class Judged:
    """Sentences to learn from, and others to choose by; without `dev` nothing is chosen."""

    train: TaggedSentences
    dev: TaggedSentences | None
    is_split: bool  # whether dev was taken out of the training sentences


def judged(
    train: TaggedSentences, dev: TaggedSentences | None, *, share: float, seed: int
) -> Judged:
    """Hold out a share of the training sentences where no others are given.

    Raises
    ------
    InputError
        When the share leaves none to learn from.
    """
    if dev is not None:
        return Judged(train, dev, is_split=False)
    if len(train) < FEWEST_TO_SPLIT or not share:
        return Judged(train, None, is_split=False)
    n_held_out = max(1, round(share * len(train)))
    if n_held_out == len(train):
        raise InputError(
            f"dev_split {share:g} of {counted(len(train), 'sentence')} leaves none to learn from; "
            "give a smaller one"
        )
    order = np.random.default_rng(seed).permutation(len(train))
    held_out, kept = np.sort(order[:n_held_out]), np.sort(order[n_held_out:])
    return Judged(train.select(kept), train.select(held_out), is_split=True)


def chosen_layers(
    encoder: Encoder, data: Judged, tag_names: Sequence[str], pieces: WordPooling, *, seed: int
) -> tuple[int, ...]:
    """Return the layers whose mean is taken, by the rule of `choice`.

    Without sentences to choose by: all from the middle third of the encoder's layers.
    """
    n_layers = network_of(encoder).n_layers
    if data.dev is None:
        return tuple(range(n_layers // 3, max(2 * n_layers // 3, n_layers // 3) + 1))
    layers = range(n_layers + 1)
    part = data.train.select(some_words(data.train, WORDS_OF_LAYERS, seed=seed))
    dev = data.dev.select(some_words(data.dev, WORDS_OF_LAYERS, seed=seed))
    of_part = layer_states(encoder, part.sentences, layers=layers, pieces=pieces)
    of_dev = layer_states(encoder, dev.sentences, layers=layers, pieces=pieces)
    y, gold = numbers_of_tags(part, tag_names), numbers_of_tags(dev, tag_names)
    scores: list[HeldOutScore] = []
    with one_thread(), activity(f"choosing among {counted(len(layers), 'layer')}"):
        for layer in layers:
            (head,) = heads_of_words(
                features_of(of_part, [layer]), y, len(tag_names), (C_OF_LAYERS,)
            )
            scores.append(_score(head, features_of(of_dev, [layer]), gold, tag_names))
    near = near_best(scores)
    return tuple(range(near[0], near[-1] + 1))


@dataclass(frozen=True)
class Learned:
    """A head, and what the words that it was fitted on were."""

    head: LinearHead
    n_words: int
    before: LinearHead  # the same before it learned from held-out sentences too
    chosen_heads: tuple[ChosenHead, ...] = ()  # of languages with few words


def fitted_head(
    reading: Reading, data: Judged, tag_names: Sequence[str], *, C: float | None, is_last: bool,
    own_heads: bool, seed: int,
) -> Learned:  # fmt: skip
    """Fit the head, C by the rule of `choice` where none is given.

    Parameters
    ----------
    is_last
        Whether sentences that were held out are learned from in the end; not before tuning.
    own_heads
        Whether languages with few words may get heads of their own.
    seed
        Of that.
    """
    n_tags = len(tag_names)
    train, y = reading.all(data.train.sentences), numbers_of_tags(data.train, tag_names)
    dev, gold, langs = None, np.zeros(0, np.int64), data.train.langs
    if data.dev is not None:
        dev, gold = reading.all(data.dev.sentences), numbers_of_tags(data.dev, tag_names)
        _refuse_unusable(dev, gold)
    chosen_by, candidates = _search(data, C)
    with one_thread(), activity(f"learning the head: {counted(len(y), 'word')}"):
        heads = heads_of_words(train, y, n_tags, candidates, chosen_by)
        head = heads[0]
        if dev is not None and len(heads) > 1:
            head = heads[near_best([_score(one, dev, gold, tag_names) for one in heads])[0]]
        before = head
        if data.dev is not None and dev is not None and data.is_split and is_last:
            langs = [*langs, *data.dev.langs]
            train, y = _joined(train, dev), np.concatenate([y, gold])
            (head,) = heads_of_words(train, y, n_tags, (head.C,), chosen_by)
    chosen = heads_of_few(train, y, langs, head, seed=seed) if own_heads else ()
    return Learned(head, int(train.has_piece.sum()), before, chosen)


def tags_in(train: TaggedSentences, dev: TaggedSentences | None) -> tuple[str, ...]:
    """Return the tags of the training words, sorted.

    Raises
    ------
    InputError
        When there is one only, or no development word has one of them.
    """
    names = tuple(sorted(set(train.all_tags)))
    if len(names) < 2:
        raise InputError(
            f"all words have the tag {names[0]!r}; give sentences with at least two tags"
            if names
            else "there are no words to learn from; give tagged sentences"
        )
    if dev is not None:
        tags = dev.all_tags
        n_unseen = sum(tag not in names for tag in tags)
        if n_unseen == len(tags):
            raise InputError(
                "no development word has a tag that training has; give others to choose by"
            )
        if n_unseen:
            warn_omitted(
                f"{counted(n_unseen, 'development word')} with a tag that training lacks; no "
                "choice counts them"
            )
    return names


def numbers_of_tags(tagged: TaggedSentences, tag_names: Sequence[str]) -> Ints1d:
    """Return the number of each word's tag, -1 for one that training lacks."""
    number = {name: place for place, name in enumerate(tag_names)}
    return np.array([number.get(tag, -1) for tag in tagged.all_tags], np.int64)


def _search(data: Judged, C: float | None) -> tuple[ChosenBy, tuple[float, ...]]:
    """Return how C is chosen, and among which values."""
    if C is not None:
        return ChosenBy.GIVEN, (C,)
    if data.dev is None:
        return ChosenBy.TOO_FEW_SENTENCES, (C_WITHOUT_CHOICE,)
    return (ChosenBy.HELD_OUT if data.is_split else ChosenBy.DEVELOPMENT), C_VALUES


def _refuse_unusable(dev: WordFeatures, gold: Ints1d) -> None:
    """Refuse sentences to choose by of which no word counts.

    Raises
    ------
    InputError
        When no word has both a piece and a tag that training has.
    """
    if not (dev.has_piece & (gold >= 0)).any():
        raise InputError(
            "no word to choose by has a piece in this encoder and a tag that training has; give "
            "other development sentences"
        )


def _score(
    head: LinearHead, features: WordFeatures, gold: Ints1d, tag_names: Sequence[str]
) -> HeldOutScore:
    """Score the answers; a word without a piece is answered wrong, or is in no entity.

    A word whose tag training lacks counts for nothing: it is as wrong for every candidate.
    """
    found, outside = scores_of(head, features).argmax(axis=1), outside_of(tag_names)
    known = gold >= 0
    if outside is None:
        is_right = (found == gold) & features.has_piece
        return HeldOutScore.accuracy(is_right, features.starts, counts=known)
    found[~(features.has_piece & known)] = outside
    return HeldOutScore.entity_f1(
        found, np.where(known, gold, outside), features.starts, outside=outside
    )


def _joined(one: WordFeatures, other: WordFeatures) -> WordFeatures:
    return WordFeatures(
        np.concatenate([one.vectors, other.vectors]),
        np.concatenate([one.has_piece, other.has_piece]),
        np.concatenate([one.starts, one.starts[-1] + other.starts[1:]]),
        np.concatenate([one.n_windows, other.n_windows]),
    )
