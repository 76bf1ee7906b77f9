"""Random sequences of entity tags: those of a scheme, and any."""

import random

from isogloss.tag.schemes import EntitySpan, Scheme, tags_of

TYPES = ("PER", "LOC", "ORG")


def legal_tags(
    rng: random.Random, scheme: Scheme, *, n_sentences: int, longest: int = 12
) -> list[list[str]]:
    """Return tags of random entities, of which some follow one another directly."""
    sentences = []
    for _ in range(n_sentences):
        n_words, spans, start = rng.randint(0, longest), [], 0
        while (start := start + rng.choice((0, 0, 1, 2, 4))) < n_words:
            end = min(start + rng.choice((1, 1, 2, 3)), n_words)
            spans.append(EntitySpan(start, end, rng.choice(TYPES)))
            start = end
        sentences.append(tags_of(spans, n_words, scheme))
    return sentences


def any_tags(
    rng: random.Random, scheme: Scheme, lengths: list[int], *, n_types: int = 2
) -> list[list[str]]:
    """Return tags with the scheme's prefixes, most of which break its rule somewhere."""
    prefixes = {"IOB1": "BI", "IOB2": "BI", "BIOES": "BIES", "BILOU": "BILU"}[scheme]
    names = ["O", "O", *(f"{prefix}-{kind}" for kind in TYPES[:n_types] for prefix in prefixes)]
    return [[rng.choice(names) for _ in range(length)] for length in lengths]
