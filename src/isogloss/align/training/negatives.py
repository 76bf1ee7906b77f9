"""Pairs with the hard negatives that an encoder finds for them, one language after the other."""

import logging
from dataclasses import replace

import numpy as np

from isogloss.align.sentence_pairs import Pairs
from isogloss.align.training.pairs import sentence_numbers
from isogloss.encode import Encoder
from isogloss.errors import counted
from isogloss.mine.negatives import hard_negatives
from isogloss.progress import activity

logger = logging.getLogger("isogloss")


def with_hard_negatives(pairs: Pairs, encoder: Encoder, *, n: int, margin: float) -> Pairs:
    """Return the pairs with up to `n` negatives each, targets of other pairs of their language.

    Memory is that of the vectors of one language. How many were found is logged.

    Parameters
    ----------
    encoder
        Its vectors tell what is near.
    margin
        See `isogloss.mine.negatives`.
    """
    langs = np.asarray(pairs.langs if pairs.langs is not None else [""] * len(pairs), dtype=str)
    found: list[list[str]] = [[] for _ in range(len(pairs))]
    with activity(f"mining hard negatives of {counted(len(pairs), 'pair')}"):
        for lang in np.unique(langs):
            rows = np.flatnonzero(langs == lang)
            sides = pairs.select(rows.tolist())
            sources, targets = (
                encoder.encode_counted(side, normalize=True).vectors
                for side in (sides.sources, sides.targets)
            )
            mined = hard_negatives(
                sources, targets,  # type: ignore[arg-type]  # of one layer
                numbers=np.stack(sentence_numbers(sides.sources, sides.targets)), n=n,
                margin=margin,
            )  # fmt: skip
            texts = iter([sides.targets[row] for row in mined.rows.tolist()])
            for row, count in zip(rows.tolist(), mined.counts.tolist(), strict=True):
                found[row] = [next(texts) for _ in range(count)]
    n_found = sum(map(len, found))
    logger.info(
        "hard negatives: %s for %s; %s found none", counted(n_found, "negative"),
        counted(len(pairs), "pair"), counted(sum(not some for some in found), "pair"),
    )  # fmt: skip
    return replace(pairs, negatives=found)
