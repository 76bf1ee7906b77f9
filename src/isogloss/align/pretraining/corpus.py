"""Texts and pairs → blocks, and what is said about them."""

import hashlib
import logging
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np

from isogloss.align.pretraining.packing import (
    Blocks,
    BlockWriter,
    Frame,
    PackingCounts,
    joined_pairs,
    packed,
)
from isogloss.align.sentence_pairs import Pairs
from isogloss.arrays import SmallInts1d
from isogloss.data.columns import check_column
from isogloss.encode.settings import WITHOUT_LIMIT
from isogloss.encode.tokenizer import TextTokenizer
from isogloss.errors import InputError, InputKindError, counted, warn_omitted
from isogloss.progress import activity

logger = logging.getLogger("isogloss")

N_AT_ONCE = 4096  # texts that are tokenised together
NOT_TOLD_APART = "und"

Texts = Mapping[str, Iterable[str]]


@dataclass(frozen=True)
class Corpus:
    """What is learned from.

    Attributes
    ----------
    blocks
        The blocks.
    rows
        Language, or pair of languages, to its texts or pairs, those left out aside.
    counts
        What packing came to, of single languages and of pairs.
    """

    blocks: Blocks
    rows: dict[str, int]
    counts: tuple[PackingCounts, PackingCounts]

    @property
    def checksum(self) -> str:
        """SHA-256 of all blocks and their groups."""
        blocks = self.blocks
        digest = hashlib.sha256(f"{blocks.groups} {blocks.is_pair}".encode())
        for array in (blocks.ids, blocks.offsets, blocks.group):
            digest.update(np.ascontiguousarray(array).tobytes())
        return digest.hexdigest()

    @property
    def padding(self) -> float:
        """Share of a block that stays empty, of single languages, on average."""
        blocks = self.blocks
        is_single = ~np.array(blocks.is_pair, np.bool_)[blocks.group]
        lengths = blocks.lengths[is_single]
        return 1 - float(lengths.mean() / lengths.max()) if len(lengths) else 0.0


def read_corpus(
    texts: Texts | None,
    pairs: Pairs | None,
    tokenizer: TextTokenizer,
    *,
    max_length: int,
    what: str = "texts",
) -> Corpus:
    """Tokenise and pack texts of single languages and pairs.

    Parameters
    ----------
    what
        What they are, for the sentence of an error.

    Raises
    ------
    InputError
        When neither is given, or nothing with a token is.

    Warns
    -----
    OmissionWarning
        With the number of empty texts and pairs, and of pairs that were cut.
    """
    if not texts and pairs is None:
        raise InputError("there is nothing to learn from; give texts, pairs, or both")
    frame = Frame(list(tokenizer.head), list(tokenizer.tail), max_length)
    if frame.room - len(frame.tail) < 2:
        raise InputError(f"max_length is {max_length}, too few for two tokens; give more")
    whole = TextTokenizer(
        tokenizer.backend, prefix="", max_length=WITHOUT_LIMIT, is_parallel=tokenizer.is_parallel
    )
    writer = BlockWriter()
    counts = PackingCounts(), PackingCounts()
    rows: dict[str, int] = {}
    with activity("tokenising and packing"):
        for lang, some in (texts or {}).items():
            before = counts[0].n_read
            check_column(some, f"texts['{lang}']", of="texts")
            writer.add(lang, packed(_tokens(some, whole), frame, counts[0]), is_pair=False)
            rows[lang] = counts[0].n_read - before
        for lang, chosen in _by_language(pairs):
            before = counts[1].n_read
            sides = (_tokens(side, whole) for side in (chosen.sources, chosen.targets))
            joined = joined_pairs(zip(*sides, strict=True), frame, counts[1])
            writer.add(lang, joined, is_pair=True)
            rows[lang] = rows.get(lang, 0) + counts[1].n_read - before
    blocks = writer.blocks()
    if not len(blocks):
        raise InputError(f"the {what} hold no token to learn from; give others")
    _warn(counts)
    return Corpus(blocks, rows, counts)


def say(corpus: Corpus) -> None:
    """Log how much there is, and how it was packed."""
    single, pairs = corpus.counts
    n_pairs = int(np.array(corpus.blocks.is_pair, np.bool_)[corpus.blocks.group].sum())
    if single.n_texts:
        logger.info(
            "%s in %s, %.1f %% of them padding; %s in several",
            counted(single.n_texts, "text"), counted(len(corpus.blocks) - n_pairs, "block"),
            100 * corpus.padding, counted(single.n_in_parts, "long text"),
        )  # fmt: skip
    if pairs.n_texts:
        logger.info("%s of pairs, each a block", counted(n_pairs, "concatenation"))


def _warn(counts: tuple[PackingCounts, PackingCounts]) -> None:
    single, pairs = counts
    if single.n_empty or pairs.n_empty:
        warn_omitted(
            f"{counted(single.n_empty, 'text')} without a token and "
            f"{counted(pairs.n_empty, 'pair')} with such a side are left out"
        )
    if pairs.n_cut:
        warn_omitted(
            f"{counted(pairs.n_cut, 'pair')} of {pairs.n_texts:,} longer than max_length "
            f"lose {counted(pairs.n_tokens_cut, 'token')}"
        )


def _tokens(texts: Iterable[str], tokenizer: TextTokenizer) -> Iterator[SmallInts1d]:
    """Yield the tokens of each text, without special ones around."""
    n_head, n_tail = len(tokenizer.head), len(tokenizer.tail)
    n_before = 0
    given = iter(texts)
    while some := list(islice(given, N_AT_ONCE)):
        for number, text in enumerate(some, n_before):
            if not isinstance(text, str):
                raise InputKindError(
                    f"text {number} is {type(text).__name__} ({_shown(text)}), not a string"
                )
        for ids in tokenizer(some).ids:
            yield ids[n_head : len(ids) - n_tail]
        n_before += len(some)


def _shown(value: Any) -> str:
    return f"{value!r:.40}"


def _by_language(pairs: Pairs | None) -> Iterator[tuple[str, Pairs]]:
    if pairs is None:
        return
    if pairs.langs is None:
        yield NOT_TOLD_APART, pairs
        return
    langs = np.asarray(pairs.langs, dtype=str)
    for lang in dict.fromkeys(langs.tolist()):
        yield lang, pairs.select(np.flatnonzero(langs == lang).tolist())
