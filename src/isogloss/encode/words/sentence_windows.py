"""Sentences as the network reads them, and which of its tokens are of a word.

`words_within` reads the beginning of a sentence: a word is dropped where its last token lies beyond
the maximum length. `windows_of` reads all of it, in overlapping windows that are cut between words;
a sentence that fits is one window, and the same in both.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from isogloss.arrays import Bools1d, Ints1d, SmallInts1d
from isogloss.encode.tokenizer import TextTokenizer
from isogloss.encode.words.tokens_of_words import Parts, Tokens

NOT_CUT = 1 << 40  # tokens from a cut where there is none on that side


@dataclass(frozen=True, eq=False)
class WordTokens:
    """A sentence, or a window of it, as the network reads it, and which tokens are of a word.

    Attributes
    ----------
    ids
        Tokens, special ones included; int32.
    n_words
        Words that have a vector.
    words, tokens
        Pairs: word ``words[i]``, of `n_words`, holds token ``tokens[i]``; sorted.
    """

    ids: SmallInts1d
    n_words: int
    words: Ints1d
    tokens: Ints1d


@dataclass
class Dropped:
    """Words without a vector: cut off, wholly or in part, or without a token."""

    n_words: int = 0
    n_cut: int = 0
    n_without_token: int = 0


class Window(NamedTuple):
    """What is read at once: `words` are the numbers, in the sentence, of those in `tokens`."""

    words: Ints1d
    tokens: WordTokens


@dataclass(frozen=True, eq=False)
class SentenceWindows:
    """A sentence in windows, each word in one of them.

    Attributes
    ----------
    windows
        Those that a word is taken from.
    n_cut
        Words longer than a window: what lies beyond is not read.
    """

    windows: list[Window]
    n_cut: int


def words_within(
    tokenizer: TextTokenizer, tokens: Tokens, parts: Parts, wanted: Ints1d, dropped: Dropped
) -> tuple[Ints1d, WordTokens]:
    """Cut a sentence to the maximum length, and keep the wanted words that are whole.

    Parameters
    ----------
    parts
        Tokens of each word of the sentence.
    wanted
        Numbers of words, ascending.
    dropped
        Counts the words that are not kept.

    Returns
    -------
    Numbers of the words that are kept, and these with their tokens.
    """
    room = tokenizer.room
    n_words = int(max(wanted.max(initial=-1), parts.units.max(initial=-1))) + 1
    last = np.full(n_words, -1, np.int64)  # token of each word; -1: it has none
    np.maximum.at(last, parts.units, parts.tokens)
    dropped.n_words += len(wanted)
    dropped.n_without_token += int((last[wanted] < 0).sum())
    dropped.n_cut += int((last[wanted] >= room).sum())
    kept = wanted[(last[wanted] >= 0) & (last[wanted] < room)]
    return kept, _read(tokenizer, tokens.ids[:room], parts, kept)


def windows_of(tokenizer: TextTokenizer, tokens: Tokens, parts: Parts) -> SentenceWindows:
    """Lay a sentence into windows, and each of its words into the one where it stands deepest.

    Windows are as long as the encoder takes, prefix and special tokens included, and each begins in
    the middle of the one before, so that most words have a quarter of a window on each side.

    Parameters
    ----------
    parts
        Tokens of each word of the sentence.

    Raises
    ------
    InputError
        When prefix and special tokens leave no room for a token of the sentence.
    """
    most = tokenizer.window_room
    words = np.unique(parts.units)
    if len(tokens.ids) <= tokenizer.room:
        whole = Window(words, _read(tokenizer, tokens.ids, parts, words))
        return SentenceWindows([whole] if len(words) else [], 0)
    n_prefix = min(int((tokens.ends > 0).argmax()), len(tokenizer.prefix_ids))
    ids, parts = tokens.ids[n_prefix:], Parts(parts.units, parts.tokens - n_prefix)
    is_kept = _is_within(most, _seams(len(ids), parts))
    is_read = is_kept[parts.tokens]
    n_cut = len(np.unique(parts.units[~is_read]))
    place = np.cumsum(is_kept) - 1  # of each token among those that are kept
    ids, parts = ids[is_kept], Parts(parts.units[is_read], place[parts.tokens[is_read]])
    words = np.unique(parts.units)
    spans = list(_overlapping_spans(_seams(len(ids), parts), most))
    window_of = _deepest(spans, parts)
    windows = []
    for at, (start, end) in enumerate(spans):
        own = words[window_of == at]
        if len(own):
            prefix = tokenizer.prefix_ids if start else tokens.ids[:n_prefix].tolist()
            some = slice(*np.searchsorted(parts.units, [own[0], own[-1] + 1]))
            shift = len(prefix) - start
            here = Parts(parts.units[some] - own[0], parts.tokens[some] + shift)
            read = np.array([*prefix, *ids[start:end]], np.int64)
            windows.append(Window(own, _read(tokenizer, read, here, own - own[0])))
    return SentenceWindows(windows, n_cut)


def _read(tokenizer: TextTokenizer, ids: Ints1d, parts: Parts, words: Ints1d) -> WordTokens:
    """Return tokens with special ones around them, and the places of those of some words."""
    number = np.full(int(parts.units.max(initial=-1)) + 1, -1, np.int64)
    number[words] = np.arange(len(words))
    is_used = number[parts.units] >= 0
    return WordTokens(
        ids=np.array([*tokenizer.head, *ids, *tokenizer.tail], np.int32),
        n_words=len(words),
        words=number[parts.units[is_used]],
        tokens=parts.tokens[is_used] + len(tokenizer.head),
    )


def _seams(n_tokens: int, parts: Parts) -> Ints1d:
    """Return where a sentence may be cut: before which tokens no word goes on; both ends too."""
    first, last = _extents(parts)
    n_inside = np.zeros(n_tokens + 2, np.int64)
    np.add.at(n_inside, first + 1, 1)
    np.add.at(n_inside, last + 1, -1)
    return np.flatnonzero(np.cumsum(n_inside)[: n_tokens + 1] == 0)


def _extents(parts: Parts) -> tuple[Ints1d, Ints1d]:
    """Return the first and the last token of each word that has one."""
    ends = np.flatnonzero(np.diff(parts.units, prepend=-1, append=-1))
    return parts.tokens[ends[:-1]], parts.tokens[ends[1:] - 1]


def _is_within(most: int, seams: Ints1d) -> Bools1d:
    """Return whether each token is one of the first `most` between two seams."""
    sizes = np.diff(seams)
    place = np.arange(seams[-1]) - np.repeat(seams[:-1], sizes)
    return np.asarray(place < most, np.bool_)


def _overlapping_spans(seams: Ints1d, most: int) -> Iterator[tuple[int, int]]:
    """Yield start and end of windows of at most `most` tokens, all of which lie at seams.

    No two seams that follow each other are more than `most` apart, so each word is whole in one.
    """
    start, n_tokens = 0, int(seams[-1])
    while True:
        end = int(seams[np.searchsorted(seams, start + most, "right") - 1])
        yield start, end
        if end == n_tokens:
            return
        after = int(seams[np.searchsorted(seams, start, "right")])
        middle = max(after, end - most // 2)
        start = int(seams[np.searchsorted(seams, middle, "right") - 1])
        if start + most >= n_tokens:  # the last window: as long as the others
            start = int(seams[np.searchsorted(seams, n_tokens - most)])


def _deepest(spans: list[tuple[int, int]], parts: Parts) -> Ints1d:
    """Return the window in which each word has most tokens between it and the nearest cut.

    Where a sentence begins and ends nothing is cut off. Of two equally deep windows the first.
    """
    first, last = _extents(parts)
    depth = np.full(len(first), -1, np.int64)
    window_of = np.zeros(len(first), np.int64)
    n_tokens = spans[-1][1]
    for at, (start, end) in enumerate(spans):
        some = slice(np.searchsorted(first, start), np.searchsorted(last, end))
        before = first[some] - start if start else NOT_CUT
        after = end - 1 - last[some] if end < n_tokens else NOT_CUT
        here = np.minimum(before, after)
        is_deeper = here > depth[some]
        depth[some] = np.where(is_deeper, here, depth[some])
        window_of[some] = np.where(is_deeper, at, window_of[some])
    return window_of
