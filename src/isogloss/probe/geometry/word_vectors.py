"""The encoding pass: vectors of the units of sentences, in all layers, added to sums.

A unit's vector is the mean over its tokens. Only sentences that hold something wanted are encoded,
in batches of similar length.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from isogloss.encode import Encoder
from isogloss.encode.batches import BUDGETS, budgeted_batches, text_chunks
from isogloss.encode.model import Network, capped_threads
from isogloss.encode.tokenizer import N_TEXTS_AT_ONCE
from isogloss.encode.words.sentence_windows import Dropped, WordTokens, words_within
from isogloss.encode.words.tokens_of_words import Units, tokens_of
from isogloss.encode.words.word_vectors import network_of, pooled_words
from isogloss.errors import InputError
from isogloss.probe.geometry.occurrences import Choice, Marker, Marks
from isogloss.probe.geometry.sums import Refused, VectorSums
from isogloss.progress import progress


@dataclass(frozen=True, eq=False)
class WantedUnits:
    """The units of a sentence that are wanted, their names and what each is wanted for."""

    names: list[str]
    tokens: WordTokens
    marks: Marks


def add_word_vectors(
    sums: VectorSums, encoder: Encoder, texts: Iterable[str], units: Units, choice: Choice
) -> Dropped:
    """Encode what is wanted of the texts of a choice, add it to sums; return what was dropped.

    Raises
    ------
    InputError
        For a static encoder, or a vector that is not finite.
    """
    network = network_of(encoder)
    marker, dropped = Marker(choice), Dropped()
    first = 0
    with capped_threads(encoder.threads):
        for chunk in text_chunks(texts):
            kept = [at for at in range(len(chunk)) if choice.is_kept[first + at]]
            wanted = list(_wanted(encoder, [chunk[at] for at in kept], units, marker,
                                  [first + at for at in kept], dropped))  # fmt: skip
            first += len(chunk)
            _add_chunk(sums, encoder, network, wanted)
    return dropped


def _wanted(
    encoder: Encoder,
    texts: list[str],
    units: Units,
    marker: Marker,
    numbers: list[int],
    dropped: Dropped,
) -> Iterator[WantedUnits]:
    for start in range(0, len(texts), N_TEXTS_AT_ONCE):
        some = texts[start : start + N_TEXTS_AT_ONCE]
        for at, tokens in enumerate(tokens_of(encoder.tokenizer, some)):
            names = units.names(some[at])
            marks = marker(numbers[start + at], names)
            parts = units.parts(some[at], tokens)
            kept, words = words_within(encoder.tokenizer, tokens, parts, marks.wanted, dropped)
            if len(kept):
                yield WantedUnits([names[unit] for unit in kept], words, marks.at(kept))


def _add_chunk(
    sums: VectorSums, encoder: Encoder, network: Network, wanted: list[WantedUnits]
) -> None:
    lengths = np.array([len(sentence.tokens.ids) for sentence in wanted], np.int64)
    budget = BUDGETS[network.device.partition(":")[0], encoder.dtype]
    with progress("encoding sentences", int(lengths.sum()), "tokens") as advance:
        for batch in budgeted_batches(lengths, budget=budget):
            sentences = [wanted[at] for at in batch]
            names = [name for sentence in sentences for name in sentence.names]
            marks = Marks.joined([sentence.marks for sentence in sentences])
            vectors = pooled_words(network, [sentence.tokens for sentence in sentences])
            sums.add(vectors, marks, refused=_refused(names))
            advance(int(lengths[batch].sum()))


def _refused(names: list[str]) -> Refused:
    return lambda layer, unit, what: InputError(
        f"in layer {layer} the vector of '{names[unit]}' is {what}, which has no direction; the "
        "model is broken, or its numbers overflow"
    )
