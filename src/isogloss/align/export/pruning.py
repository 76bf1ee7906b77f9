"""The vocabulary of an encoder cut to what given texts need: tokens counted, rows copied, compared.

`vocabulary` says which tokens those are; here they are counted with the encoder's own tokenizer,
its word embeddings are cut, and the new tokenizer is compared with the old one on every text.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from isogloss.align.export.vocabulary import needed_ids, pruned, vocabulary_of
from isogloss.arrays import Bools1d, Ints1d, SmallInts1d
from isogloss.encode import Encoder
from isogloss.encode.foreign import library_faults
from isogloss.encode.model import Network
from isogloss.encode.settings import POSITIONS_BEHIND_PADDING
from isogloss.encode.tokenizer import TextTokenizer
from isogloss.encode.windows import Windows
from isogloss.errors import InputError, counted
from isogloss.learn.export.directory import prompts_of, transformer_folder
from isogloss.storage.files import parse_json, read_json, write_json

N_TEXTS_AT_ONCE = 4096
TOKENIZER, TOKENIZER_CONFIG, CONFIG = "tokenizer.json", "tokenizer_config.json", "config.json"
# What transformers would make another tokenizer of, and lists of ids that are no more.
SUPERSEDED = ("vocab.txt", "vocab.json", "merges.txt", "added_tokens.json", "*.model")


@dataclass(frozen=True)
class PrunedVocabulary:
    """A part of a vocabulary.

    Attributes
    ----------
    kept
        Old ids, ascending: (n_kept,).
    document
        JSON of the tokenizer that numbers them anew.
    n_before
        Rows of the word embeddings before.
    n_changed
        Texts that have other tokens than before.
    """

    kept: Ints1d
    document: dict[str, Any]
    n_before: int
    n_changed: int


def prune(
    encoder: Encoder, texts: Sequence[str], folder: Path, *, min_count: int = 1
) -> PrunedVocabulary:
    """Return the vocabulary that the texts need; every text is compared.

    Parameters
    ----------
    folder
        A directory with the encoder's files, whose prompts and special tokens are kept too.
    min_count
        Tokens that occur less often in the texts are left out; 1: no text changes.

    Raises
    ------
    InputError
        When there is no text, the tokenizer is of an unknown kind, or a text would be cut
        otherwise.
    """
    if not texts:
        raise InputError("no text to count tokens in; give texts of the languages to keep")
    document = parse_json(encoder.tokenizer.backend.to_str())
    transformer = transformer_folder(folder)
    used = _counts(encoder, texts) >= min_count
    used |= _counts(encoder, list(prompts_of(folder).values())) > 0
    named = _named(transformer, vocabulary_of(document))
    words = _unknown_words(encoder.tokenizer.backend, document, texts, used)
    kept = needed_ids(
        document, {*np.flatnonzero(used).tolist(), *named, *_below_padding(transformer)},
        unknown_words=words,
    )  # fmt: skip
    found = PrunedVocabulary(np.array(kept), pruned(document, kept), len(used), n_changed=0)
    n_changed = _n_changed(encoder.tokenizer, found, texts)
    if n_changed and min_count == 1:
        raise InputError(
            f"the pruned vocabulary cuts {counted(n_changed, 'text')} otherwise; this tokenizer "
            "cannot be pruned"
        )
    return replace(found, n_changed=n_changed)


def keep_rows(network: Network, kept: Ints1d) -> None:
    """Cut the word embeddings of a network, in place."""
    import torch

    embedding = network.model.get_input_embeddings()
    rows = embedding.weight.detach()[torch.from_numpy(kept)]
    embedding.weight = torch.nn.Parameter(rows, requires_grad=False)


def write_vocabulary(found: PrunedVocabulary, folder: Path) -> None:
    """Write the new tokenizer into a directory, and the new ids into its configurations."""
    places = {int(number): place for place, number in enumerate(found.kept)}
    transformer = transformer_folder(folder)
    for pattern in SUPERSEDED:
        for file in transformer.glob(pattern):
            file.unlink()
    text = json.dumps(found.document, ensure_ascii=False)
    (transformer / TOKENIZER).write_text(text, encoding="utf-8")
    config = read_json(transformer / CONFIG, what="an encoder")
    if config.get("vocab_size") != found.n_before:
        raise InputError(
            f"its vocab_size is {config.get('vocab_size')!r:.40}, and its table of tokens has "
            f"{found.n_before:,} rows; such an encoder cannot be pruned",
            path=transformer / CONFIG,
        )
    for name in _id_fields(config):
        config[name] = places[config[name]]
    write_json(transformer / CONFIG, config | {"vocab_size": len(places)})
    path = transformer / TOKENIZER_CONFIG
    if path.is_file():
        options = read_json(path, what="an encoder")
        added = options.get("added_tokens_decoder")
        if isinstance(added, dict):
            options["added_tokens_decoder"] = {
                str(places[int(number)]): token for number, token in added.items()
            }
        write_json(path, options)


def _counts(encoder: Encoder, texts: Sequence[str]) -> Ints1d:
    """Return how often each row of the word embeddings is looked up for the texts: (n_rows,)."""
    counts = np.zeros(encoder.network.n_rows, np.int64)
    for some in _chunks(texts):
        ids = np.concatenate(encoder.tokenizer.windows(some).ids)
        counts += np.bincount(ids, minlength=len(counts))
    return counts


def _chunks(texts: Sequence[str]) -> Iterator[list[str]]:
    for start in range(0, len(texts), N_TEXTS_AT_ONCE):
        yield list(texts[start : start + N_TEXTS_AT_ONCE])


def _named(transformer: Path, vocabulary: dict[str, int]) -> set[int]:
    """Return the ids of tokens that the configurations name: of padding, of masks."""
    config = read_json(transformer / CONFIG, what="an encoder")
    found = {config[name] for name in _id_fields(config)}
    path = transformer / TOKENIZER_CONFIG
    options = read_json(path, what="an encoder") if path.is_file() else {}
    for name, token in options.items():
        content = token.get("content") if isinstance(token, dict) else token
        if name.endswith("_token") and isinstance(content, str) and content in vocabulary:
            found.add(vocabulary[content])
    added = options.get("added_tokens_decoder")
    return found | ({int(number) for number in added} if isinstance(added, dict) else set())


def _id_fields(config: dict[str, Any]) -> list[str]:
    return [
        name for name, value in config.items()
        if name.endswith("_token_id") and type(value) is int and 0 <= value < config["vocab_size"]
    ]  # fmt: skip


def _below_padding(transformer: Path) -> range:
    """Return the ids that keep that of padding as it is, where positions are counted from it."""
    config = read_json(transformer / CONFIG, what="an encoder")
    padding = config.get("pad_token_id")
    is_counted = config.get("model_type") in POSITIONS_BEHIND_PADDING
    return range(padding + 1 if is_counted and type(padding) is int else 0)


def _unknown_words(
    backend: Any, document: dict[str, Any], texts: Sequence[str], used: Bools1d
) -> set[str]:
    """Return the words of the texts that WordPiece does not know."""
    unknown = document["model"].get("unk_token")
    if document["model"]["type"] != "WordPiece" or not used[backend.token_to_id(unknown)]:
        return set()
    words: set[str] = set()
    for text in texts:
        with library_faults(None, "the texts cannot be cut into words"):
            plain = backend.normalizer.normalize_str(text) if backend.normalizer else text
            cut = backend.pre_tokenizer
            words.update([word for word, _ in cut.pre_tokenize_str(plain)] if cut else [plain])
    return {
        word for word in words
        if any(token.value == unknown for token in backend.model.tokenize(word))
    }  # fmt: skip


def _n_changed(tokenizer: TextTokenizer, found: PrunedVocabulary, texts: Sequence[str]) -> int:
    """Return how many texts have other tokens under a pruned vocabulary."""
    from tokenizers import Tokenizer

    with library_faults(None, "the pruned tokenizer is not valid"):
        backend = Tokenizer.from_str(json.dumps(found.document))
    other = TextTokenizer(
        backend, prefix=tokenizer.prefix, max_length=tokenizer.max_length,
        is_parallel=tokenizer.is_parallel,
    )  # fmt: skip
    n_changed = 0
    for some in _chunks(texts):
        both = [_by_text(each.windows(some)) for each in (tokenizer, other)]
        n_changed += sum(
            not np.array_equal(old, found.kept[new]) for old, new in zip(*both, strict=True)
        )
    return n_changed


def _by_text(windows: Windows) -> list[SmallInts1d]:
    """Return the ids of all windows of each text."""
    starts = np.searchsorted(windows.text, np.arange(1, len(windows.n_tokens)))
    return [np.concatenate(part) for part in _split(windows.ids, starts.tolist())]


def _split(ids: list[SmallInts1d], starts: list[int]) -> Iterator[list[SmallInts1d]]:
    for start, end in pairwise([0, *starts, len(ids)]):
        yield ids[start:end]
