"""A tokenizer with fewer tokens, which cuts given texts as before: the tokens that they need.

Works on the JSON of a fast tokenizer. New ids are the old ones in their order, so that special
tokens at the start of a vocabulary keep theirs. Beside the tokens of the texts are kept: special
and added tokens, single characters and bytes (so that other text is cut finer, not lost), and

- Unigram: the token of the lowest score, from which the score of an unknown character follows;
- WordPiece: what an unknown word of the texts begins with, without which another cut might succeed;
- BPE: every merge that may lead to a token of the texts, and what it merges.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from isogloss.errors import InputError

KINDS = ("Unigram", "WordPiece", "BPE", "WordLevel")


def vocabulary_of(document: Mapping[str, Any]) -> dict[str, int]:
    """Return token to id of a tokenizer's model, without tokens that were added to it.

    Raises
    ------
    InputError
        For a kind of model that is unknown.
    """
    model = document["model"]
    kind = model.get("type")
    if kind not in KINDS:
        raise InputError(
            f"its tokenizer is {kind!r:.40}; a vocabulary of {', '.join(KINDS)} can be pruned"
        )
    if kind == "Unigram":
        return {token: number for number, (token, _) in enumerate(model["vocab"])}
    return dict(model["vocab"])


def needed_ids(
    document: Mapping[str, Any], used: Iterable[int], *, unknown_words: Iterable[str] = ()
) -> list[int]:
    """Return the ids that a pruned tokenizer keeps, in ascending order.

    Parameters
    ----------
    document
        The tokenizer's JSON.
    used
        Ids that occur in the texts, and those that a model names.
    unknown_words
        Of WordPiece: the words of the texts, as pre-tokenized, that are unknown.
    """
    model = document["model"]
    vocabulary = vocabulary_of(document)
    kept = set(used) | _of_added_tokens(document) | _of_post_processor(document["post_processor"])
    kept |= {number for token, number in vocabulary.items() if _is_single(token, model)}
    if isinstance(model.get("unk_token"), str) and model["unk_token"] in vocabulary:
        kept.add(vocabulary[model["unk_token"]])
    if model["type"] == "Unigram":
        scores = [score for _, score in model["vocab"]]
        kept |= {scores.index(min(scores))} | ({model["unk_id"]} - {None})
    elif model["type"] == "WordPiece":
        for word in unknown_words:
            kept |= {vocabulary[token] for token in _beginning(word, vocabulary, model)}
    elif model["type"] == "BPE":
        kept |= _parts(kept, vocabulary, model)
    return sorted(kept)


def pruned(document: Mapping[str, Any], kept: Sequence[int]) -> dict[str, Any]:
    """Return a tokenizer's JSON with some of its ids, numbered anew from 0 in their order."""
    places = {number: place for place, number in enumerate(kept)}
    model = dict(document["model"])
    if model["type"] == "Unigram":
        model["vocab"] = [model["vocab"][number] for number in kept if number < len(model["vocab"])]
        if model["unk_id"] is not None:
            model["unk_id"] = places[model["unk_id"]]
    else:
        model["vocab"] = {
            token: places[number] for token, number in model["vocab"].items() if number in places
        }
    if model["type"] == "BPE":
        model["merges"] = [
            merge for merge in model["merges"] if _merged(merge, model) in model["vocab"]
            and all(part in model["vocab"] for part in _sides(merge))
        ]  # fmt: skip
    return {
        **document,
        "model": model,
        "added_tokens": [
            {**token, "id": places[token["id"]]} for token in document["added_tokens"]
        ],
        "post_processor": _renumbered(document["post_processor"], places),
    }


def _of_added_tokens(document: Mapping[str, Any]) -> set[int]:
    return {token["id"] for token in document["added_tokens"]}


def _is_single(token: str, model: Mapping[str, Any]) -> bool:
    """Whether a token is one character, inside a word or at its end, or one byte."""
    for affix in ("continuing_subword_prefix", "end_of_word_suffix"):
        if model.get(affix):
            token = token.removeprefix(model[affix]) if "prefix" in affix else (
                token.removesuffix(model[affix])
            )  # fmt: skip
    is_byte = len(token) == 6 and token.startswith("<0x") and token.endswith(">")
    return len(token) == 1 or (is_byte and bool(model.get("byte_fallback")))


def _beginning(word: str, vocabulary: Mapping[str, int], model: Mapping[str, Any]) -> list[str]:
    """Return the longest tokens, one after the other, that a word begins with."""
    found: list[str] = []
    start = 0
    while start < len(word):
        prefix = model["continuing_subword_prefix"] if start else ""
        longest = next(
            (end for end in range(len(word), start, -1) if prefix + word[start:end] in vocabulary),
            None,
        )
        if longest is None:
            return found
        found.append(prefix + word[start:longest])
        start = longest
    return found


def _parts(kept: set[int], vocabulary: Mapping[str, int], model: Mapping[str, Any]) -> set[int]:
    """Return what the tokens are merged of, in every way that the merges know."""
    ways: dict[str, list[tuple[str, str]]] = {}
    for merge in model["merges"]:
        ways.setdefault(_merged(merge, model), []).append(_sides(merge))
    tokens = {number: token for token, number in vocabulary.items()}
    waiting = [tokens[number] for number in kept if number in tokens]
    found: set[int] = set()
    while waiting:
        for sides in ways.get(waiting.pop(), []):
            new = {vocabulary[side] for side in sides if side in vocabulary} - found
            found |= new
            waiting += [tokens[number] for number in new]
    return found


def _sides(merge: Any) -> tuple[str, str]:
    first, second = merge.split(" ", 1) if isinstance(merge, str) else merge
    return first, second


def _merged(merge: Any, model: Mapping[str, Any]) -> str:
    """Return what two tokens make: the second without the mark of a token inside a word."""
    first, second = _sides(merge)
    return first + second.removeprefix(model.get("continuing_subword_prefix") or "")


def _of_post_processor(part: Any) -> set[int]:
    """Return the ids that a post-processor puts around texts."""
    if not isinstance(part, dict):
        return set()
    found = {number for one in part.get("processors", ()) for number in _of_post_processor(one)}
    found |= {part[name][1] for name in ("sep", "cls") if name in part}
    special = part.get("special_tokens") or {}
    return found | {number for token in special.values() for number in token["ids"]}


def _renumbered(part: Any, places: Mapping[int, int]) -> Any:
    if not isinstance(part, dict):
        return part
    made = dict(part)
    if "processors" in part:
        made["processors"] = [_renumbered(one, places) for one in part["processors"]]
    for name in ("sep", "cls"):
        if name in part:
            made[name] = [part[name][0], places[part[name][1]]]
    if isinstance(part.get("special_tokens"), dict):
        made["special_tokens"] = {
            name: {**token, "ids": [places[number] for number in token["ids"]]}
            for name, token in part["special_tokens"].items()
        }
    return made
