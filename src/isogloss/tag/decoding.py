"""The likeliest sequence of tags that a scheme allows, of many sentences at once.

Words are tagged each for itself, and of all sequences of allowed tags that with the largest sum of
log-probabilities is taken (Viterbi 1967; as in a linear-chain CRF whose transitions are 0 or -∞).
"""

from typing import Any

import numpy as np

from isogloss.arrays import Doubles2d, Floats2d, Ints1d, offsets_of
from isogloss.compiled import compiled, interrupts_wait
from isogloss.tag.schemes.rules import Transitions

LEAST = -1e6  # a log-probability of -∞ counts as this: taken only where nothing else is allowed


def decoded(
    log_probabilities: Floats2d | Doubles2d, offsets: Ints1d, transitions: Transitions
) -> Ints1d:
    """Return the number of each word's tag in the best allowed sequence of its sentence.

    Parameters
    ----------
    log_probabilities
        Of all sentences, one behind another: (n_words, n_tags). Below `LEAST` they count as that.
    offsets
        Where sentences begin and the last ends, as of `arrays.offsets_of`: (n_sentences + 1,).
    transitions
        Of the tags that the columns are.

    Returns
    -------
    int64 (n_words,). Of equally good sequences, the one whose last tag has the lowest number,
    then the tag before it.

    Raises
    ------
    ValueError
        Shapes do not fit, a number is NaN or +∞, or no sequence of a sentence is allowed: say,
        where tags are those of BIOES without ``O`` and ``S-``.
    """
    scores = np.maximum(np.asarray(log_probabilities, dtype=np.float64), LEAST)
    bounds = np.asarray(offsets, dtype=np.int64)
    _check(scores, bounds, transitions)
    # The tags that may stand before each tag, one tag's behind another, and their offsets.
    to, source = np.nonzero(transitions.between.T)
    first_source = offsets_of(np.bincount(to, minlength=scores.shape[1]))
    tags = np.zeros(len(scores), np.int64)
    with interrupts_wait():
        failed = _decode(
            np.ascontiguousarray(scores), np.ascontiguousarray(bounds),
            np.ascontiguousarray(transitions.start, dtype=np.bool_),
            np.ascontiguousarray(transitions.end, dtype=np.bool_),
            np.ascontiguousarray(source, dtype=np.int64), first_source, tags,
        )  # fmt: skip
    if failed >= 0:
        raise ValueError(f"no sequence of tags is allowed in sentence {failed + 1}")
    return tags


def _check(scores: Doubles2d, bounds: Ints1d, transitions: Transitions) -> None:
    """Raise `ValueError` where shapes or numbers do not fit: compiled code looks at no bounds."""
    if scores.ndim != 2 or bounds.ndim != 1 or not len(bounds):
        raise ValueError("log-probabilities are (n_words, n_tags), offsets (n_sentences + 1,)")
    n_words, n_tags = scores.shape
    if bounds[0] != 0 or bounds[-1] != n_words or (np.diff(bounds) < 0).any():
        raise ValueError(f"offsets do not rise from 0 to the number of words, {n_words}")
    arrays = transitions.start, transitions.between, transitions.end
    if [array.shape for array in arrays] != [(n_tags,), (n_tags, n_tags), (n_tags,)]:
        raise ValueError(f"transitions are not those of {n_tags} tags")
    if not np.isfinite(scores).all():
        raise ValueError("log-probabilities with NaN or infinity")


@compiled
def _decode(
    scores: Any, bounds: Any, start: Any, end: Any, source: Any, first_source: Any, tags: Any
) -> Any:
    """Fill `tags`; return the first sentence without an allowed sequence, or -1."""
    n_tags = scores.shape[1]
    longest = 0
    for sentence in range(bounds.size - 1):
        longest = max(longest, bounds[sentence + 1] - bounds[sentence])
    came_from = np.zeros((longest, n_tags), np.int32)
    best, before = np.empty(n_tags, np.float64), np.empty(n_tags, np.float64)
    for sentence in range(bounds.size - 1):
        begin, stop = bounds[sentence], bounds[sentence + 1]
        if begin == stop:
            continue
        for tag in range(n_tags):
            best[tag] = scores[begin, tag] if start[tag] else -np.inf
        for word in range(begin + 1, stop):
            best, before = before, best
            for tag in range(n_tags):
                highest, argument = -np.inf, 0
                for index in range(first_source[tag], first_source[tag + 1]):
                    value = before[source[index]]
                    if value > highest:
                        highest, argument = value, source[index]
                best[tag] = highest + scores[word, tag]
                came_from[word - begin, tag] = argument
        highest, last = -np.inf, -1
        for tag in range(n_tags):
            if end[tag] and best[tag] > highest:
                highest, last = best[tag], tag
        if last < 0:
            return sentence
        for word in range(stop - 1, begin - 1, -1):
            tags[word] = last
            last = came_from[word - begin, last]
    return -1
