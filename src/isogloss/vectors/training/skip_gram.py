"""The compiled heart of training: skip-gram with negative sampling over words, anchors and links.

For a centre with input vector v and a target with output vector u, random negatives u':

    maximise  log σ(v·u) + Σ log σ(-v·u')        (Mikolov et al. 2013, equation 4)

one step of size `rate` a pair. σ comes from a table of 1,000 steps over -6 … 6, and a term outside
is left out, as word2vec and Wikipedia2Vec do. Threads call `train_pages` on the same two matrices
without locks (Recht et al. 2011, Hogwild).

With `shared`, the negatives are drawn once for all words in a window, and each counts as often as
there are words: the same expected step, fewer rows to fetch. Anchors and links of entities keep
negatives of their own: shared ones were much worse there and little faster.
"""

from typing import Any

import numpy as np

from isogloss.arrays import Floats1d
from isogloss.compiled import compiled, compiled_for_sums
from isogloss.vectors.training.random_numbers import CERTAIN, below, draw, next_bits

LIMIT = 6.0
N_STEPS = 1000

_CERTAIN = np.uint64(CERTAIN)
_32 = np.uint64(32)


def sigmoid_table() -> Floats1d:
    """Return σ at the lower end of each of the 1,000 steps; float32 (1000,)."""
    at = (np.arange(N_STEPS) / N_STEPS * 2 - 1) * LIMIT
    return (1 / (1 + np.exp(-at))).astype(np.float32)


@compiled_for_sums
def push(
    centre: Any, row: Any, label: Any, step: Any, inputs: Any, outputs: Any, work: Any, sigmoid: Any
) -> Any:
    """Move one output row towards (label 1) or away from (0) a centre; gather its own move."""
    product = np.float32(0)
    for i in range(work.size):
        product += inputs[centre, i] * outputs[row, i]
    if not -LIMIT < product < LIMIT:  # nor one that is not a number
        return
    at = np.int64((product + np.float32(LIMIT)) * np.float32(N_STEPS / (2 * LIMIT)))
    slope = (label - sigmoid[min(at, N_STEPS - 1)]) * step
    for i in range(work.size):
        old = outputs[row, i]
        work[i] += slope * old
        outputs[row, i] = old + slope * inputs[centre, i]


@compiled_for_sums
def learn(
    centre: Any, targets: Any, n_targets: Any, rate: Any, choices: Any, n_negatives: Any,
    shared: Any, inputs: Any, outputs: Any, work: Any, sigmoid: Any, state: Any,
) -> None:  # fmt: skip
    """Learn to tell the targets of a centre from negatives.

    `choices` are the first row that a negative may be, and an `AliasTable`'s arrays to draw how far
    behind it is; one that equals its target is skipped. `work` gathers the move of the centre,
    which is made after all negatives of a target: they see it as it was.
    """
    first, n_choices, thresholds, aliases = choices
    one, zero = np.float32(1), np.float32(0)
    for i in range(work.size):
        work[i] = zero
    for k in range(n_targets):
        push(centre, targets[k], one, rate, inputs, outputs, work, sigmoid)
        if shared:
            continue
        for _ in range(n_negatives):
            row = first + draw(n_choices, thresholds, aliases, state)
            if row != targets[k]:
                push(centre, row, zero, rate, inputs, outputs, work, sigmoid)
        for i in range(work.size):
            inputs[centre, i] += work[i]
            work[i] = zero
    if shared and n_targets > 0:
        for _ in range(n_negatives):
            row = first + draw(n_choices, thresholds, aliases, state)
            n_times = 0
            for k in range(n_targets):
                n_times += row != targets[k]
            if n_times > 0:
                step = rate * np.float32(n_times)
                push(centre, row, zero, step, inputs, outputs, work, sigmoid)
        for i in range(work.size):
            inputs[centre, i] += work[i]


@compiled
def _is_dropped(word: Any, keep: Any, state: Any) -> Any:
    kept = np.uint64(keep[word])
    return kept != _CERTAIN and (next_bits(state) >> _32) > kept


