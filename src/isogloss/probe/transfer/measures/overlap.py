"""How many token types two texts share (Pires et al. 2019, section 3.1 and Figure 1).

With E the types of tokens that occur in the training text and E' those of the test text:

    overlap = |E ∩ E'| / |E ∪ E'|

For named entities the paper takes tokens inside entities only; for parts of speech, and for
classification, all tokens are taken. A shared unknown token is no shared vocabulary, and tokens of
the encoder's prefix are of no text: neither counts.
"""

import json
from collections.abc import Sequence
from typing import Any, Literal

from isogloss.encode.tokenizer import TextTokenizer
from isogloss.encode.words.tokens_of_words import SpannedText, overlapping, tokens_of

OUTSIDE = "O"  # the tag of words in no entity, in every scheme

Counted = Literal["all", "entities"]  # tokens of all words, or of words inside entities


def token_types(
    tokenizer: TextTokenizer,
    sentences: Sequence[Sequence[str]],
    *,
    tags: Sequence[Sequence[str]] | None = None,
) -> frozenset[int]:
    """Return the ids of the tokens that words are made of.

    Parameters
    ----------
    sentences
        Words, which go in joined by one blank; a text that is not cut is one word.
    tags
        Entities of the words, in any scheme: tokens of words outside them do not count. None: all
        words count.
    """
    texts = [SpannedText.joined(words) for words in sentences]
    found: set[int] = set()
    for at, tokens in enumerate(tokens_of(tokenizer, [one.text for one in texts])):
        parts = overlapping(texts[at].spans, tokens)
        ids = tokens.ids[parts.tokens].tolist()
        if tags is None:
            found.update(ids)
            continue
        is_inside = [tag != OUTSIDE for tag in tags[at]]
        found.update(one for one, word in zip(ids, parts.units.tolist(), strict=True)
                     if is_inside[word])  # fmt: skip
    return frozenset(found) - {unknown_id(tokenizer.backend)}


def overlap(first: frozenset[int], second: frozenset[int]) -> float:
    """Return the share of token types that two texts have in common; NaN where neither has any.

    Examples
    --------
    >>> overlap(frozenset({1, 2, 3}), frozenset({2, 3, 4}))
    0.5
    """
    n_all = len(first | second)
    return len(first & second) / n_all if n_all else float("nan")


def unknown_id(backend: Any) -> int | None:
    """Return the id of the unknown token of a `tokenizers.Tokenizer`; None where it has none."""
    model = json.loads(backend.to_str())["model"]
    if model.get("unk_id") is not None:  # of Unigram
        return int(model["unk_id"])
    name = model.get("unk_token")
    return backend.token_to_id(name) if name else None
