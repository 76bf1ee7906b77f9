"""Long sentences: overlapping windows that are cut between words, against a slow version."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tiny_kinds import LAYERED

from isogloss.encode import Encoder
from isogloss.encode.batches import pad
from isogloss.encode.words.sentence_windows import SentenceWindows, windows_of
from isogloss.encode.words.tokens_of_words import SpannedText, Tokens, overlapping, tokens_of
from isogloss.encode.words.word_vectors import encode_words
from isogloss.errors import InputError

PREFIX = "query: "
SCRIPTS = ["jumping", "лес", "กรุงเทพ", "北京", "한국", "the", "भारत", "المدرسة", "🙂", "", "."]
MAX_LENGTH = 32


def load(model: Path, **settings: Any) -> Encoder:
    given = {"prefix": PREFIX, "max_length": MAX_LENGTH} | settings
    return Encoder.load(model, device="cpu", **given)


def cut(encoder: Encoder, words: list[str]) -> tuple[Tokens, list[list[int]], SentenceWindows]:
    """Return a sentence's tokens, those of each word, and its windows."""
    text = SpannedText.joined(words)
    (tokens,) = tokens_of(encoder.tokenizer, [text.text])
    of_each = [
        np.flatnonzero((tokens.starts < end) & (tokens.ends > start)).tolist()
        for start, end in text.spans.tolist()
    ]
    return tokens, of_each, windows_of(encoder.tokenizer, tokens, overlapping(text.spans, tokens))