@compiled
def _gather(tokens: Any, begin: Any, end: Any, keep: Any, targets: Any, n: Any, state: Any) -> Any:
    """Add the known words of a span to the targets, frequent ones subsampled; return how many."""
    for j in range(begin, end):
        word = tokens[j]
        if word >= 0 and not _is_dropped(word, keep, state):
            targets[n] = word
            n += 1
    return n


@compiled
def train_pages(
    chunk: Any, corpus: Any, word_table: Any, entity_table: Any, keep: Any, window: Any,
    n_negatives: Any, shared: Any, inputs: Any, outputs: Any, sigmoid: Any, state: Any,
) -> int:  # fmt: skip
    """Learn from some pages: links of chosen entities, then words and anchors of each page.

    Parameters
    ----------
    chunk
        Page numbers; float32 step sizes; entities whose links are learned beside each page, int32
        (n_pages, n_entities_a_page).
    corpus
        The arrays of `TrainingCorpus`, in the order of its `arrays`.
    word_table, entity_table
        ``(n, thresholds, aliases)`` to draw negatives from.
    keep
        uint32 (n_words,): the probability to keep a word, of 2 ** 32.
    inputs, outputs
        float32 (n_words + n_entities, width), changed.

    Returns
    -------
    Number of pairs.
    """
    pages, rates, chosen = chunk
    (tokens, section_offsets, page_sections, link_starts, link_ends, link_entities,
     page_links, graph_offsets, graph_neighbours) = corpus  # fmt: skip
    n_words = word_table[0]
    words = (np.int64(0), n_words, word_table[1], word_table[2])
    entities = (n_words, entity_table[0], entity_table[1], entity_table[2])
    targets, one_target = np.empty(2 * window, np.int64), np.empty(1, np.int64)
    work = np.empty(inputs.shape[1], np.float32)
    n_pairs = 0
    for at in range(pages.size):
        page, rate = pages[at], rates[at]
        for e in range(chosen.shape[1]):
            entity = chosen[at, e]
            n = 0  # an entity may have more links than `targets` holds: learned in groups
            for j in range(graph_offsets[entity], graph_offsets[entity + 1]):
                targets[n] = n_words + graph_neighbours[j]
                n += 1
                if n == targets.size or j + 1 == graph_offsets[entity + 1]:
                    learn(n_words + entity, targets, n, rate, entities, n_negatives, False,
                          inputs, outputs, work, sigmoid, state)  # fmt: skip
                    n_pairs += n
                    n = 0
        # Links are in the order of their places, so one pass over sections and links meets both.
        link, last_link = page_links[page], page_links[page + 1]
        for section in range(page_sections[page], page_sections[page + 1]):
            begin, end = section_offsets[section], section_offsets[section + 1]
            for i in range(begin, end):
                centre = tokens[i]
                if centre < 0 or _is_dropped(centre, keep, state):
                    continue
                reach = 1 + below(window, next_bits(state))
                n = _gather(tokens, max(begin, i - reach), i, keep, targets, 0, state)
                n = _gather(tokens, i + 1, min(end, i + reach + 1), keep, targets, n, state)
                learn(centre, targets, n, rate, words, n_negatives, shared, inputs, outputs, work,
                      sigmoid, state)  # fmt: skip
                n_pairs += n
            while link < last_link and (link_starts[link] < end or link_ends[link] == end):
                left, right = link_starts[link], link_ends[link]
                entity = n_words + link_entities[link]
                n = _gather(tokens, max(begin, left - window), left, keep, targets, 0, state)
                n = _gather(tokens, right, min(end, right + window), keep, targets, n, state)
                learn(entity, targets, n, rate, words, n_negatives, False, inputs, outputs, work,
                      sigmoid, state)  # fmt: skip
                one_target[0] = entity
                for k in range(n):
                    learn(targets[k], one_target, 1, rate, entities, n_negatives, False, inputs,
                          outputs, work, sigmoid, state)  # fmt: skip
                n_pairs += 2 * n
                link += 1
    return n_pairs
