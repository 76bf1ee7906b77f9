"""Vectors of words of sentences that are cut already, against a slow reference."""

from pathlib import Path

import numpy as np
import pytest

from isogloss.encode import Encoder
from isogloss.encode.batches import pad
from isogloss.encode.words.tokens_of_words import SpannedText, tokens_of
from isogloss.encode.words.word_vectors import encode_words
from isogloss.errors import InputError

SENTENCES = [
    ["the", "jumping", "fox", "กระโดด"], ["dog"], [], ["Füchse", "", "springen", "🙂"],
    ["the", "lazy"] * 3,
]  # fmt: skip


def load(model: Path, **settings: int | str) -> Encoder:
    return Encoder.load(model, device="cpu", prefix="query: ", **settings)


@pytest.mark.parametrize("pooling", ["mean", "first", "last"])
def test_a_word_has_the_pooled_states_of_its_tokens(bert: Path, pooling: str) -> None:
    encoder = load(bert)
    texts = [SpannedText.joined(words) for words in SENTENCES]
    found = encode_words(encoder, texts, layers=[0, -1], pooling=pooling)
    assert np.diff(found.starts).tolist() == [len(words) for words in SENTENCES]
    assert found.dropped.n_words == sum(map(len, SENTENCES))
    assert found.dropped.n_without_token == 1
    assert (~found.has_vector).sum() == 1
    head = len(encoder.tokenizer.head)
    network = encoder.network
    for number, one in enumerate(texts):
        (tokens,) = tokens_of(encoder.tokenizer, [one.text])
        ids = np.array([[*encoder.tokenizer.head, *tokens.ids, *encoder.tokenizer.tail]])
        states = network.hidden_states(pad(list(ids.astype(np.int32)), pad_id=network.pad_id))
        for word, (start, end) in enumerate(one.spans.tolist()):
            own = np.flatnonzero((tokens.starts < end) & (tokens.ends > start)) + head
            got = found.vectors[:, found.starts[number] + word]
            if start == end:
                assert not got.any()
                continue
            own = {"mean": own, "first": own[:1], "last": own[-1:]}[pooling]
            for layer, vector in zip((0, -1), got, strict=True):
                wanted = states[layer][0][own].float().mean(0).numpy()
                assert vector == pytest.approx(wanted, abs=1e-5)


def test_words_beyond_the_maximum_length_are_dropped_and_counted(bert: Path) -> None:
    texts = [SpannedText.joined(["fox"] * 30), SpannedText.joined(["dog"])]
    found = encode_words(load(bert, max_length=12), texts)
    assert found.dropped.n_cut == 30 - found.has_vector[:30].sum() > 0
    assert found.has_vector[30]
    assert not found.vectors[:, :30][:, ~found.has_vector[:30]].any()


def test_a_layer_that_is_not_there_is_refused(bert: Path) -> None:
    with pytest.raises(InputError, match=r"no layers \[9\]; the layers are 0 to"):
        encode_words(load(bert), [SpannedText.joined(["a"])], layers=[9])