def slow_windows(n_tokens: int, words: list[list[int]], most: int) -> list[tuple[int, int]]:
    """Return the windows of tokens 0 to n_tokens - 1, none inside a word."""
    seams = [at for at in range(n_tokens + 1)
             if not any(own[0] < at <= own[-1] for own in words if own)]  # fmt: skip
    found, start = [], 0
    while True:
        end = max(at for at in seams if at <= start + most)
        found.append((start, end))
        if end == n_tokens:
            return found
        later = [at for at in seams if at > start]
        start = max([at for at in later if at <= end - most // 2], default=later[0])
        if start + most >= n_tokens:
            start = min(at for at in seams if at >= n_tokens - most)


def deepest(windows: list[tuple[int, int]], own: list[int]) -> int:
    """Return the number of the window in which a word is farthest from a cut."""
    n_tokens, depths = windows[-1][1], []
    for start, end in windows:
        is_whole = start <= own[0] and own[-1] < end
        before = own[0] - start if start else n_tokens
        after = end - 1 - own[-1] if end < n_tokens else n_tokens
        depths.append(min(before, after) if is_whole else -1)
    return depths.index(max(depths))


@pytest.mark.parametrize("kind", LAYERED)
@pytest.mark.parametrize("seed", [1, 2])
def test_long_sentences_are_as_slow_windows_say(
    layered: dict[str, Path], kind: str, seed: int
) -> None:
    encoder = load(layered[kind], max_length=40 if kind in ("gpt2", "modernbert") else 24)
    tokenizer, network = encoder.tokenizer, encoder.network
    words = np.random.default_rng(seed).choice(SCRIPTS, 60).tolist()
    tokens, of_each, _ = cut(encoder, words)
    # Where the blank at the end of the prefix melts into the first word, it belongs to the word.
    n_prefix = min(int((tokens.ends > 0).argmax()), len(tokenizer.prefix_ids))
    own = tokens.ids[n_prefix:].tolist()
    shifted = [[at - n_prefix for at in one] for one in of_each]
    windows = slow_windows(len(own), shifted, tokenizer.window_room)
    found = encode_words(encoder, [SpannedText.joined(words)], layers=[1])
    assert 3 <= found.n_windows[0] <= len(windows)
    assert found.n_cut == 0
    states = []
    for start, end in windows:
        prefix = tokenizer.prefix_ids if start else tokens.ids[:n_prefix].tolist()
        ids = [*tokenizer.head, *prefix, *own[start:end], *tokenizer.tail]
        assert len(ids) <= encoder.settings.max_length.value
        batch = pad([np.array(ids, np.int32)], pad_id=network.pad_id)
        states.append(network.hidden_states(batch)[1][0].numpy())
    for vector, has_vector, one in zip(found.vectors[0], found.has_vector, shifted, strict=True):
        assert has_vector == bool(one)
        if one:
            at = deepest(windows, one)
            start = windows[at][0]
            n_before = len(tokenizer.prefix_ids) if start else n_prefix
            places = np.array(one) - start + len(tokenizer.head) + n_before
            np.testing.assert_allclose(vector, states[at][places].mean(0), atol=2e-5)


@pytest.mark.parametrize("seed", range(8))
def test_words_of_all_lengths_up_to_a_window(bert: Path, seed: int) -> None:
    encoder = load(bert)
    most, n_prefix = encoder.tokenizer.window_room, len(encoder.tokenizer.prefix_ids)
    lengths = np.random.default_rng(seed).choice([1, 2, 3, most // 2, most - 1, most], 20)
    tokens, of_each, found = cut(encoder, ["北" * n for n in lengths])
    words = [[at - n_prefix for at in own] for own in of_each]
    windows = slow_windows(len(tokens.ids) - n_prefix, words, most)
    wanted = [deepest(windows, own) for own in words]
    assert found.n_cut == 0
    assert [one.words.tolist() for one in found.windows] == [
        [word for word, at in enumerate(wanted) if at == number] for number in sorted(set(wanted))
    ]
    for one, number in zip(found.windows, sorted(set(wanted)), strict=True):
        start, end = windows[number]
        assert len(one.tokens.ids) == end - start + encoder.tokenizer.max_length - most


@pytest.mark.parametrize("n_words", [20, 31, 47, 200])
def test_each_word_is_in_one_window_and_windows_are_full(bert: Path, n_words: int) -> None:
    encoder = load(bert)
    _, of_each, found = cut(encoder, ["word"] * n_words)
    assert np.concatenate([one.words for one in found.windows]).tolist() == list(range(n_words))
    n_tokens = [len(one.tokens.ids) for one in found.windows]
    assert max(n_tokens) <= MAX_LENGTH
    assert found.n_cut == 0
    assert all(map(len, of_each))
    room = encoder.tokenizer.window_room
    assert len(found.windows) <= (2 * n_words) // room + 1
    depth = [one.tokens.tokens.min() for one in found.windows[1:]]
    assert min(depth, default=MAX_LENGTH) >= MAX_LENGTH // 4  # words stand deep


def test_a_sentence_that_just_fits_is_one_window(bert: Path) -> None:
    encoder = load(bert)
    n_words = encoder.tokenizer.window_room
    for n, n_windows in ((n_words, 1), (n_words + 1, 2)):
        tokens, _, found = cut(encoder, ["word"] * n)
        assert len(tokens.ids) == n + len(encoder.tokenizer.prefix_ids)
        assert len(found.windows) == n_windows


def test_all_windows_begin_with_the_prefix(layered: dict[str, Path]) -> None:
    for kind in LAYERED:
        encoder = load(layered[kind])
        tokenizer = encoder.tokenizer
        tokens, _, found = cut(encoder, ["fox", "北京"] * 40)
        start = [*tokenizer.head, *tokenizer.prefix_ids]
        assert len(tokenizer.prefix_ids) > 0
        first, *others = found.windows
        n_head, n_whole = len(tokenizer.head), len(first.tokens.ids) - len(tokenizer.tail)
        assert first.tokens.ids[n_head:n_whole].tolist() == tokens.ids[: n_whole - n_head].tolist()
        for one in others:
            assert one.tokens.ids[: len(start)].tolist() == start
            assert one.tokens.tokens.min() >= len(start)  # which belongs to no word


def test_a_word_longer_than_a_window_has_the_vector_of_its_beginning(bert: Path) -> None:
    encoder = load(bert)
    words = ["the", "北" * 60, "dog", "京" * 29, "fox"]
    found = encode_words(encoder, [SpannedText.joined(words)], layers=[0])
    assert found.n_cut == 2
    assert found.has_vector.all()
    tokens, of_each, windows = cut(encoder, words)
    for word in range(5):
        (one,) = [one for one in windows.windows if word in one.words]
        is_own = one.tokens.words == one.words.tolist().index(word)
        wanted = tokens.ids[of_each[word]][: encoder.tokenizer.window_room]
        assert one.tokens.ids[one.tokens.tokens[is_own]].tolist() == wanted.tolist()
    assert list(map(len, of_each))[1::2] == [60, 29]


def test_a_sentence_of_5000_words(bert: Path) -> None:
    words = [SCRIPTS[at % 9] for at in range(5000)]
    found = encode_words(load(bert), [SpannedText.joined(words), SpannedText.joined(["dog"])])
    assert found.has_vector.all()
    assert found.n_windows[0] > 100
    assert found.n_windows[1] == 1


def test_a_length_without_room_for_a_word_is_refused(bert: Path) -> None:
    encoder = load(bert, max_length=6)
    with pytest.raises(InputError, match="a maximum length of 6 tokens leaves no room"):
        encode_words(encoder, [SpannedText.joined(["dog"])])
