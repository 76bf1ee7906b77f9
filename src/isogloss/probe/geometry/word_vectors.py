"""The encoding pass: vectors of the units of sentences, all layers of one forward pass.

A unit's vector is the mean over its tokens. Only sentences that hold something wanted are encoded,
in batches of similar length. The encoder's prefix and special tokens are seen by the model and
belong to no unit. Units that the maximum length cuts off, wholly or in part, are counted.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from isogloss.arrays import Floats3d, Ints1d
from isogloss.encode import Encoder
from isogloss.encode.batches import BUDGETS, budgeted_batches, pad, text_chunks
from isogloss.encode.model import Network, capped_threads
from isogloss.encode.tokenizer import N_TEXTS_AT_ONCE
from isogloss.encode.words.tokens_of_words import Parts, Tokens, Units, tokens_of
from isogloss.errors import InputError
from isogloss.probe.geometry.occurrences import Choice, Marker, Marks
from isogloss.probe.geometry.sums import Refused, VectorSums
from isogloss.progress import progress


@dataclass(frozen=True, eq=False)
class WantedUnits:
    """The units of a sentence that are wanted, and what they are made of.

    Attributes
    ----------
    names
        Of the units.
    ids
        Tokens of the sentence, special ones included, cut; int32.
    units, tokens
        Pairs: unit ``units[i]``, numbered within this object, holds token ``tokens[i]``.
    """

    names: list[str]
    ids: "np.ndarray[tuple[int], np.dtype[np.int32]]"
    units: Ints1d
    tokens: Ints1d
    marks: Marks


@dataclass
class Dropped:
    """Wanted units without a vector: cut off, or without a token."""

    n_units: int = 0
    n_cut: int = 0
    n_without_token: int = 0


def network_of(encoder: Encoder) -> Network:
    """Return an encoder's network.

    Raises
    ------
    InputError
        When it is static, and so has no layers.
    """
    network = encoder.network
    if not isinstance(network, Network):
        raise InputError(
            f"{encoder.name} is a static encoder: a word has one vector in it whatever its "
            "sentence, and there are no layers to compare; choose a transformer"
        )
    return network


def note_on_final_norm(encoder: Encoder) -> str:
    """Say of an encoder that `has_final_norm` how its last layer differs."""
    return (
        f"{encoder.name}: the last layer's vectors are those behind the model's final "
        "normalisation, which other layers lack"
    )


def has_final_norm(encoder: Encoder) -> bool:
    """Return whether the last layer's states come from behind a step that other layers lack.

    One text is encoded: where no block of a stack gives the last states, a normalisation (or a
    projection) behind the stack does. Names of modules would not do, as models differ in them.
    """
    import torch

    network, tokenizer = network_of(encoder), encoder.tokenizer
    given: list[torch.Tensor] = []

    def keep(_module: object, _given: object, output: Any) -> None:
        given.append(output if isinstance(output, torch.Tensor) else output[0])

    stacks = [one for one in network.model.modules() if isinstance(one, torch.nn.ModuleList)]
    hooks = [block.register_forward_hook(keep) for stack in stacks for block in stack]
    try:
        ids = np.array([*tokenizer.head, 0, *tokenizer.tail], np.int32)  # any token will do
        last = network.hidden_states(pad([ids], pad_id=network.pad_id))[-1].flatten()
    finally:
        for hook in hooks:
            hook.remove()
    return not any(torch.equal(one.flatten(), last) for one in given)


def add_word_vectors(
    sums: VectorSums, encoder: Encoder, texts: Iterable[str], units: Units, choice: Choice
) -> Dropped:
    """Encode what is wanted of texts and add it to sums; return what was lost.

    Parameters
    ----------
    texts
        Those of the choice, in the same order.

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
            sentence = _wanted_of(
                encoder, names, units.parts(some[at], tokens), tokens, marks, dropped
            )
            if sentence.names:
                yield sentence


def _wanted_of(
    encoder: Encoder, names: list[str], parts: Parts, tokens: Tokens, marks: Marks, dropped: Dropped
) -> WantedUnits:
    tokenizer = encoder.tokenizer
    room = tokenizer.max_length - len(tokenizer.head) - len(tokenizer.tail)
    n_units = len(names)
    last = np.full(n_units, -1, np.int64)
    np.maximum.at(last, parts.units, parts.tokens)
    wanted = marks.wanted
    has_vector = (last[wanted] >= 0) & (last[wanted] < room)
    dropped.n_units += len(wanted)
    dropped.n_without_token += int((last[wanted] < 0).sum())
    dropped.n_cut += int((last[wanted] >= room).sum())
    wanted = wanted[has_vector]
    number = np.full(n_units, -1, np.int64)
    number[wanted] = np.arange(len(wanted))
    is_used = number[parts.units] >= 0
    return WantedUnits(
        names=[names[at] for at in wanted],
        ids=np.array([*tokenizer.head, *tokens.ids[:room], *tokenizer.tail], np.int32),
        units=number[parts.units[is_used]],
        tokens=parts.tokens[is_used] + len(tokenizer.head),
        marks=marks.at(wanted),
    )


def _add_chunk(
    sums: VectorSums, encoder: Encoder, network: Network, wanted: list[WantedUnits]
) -> None:
    lengths = np.array([len(sentence.ids) for sentence in wanted], np.int64)
    budget = BUDGETS[network.device.partition(":")[0], encoder.dtype]
    with progress("encoding sentences", int(lengths.sum()), "tokens") as advance:
        for batch in budgeted_batches(lengths, budget=budget):
            sentences = [wanted[at] for at in batch]
            names = [name for sentence in sentences for name in sentence.names]
            marks = Marks.joined([sentence.marks for sentence in sentences])
            sums.add(_unit_vectors(network, sentences), marks, refused=_refused(names))
            advance(int(lengths[batch].sum()))


def _refused(names: list[str]) -> Refused:
    return lambda layer, unit, what: InputError(
        f"in layer {layer} the vector of '{names[unit]}' is {what}, which has no direction; the "
        "model is broken, or its numbers overflow"
    )


def _unit_vectors(network: Network, sentences: list[WantedUnits]) -> Floats3d:
    """Return the means over the tokens of each unit of a batch: (n_layers, n_units, width)."""
    import torch

    padded = pad([sentence.ids for sentence in sentences], pad_id=network.pad_id)
    longest = padded.ids.shape[1]
    n_units = [len(sentence.names) for sentence in sentences]
    first = np.concatenate([[0], np.cumsum(n_units)])
    rows = np.concatenate([at * longest + one.tokens for at, one in enumerate(sentences)])
    numbers = np.concatenate([first[at] + one.units for at, one in enumerate(sentences)])
    with torch.inference_mode():
        states = network.hidden_states(padded)
        device = states[0].device
        at_rows, at_units = (torch.from_numpy(one).to(device) for one in (rows, numbers))
        n_tokens = torch.bincount(at_units, minlength=int(first[-1]))[:, None]
        means = torch.zeros((len(states), int(first[-1]), states[0].shape[-1]), device=device)
        for layer, state in enumerate(states):
            flat = state.reshape(-1, state.shape[-1])[at_rows].float()
            means[layer].index_add_(0, at_units, flat)
            means[layer] /= n_tokens
        vectors: Floats3d = means.cpu().numpy()
    return vectors
