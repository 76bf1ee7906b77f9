"""Texts to token ids, with any fast tokenizer: `forward` calls it, `batches` pads its result.

Tokens are counted before a text is cut, special tokens and prefix included; lone surrogates become
U+FFFD; no text makes it fail.
"""

import copy
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from isogloss.arrays import Bools1d, Ints1d, SmallInts1d
from isogloss.encode.batches import PaddedBatch
from isogloss.encode.foreign import REPAIR, library_faults, refuse_tokenizer_code
from isogloss.encode.settings import transformer_options
from isogloss.encode.windows import Windows, equal_parts
from isogloss.errors import InputError

N_TEXTS_AT_ONCE = 512
VOCABULARIES = ("vocab.txt", "vocab.json", "*.model")
BROKEN = f"the encoder's tokenizer is broken; {REPAIR}"


@dataclass(frozen=True)
class TokenizedTexts:
    """Ids of some texts, cut to the maximum length.

    Attributes
    ----------
    ids
        One array a text, special tokens included.
    n_tokens
        Tokens of each text before the cut, special tokens and prefix included.
    """

    ids: list[SmallInts1d]
    n_tokens: Ints1d

    @property
    def lengths(self) -> Ints1d:
        """Tokens of each text after the cut."""
        return np.fromiter((len(ids) for ids in self.ids), np.int64, len(self.ids))

    @property
    def truncated(self) -> Bools1d:
        """Whether each text was cut."""
        return np.asarray(self.n_tokens > self.lengths, np.bool_)


class TextTokenizer:
    """A `tokenizers.Tokenizer` with a fixed prefix and maximum length.

    Parameters
    ----------
    tokenizer
        The fast tokenizer; its own truncation and padding are switched off.
    prefix
        Prepended to every text.
    max_length
        Most tokens of a text, special tokens included.
    is_parallel
        Whether the tokenizer may use threads of its own.
    has_specials
        Whether the tokenizer's special tokens go around a text.
    dropped
        Id of a token that is left out wherever it occurs, and not counted; None: none is.
    """

    def __init__(
        self,
        tokenizer: Any,
        *,
        prefix: str,
        max_length: int,
        is_parallel: bool = True,
        has_specials: bool = True,
        dropped: int | None = None,
    ) -> None:
        with library_faults(None, BROKEN):
            tokenizer.no_truncation()
            tokenizer.no_padding()
            self.head, self.tail = _specials(tokenizer) if has_specials else ([], [])
        self.backend = tokenizer
        self.prefix = prefix
        self.max_length = max_length
        self.is_parallel = is_parallel
        self.dropped = dropped
        n_specials = len(self.head) + len(self.tail)
        if max_length <= n_specials:
            raise InputError(
                f"a maximum length of {max_length} tokens leaves no room beside the "
                f"{n_specials} special ones; give {n_specials + 1} or more"
            )

    def __call__(self, texts: Sequence[str]) -> TokenizedTexts:
        """Tokenise texts; those longer than the maximum keep their first tokens."""
        ids: list[SmallInts1d] = []
        n_tokens: list[int] = []
        for tokens in self._tokens(texts):
            n_tokens.append(len(self.head) + len(tokens) + len(self.tail))
            ids.append(self._with_specials(tokens[: self.room]))
        return TokenizedTexts(ids, np.array(n_tokens, np.int64))

    def windows(self, texts: Sequence[str]) -> Windows:
        """Tokenise texts; those longer than the maximum become several windows.

        Raises
        ------
        InputError
            When prefix and special tokens leave no room for a token of the text.
        """
        most_in_windows = self.window_room
        ids: list[SmallInts1d] = []
        text: list[int] = []
        n_own: list[int] = []
        n_tokens: list[int] = []
        for number, tokens in enumerate(self._tokens(texts)):
            n_tokens.append(len(self.head) + len(tokens) + len(self.tail))
            n_prefix = _n_common(tokens, self.prefix_ids)
            prefix, own = tokens[:n_prefix], tokens[n_prefix:]
            most = most_in_windows if len(tokens) > self.room else max(len(own), 1)
            for start, end in equal_parts(len(own), most=most):
                ids.append(self._with_specials([*prefix, *own[start:end]]))
                text.append(number)
                n_own.append(end - start)
                prefix = self.prefix_ids
        return Windows(
            ids, np.array(text, np.int64), np.array(n_own, np.int64), np.array(n_tokens, np.int64)
        )

    def own_mask(self, batch: PaddedBatch) -> npt.NDArray[np.int64]:
        """Return 1 where an id is neither special, nor of the prefix, nor padding."""
        own = batch.mask.copy()
        for row, n_tokens in enumerate(batch.mask.sum(1).tolist()):
            start, end = len(self.head), n_tokens - len(self.tail)
            own[row, : start + _n_common(batch.ids[row, start:end].tolist(), self.prefix_ids)] = 0
            own[row, end:] = 0
        return own

    def with_prefix(self, prefix: str) -> "TextTokenizer":
        """Return the tokenizer with another prefix."""
        other = copy.copy(self)
        other.__dict__.pop("prefix_ids", None)  # kept of this one's
        other.prefix = prefix
        return other

    @property
    def room(self) -> int:
        """Most tokens of a text with its prefix, beside the special ones."""
        return self.max_length - len(self.head) - len(self.tail)

    @property
    def window_room(self) -> int:
        """Most tokens of a text itself in a window, beside the prefix and the special ones.

        Raises
        ------
        InputError
            When there is none.
        """
        most = self.room - len(self.prefix_ids)
        if most <= 0:
            n_around = self.max_length - most
            raise InputError(
                f"a maximum length of {self.max_length} tokens leaves no room for windows beside "
                f"the {n_around} of the prefix and the special ones; give {n_around + 1} or more"
            )
        return most

    @cached_property
    def prefix_ids(self) -> list[int]:
        """Tokens of the prefix, as prepended to a text."""
        if not self.prefix:
            return []
        alone, before = self._tokens([""]), self._tokens(["a"])
        prefix, tokens = next(alone), next(before)
        return prefix[: _n_common(tokens, prefix)]

    def _with_specials(self, tokens: list[int]) -> SmallInts1d:
        return np.array([*self.head, *tokens, *self.tail], np.int32)

    def _tokens(self, texts: Sequence[str]) -> Iterator[list[int]]:
        """Yield the tokens of each text after its prefix, without the special ones."""
        for start in range(0, len(texts), N_TEXTS_AT_ONCE):
            some = [
                self.prefix + _encodable(text) for text in texts[start : start + N_TEXTS_AT_ONCE]
            ]
            for tokens in self._all_tokens(some):
                if self.dropped is None:
                    yield tokens
                else:
                    yield [token for token in tokens if token != self.dropped]

    @property
    def highest_id(self) -> int:
        """The highest id that it can give; -1 where it has none."""
        from tokenizers.models import Unigram

        if isinstance(self.backend.model, Unigram):  # its ids are places: no need to list them
            last = self.backend.get_vocab_size(with_added_tokens=False) - 1
            ids = [last, *self.backend.get_added_tokens_decoder()]
        else:
            ids = list(self.backend.get_vocab(with_added_tokens=True).values())
        return max([*ids, *self.head, *self.tail], default=-1)

    def _all_tokens(self, texts: list[str]) -> Iterator[list[int]]:
        with library_faults(None, BROKEN):
            if self.is_parallel:
                for encoding in self.backend.encode_batch_fast(texts, add_special_tokens=False):
                    yield encoding.ids
            else:
                for text in texts:
                    yield self.backend.encode(text, add_special_tokens=False).ids


