"""Vectors of words of sentences that are cut already, against a slow reference."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from tiny_kinds import LAYERED
from tokenizers import decoders, pre_tokenizers

from isogloss.encode import Encoder
from isogloss.encode.batches import pad
from isogloss.encode.prefixed import with_prefix
from isogloss.encode.words import word_vectors
from isogloss.encode.words.sentence_windows import Dropped, words_within
from isogloss.encode.words.token_pooling import BlankTokens
from isogloss.encode.words.tokens_of_words import SpannedText, Tokens, overlapping, tokens_of
from isogloss.encode.words.word_vectors import encode_words, pooled_words, stream_words
from isogloss.errors import InputError, NotFiniteError

SENTENCES = [
    ["the", "jumping", "fox", "กระโดด"], ["dog"], [], ["Füchse", "", "springen", "🙂"],
    ["the", "lazy"] * 3, ["北京", "是", "中华", "共和国", "的", "首都", "。"],
    ["서울은", "수도입니다"],
]  # fmt: skip
CHINESE = SENTENCES[5]


def load(model: Path, **settings: Any) -> Encoder:
    return Encoder.load(model, device="cpu", **({"prefix": "query: "} | settings))


def texts_of(sentences: list[list[str]]) -> list[SpannedText]:
    return [SpannedText.joined(words) for words in sentences]


def xlm_roberta(model: Path, **settings: Any) -> Encoder:
    """Load the tiny model with the real one's cut at blanks, which gives "▁" a letter's place."""
    encoder = load(model, **settings)
    encoder.tokenizer.backend.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace()]
    )
    return encoder


def states_of(encoder: Encoder, ids: np.ndarray, layer: int) -> np.ndarray:
    """Return the states of one text alone: (n_tokens, width)."""
    states = encoder.network.hidden_states(pad([ids], pad_id=encoder.network.pad_id))
    return states[layer][0].float().numpy()


def tokens_of_each(tokens: Tokens, text: SpannedText) -> list[np.ndarray]:
    return [
        np.flatnonzero((tokens.starts < end) & (tokens.ends > start))
        for start, end in text.spans.tolist()
    ]


def by_hand(encoder: Encoder, words: list[str], layer: int, pooling: str) -> list[np.ndarray]:
    """Return the vectors of a sentence that fits, one word after the other."""
    text, tokenizer = SpannedText.joined(words), encoder.tokenizer
    (tokens,) = tokens_of(tokenizer, [text.text])
    ids = np.array([*tokenizer.head, *tokens.ids, *tokenizer.tail], np.int32)
    states = states_of(encoder, ids, layer)[len(tokenizer.head) :]
    vectors = []
    for own in tokens_of_each(tokens, text):
        if pooling != "mean":
            names = [tokenizer.backend.id_to_token(tokens.ids[at]) for at in own]
            kept = [at for at, name in zip(own, names, strict=True) if name.strip("▁")]
            own = (kept or own)[:1] if pooling == "first" else (kept or own)[-1:]
        vectors.append(states[own].mean(0) if len(own) else np.zeros(states.shape[1]))
    return vectors


@pytest.mark.parametrize("pooling", ["mean", "first", "last"])
@pytest.mark.parametrize("kind", LAYERED)
def test_a_word_has_the_pooled_states_of_its_tokens(
    layered: dict[str, Path], kind: str, pooling: str
) -> None:
    encoder = (xlm_roberta if kind == "xlm-roberta" else load)(layered[kind], max_length=40)
    sentences = SENTENCES if kind not in ("gpt2", "modernbert") else SENTENCES[:5]  # bytes: longer
    found = encode_words(encoder, texts_of(sentences), layers=[0, 1, -1], pooling=pooling)
    assert np.diff(found.starts).tolist() == [len(words) for words in sentences]
    assert found.n_windows.tolist() == [int(bool(words)) for words in sentences]
    assert found.n_without_token == 1 == (~found.has_vector).sum()
    assert found.n_cut == 0
    for number, words in enumerate(sentences):
        got = found.vectors[:, found.starts[number] : found.starts[number + 1]]
        for at, layer in enumerate((0, 1, -1)):
            for vector, wanted in zip(
                got[at], by_hand(encoder, words, layer, pooling), strict=True
            ):
                np.testing.assert_allclose(vector, wanted, atol=2e-5)


@pytest.mark.parametrize("pooling", ["mean", "first", "last"])
@pytest.mark.parametrize("kind", ["bert", "xlm-roberta"])
def test_chinese_words_are_not_shifted(layered: dict[str, Path], kind: str, pooling: str) -> None:
    encoder = (xlm_roberta if kind == "xlm-roberta" else load)(layered[kind], max_length=40)
    found = encode_words(encoder, texts_of([CHINESE]), layers=[1], pooling=pooling).vectors[0]
    wanted = np.array(by_hand(encoder, CHINESE, 1, pooling))
    distances = np.linalg.norm(found[:, None] - wanted[None], axis=-1)
    assert distances.diagonal().max() < 1e-4
    assert (distances + 9 * np.eye(len(CHINESE))).min() > 0.1


def test_the_first_token_is_the_first_with_a_letter(layered: dict[str, Path]) -> None:
    encoder = xlm_roberta(layered["xlm-roberta"], max_length=40)
    text = SpannedText.joined(CHINESE)
    (tokens,) = tokens_of(encoder.tokenizer, [text.text])
    names = np.array([encoder.tokenizer.backend.id_to_token(at) for at in tokens.ids.tolist()])
    of_each = tokens_of_each(tokens, text)
    is_bare = [names[own[0]] == "▁" for own in of_each]
    assert sum(is_bare) >= 4
    found = encode_words(encoder, [text], layers=[0], pooling="first").vectors[0]
    ids = [*encoder.tokenizer.head, *tokens.ids, *encoder.tokenizer.tail]
    states = states_of(encoder, np.array(ids, np.int32), 0)[len(encoder.tokenizer.head) :]
    for vector, own, bare in zip(found, of_each, is_bare, strict=True):
        np.testing.assert_allclose(vector, states[own[1 if bare else 0]], atol=1e-5)


def test_a_word_of_blanks_alone_has_a_first_token(layered: dict[str, Path]) -> None:
    encoder = xlm_roberta(layered["xlm-roberta"])
    for pooling in ("mean", "first", "last"):
        found = encode_words(encoder, texts_of([["the", "▁", "fox"]]), pooling=pooling)
        assert found.has_vector.all()


def test_letters_that_stand_for_bytes_of_blanks_elsewhere(layered: dict[str, Path]) -> None:
    for kind, letter, is_blank in (("gpt2", "Ġ", True), ("xlm-roberta", "▁", True),
                                   ("xlm-roberta", "Ġ", False), ("bert", "Ġ", False)):  # fmt: skip
        backend = load(layered[kind]).tokenizer.backend
        if kind == "gpt2":
            backend.decoder = decoders.ByteLevel()
        backend.add_tokens([letter])
        ids = np.array([backend.token_to_id(letter), backend.encode("a").ids[0]], np.int32)
        assert BlankTokens(backend)(ids).tolist() == [is_blank, False], kind


def test_a_sentence_that_fits_is_as_it_was_before_there_were_windows(
    layered: dict[str, Path],
) -> None:
    encoder = load(layered["bert"])
    texts = texts_of(SENTENCES)
    found = encode_words(encoder, texts, layers=[0, 2])
    for number, (text, tokens) in enumerate(
        zip(texts, tokens_of(encoder.tokenizer, [one.text for one in texts]), strict=True)
    ):
        everything = np.arange(len(text.spans))
        kept, words = words_within(
            encoder.tokenizer, tokens, overlapping(text.spans, tokens), everything, Dropped()
        )
        if len(kept):
            alone = encode_words(encoder, [text], layers=[0, 2])
            own = pooled_words(encoder.network, [words], layers=[0, 2])
            np.testing.assert_array_equal(alone.vectors[:, kept], own)
            some = found.vectors[:, found.starts[number] + kept]
            np.testing.assert_allclose(some, own, atol=1e-5)


@pytest.mark.parametrize("kind", LAYERED)
def test_order_and_batches_change_nothing(
    layered: dict[str, Path], kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    encoder = load(layered[kind], max_length=16)
    sentences = [*SENTENCES, ["fox", "dog", "the"] * 9]
    straight = encode_words(encoder, texts_of(sentences), layers=[1, 2])
    monkeypatch.setitem(word_vectors.BUDGETS, ("cpu", "float32"), 20)
    back = encode_words(encoder, texts_of(sentences[::-1]), layers=[1, 2])
    assert straight.n_windows.tolist() == back.n_windows[::-1].tolist()
    for number in range(len(sentences)):
        other = len(sentences) - 1 - number
        np.testing.assert_allclose(
            straight.vectors[:, straight.starts[number] : straight.starts[number + 1]],
            back.vectors[:, back.starts[other] : back.starts[other + 1]],
            atol=2e-5,
        )


def test_a_stream_gives_the_same_in_bounded_chunks(layered: dict[str, Path]) -> None:
    encoder = load(layered["bert"])
    every = encode_words(encoder, texts_of(SENTENCES), layers=[0, -1])
    for n_words, n_chunks in ((1, 6), (6, 5), (10, 3), (1000, 1)):
        chunks = list(
            stream_words(
                encoder, iter(texts_of(SENTENCES)), layers=[0, -1], max_bytes=n_words * 2 * 4 * 32
            )
        )
        assert len(chunks) == n_chunks
        for chunk in chunks:
            assert chunk.vectors.shape[1] <= n_words or (np.diff(chunk.starts) > 0).sum() == 1
        vectors = np.concatenate([chunk.vectors for chunk in chunks], axis=1)
        np.testing.assert_allclose(vectors, every.vectors, atol=1e-5)
        n_windows = np.concatenate([chunk.n_windows for chunk in chunks])
        assert n_windows.tolist() == every.n_windows.tolist()
        assert sum(chunk.n_without_token for chunk in chunks) == every.n_without_token
    assert list(stream_words(encoder, [])) == []


def test_no_layer_above_the_highest_is_run(layered: dict[str, Path]) -> None:
    encoder = load(layered["modernbert"])
    encode_words(encoder, texts_of(SENTENCES), layers=[0])
    ran = []
    for number, block in enumerate(encoder.network.model.layers):
        block.register_forward_hook(lambda *_, number=number: ran.append(number))
    encode_words(encoder, texts_of(SENTENCES), layers=[2, 0])
    assert set(ran) == {0, 1}


def test_the_prefix_of_the_settings_is_read(layered: dict[str, Path]) -> None:
    encoder = load(layered["bert"])
    found = encode_words(encoder, texts_of([["the", "fox"]])).vectors
    for prefix, is_same in (("query: ", True), ("", False), ("dog ", False)):
        other = encode_words(with_prefix(encoder, prefix), texts_of([["the", "fox"]])).vectors
        assert np.allclose(found, other, atol=1e-5) is is_same
        wanted = by_hand(with_prefix(encoder, prefix), ["the", "fox"], -1, "mean")
        np.testing.assert_allclose(other[0], wanted, atol=1e-5)


def test_bfloat16_gives_nearly_the_same_in_float32(layered: dict[str, Path]) -> None:
    whole = encode_words(load(layered["bert"]), texts_of(SENTENCES)).vectors
    half = encode_words(load(layered["bert"], dtype="bfloat16"), texts_of(SENTENCES)).vectors
    assert half.dtype == np.float32
    assert 0 < np.abs(whole - half).max() < 0.2


def test_threads_are_capped_while_encoding_and_not_between(
    layered: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    before = torch.get_num_threads()
    monkeypatch.setattr(torch, "get_num_threads", lambda: before)
    asked: list[int] = []
    monkeypatch.setattr(torch, "set_num_threads", asked.append)
    encoder = load(layered["bert"], threads=1)
    for _ in stream_words(encoder, texts_of(SENTENCES[:2]), max_bytes=1):
        assert asked == [1, before]
        asked.clear()


def test_a_vector_that_is_not_finite_is_refused_by_name(layered: dict[str, Path]) -> None:
    encoder = load(layered["bert"])
    dog = encoder.tokenizer.backend.encode("dog", add_special_tokens=False).ids[-1]
    with torch.inference_mode():
        encoder.network.model.embeddings.word_embeddings.weight[dog] = np.nan
    sentences = texts_of([["the"], ["the", "dog"]])
    for run in (
        encode_words,
        lambda *given, **more: list(stream_words(*given, **more, max_bytes=1)),
    ):
        with pytest.raises(NotFiniteError, match="not finite for word 1 of sentence 1 "):
            run(encoder, sentences, layers=[0])


def test_a_layer_that_is_not_there_is_refused(bert: Path) -> None:
    for layers in ([9], [0, -4], []):
        with pytest.raises(InputError, match=r"no layers \[.*\]; the layers are 0 to 2"):
            encode_words(load(bert), texts_of([["a"]]), layers=layers)
        with pytest.raises(InputError, match="no layers"):
            next(stream_words(load(bert), texts_of([["a"]]), layers=layers))