def load_tokenizer(directory: Path) -> Any:
    """Return the fast tokenizer of a model directory.

    ``tokenizer.json`` is read as it is; without it, transformers makes a fast tokenizer from
    the vocabulary files.

    Raises
    ------
    InputError
        When there is none.
    """
    from tokenizers import Tokenizer, normalizers

    path = directory / "tokenizer.json"
    if path.is_file():
        text = path.read_text(encoding="utf-8", errors="replace")
        if not text.rstrip().endswith("}"):
            raise InputError("damaged: it breaks off", path=path)
        with library_faults(path, f"not a tokenizer that can be read; {REPAIR}"):
            tokenizer = Tokenizer.from_str(text)
    else:
        tokenizer = _from_vocabulary(directory)
    if transformer_options(directory).do_lower_case:
        own = [tokenizer.normalizer] if tokenizer.normalizer else []
        with library_faults(directory, BROKEN):
            tokenizer.normalizer = normalizers.Sequence([normalizers.Lowercase(), *own])
    return tokenizer


def _from_vocabulary(directory: Path) -> Any:
    from transformers import AutoTokenizer

    # transformers makes an empty tokenizer, in silence, where there is no vocabulary at all.
    if not any(path for kind in VOCABULARIES for path in directory.glob(kind)):
        raise InputError("not an encoder: it has no tokenizer.json", path=directory)
    refuse_tokenizer_code(directory)
    said = "has no tokenizer.json, and no tokenizer could be made of its other files"
    with library_faults(directory, said):
        loaded = AutoTokenizer.from_pretrained(
            str(directory), local_files_only=True, trust_remote_code=False, use_fast=True
        )
    if not loaded.is_fast:
        raise InputError("has no fast tokenizer; save one as tokenizer.json", path=directory)
    return loaded.backend_tokenizer


def _specials(tokenizer: Any) -> tuple[list[int], list[int]]:
    """Return the ids that the tokenizer adds before and after a text."""
    n_specials = tokenizer.num_special_tokens_to_add(False)
    plain = tokenizer.encode("a", add_special_tokens=False).ids
    whole = tokenizer.encode("a").ids
    n_head = next(
        (n for n in range(n_specials + 1) if whole[n : n + len(plain)] == plain), n_specials
    )
    return whole[:n_head], whole[n_head + len(plain) :]


def _n_common(tokens: list[int], prefix: list[int]) -> int:
    pairs = zip(tokens, prefix, strict=False)
    return next((n for n, (ours, theirs) in enumerate(pairs) if ours != theirs),
                min(len(tokens), len(prefix)))  # fmt: skip


def _encodable(text: str) -> str:
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text
